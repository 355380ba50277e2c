"""`check`: the one function behind the command, the notebook and the sweeps."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:  # and below where they are used: the command line loads no more than it needs
    from collections.abc import Iterable

    from checker.engines.search_options import Progress, SearchOptions
    from model.program import Program
    from model.protocol import Protocol
    from model.system import System
    from model.topology import Topology
    from model.verdict import Verdict


def check(
    topology: str | Topology | System,
    program: str | type[Program] = "transfer",
    protocol: str | type[Protocol] = "marker",
    *,
    initiators: str = "0",
    relax: str = "",
    properties: Iterable[str] = (),
    engine: str = "auto",
    options: SearchOptions | None = None,
    progress: Progress | None = None,
) -> Verdict:
    """The verdict on one system, given by the command line's words or ready made.

    `program` and `protocol` may be classes of your own. `properties` are names (all that apply if none); raises
    `InputError` for words that are not understood, and for a topology that names several graphs.
    """
    from checker.engines import engine as engine_named
    from checker.engines import suited
    from checker.engines.search_options import SearchOptions, silent
    from model.properties import chosen
    from model.system import System

    if isinstance(topology, System):
        system = topology
    else:
        system = _system(one(topology), program, protocol, initiators, relax)
    options = options or SearchOptions()
    run = engine_named(engine)
    suited(engine, options)
    return run(system, chosen(system, tuple(properties)), options, progress or silent)


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


def _system(
    topology: Topology, program: str | type[Program], protocol: str | type[Protocol], initiators: str, relax: str
) -> System:
    """The system of these names or classes."""
    from model.assumptions import parse_relaxations
    from model.catalogue import PROGRAMS, PROTOCOLS, build_system, find, parse_initiators
    from model.program import Program
    from model.protocol import Protocol
    from model.system import System

    if isinstance(program, str) and isinstance(protocol, str):
        return build_system(topology, program, protocol, initiators, relax)
    program_class, program_options = find(program, PROGRAMS, Program) if isinstance(program, str) else (program, {})
    protocol_class, options = find(protocol, PROTOCOLS, Protocol) if isinstance(protocol, str) else (protocol, {})
    the_program: Program = program_class(topology, **program_options)
    the_protocol: Protocol = protocol_class(topology, the_program, parse_initiators(initiators, topology), **options)
    description = {
        "program": program if isinstance(program, str) else program.__name__,
        "protocol": protocol if isinstance(protocol, str) else protocol.__name__,
        "initiators": initiators,
        "relax": relax,
    }
    return System(topology, the_program, the_protocol, parse_relaxations(relax), description)
