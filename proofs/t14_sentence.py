"""Theorem 14: every run of a right algorithm can be rearranged so that it passes through the snapshot as recorded.

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

from proofs import marker_invariants as inv
from proofs import t11_colour, t12_barriers
from proofs.assumptions import accepts_no_red, initial
from proofs.claims import Fact, Parts, Premise, Role, Theorem
from proofs.computation import Protocol, State
from proofs.deriving import Derivation
from proofs.kernel import Thm, assume, specialise
from proofs.language import CHANNEL, INT, MACHINE, Formula, for_all
from proofs.projections import exact
from proofs.protocols import ALIGNED, MARKER, OVERTAKING, TAGGED, UNALIGNED
from proofs.rearranged import Rearrangement, end, parts
from proofs.t04_white import arrived, faults
from proofs.t06_markers import reliable_fifo
from proofs.transition import Assumed, Transition, inductive, standing


def complete(q: State) -> Formula:
    """All machines are red and all channels closed."""
    return And(for_all(MACHINE, q.red), for_all(CHANNEL, q.closed))


_NOTHING_RECORDED = Fact(
    "nothing recorded", "no channel has a record", lambda q: for_all(CHANNEL, INT, lambda c, i: Not(q.recorded(c, i)))
)


@dataclass(frozen=True, slots=True)
class Algorithm:
    """What one algorithm brings: rules, assumptions, invariants, when a snapshot is complete."""

    name: str
    title: str
    protocol: Protocol
    assumed: Assumed
    facts: tuple[Fact, ...]
    done: Callable[[State], Formula] = complete
    start: Callable[[State], tuple[Premise, ...]] = lambda q: (initial(q),)

    @property
    def transition(self) -> Transition:
        return Transition.of(self.protocol, self.assumed)

    def parts(self) -> Parts:
        """Its invariants, the condition, and the exact record; and what holds of the projections of any algorithm."""
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
            *parts(),
        )

    def conclude(self, d: Derivation) -> list[Thm]:
        record = assume(assume(specialise(d.lifted["exact"], end), "end"), "complete")
        sentence = f"{self.name}: every run has one with its steps, white ones first, through SSS to the same end"
        return [Rearrangement(d, self.transition).sentence(record, d.lifted["condition"], sentence)]

    def theorem(self, number: int) -> Theorem:
        return Theorem(
            number=number,
            name=self.name,
            title=f"{self.title}: every run can be rearranged, white actions first, through the recorded SSS",
            source="EWD864a, the equivalent computation",
            argument="the invariants by induction over the run; the projections; an order chosen by counting steps",
            parts=self.parts(),
            conclude=self.conclude,
        )


_MARKERS = inv.facts(inv.names())
ALGORITHMS: Sequence[Algorithm] = (
    Algorithm("marker", "markers, any number of initiators", MARKER, reliable_fifo, _MARKERS),
    Algorithm(
        "tagged",
        "the colour on every message (`laiyang`, `observer` repaired)",
        TAGGED,
        faults,
        (t11_colour.HONEST, *inv.facts(inv.COLOUR_INVARIANTS)),
        arrived,
        t11_colour.untagged,
    ),
    Algorithm("aligned", "aligned barriers", ALIGNED, reliable_fifo, (*t12_barriers.ALIGNED_FACTS, _NOTHING_RECORDED)),
    Algorithm("unaligned", "unaligned barriers", UNALIGNED, reliable_fifo, _MARKERS),
    Algorithm(
        "overtaking",
        "unaligned barriers that overtake",
        OVERTAKING,
        t12_barriers.overtakable,
        t12_barriers.OVERTAKING_FACTS,
    ),
)
