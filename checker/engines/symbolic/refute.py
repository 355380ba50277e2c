"""`refute`: the one function behind the verb; topologies given or open, all properties or those that clauses encode."""

from __future__ import annotations

from dataclasses import dataclass

from checker.check import one
from checker.engines.search_options import Progress, SearchOptions, silent
from checker.engines.symbolic.encodable import why_not_encodable
from checker.engines.symbolic.engine import DEPTH, Search
from checker.engines.symbolic.networks import Networks, family, parse_any
from checker.engines.symbolic.places import Need, needs
from model.catalogue import build_system
from model.errors import InputError
from model.guard import ask_again
from model.properties import chosen
from model.property import Property
from model.system import System
from model.topology import Topology
from model.verdict import Coverage, Outcome, Verdict


@dataclass(frozen=True, slots=True)
class Refutation:
    """What was found: the verdict on the system, or on the network that fails; `needs`: what it needs relaxed.

    asked: the topology as given; system: what was searched, of an open topology one of its systems. For an open
    topology on which nothing was found `verdict` is None; `networks` says what it stands for. judged: the properties by
    name; not_encodable: those that apply and that clauses cannot encode, so that they were not judged.
    """

    asked: str
    system: System
    verdict: Verdict | None
    coverage: Coverage
    outcome: Outcome
    reason: str | None
    seconds: float
    needs: tuple[Need, ...] = ()
    judged: tuple[str, ...] = ()
    not_encodable: tuple[str, ...] = ()
    networks: str | None = None


def refute(
    topology: str | Topology | System,
    program: str = "transfer",
    protocol: str = "marker",
    *,
    initiators: str = "0",
    relax: str = "",
    properties: tuple[str, ...] | list[str] = (),
    options: SearchOptions | None = None,
    progress: Progress = silent,
) -> Refutation:
    """Look for the shortest counterexample, and among those for one of least cost; `any:N` leaves the channels open.

    Stops at the first depth at which a property is broken, at `options.max_depth` (20 actions if none is given), or
    where no run goes on. `InputError` for words that are not understood, and on open topologies for properties
    that cannot be encoded in clauses.
    """
    asked = SearchOptions(None, DEPTH, None, True) if options is None else options

    def build(one_topology: Topology) -> System:
        return build_system(one_topology, program, protocol, initiators, relax)

    machines = parse_any(topology) if isinstance(topology, str) else None
    if machines is None:
        system = topology if isinstance(topology, System) else build(one(topology))
        return closed(system, chosen(system, tuple(properties)), asked, progress)
    networks = Networks(machines, build, lambda system: _encodable(system, properties)[0], asked, progress)
    system = networks.unrolling.system
    judged, not_encodable = _encodable(system, properties)
    found = networks.verdict()
    failing = found.failing
    outcome = Outcome.HOLDS if found.coverage.kind == "inductive" and found.reason is None else Outcome.UNKNOWN
    counterexample = failing.counterexample if failing is not None else None
    return Refutation(
        f"any:{machines}",
        system,
        failing,
        found.coverage,
        Outcome.VIOLATED if counterexample is not None else outcome,
        found.reason,
        found.seconds,
        needs(counterexample.trace) if counterexample is not None else (),
        tuple(p.name for p in judged),
        not_encodable,
        family(machines, networks.pinned),
    )


def closed(system: System, judged: list[Property], options: SearchOptions, progress: Progress = silent) -> Refutation:
    """The refutation of one system."""
    verdict = Search(system, judged, options, progress, cheapest=True).verdict()
    ask_again(system.program)
    ask_again(system.protocol)
    found = verdict.counterexample
    return Refutation(
        system.topology.name or f"{system.topology.machines} machines",
        system,
        verdict,
        verdict.coverage,
        verdict.outcome,
        verdict.reason,
        verdict.seconds,
        needs(found.trace) if found is not None else (),
        tuple(p.name for p in judged),
    )


def _encodable(system: System, names: tuple[str, ...] | list[str]) -> tuple[list[Property], tuple[str, ...]]:
    """The properties that clauses encode; unless they are named, others are set aside, by name."""
    wanted = chosen(system, tuple(names))
    cannot = {p.name: why for p in wanted if (why := why_not_encodable(p)) is not None}
    if names and cannot:
        raise InputError(next(iter(cannot.values())))
    judged = [p for p in wanted if p.name not in cannot]
    if not judged:
        raise InputError("no property that applies can be encoded in clauses: judge the system with check")
    return judged, tuple(cannot)
