"""Theorem 5: the red projection, with what will be recorded taken as prophecy, takes SSS to S1: SSS ->* S1.

Fix a run and its last state S1. The prophecy is the white projection of S1, known from the start: the recorded
states, and which messages will have been sent white and not accepted white. (Machines still white at the end count
with their state of that moment: so nothing is asked of the run but the condition, and the set of machines may be
infinite. When the snapshot is complete, theorem 4 says that the prophecy is the recorded SSS.) The red projection of
a state: each machine in its local state if it is red, in its prophesied state if it is white; in each channel what
SSS has there or red actions have sent, and red actions have not accepted.

* A prophecy can be believed because what is settled stays settled: at the end it is true (`end agrees`), and if it
  agrees with the state after a step, it agrees with the state before (`agrees before`): an induction backwards.
* In S0 the red projection is SSS (`starts at SSS`); a red action moves it by that same action, and any other step
  leaves it alone; in S1 it is the underlying state itself (`ends at S1`).

By induction over the run, S1 is reached from SSS by the red actions in their order. S1 may be any state, so also any
later one.
"""

from __future__ import annotations

from z3 import And, Not

from proofs import marker_invariants as inv
from proofs.assumptions import initial
from proofs.claims import Parts, Theorem
from proofs.computation import State
from proofs.premises import Premise, Role
from proofs.projections import Prophecy, moves, possible, red_projection, same, same_ahead, underlying, white_projection
from proofs.protocols import MAGIC
from proofs.t04_white import faults
from proofs.transition import Transition, inductive, standing


def projection(t: Transition, end: Prophecy) -> Parts:
    """What one step does to the red projection, whatever is recorded; the prophecy can be believed before it."""
    q, e, known = t.before, t.step, inv.premises(t.before, inv.PROJECTION_INVARIANTS)
    now, then = red_projection(q, end), red_projection(t.later, end)
    believed = Premise("prophecy", "what is settled after the step is as prophesied", end.agrees(t.later), Role.CASE)
    proper = Premise(
        "the end is proper",
        "white actions accepted only what white actions had sent: `one SSS`, of the last state",
        end.proper(),
        Role.CASE,
    )
    given = (believed, proper, *known)
    red_action = Premise("red action", "the step is a red action", And(e.acts, e.is_red(q)), Role.CASE)
    no_red_action = Premise(
        "no red action", "the step is white, or no action is taken", Not(And(e.acts, e.is_red(q))), Role.CASE
    )
    return (
        t.obligation(
            "red action moves",
            "a red action moves the red projection by that same action",
            And(possible(now, e), moves(now, e, lambda c: e.place(q, c), then)),
            (red_action, *given),
            t.busy(),
            headline=True,
        ),
        t.obligation(
            "others leave alone",
            "a white action, turning red, and accepting or putting markers leave the red projection alone",
            same(now, then),
            (no_red_action, *given),
            t.busy(),
            headline=True,
        ),
        t.obligation(
            "same ahead",
            "a red action finds ahead of what it accepts the same messages in the projection as in the channel",
            same_ahead(e, now, q),
            (red_action, *given),
            t.busy(),
        ),
        t.obligation(
            "agrees before",
            "what agrees with the prophecy after a step agreed with it before",
            end.agrees(q),
            given,
            t.busy(),
        ),
    )


def ends(q: State, end: Prophecy, prefix: str = "") -> Parts:
    """The prophecy and the red projection at both ends of the run."""
    known = inv.premises(q, inv.PROJECTION_INVARIANTS)
    believed = Premise("prophecy", "what is settled in S0 is as prophesied", end.agrees(q), Role.CASE)
    at_end = Premise("the end", "this is the last state of the run", end.comes_true(q), Role.CASE)
    return (
        standing(
            f"{prefix}end agrees",
            "at the end of the run the prophecy has come true",
            q,
            (at_end, *known),
            end.agrees(q),
        ),
        standing(
            f"{prefix}starts at SSS",
            "in S0 the red projection is SSS",
            q,
            (initial(q), believed),
            same(red_projection(q, end), end.snapshot()),
        ),
        standing(
            f"{prefix}ends at S1",
            "in the last state the red projection is the underlying state",
            q,
            (at_end, *known),
            same(red_projection(q, end), underlying(q)),
            headline=True,
        ),
        standing(
            f"{prefix}one SSS",
            "the SSS from which the red projection starts is the one at which the white projection ends",
            q,
            (at_end, *known),
            And(same(white_projection(q), end.snapshot()), end.proper()),
        ),
    )


def theorem() -> Theorem:
    t, end = Transition.of(MAGIC, faults), Prophecy.any()
    return Theorem(
        number=5,
        name="red",
        title="red projection, what will be recorded taken as prophecy: SSS ->* S1",
        source="EWD864a and Chandy & Lamport 1985, section 4: S1 is a state possible after SSS",
        argument=(
            "induction over the run, backwards for the prophecy (`end agrees`, `agrees before`), then forwards: "
            "`starts at SSS`, `red action moves`, `others leave alone`, `ends at S1`; invariants as in theorem 4"
        ),
        parts=(
            *projection(t, end),
            *ends(t.before, end),
            inductive(t, inv.facts(inv.PROJECTION_INVARIANTS)),
        ),
    )
