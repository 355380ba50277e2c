"""Theorem 9, the sharpness remark: the condition cannot be weakened; one red message accepted in a white action is
enough to make SSS a state that cannot occur.

Theorems 4 and 5 hold for every program under the condition that no red message is accepted in a white action. Here is
the other direction. Take a program that remembers: the local state of a machine tells which messages it has sent and
accepted on each channel (`told`, `heard`), and no two messages sent on a channel are the same. (`free` of the
contract is such a program; any program can be made to remember without changing what it does.) Then:

* In every state that can be reached from S0 by the program alone, what was heard was told: `consistent`, an invariant
  (`told when sent` helps). This is about the underlying computation, whatever is superposed.
* In every run with colours, recorded states remember what white actions did: `told is white`, `early is heard`.
* So when a white action accepts a red message, the recorded states have heard what they have not told
  (`SSS cannot occur`), and for ever after (`early stays`): the SSS of that run cannot be reached.

So for a program that remembers, S0 ->* SSS if and only if the condition holds.
"""

from __future__ import annotations

from dataclasses import replace

import z3
from z3 import And, Implies, Not

from proofs import marker_invariants as inv
from proofs.assumptions import initial
from proofs.claims import Parts, Theorem
from proofs.computation import (
    Map,
    State,
    accepts,
    content,
    destination,
    gets,
    marker,
    post,
    pre,
    program,
    puts,
    sends,
    source,
    tinted,
)
from proofs.language import ACTION, BOOL, CHANNEL, INT, LOCAL, MESSAGE, Formula, both, exists, for_all
from proofs.language import function as f
from proofs.premises import Fact, Premise, Role
from proofs.projections import white_projection
from proofs.protocols import MAGIC
from proofs.transition import Transition, inductive, standing

told = f("told", LOCAL, CHANNEL, MESSAGE, BOOL)
heard = f("heard", LOCAL, CHANNEL, MESSAGE, BOOL)

UNCONDITIONAL = replace(MAGIC, name="no condition", rules=lambda q, e: ())


def _message(q: State, c: z3.ExprRef, i: z3.ArithRef) -> Formula:
    """The i-th item of c was put by now, and is a message."""
    return And(q.within(c, i), Not(marker(c, i)))


def remembers() -> Premise:
    def memory(a: z3.ExprRef, c: z3.ExprRef, x: z3.ExprRef) -> Formula:
        return Implies(
            program(a),
            And(
                told(post(a), c, x) == z3.Or(told(pre(a), c, x), And(sends(a, c), puts(a, c) == x)),
                heard(post(a), c, x) == z3.Or(heard(pre(a), c, x), And(accepts(a, c), gets(a, c) == x)),
            ),
        )

    return Premise(
        "remembers",
        "the local state of a machine tells what it has sent and accepted on each channel",
        for_all(ACTION, CHANNEL, MESSAGE, memory),
    )


def all_different(q: State) -> Premise:
    return Premise(
        "all different",
        "no two messages sent on one channel are the same",
        for_all(
            CHANNEL,
            INT,
            INT,
            lambda c, i, j: Implies(And(_message(q, c, i), _message(q, c, j), content(c, i) == content(c, j)), i == j),
        ),
    )


def remembered(q: State) -> Premise:
    """S0's own past is in memory too, and nothing else."""
    return Premise(
        "S0 remembers",
        "in S0 each machine remembers exactly what was sent and accepted before",
        both(
            for_all(
                CHANNEL,
                MESSAGE,
                lambda c, x: And(
                    told(q.local(source(c)), c, x) == _some(q, c, lambda i: content(c, i) == x),
                    heard(q.local(destination(c)), c, x)
                    == _some(q, c, lambda i: And(q.gone(c, i), content(c, i) == x)),
                ),
            ),
        ),
    )


def _some(q: State, c: z3.ExprRef, holds: Map) -> Formula:
    """Some message sent on c has this property."""
    return exists(INT, lambda i: And(_message(q, c, i), holds(i)))


