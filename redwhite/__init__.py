"""Redwhite: exhaustive checks and proofs of distributed snapshot algorithms. All that one writes with is here.

    from redwhite import Action, Program, check

What is named is loaded when it is asked for, so `import redwhite` takes milliseconds.
"""

from __future__ import annotations

from redwhite import first as first  # isort: split

from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING

from redwhite.packages import find_ours

if TYPE_CHECKING:  # the same names as below: a test compares them
    from checker.audit.logger import Log as Log
    from checker.check import check as check
    from checker.engines.search_options import SearchOptions as SearchOptions
    from checker.engines.symbolic.refute import refute as refute
    from checker.report.data import read_trace as read_trace
    from checker.report.data import trace_from as trace_from
    from checker.report.explain import explain as explain
    from checker.report.formats import write_trace as write_trace
    from checker.report.table import verdict_text as verdict_text
    from checker.spark.session import session as session
    from checker.topologies import parse as parse
    from model.action import Action as Action
    from model.action import Local as Local
    from model.action import Message as Message
    from model.action import Step as Step
    from model.action import control as control
    from model.assumptions import Assumptions as Assumptions
    from model.assumptions import parse_relaxations as parse_relaxations
    from model.catalogue import build_system as build_system
    from model.claims import always as always
    from model.claims import conserved as conserved
    from model.claims import eventually as eventually
    from model.claims import leads_to as leads_to
    from model.claims import never as never
    from model.claims import on_action as on_action
    from model.claims import on_cut as on_cut
    from model.claims import on_snapshot as on_snapshot
    from model.claims import sometimes as sometimes
    from model.claims import stable as stable
    from model.errors import InputError as InputError
    from model.families import parse_family as parse_family
    from model.own_monitors import Monitor as Monitor
    from model.program import Program as Program
    from model.program import Underlying as Underlying
    from model.programs.rules import RuleProgram as RuleProgram
    from model.property import CompletedSnapshot as CompletedSnapshot
    from model.property import Property as Property
    from model.protocol import Protocol as Protocol
    from model.protocol import Recorded as Recorded
    from model.protocol import payloads as payloads
    from model.protocols.marker import Marker as Marker
    from model.recording import Recording as Recording
    from model.system import State as State
    from model.system import System as System
    from model.topology import Topology as Topology
    from model.trace import Counterexample as Counterexample
    from model.trace import Trace as Trace
    from model.trace import replay as replay
    from model.verdict import Outcome as Outcome
    from model.verdict import Verdict as Verdict

HOMES = {
    "checker.check": ("check",),
    "checker.engines.search_options": ("SearchOptions",),
    "checker.engines.symbolic.refute": ("refute",),
    "checker.spark.session": ("session",),
    "checker.topologies": ("parse",),
    "model.families": ("parse_family",),
    "checker.report.data": ("read_trace", "trace_from"),
    "checker.report.formats": ("write_trace",),
    "checker.report.table": ("verdict_text",),
    "checker.report.explain": ("explain",),
    "checker.audit.logger": ("Log",),
    "model.topology": ("Topology",),
    "model.program": ("Program", "Underlying"),
    "model.programs.rules": ("RuleProgram",),
    "model.action": ("Action", "Local", "Message", "Step", "control"),
    "model.protocol": ("Protocol", "Recorded", "payloads"),
    "model.protocols.marker": ("Marker",),
    "model.recording": ("Recording",),
    "model.assumptions": ("Assumptions", "parse_relaxations"),
    "model.catalogue": ("build_system",),
    "model.own_monitors": ("Monitor",),
    "model.claims": (
        "always",
        "conserved",
        "eventually",
        "leads_to",
        "never",
        "on_action",
        "on_cut",
        "on_snapshot",
        "sometimes",
        "stable",
    ),
    "model.system": ("State", "System"),
    "model.property": ("CompletedSnapshot", "Property"),
    "model.trace": ("Counterexample", "Trace", "replay"),
    "model.verdict": ("Outcome", "Verdict"),
    "model.errors": ("InputError",),
}
"""Where each public name lives."""
MODULE_OF = {name: module for module, names in HOMES.items() for name in names}
LIGHT = ("checker.audit.logger",)
"""What a real system imports to write its log: nothing of the definitions is loaded with it."""

__all__ = list(MODULE_OF)

find_ours()


def __getattr__(name: str) -> object:
    """A public name, loaded now."""
    if name not in MODULE_OF:
        raise AttributeError(f"module 'redwhite' has no attribute {name!r}")
    found = globals()[name] = getattr(import_module(MODULE_OF[name]), name)
    if MODULE_OF[name] not in LIGHT:
        import model.display

        model.display.drawn_by(_cells)
    return found


def _cells() -> ModuleType:
    """What shows values in a notebook, loaded when the first cell asks."""
    import checker.draw.cells

    return checker.draw.cells


def __dir__() -> list[str]:
    return sorted((*globals(), *MODULE_OF))
