"""Theorem 6: markers under FIFO imply that no red message is accepted in a white action.

The algorithm: a machine that turns red, spontaneously or because it accepts its first marker, records its state and
puts a marker on each output channel, all in that action and before any message the action sends. Actions accept from
many channels and send on many channels at once, markers and messages together.

Four invariants carry the proof: ahead of each red message in a channel there is a marker unless the channel is closed,
and only a red machine has closed a channel. So a white machine that accepts a red message would leave a marker
behind, which FIFO forbids.

Of FIFO only a third is used: no message overtakes a marker. And messages may be lost and both kinds duplicated:
losing a marker is the one fault that breaks the condition.
"""

from __future__ import annotations

from proofs import marker_invariants as inv
from proofs.assumptions import accepts_no_red, fifo, no_duplication, no_loss
from proofs.claims import Parts, Theorem
from proofs.computation import Protocol, State, Step
from proofs.premises import Premise
from proofs.protocols import MARKER
from proofs.transition import Transition, inductive


def reliable_fifo(q: State, e: Step) -> tuple[Premise, ...]:
    """All of what is usually assumed of channels, in parts."""
    return (*fifo(q, e), *no_loss(q, e), *no_duplication(q, e))


def obligations(protocol: Protocol, wanted: tuple[str, ...] = inv.CONDITION_INVARIANTS) -> Parts:
    """The condition, and the invariants it follows from, for an algorithm with markers."""
    t = Transition.of(protocol, reliable_fifo, but=("turns once",))
    known = inv.premises(t.before, wanted)
    return (
        t.obligation(
            "condition",
            "no red message is accepted in a white action",
            accepts_no_red(t.before, t.step),
            known,
            t.busy(),
            headline=True,
        ),
        inductive(t, inv.facts(wanted)),
    )


def theorem() -> Theorem:
    return Theorem(
        number=6,
        name="markers",
        title="markers under FIFO imply that no red message is accepted in a white action",
        source="EWD864a, second part; Chandy & Lamport 1985, section 3.2",
        argument="induction over the run for the invariants; `condition` then holds of every step",
        parts=obligations(MARKER),
    )