def consistent(local: Map) -> Formula:
    """What was heard was told."""
    return for_all(
        CHANNEL, MESSAGE, lambda c, x: Implies(heard(local(destination(c)), c, x), told(local(source(c)), c, x))
    )


def told_when_sent(q: State) -> Formula:
    return for_all(CHANNEL, INT, lambda c, i: Implies(_message(q, c, i), told(q.local(source(c)), c, content(c, i))))


def told_is_white(q: State) -> Formula:
    local = white_projection(q).local
    return for_all(
        CHANNEL,
        MESSAGE,
        lambda c, x: Implies(
            told(local(source(c)), c, x), _some(q, c, lambda i: And(Not(tinted(c, i)), content(c, i) == x))
        ),
    )


def early_is_heard(q: State) -> Formula:
    local = white_projection(q).local
    return for_all(
        CHANNEL,
        INT,
        lambda c, i: Implies(q.early(c, i), And(_message(q, c, i), heard(local(destination(c)), c, content(c, i)))),
    )


CONSISTENT = Fact("consistent", "what was heard was told", lambda q: consistent(q.local))
TOLD_WHEN_SENT = Fact("told when sent", "what was sent was told", told_when_sent)
TOLD_IS_WHITE = Fact("told is white", "what recorded states have told was sent, and white", told_is_white)
EARLY_IS_HEARD = Fact("early is heard", "recorded states have heard what white actions accepted", early_is_heard)


def _red_in_white(t: Transition) -> Premise:
    q, e = t.before, t.step
    happens = And(Not(e.is_red(q)), exists(CHANNEL, lambda c: And(e.accepts(c), tinted(c, e.at(c)))))
    return Premise("red in white", "the step is white and accepts a red message", happens, Role.CASE)


def _impossible(t: Transition) -> Parts:
    """What follows from a red message accepted in a white action: at once, and in every later state."""
    q, later = t.before, t.later
    coloured = (TOLD_IS_WHITE.premise(q), EARLY_IS_HEARD.premise(q))
    positions = inv.premises(q, (inv.POSITIONS,))
    happened = Premise(
        "red in white",
        "some white action accepted a red message",
        exists(CHANNEL, INT, lambda c, i: And(q.early(c, i), tinted(c, i))),
        Role.CASE,
    )
    return (
        t.obligation(
            "SSS cannot occur",
            "after a white action accepts a red message, the recorded states have heard what they have not told",
            Not(consistent(white_projection(later).local)),
            (_red_in_white(t), *coloured, *positions, remembers(), all_different(later)),
            headline=True,
        ),
        standing(
            "and for ever",
            "once a white action has accepted a red message, SSS cannot occur",
            q,
            (happened, *coloured, all_different(q)),
            Not(consistent(white_projection(q).local)),
        ),
        t.obligation(
            "early stays",
            "what a white action accepted stays accepted by it",
            for_all(CHANNEL, INT, lambda c, i: Implies(q.early(c, i), later.early(c, i))),
            interesting=t.busy(),
        ),
    )


def theorem() -> Theorem:
    t = Transition.of(UNCONDITIONAL)
    memory = (remembers(), all_different(t.later))

    def start(q: State) -> tuple[Premise, ...]:
        return (initial(q), remembered(q))

    return Theorem(
        number=9,
        name="sharpness",
        title="the condition is sharp: one red message accepted in a white action and SSS cannot occur",
        source="EWD864a, on the need of the condition",
        argument=(
            "induction over runs of the program for `consistent`, and over runs with colours for `told is white` and "
            "`early is heard`; `SSS cannot occur` then says that SSS lacks what every reachable state has"
        ),
        parts=(
            *_impossible(t),
            inductive(t, (CONSISTENT, TOLD_WHEN_SENT), (remembers(),), start=start),
            inductive(t, (TOLD_IS_WHITE, EARLY_IS_HEARD, *inv.facts((inv.POSITIONS,))), memory, start=start),
        ),
    )
