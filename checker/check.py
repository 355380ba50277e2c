"""`check`: the one function behind the command, the notebook and the sweeps."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # and below where they are used: the command line loads no more than it needs
    from collections.abc import Iterable

    from checker.engines.search_options import Progress, SearchOptions
    from model.program import Program
    from model.property import Property
    from model.protocol import Protocol
    from model.system import System
    from model.topology import Topology
    from model.verdict import Verdict


def check(
    topology: str | Topology | System,
    program: str | type[Program] = "transfer",
    protocol: str | type[Protocol] = "marker",
    *,
    initiators: str | int | Iterable[int] = "0",
    relax: str | Iterable[str] = "",
    properties: str | Iterable[str | Property] = (),
    engine: str = "auto",
    options: SearchOptions | None = None,
    progress: Progress | None = None,
) -> Verdict:
    """The verdict on one system, given by the command line's words or ready made.

    `program` and `protocol` may be classes of your own. `properties` are names, or properties of your own; if none,
    all that apply. Raises `InputError` for words that are not understood, and for a topology of several graphs.
    """
    from checker.engines import engine as engine_named
    from checker.engines import suited
    from checker.engines.search_options import SearchOptions, silent
    from model.catalogue import build_system
    from model.properties import chosen
    from model.system import System

    if isinstance(topology, System):
        system = topology
    else:
        system = build_system(one(topology), program, protocol, initiators, relax)
    options = options or SearchOptions()
    run = engine_named(engine)
    suited(engine, options)
    names = (properties,) if isinstance(properties, str) else tuple(properties)
    return reviewed(run(system, chosen(system, names), options, progress or silent))


def reviewed(verdict: Verdict) -> Verdict:
    """The verdict with what the author of the program should know of.

    All that was asked is asked again first: `InputError` says so if an answer differs now.
    """
    from model.guard import ask_again, warnings

    program = verdict.system.program
    ask_again(program)
    ask_again(verdict.system.protocol)
    told = warnings(program) if verdict.coverage.kind == "exhaustive" else ()
    return replace(verdict, warnings=verdict.warnings + told) if told else verdict


def one(topology: str | Topology) -> Topology:
    """The topology, which must be one."""
    from checker.topologies import parse
    from model.errors import InputError
    from model.topology import Topology

    if isinstance(topology, Topology):
        return topology
    found = parse(topology)
    if len(found) != 1:
        raise InputError(f"{topology!r} names {len(found)} topologies: give one of them")
    return found[0]
