"""The search: the cheapest rule that is left is checked on every topology; what is learnt rules out many others.

A counterexample depends on little: on what the sketch decided while the run was replayed and judged. Every rule whose
fillings would have decided all of that alike has the same run, so it fails likewise. A rule that holds does so together
with all whose fillings decide alike in its whole exploration.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from checker.check import check
from checker.engines.search_options import SearchOptions
from checker.judging.rejudge import rejudge
from checker.synthesis.space import Cost, Fillings, Rule, Space, cost, network
from model.catalogue import build_system, parse_initiators
from model.properties import chosen
from model.property import Property
from model.protocols.sketch import HOLES, Sketch
from model.system import System, uncoloured
from model.topology import Topology
from model.trace import Counterexample, Trace
from model.verdict import Outcome


@dataclass(frozen=True, slots=True)
class Question:
    """What the rules have to be right on. `fixed` fills some holes beforehand."""

    topologies: tuple[Topology, ...]
    program: str = "transfer"
    initiators: str = "0"
    relax: str = ""
    properties: tuple[str, ...] = ()
    fixed: tuple[tuple[str, str], ...] = ()

    def system(self, topology: Topology, rule: Rule) -> System:
        """A rule on one topology."""
        return build_system(topology, self.program, words(rule), self.initiators, self.relax)


@dataclass(frozen=True, slots=True)
class Refuted:
    """A rule that is wrong: what breaks on which topology after how many actions, and how many rules fail likewise."""

    rule: Rule
    property: str
    topology: str
    length: int
    alike: Fillings
    rules: int


@dataclass(frozen=True, slots=True)
class Right:
    """A rule that holds on every topology, and with it all rules made of the fillings `alike`."""

    rule: Rule
    cost: Cost
    alike: Fillings
    states: int


@dataclass(slots=True)
class Found:
    """What a search found: `size` rules in the space; `whole` if none that could be cheaper is left unjudged."""

    size: int
    right: list[Right] = field(default_factory=list)
    refuted: list[Refuted] = field(default_factory=list)
    unknown: list[tuple[Rule, str]] = field(default_factory=list)
    tried: int = 0
    stopped: str | None = None

    @property
    def whole(self) -> bool:
        """Whether every rule up to the cost asked for was judged, itself or with one that fails likewise."""
        return self.stopped is None and not self.unknown


def words(rule: Rule) -> str:
    """The rule as the command line's protocol; holes that are filled as by default are left out."""
    given = [f"{name}={rule[name]}" for name in HOLES if rule[name] != next(iter(HOLES[name]))]
    return ",".join(["sketch", *given])


def synthesise(
    question: Question,
    most: int | None = None,
    timeout: float | None = None,
    progress: Callable[[Found], None] | None = None,
) -> Found:
    """Search for the right rules: all that cost as little as the first one found, or with `most` control messages.

    timeout in seconds. Raises `InputError` for a hole or a filling that the sketch has not.
    """
    started = time.monotonic()
    networks = [network(t, parse_initiators(question.initiators, t)) for t in question.topologies]
    space = Space(dict(question.fixed), networks, most)
    found = Found(space.size)
    limited = False
    smallest_first = sorted(question.topologies, key=lambda t: (t.machines, len(t.channels)))
    while (rule := space.cheapest()) is not None:
        if timeout is not None and time.monotonic() - started > timeout:
            found.stopped = f"the time limit of {timeout:g} s was met"
            break
        _try(question, smallest_first, rule, space, found)
        if len(found.right) == 1 and most is None and not limited:
            space.limit(found.right[0].cost)
            limited = True
        if progress is not None:
            progress(found)
    return found


def _try(question: Question, topologies: Sequence[Topology], rule: Rule, space: Space, found: Found) -> None:
    """Check one rule on one topology after the other, and take out of the space what is known of it then."""
    alike = every()
    states = 0
    for topology in topologies:
        system = question.system(topology, rule)
        verdict = check(system, properties=question.properties, options=SearchOptions(first=True))
        alike = common(alike, decided(system, completion=True))
        states += verdict.counts.states
        broken = [p for p in verdict.properties if p.counterexample is not None]
        for p in broken:
            assert p.counterexample is not None
            same = depends_on(question, topology, rule, p.counterexample) or alike
            found.refuted.append(Refuted(rule, p.name, topology.name, p.length or 0, same, space.exclude(same)))
        if broken:
            found.tried += 1
            return
        if verdict.outcome is not Outcome.HOLDS or not verdict.counts.snapshots:
            found.unknown.append((rule, verdict.reason or "no snapshot completes"))
            space.exclude({name: frozenset({value}) for name, value in rule.items()})
            return
    found.right.append(Right(rule, cost(rule, space.networks), alike, states))
    space.exclude(alike)


def every() -> Fillings:
    """All fillings of all holes."""
    return {name: frozenset(values) for name, values in HOLES.items()}


def common(one: Fillings, other: Fillings) -> Fillings:
    """The fillings in both."""
    return {name: one[name] & other[name] for name in HOLES}


def decided(system: System, completion: bool) -> Fillings:
    """The fillings that would have decided alike all that the system's sketch was asked; with `completion`, also
    whether it counts as complete only when no white message is left, which is asked of the sketch as a whole."""
    sketch = system.protocol
    assert isinstance(sketch, Sketch)
    if completion:
        sketch.decide("complete", lambda when: when == "empty")
    return {name: frozenset(values) for name, values in sketch.alike.items()}


def depends_on(question: Question, topology: Topology, rule: Rule, shown: Counterexample) -> Fillings | None:
    """The fillings with which this counterexample is one too; None where one run does not show what is wrong."""
    system = question.system(topology, rule)  # a new one, which has been asked nothing
    trace = shown.trace
    for event in trace.events:
        for move in event.moves:
            steps = system.steps(move.machine, move.before, uncoloured(move.accepts))
            assert move.step in steps, "the run is one of this rule"
    (claim,) = chosen(system, (shown.property,))
    if _broken_at_the_end(system, claim, trace):
        return decided(system, completion=False)
    again = Trace(system, trace.initial, trace.events, trace.loop)
    return None if rejudge(claim, again).reason is None else decided(system, completion=True)


def _broken_at_the_end(system: System, claim: Property, trace: Trace) -> bool:
    """Whether the last action or the last state breaks the claim by itself, whatever came before."""
    last = trace.events[-1].moves if trace.events else ()
    if claim.on_move is not None and any(claim.on_move(system, move) for move in last):
        return True
    return claim.on_state is not None and claim.on_state(system, trace.states()[-1]) is not None
