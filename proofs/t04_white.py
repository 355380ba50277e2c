"""Theorem 4: the white projection takes S0 to SSS: S0 ->* SSS.

The white projection of a running state is a state of the underlying computation: each machine in its local state if
it is white, in its recorded state if it is red; in each channel the messages that white actions sent and white
actions did not accept. The obligations say:

* in S0, before any machine turned red, the projection is the underlying state itself;
* a white action moves the projection by that same action of the program, which the channel discipline allows there
  if it did in the run; a red step, and a step without an action, leaves it alone;
* when the record of each channel is exact (what was sent white and not accepted white), the projection is SSS: the
  recorded states and the recorded messages, in their order. And it is exact when all machines are red and all white
  messages have arrived, if red machines record the white messages that they accept.

By induction over the run, the projection of every state is reached from S0 by the white actions so far, in their
order; so SSS is. Nothing is said of how the algorithm keeps the condition, so this holds for all that do (theorems
6, 11 and 12), and of markers only that they are no messages. Infinitely many machines are allowed.
"""

from __future__ import annotations

from z3 import And, Implies, Not

from proofs import marker_invariants as inv
from proofs.assumptions import initial, no_duplication, no_loss
from proofs.claims import Parts, Theorem
from proofs.computation import Protocol, State, Step
from proofs.language import CHANNEL, INT, MACHINE, Formula, for_all
from proofs.premises import Premise, Role
from proofs.projections import exact, moves, possible, same, same_ahead, underlying, white_projection
from proofs.protocols import MAGIC
from proofs.runs import Goal, arrived_with_a_message
from proofs.transition import Transition, inductive, standing


def faults(q: State, e: Step) -> tuple[Premise, ...]:
    """Messages are neither lost nor duplicated; markers may be."""
    return (no_loss(q, e)[0], no_duplication(q, e)[0])


def arrived(q: State) -> Formula:
    """EWD864a: all machines are red and no white message is in a channel."""
    return And(for_all(MACHINE, lambda m: q.red(m)), for_all(CHANNEL, INT, lambda c, i: Not(q.holds_white(c, i))))


def _case(name: str, formula: Formula) -> Premise:
    return Premise(name, name, formula, Role.CASE)


def obligations(protocol: Protocol) -> Parts:
    """S0 ->* SSS for an algorithm that records by colour."""
    t = Transition.of(protocol, faults)
    known = inv.premises(t.before, inv.COLOUR_INVARIANTS)
    return (*projection(t), *_ends(t.before, known), inductive(t, inv.facts(inv.COLOUR_INVARIANTS)))


def projection(t: Transition) -> Parts:
    """What one step does to the white projection, whatever is recorded."""
    q, e, known = t.before, t.step, inv.premises(t.before, inv.PROJECTION_INVARIANTS)
    white, later = white_projection(q), white_projection(t.later)
    white_action = _case("the step is a white action", And(e.acts, Not(e.is_red(q))))
    no_white_action = _case("the step is red, or no action is taken", Not(And(e.acts, Not(e.is_red(q)))))
    return (
        t.obligation(
            "white action moves",
            "a white action moves the white projection by that same action",
            And(possible(white, e), moves(white, e, lambda c: e.place(q, c), later)),
            (white_action, *known),
            t.busy(),
            headline=True,
        ),
        t.obligation(
            "others leave alone",
            "a red step, turning red, and accepting or putting markers leave the white projection alone",
            same(white, later),
            (no_white_action, *known),
            t.busy(),
            headline=True,
        ),
        t.obligation(
            "same ahead",
            "a white action finds ahead of what it accepts the same messages in the projection as in the channel",
            same_ahead(e, white, q),
            (white_action, *known),
            t.busy(),
        ),
    )


def _ends(q: State, known: tuple[Premise, ...]) -> Parts:
    """The white projection of S0, of a complete snapshot, and of any state."""
    white = white_projection(q)
    everything = _case("all machines are red and all white messages have arrived", arrived(q))
    return (
        standing("S0", "in S0 the projection is the underlying state", q, (initial(q),), same(white, underlying(q))),
        standing(
            "SSS",
            "with all machines red and all white messages arrived, what is recorded is the white projection",
            q,
            (everything, *known),
            And(exact(q), for_all(MACHINE, lambda m: white.local(m) == q.recorded_state(m))),
        ),
        standing(
            "SSS is a state",
            "the projection has in its channels only messages that were sent",
            q,
            known,
            for_all(CHANNEL, INT, lambda c, i: Implies(white.holds(c, i), q.within(c, i))),
        ),
    )


def theorem() -> Theorem:
    return Theorem(
        number=4,
        name="white",
        title="white projection: S0 ->* SSS",
        source="EWD864a and Chandy & Lamport 1985, section 4: SSS is a state possible after S0",
        argument=(
            "induction over the run: `S0` is the base; `white action moves` and `others leave alone` are the step, "
            "with the invariants (themselves by induction over the run); `SSS` is what the last projection is"
        ),
        parts=obligations(MAGIC),
        goals=(
            Goal(
                "a snapshot with a message in a channel",
                "all machines turn red, all white messages arrive, and one of them is recorded",
                MAGIC,
                faults,
                arrived_with_a_message,
            ),
        ),
    )
