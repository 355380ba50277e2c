"""Theorem 7: each channel carries at most one marker, and what is recorded of it is exactly what was sent white and
not accepted white.

The algorithm is that of theorem 6, whose invariants are used. A red machine records what it accepts from a channel
until it accepts the marker of that channel, which closes the record.

* At most one marker is ever put on a channel (`one marker put`; `one marker` among the invariants).
* Of a closed channel the record is exact, and stays so: nothing white can follow (`closed is exact`).
* Messages are recorded in the order in which they were sent (`recorded in order`): the only place where FIFO among
  messages is needed.
* When all machines are red and all channels closed, no white message is in a channel and the record is exact
  everywhere (`complete`): the very premise of theorem 4, which makes what is recorded the SSS.
* So by theorem 6 and `as if by magic` every step of this algorithm is a step of the algorithm of theorems 2 to 5, which
  therefore hold of its runs.

The record is a set of positions, so a message is recorded once; read in ascending order it is a string.
"""

from __future__ import annotations

from collections.abc import Callable

import z3
from z3 import And, Implies, Not

from proofs import marker_invariants as inv
from proofs.claims import Parts, Theorem
from proofs.computation import Protocol, State, source, white_message
from proofs.language import CHANNEL, INT, MACHINE, Formula, for_all
from proofs.premises import Premise, Role
from proofs.projections import exact
from proofs.protocols import MAGIC, MARKER
from proofs.runs import Goal, complete_with_a_message
from proofs.t04_white import arrived
from proofs.t06_markers import reliable_fifo
from proofs.transition import Transition, inductive, standing

Announced = Callable[[State], Premise]


def complete(q: State) -> Premise:
    """When the marker algorithm is done."""
    all_done = And(for_all(MACHINE, q.red), for_all(CHANNEL, q.closed))
    return Premise("complete", "all machines are red and all channels closed", all_done, Role.CASE)


def complete_early(q: State) -> Premise:
    """When the mutant `early-complete` announces."""
    return Premise("complete", "all machines are red", for_all(MACHINE, q.red), Role.CASE)


def obligations(
    protocol: Protocol,
    wanted: tuple[str, ...] = inv.names(),
    but: tuple[str, ...] = (),
    announced: Announced = complete,
) -> Parts:
    """One marker, and the exact record, for an algorithm with markers; `but` names assumptions to do without.

    announced: when the snapshot is said to be complete.
    """
    t = Transition.of(protocol, reliable_fifo, but=but)
    known = inv.premises(t.before, wanted)
    return (*_exact(t.before, known, announced(t.before)), *_recording(t, known), inductive(t, inv.facts(wanted)))


def _exact(q: State, known: tuple[Premise, ...], done: Premise) -> Parts:
    """What the invariants say of a closed channel, and of a complete snapshot."""

    def closed_exact(c: z3.ExprRef, i: z3.ArithRef) -> Formula:
        as_sent = q.recorded(c, i) == And(q.within(c, i), white_message(c, i), Not(q.early(c, i)))
        return Implies(q.closed(c), And(q.red(source(c)), as_sent))

    return (
        standing(
            "closed is exact",
            "of a closed channel exactly what was sent white and not accepted white is recorded; its source is red",
            q,
            known,
            for_all(CHANNEL, INT, closed_exact),
            headline=True,
        ),
        standing(
            "complete",
            f"with {done.sentence.replace(' are', '')}, all white messages have arrived and the record is exact",
            q,
            (done, *known),
            And(arrived(q), exact(q)),
        ),
    )


def _recording(t: Transition, known: tuple[Premise, ...]) -> Parts:
    """What one step puts and records."""
    q, e, later = t.before, t.step, t.later

    def in_order(c: z3.ExprRef, i: z3.ArithRef, j: z3.ArithRef) -> Formula:
        return Implies(And(later.recorded(c, i), Not(q.recorded(c, i)), q.recorded(c, j)), j < i)

    def alike(c: z3.ExprRef) -> Formula:
        return Implies(e.accepts(c), t.protocol.records(q, e, c) == MAGIC.records(q, e, c))

    return (
        t.obligation(
            "one marker put",
            "a marker is put only on a channel on which none was put before",
            for_all(CHANNEL, lambda c: Implies(e.marks(c), Not(q.marked(c)))),
            known,
            t.busy(),
        ),
        t.obligation(
            "recorded in order",
            "what is recorded in a step was sent after all that is recorded already",
            for_all(CHANNEL, INT, INT, in_order),
            known,
            t.busy(),
        ),
        t.obligation(
            "as if by magic",
            "what a machine records by looking at markers is what it would record by looking at colours",
            for_all(CHANNEL, alike),
            known,
            t.busy(),
        ),
    )


def theorem() -> Theorem:
    return Theorem(
        number=7,
        name="record",
        title="each channel carries at most one marker; recorded is exactly what was sent white and not accepted white",
        source="EWD864a, second part; Chandy & Lamport 1985, section 3.2, marker-receiving rule",
        argument=(
            "induction over the run for the invariants, those of theorem 6 among them; the rest follows from them. "
            "`complete` is the premise of theorem 4"
        ),
        parts=obligations(MARKER),
        goals=(
            Goal(
                "a snapshot with a message in a channel",
                "all machines turn red, all channels are closed, and a message is recorded",
                MARKER,
                reliable_fifo,
                complete_with_a_message,
            ),
        ),
    )
