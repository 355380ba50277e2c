"""What a protocol needs for a property: the minimal sets of relaxations that break it, the maximal ones that do not.

Every set of the given relaxations is judged on every given topology, so the answer is exact there: nothing rests on
"more relaxed is worse", which is false for some claims (a recorded state that no message could leave behind becomes
reachable where messages may be lost). Only for claims about a run alone, where it is true, are the sets above a
breaking one taken as breaking without a search.

Sets are ordered by what they allow: overtake:1 less than overtake:2 less than fifo, loss:1 less than loss:2, and a set
less than one that allows all that it allows.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from checker.engines import suited
from checker.engines.search_options import SearchOptions
from checker.sweep.batch_jobs import Job, Result, checked_words, judging
from checker.sweep.matrix import topologies
from model.assumptions import parse_relaxations
from model.errors import InputError
from model.properties import find_property
from model.property import Property
from model.topology import Topology

RELAXATIONS = (
    "fifo",
    "overtake:1",
    "loss:1",
    "duplication:1",
    "marker-loss:1",
    "marker-duplication:1",
    "crash:1",
)
TOPOLOGIES = ("complete:2",)
"""What is tried unless asked otherwise."""

Set = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Judged:
    """One set of relaxations: broken (with the shortest violation on the smallest topology), kept, or undecided.

    `inferred` names the smaller breaking set from which it follows, where there was no search.
    """

    relax: Set
    outcome: str
    length: int | None = None
    topology: Topology | None = None
    inferred: Set | None = None


@dataclass(frozen=True, slots=True)
class Needs:
    """The answer for one protocol and property: all sets judged, and the frontier between breaking and not."""

    protocol: str
    property: str
    program: str
    initiators: str
    topologies: tuple[Topology, ...]
    judged: tuple[Judged, ...]
    seconds: float

    def minimal_breaking(self) -> tuple[Judged, ...]:
        """The sets that break the property while none below them does; none below them may be undecided."""
        suspect = [j for j in self.judged if j.outcome != "kept"]
        broken = [j for j in suspect if j.outcome == "broken"]
        return tuple(j for j in broken if not any(below(k.relax, j.relax) for k in suspect if k is not j))

    def maximal_kept(self) -> tuple[Judged, ...]:
        """The sets that keep the property while none above them does; none above them may be undecided."""
        suspect = [j for j in self.judged if j.outcome != "broken"]
        kept = [j for j in suspect if j.outcome == "kept"]
        return tuple(j for j in kept if not any(below(j.relax, k.relax) for k in suspect if k is not j))

    def undecided(self) -> tuple[Judged, ...]:
        """The sets on which a bound was met."""
        return tuple(j for j in self.judged if j.outcome == "undecided")

    def to_json(self) -> dict[str, Any]:
        """The answer as JSON data."""
        return {
            "protocol": self.protocol,
            "property": self.property,
            "program": self.program,
            "initiators": self.initiators,
            "topologies": [t.name for t in self.topologies],
            "seconds": round(self.seconds, 3),
            "minimal_breaking": [
                {"relax": list(j.relax), "length": j.length, "topology": j.topology.name if j.topology else None}
                for j in self.minimal_breaking()
            ],
            "maximal_kept": [list(j.relax) for j in self.maximal_kept()],
            "undecided": [list(j.relax) for j in self.undecided()],
            "judged": len(self.judged),
            "searched": sum(j.inferred is None for j in self.judged),
        }


def needs(
    protocol: str,
    property: str | Property,
    where: Sequence[str] = TOPOLOGIES,
    program: str = "transfer",
    relaxations: Sequence[str] = RELAXATIONS,
    *,
    initiators: str = "0",
    engine: str = "auto",
    options: SearchOptions | None = None,
    workers: int = 1,
    progress: Callable[[int, int], None] = lambda done, of: None,
) -> Needs:
    """What the protocol needs for the property on these topologies; relaxations are single ones, such as loss:1."""
    started = time.monotonic()
    (claim,) = checked_words(program, [protocol], relaxations, [property])
    for one in relaxations:
        if "," in one or not one:
            raise InputError(f"relaxation {one!r}: single ones, such as loss:1, are combined here")
    suited(engine, options or SearchOptions())
    graphs, sets = topologies(where), consistent_sets(relaxations)
    judged: list[Judged] = []
    with judging(workers, [property]) as judge:
        for size in range(len(relaxations) + 1):
            level = [s for s in sets if len(s) == size]
            known = [_inferred(s, claim, judged) for s in level]
            open_sets = [s for s, found in zip(level, known, strict=True) if found is None]
            rows = [
                [
                    Job(
                        graph,
                        program,
                        protocol,
                        initiators,
                        ",".join(s),
                        (property,),
                        engine,
                        options or SearchOptions(),
                    )
                    for graph in graphs
                ]
                for s in open_sets
            ]
            judged += [found for found in known if found is not None]
            judged += [_settled(s, row) for s, row in zip(open_sets, judge(rows), strict=True)]
            progress(len(judged), len(sets))
    return Needs(protocol, claim.name, program, initiators, graphs, tuple(judged), time.monotonic() - started)


def consistent_sets(relaxations: Sequence[str]) -> list[Set]:
    """All sets of them that can be asked for together, in their order: not two disciplines, not one fault twice."""
    sets = []
    for size in range(len(relaxations) + 1):
        for some in combinations(relaxations, size):
            kinds = ["order" if _kind(r) in ("fifo", "overtake") else _kind(r) for r in some]
            if len(set(kinds)) == len(kinds):
                parse_relaxations(",".join(some))
                sets.append(some)
    return sets


def below(less: Set, more: Set) -> bool:
    """Whether `more` allows all that `less` does."""
    return all(any(_allows(b, a) for b in more) for a in less)


def _allows(more: str, less: str) -> bool:
    if _kind(more) == "fifo":
        return _kind(less) in ("fifo", "overtake")
    return _kind(more) == _kind(less) and int(more.partition(":")[2]) >= int(less.partition(":")[2])


def _kind(relaxation: str) -> str:
    return relaxation.partition(":")[0]


def _inferred(relax: Set, claim: Property, judged: Sequence[Judged]) -> Judged | None:
    """What follows for the set from a smaller one, if anything."""
    if claim.monotone:
        for known in judged:
            if known.outcome == "broken" and below(known.relax, relax):
                return Judged(relax, "broken", inferred=known.inferred or known.relax)
    return None


def _settled(relax: Set, results: Sequence[Result]) -> Judged:
    """broken on some topology; kept (or vacuous) on all; results come smallest topology first."""
    refused = [r.refused for r in results if r.refused is not None]
    if len(refused) == len(results):
        raise InputError(refused[0])
    property_results = [(r, f) for r in results for f in r.property_results]
    if not property_results:
        name = find_property(results[0].job.properties[0]).name
        raise InputError(f"property {name!r} says nothing about {results[0].job.protocol}")
    for result, finding in property_results:
        if finding.outcome == "violated":
            return Judged(relax, "broken", finding.length, result.job.topology)
    if any(finding.outcome == "unknown" for _, finding in property_results):
        return Judged(relax, "undecided")
    return Judged(relax, "kept")
