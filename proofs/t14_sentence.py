"""Theorems 14 to 19: every run of a right algorithm can be rearranged so that it passes through the recorded snapshot.

For every run from S0 in which the assumptions hold, and every instant `end` at which the snapshot is complete, there
is a run with the same steps of each machine in the same order, white ones first, that starts in S0, passes through SSS
as it is recorded, and ends in the state at `end`; each of its steps is possible where it is taken, and finds the same
items ahead in its channels. It is one sentence for each algorithm, and stands at the top of its tree.

What an algorithm has to bring are its invariants, the condition (no red message is accepted in a white action), and
that what is recorded at the end is exact. All else is the same for all of them (`rearranged`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from z3 import And, Not

from proofs import arriving, completing, t11_colour, t12_barriers
from proofs import marker_invariants as inv
from proofs.arriving import Arrival
from proofs.assumptions import accepts_no_red, fifo, initial
from proofs.claims import Parts, Theorem
from proofs.completing import Completion
from proofs.computation import Protocol, State
from proofs.deriving import Derivation, only
from proofs.kernel import Dynamics, Thm, assume, specialise
from proofs.language import CHANNEL, INT, MACHINE, Formula, for_all
from proofs.premises import Fact, Premise, Role
from proofs.projections import exact
from proofs.protocols import (
    ALIGNED,
    CYCLIC,
    MARKER,
    OVERTAKING,
    TAGGED,
    UNALIGNED,
    every_input,
    last_barrier_turns,
    loops_go_back,
    regular_input,
)
from proofs.rearranged import Rearrangement, end, parts
from proofs.runs import (
    Goal,
    Unrolled,
    arrived_with_a_message,
    complete_after_messages,
    complete_with_a_message,
    complete_with_an_overtaken_message,
)
from proofs.t04_white import arrived, faults
from proofs.t06_markers import reliable_fifo
from proofs.t08_completion import left_means_closed
from proofs.transition import Assumed, Transition, inductive, standing, state_at


def complete(q: State) -> Formula:
    """All machines are red and all channels closed."""
    return And(for_all(MACHINE, q.red), for_all(CHANNEL, q.closed))


_NOTHING_RECORDED = Fact(
    "nothing recorded", "no channel has a record", lambda q: for_all(CHANNEL, INT, lambda c, i: Not(q.recorded(c, i)))
)


def _by_markers(t: Transition) -> Parts:
    ordered = Transition.of(t.protocol, fifo, but=("colours", "turns once", "no overtaking by markers"))
    return (*completing.obligations(ordered), left_means_closed())


@dataclass(frozen=True, slots=True)
class Algorithm:
    """What one algorithm brings: rules, assumptions, invariants, when a snapshot is complete."""

    name: str
    title: str
    protocol: Protocol
    assumed: Assumed
    facts: tuple[Fact, ...]
    done: Callable[[State], Formula] = complete
    reached: Callable[[Unrolled], Formula] = complete_with_a_message
    reaches: str = "the snapshot is complete, and a message is recorded"
    towards: Callable[[Transition], Parts] = _by_markers
    completes: Callable[[Derivation, Dynamics], Thm] | None = lambda d, run: Completion(d, run).theorem()
    start: Callable[[State], tuple[Premise, ...]] = lambda q: (initial(q),)

    @property
    def transition(self) -> Transition:
        return Transition.of(self.protocol, self.assumed)

    def own(self) -> Parts:
        """Its invariants, the condition, and the exact record."""
        t = self.transition
        known = tuple(fact.premise(t.before) for fact in self.facts)
        done = Premise("complete", "the snapshot is complete", self.done(t.before), Role.CASE)
        record = And(for_all(MACHINE, t.before.red), exact(t.before))
        return (
            t.obligation(
                "condition",
                "no red message is accepted in a white action",
                accepts_no_red(t.before, t.step),
                known,
                t.busy(),
                True,
            ),
            standing(
                "exact", "a complete snapshot has recorded every channel exactly", t.before, (done, *known), record
            ),
            inductive(t, self.facts, start=self.start),
        )

    def parts(self) -> Parts:
        """Its own; what it needs to complete; and what holds of the projections of any algorithm."""
        return (*self.own(), *self.towards(self.transition), *parts())

    def conclude(self, d: Derivation) -> list[Thm]:
        record = assume(assume(specialise(d.lifted["exact"], end), "end"), "complete")
        sentence = f"{self.name}: every run has one with its steps, white ones first, through SSS to the same end"
        run = self.transition.run
        top = Rearrangement(d, run).sentence(record, d.lifted["condition"], sentence)
        done = self.done(state_at(run, end))
        completion = () if self.completes is None else (only(self.completes(d, run)),)
        return [only(top, end >= 0, done, *done.children()), *completion]

    def theorem(self, number: int) -> Theorem:
        return Theorem(
            number=number,
            name=self.name,
            title=f"{self.title}: every run can be rearranged, white actions first, through the recorded SSS",
            source="EWD864a, the equivalent computation",
            argument="the invariants by induction over the run; the projections; an order chosen by counting steps",
            parts=self.parts(),
            conclude=self.conclude,
            goals=(Goal(f"{self.name}: a snapshot", self.reaches, self.protocol, self.assumed, self.reached),),
            composed=True,
        )


_MARKERS, _ONE_MARKER = inv.facts(inv.names()), inv.facts(("one marker",))
ALGORITHMS: Sequence[Algorithm] = (
    Algorithm("marker-sentence", "markers, any number of initiators", MARKER, reliable_fifo, _MARKERS),
    Algorithm(
        "colour-sentence",
        "the colour on every message (`laiyang`, `observer` repaired)",
        TAGGED,
        faults,
        (t11_colour.HONEST, *inv.facts(inv.COLOUR_INVARIANTS)),
        arrived,
        arrived_with_a_message,
        towards=arriving.obligations,
        completes=lambda d, run: Arrival(d, run).theorem(),
        start=t11_colour.untagged,
    ),
    Algorithm(
        "aligned-sentence",
        "aligned barriers on acyclic dataflows",
        ALIGNED,
        lambda q, e: (*reliable_fifo(q, e), last_barrier_turns(q, e)),
        (*t12_barriers.ALIGNED_FACTS, t12_barriers.all_in(), _NOTHING_RECORDED, *_ONE_MARKER),
        reached=complete_after_messages,
        reaches="the snapshot is complete, after a message was accepted",
        completes=lambda d, run: Completion(d, run).theorem(every_input),
    ),
    Algorithm("unaligned-sentence", "unaligned barriers", UNALIGNED, reliable_fifo, _MARKERS),
    Algorithm(
        "overtaking-sentence",
        "unaligned barriers that overtake",
        OVERTAKING,
        t12_barriers.overtakable,
        (*t12_barriers.OVERTAKING_FACTS, *_ONE_MARKER),
        reached=complete_with_an_overtaken_message,
    ),
    Algorithm(
        "cyclic-sentence",
        "barriers on dataflows with loops, each loop input logged up to its own barrier",
        CYCLIC,
        lambda q, e: (*reliable_fifo(q, e), last_barrier_turns(q, e, regular_input), loops_go_back()),
        t12_barriers.CYCLIC_FACTS,
        completes=lambda d, run: Completion(d, run).theorem(regular_input),
    ),
)


def algorithm(name: str) -> Algorithm:
    """The algorithm whose sentence has that name."""
    return next(a for a in ALGORITHMS if a.name == name)


def theorem(name: str, number: int) -> Theorem:
    """The sentence for the algorithm of that name."""
    return algorithm(name).theorem(number)
