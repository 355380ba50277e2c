"""`check`: the one function behind the command, the notebook and the sweeps."""

from __future__ import annotations

from checker.bounds import Bounds, Progress, silent
from checker.engines import engine as engine_named
from checker.topologies import parse
from model.catalogue import build_system
from model.errors import InputError
from model.properties import chosen
from model.system import System
from model.topology import Topology
from model.verdict import Verdict


def check(
    topology: str | Topology | System,
    program: str = "transfer",
    protocol: str = "marker",
    *,
    initiators: str = "0",
    relax: str = "",
    properties: tuple[str, ...] | list[str] = (),
    engine: str = "auto",
    bounds: Bounds | None = None,
    progress: Progress = silent,
) -> Verdict:
    """The verdict on one system, given by the command line's words or ready made.

    `properties` are names (all that apply if none); raises `InputError` for words that are not understood, and for a
    topology that names several graphs.
    """
    if isinstance(topology, System):
        system = topology
    else:
        system = build_system(one(topology), program, protocol, initiators, relax)
    return engine_named(engine)(system, chosen(system, tuple(properties)), bounds or Bounds(), progress)


def one(topology: str | Topology) -> Topology:
    """The topology, which must be one."""
    if isinstance(topology, Topology):
        return topology
    found = parse(topology)
    if len(found) != 1:
        raise InputError(f"{topology!r} names {len(found)} topologies: give one of them")
    return found[0]
