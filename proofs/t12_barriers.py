"""Theorem 12: aligned barriers on acyclic dataflows imply the condition and empty channels; unaligned ones imply
theorems 4 and 5 with their channel states.

A barrier is a marker, a record a message; operators are machines, and sources are machines without input channels.

*Aligned.* A machine stops accepting from a channel whose barrier it has accepted, until it has accepted the barriers
of all its input channels; in the action that accepts the last one it records its state, puts barriers on its output
channels and is unblocked. `condition`: no red message is accepted in a white action. `empty channels`: of a channel
whose destination is red, every message sent white was accepted white, so nothing of it belongs to SSS, and with
theorems 4 and 5 the recorded states alone are a state between S0 and S1. That the graph is acyclic is not needed for
either; it is needed for completion (theorem 16).

*Unaligned.* The snapshot is taken at the first barrier: this is the marker algorithm, started by the sources, so the
claims are those of theorems 6 and 7; that only sources start is not needed.

*Unaligned and overtaking.* A barrier may be accepted ahead of the records queued before it, which become channel
state at that moment. The condition holds; and as soon as a channel is closed its record is exact (`closed is exact`),
although the overtaken records are yet to arrive. That is all that theorem 4 asks.
"""

from __future__ import annotations

import z3
from z3 import And, Implies, Not, Or

from proofs import marker_invariants as inv
from proofs.assumptions import accepts_no_red
from proofs.claims import Obligation, Parts, Theorem
from proofs.computation import Protocol, State, Step, destination, white_message
from proofs.language import CHANNEL, INT, MACHINE, Formula, for_all
from proofs.premises import Fact, Premise, Role, formulas
from proofs.projections import exact, white_projection
from proofs.protocols import (
    ALIGNED,
    MARKER,
    OVERTAKING,
    UNALIGNED,
    Into,
    every_input,
    last_barrier_turns,
    precedes,
    regular_input,
)
from proofs.runs import (
    Goal,
    complete_after_messages,
    complete_with_a_message,
    complete_with_an_overtaken_message,
)
from proofs.t06_markers import reliable_fifo
from proofs.transition import Transition, inductive, standing

_SHARED = inv.facts(
    (
        "marker at once",
        "marker on its way",
        "marker ahead",
        "red from the red",
        "white before red",
        "marked by the red",
        "marker from the marked",
        "white before the marker",
        "early is white",
        inv.POSITIONS,
    )
)
"""Invariants of theorems 6 and 7 that aligned and overtaking barriers have too."""


def _red_after_all(into: Into = every_input) -> Fact:
    return Fact(
        "red after all barriers",
        "a red machine has accepted the barriers of all its input channels",
        lambda q: for_all(CHANNEL, lambda c: Implies(And(into(c, destination(c)), q.red(destination(c))), q.closed(c))),
    )


_WHITE_OR_WAITING = Fact(
    "accepted white or waiting",
    "a message sent white was accepted white or is in its channel",
    lambda q: for_all(
        CHANNEL, INT, lambda c, i: Implies(And(q.within(c, i), white_message(c, i)), Or(q.early(c, i), q.holds(c, i)))
    ),
)


def all_in(into: Into = every_input) -> Fact:
    def waits_for_none(q: State, c: z3.ExprRef) -> Formula:
        return for_all(CHANNEL, lambda d: Implies(into(d, destination(c)), q.closed(d)))

    return Fact(
        "all barriers in means red",
        "a machine that has input channels, and has accepted the barriers of all, is red",
        lambda q: for_all(
            CHANNEL, lambda c: Implies(And(into(c, destination(c)), waits_for_none(q, c)), q.red(destination(c)))
        ),
    )


def _recorded_or_overtaken(q: State) -> object:
    white = white_projection(q)
    return for_all(CHANNEL, INT, lambda c, i: q.recorded(c, i) == And(white.holds(c, i), Or(q.gone(c, i), q.closed(c))))


_RECORDED_OR_OVERTAKEN = Fact(
    "recorded or overtaken",
    "recorded are those sent white and not accepted white that were accepted before the barrier or overtaken by it",
    _recorded_or_overtaken,
)


