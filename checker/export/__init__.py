"""Formats that others read: a trace as ITF, ShiViz log or Mermaid; a system as Promela, TLA+ or Graphviz DOT."""

from __future__ import annotations

from model.system import System
from model.trace import Counterexample

TRACE_FORMATS = {
    ".itf.json": "checker.export.informal:itf",
    ".shiviz": "checker.export.clocks:shiviz",
    ".mmd": "checker.export.sequence:mermaid",
}
"""Suffix -> module:function from a counterexample or witness to the file's text."""

SYSTEM_FORMATS = {
    ".pml": "checker.export.promela:promela",
    ".tla": "checker.export.tla:tla",
    ".dot": "checker.export.graph:dot",
}
"""Suffix -> module:function from a system to the file's text; refused, with `InputError`, where it is too large."""


def itf(found: Counterexample) -> str:
    """The trace in Apalache's Informal Trace Format."""
    from checker.export import informal

    return informal.itf(found)


def shiviz(found: Counterexample) -> str:
    """The trace as a ShiViz log."""
    from checker.export import clocks

    return clocks.shiviz(found)


def mermaid(found: Counterexample) -> str:
    """The trace as a Mermaid sequence diagram."""
    from checker.export import sequence

    return sequence.mermaid(found)


def system_text(system: System, suffix: str) -> str:
    """The system in the format of the suffix, a key of `SYSTEM_FORMATS`."""
    from importlib import import_module

    module, _, function = SYSTEM_FORMATS[suffix].partition(":")
    text: str = getattr(import_module(module), function)(system)
    return text
