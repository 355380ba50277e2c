"""Verdicts: what was found, what was covered, and never more than that."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import Enum

from model.display import DisplayedAsText
from model.program import Underlying
from model.property import Property
from model.system import System
from model.trace import Counterexample

COMPLETES = "a snapshot completes"
IN_CHANNEL = "a snapshot completes with a message in a channel"
"""The two witnesses, by name: what must be seen before a claim over snapshots may be said to hold."""


class Outcome(Enum):
    """holds: over all that the coverage names. vacuous: held, but over no snapshot. unknown: the search was cut off."""

    HOLDS = "holds"
    VIOLATED = "violated"
    VACUOUS = "vacuous"
    UNKNOWN = "unknown"

    def __bool__(self) -> bool:
        raise TypeError("an outcome has no truth value: compare it with Outcome.HOLDS")


@dataclass(frozen=True, slots=True)
class Coverage:
    """What a search covered: exhaustive; bounded (by `limit`, why it stopped); sampled (runs, seed); inductive."""

    kind: str
    details: tuple[tuple[str, int | str], ...] = ()

    def to_json(self) -> dict[str, int | str]:
        """The coverage as JSON data."""
        return {"kind": self.kind, **dict(self.details)}


@dataclass(frozen=True, slots=True)
class PropertyVerdict:
    """What was found of one property; `length` counts actions to the first violation; `witness`: not vacuous.

    length: None too where a violation was found of which nobody knows that it is the shortest.
    """

    name: str
    outcome: Outcome
    length: int | None = None
    witness: bool | None = None
    counterexample: Counterexample | None = None
    claim: str = ""


def settled(counterexample: Counterexample | None, cut: str | None, witness: bool | None) -> Outcome:
    """The outcome of one property: a violation counts even if the search was cut off, a holding only if it was not."""
    if counterexample is not None:
        return Outcome.VIOLATED
    if cut is not None:
        return Outcome.UNKNOWN
    return Outcome.VACUOUS if witness is False else Outcome.HOLDS


def settled_for(
    judged: Property, counterexample: Counterexample | None, cut: str | None, witness: bool | None, length: int | None
) -> PropertyVerdict:
    """What was found of the property. Of one that is sought, the run found is its witness, not its violation.

    That some run is as sought, and none was found though all were covered, is violated by no run in particular.
    """
    if not judged.sought:
        outcome = settled(counterexample, cut, witness)
        return PropertyVerdict(judged.name, outcome, length, witness, counterexample, judged.claim)
    found = counterexample is not None
    outcome = Outcome.HOLDS if found else Outcome.VIOLATED if cut is None else Outcome.UNKNOWN
    return PropertyVerdict(judged.name, outcome, None, found if found or cut is None else None, claim=judged.claim)


def sought_of(properties: Iterable[Property], found: Mapping[str, Counterexample]) -> tuple[Counterexample, ...]:
    """The runs that show what is sought, by the property's name."""
    return tuple(found[p.name] for p in properties if p.sought and p.name in found)


@dataclass(frozen=True, slots=True)
class Counts:
    """Figures of the reachable graph: distinct states, generated successors, longest shortest distance in actions.

    `interleavings` is the number of maximal runs, None where there are infinitely many or it was not counted. 0 states:
    the engine counts none (the symbolic one); `depth` is then how deep it looked. `symmetries`: where one state of each
    orbit of a group was explored, the group's order; `unreduced_states` is then the sum of the orbits' sizes.
    `reduced`: states and transitions are those of a graph with fewer orders of actions that commute. `histories`: where
    what has been did not follow from the state, how many states there are together with their history.
    """

    states: int
    transitions: int
    depth: int
    underlying_states: int | None = None
    snapshots: int | None = None
    interleavings: int | None = None
    symmetries: int | None = None
    unreduced_states: int | None = None
    reduced: bool = False
    histories: int | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Verdict(DisplayedAsText):
    """What one engine found of one system: never more than `coverage` says; `reason` tells why it is unknown.

    `snapshots` holds the distinct completed SSS in the order found, each as (machines, channels); `seconds` is the
    time of the search, `peak_rss_mb` the largest memory of the process so far, in 10^6 bytes. `warnings`: a line each
    of what the author of the program should know of.
    """

    system: System
    engine: str
    coverage: Coverage
    counts: Counts
    properties: tuple[PropertyVerdict, ...]
    snapshots: tuple[Underlying, ...] = ()
    reason: str | None = None
    seconds: float = 0.0
    peak_rss_mb: float = 0.0
    witnesses: tuple[Counterexample, ...] = ()
    warnings: tuple[str, ...] = ()

    def __repr__(self) -> str:
        """One line: a notebook shows the value of its last line, and all snapshots would be a wall."""
        broken = [f"{p.name} after {p.length}" for p in self.properties if p.outcome is Outcome.VIOLATED]
        found = f" ({', '.join(broken)})" if broken else ""
        return (
            f"<Verdict {self.outcome.value}{found}: {self.counts.states} states, {self.coverage.kind}, {self.engine}>"
        )

    @property
    def outcome(self) -> Outcome:
        """violated if any property is; else unknown if any is unknown or vacuous; else holds."""
        found = {p.outcome for p in self.properties}
        if Outcome.VIOLATED in found:
            return Outcome.VIOLATED
        if found & {Outcome.UNKNOWN, Outcome.VACUOUS} or self.reason is not None:
            return Outcome.UNKNOWN
        return Outcome.HOLDS

    @property
    def counterexample(self) -> Counterexample | None:
        """The shortest one; of equally short ones that of the property listed first."""
        found = [p for p in self.properties if p.counterexample is not None]
        return min(found, key=_distance).counterexample if found else None

    def is_shortest(self, found: Counterexample) -> bool:
        """Whether no run shorter than this one breaks its property: a length is given only where that is known."""
        return any(p.name == found.property and p.length is not None for p in self.properties)


def _distance(broken: PropertyVerdict) -> int:
    assert broken.counterexample is not None
    return len(broken.counterexample.trace) if broken.length is None else broken.length