ALIGNED_FACTS = (_red_after_all(), _WHITE_OR_WAITING, *inv.facts(("closed is flushed",)), *_SHARED)
_BEFORE_THE_RED = Fact(
    "red before the red",
    "who precedes a red machine is red",
    lambda q: for_all(MACHINE, MACHINE, lambda m, n: Implies(And(precedes(m, n), q.red(n)), q.red(m))),
)
CYCLIC_FACTS = (
    _red_after_all(regular_input),
    _BEFORE_THE_RED,
    all_in(regular_input),
    *inv.facts(tuple(name for name in inv.names() if name != "closed by the red")),
)
OVERTAKING_FACTS = (_RECORDED_OR_OVERTAKEN, *inv.facts(("closed by the red",)), *_SHARED)


def aligned_obligations(protocol: Protocol = ALIGNED) -> Parts:
    """The condition and empty channels, for barriers that are aligned."""
    t = Transition.of(protocol, reliable_fifo, but=("turns once",))
    q = t.before
    facts = ALIGNED_FACTS
    known = tuple(fact.premise(q) for fact in facts)
    nothing = for_all(CHANNEL, INT, lambda c, i: Not(And(q.red(destination(c)), white_projection(q).holds(c, i))))
    return (
        _condition(t, "aligned", known),
        standing(
            "aligned: empty channels",
            "of a channel into a red machine, all that was sent white was accepted white",
            q,
            known,
            nothing,
            headline=True,
        ),
        inductive(t, facts, prefix="aligned, "),
    )


def _condition(t: Transition, prefix: str, known: tuple[Premise, ...]) -> Obligation:
    return t.obligation(
        f"{prefix}: condition",
        "no red message is accepted in a white action",
        accepts_no_red(t.before, t.step),
        known,
        t.busy(),
        headline=True,
    )


def _unaligned() -> Obligation:
    t = Transition.of(UNALIGNED, but=("turns once",))
    q, e = t.before, t.step
    alike = for_all(CHANNEL, lambda c: Implies(e.accepts(c), UNALIGNED.records(q, e, c) == MARKER.records(q, e, c)))
    return t.obligation(
        "unaligned: markers",
        "a step with unaligned barriers is a step of the marker algorithm, and records the same",
        And(*formulas(MARKER.rules(q, e)), alike),
        interesting=t.busy(),
    )


def overtakable(q: State, e: Step) -> tuple[Premise, ...]:
    """Channels without faults and FIFO, but that a barrier may overtake records."""
    return tuple(p for p in reliable_fifo(q, e) if p.name != "no overtaking by markers")


def _overtaking() -> Parts:
    t = Transition.of(OVERTAKING, overtakable, but=("turns once",))
    q = t.before
    facts = OVERTAKING_FACTS
    known = tuple(fact.premise(q) for fact in facts)
    all_closed = Premise("all are closed", "all channels are closed", for_all(CHANNEL, q.closed), Role.CASE)
    white = white_projection(q)
    closed_exact = for_all(CHANNEL, INT, lambda c, i: Implies(q.closed(c), q.recorded(c, i) == white.holds(c, i)))
    return (
        _condition(t, "overtaking", known),
        standing(
            "overtaking: closed is exact",
            "as soon as its barrier was accepted, the record of a channel is exact",
            q,
            known,
            closed_exact,
            headline=True,
        ),
        standing(
            "overtaking: complete", "with all channels closed, the record is exact", q, (*known, all_closed), exact(q)
        ),
        inductive(t, facts, prefix="overtaking, "),
    )


def theorem() -> Theorem:
    return Theorem(
        number=12,
        name="barriers",
        title="aligned barriers imply the condition and empty channels; unaligned ones the condition and exact channel "
        "states",
        source="Carbone et al. 2015 (ABS), section 4; Flink, unaligned checkpoints (FLIP-76); EWD864a, the condition",
        argument=(
            "induction over the run for the invariants of each of the three algorithms; the claims are the premises of "
            "theorems 16 to 18"
        ),
        parts=(
            *aligned_obligations(),
            _unaligned(),
            *_overtaking(),
        ),
        goals=(
            Goal(
                "aligned: a snapshot",
                "all machines turn red and all channels are closed, after a record was processed",
                ALIGNED,
                lambda q, e: (*reliable_fifo(q, e), last_barrier_turns(q, e)),
                complete_after_messages,
            ),
            Goal(
                "unaligned: a snapshot with a record in a channel",
                "all machines turn red, all channels are closed, and a record is part of a channel's state",
                UNALIGNED,
                reliable_fifo,
                complete_with_a_message,
            ),
            Goal(
                "overtaking: a snapshot with an overtaken record",
                "all machines turn red, all channels are closed, and a record that still waits was overtaken",
                OVERTAKING,
                overtakable,
                complete_with_an_overtaken_message,
            ),
        ),
        uses=("markers", "record"),
    )
