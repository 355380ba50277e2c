"""What a step must satisfy, part by part and each under a name: channels, faults, colours, order of delivery, S0.

These are all the assumptions about machines and channels that a theorem can make; the rules of an algorithm are in
`proofs.protocols`. Definitions are apart: they say what a word means and restrict nothing.
"""

from __future__ import annotations

import z3
from z3 import And, Implies, Not, Or

from proofs.computation import (
    Map,
    State,
    Step,
    actor,
    content,
    destination,
    gets,
    marker,
    pre,
    program,
    puts,
    source,
    tinted,
    white_message,
)
from proofs.language import CHANNEL, INT, MACHINE, Formula, both, for_all
from proofs.premises import Premise, Role


def step(q: State, e: Step) -> tuple[Premise, ...]:
    """What makes e a step that can be taken in q, whatever the snapshot algorithm; no faults excluded yet."""
    return (*guards(q, e), *puts_down(q, e), colours(q, e), once(q, e))


def guards(q: State, e: Step) -> tuple[Premise, ...]:
    """What must hold in q for e to be possible."""
    return (
        Premise(
            "action",
            "an action of the program is taken by its machine, in the local state it starts from",
            Implies(e.acts, And(program(e.action), actor(e.action) == e.machine, pre(e.action) == q.local(e.machine))),
            Role.DEFINITION,
        ),
        Premise(
            "own channels",
            "a machine accepts from its input channels and sends on its output channels only",
            for_all(
                CHANNEL,
                lambda c: And(
                    Implies(e.takes(c), destination(c) == e.machine),
                    Implies(Or(e.sends(c), e.marks(c)), source(c) == e.machine),
                ),
            ),
        ),
        Premise(
            "no clairvoyance",
            "an item is accepted only after it was put in the channel, and only once",
            for_all(CHANNEL, lambda c: Implies(e.takes(c), q.holds(c, e.at(c)))),
        ),
        Premise(
            "faithful channels",
            "what is accepted is what was put: a marker as a marker, a message as the same message",
            for_all(
                CHANNEL,
                lambda c: And(
                    Implies(e.hears(c), marker(c, e.at(c))),
                    Implies(e.accepts(c), And(Not(marker(c, e.at(c))), content(c, e.at(c)) == gets(e.action, c))),
                ),
            ),
        ),
    )


def puts_down(q: State, e: Step) -> tuple[Premise, ...]:
    """The sequence sent on a channel is, by definition, the sequence of what is put on it."""

    def put(c: z3.ExprRef) -> Formula:
        place, copy, new = e.place(q, c), e.copy(c), e.copy_place(q, c)
        return And(
            Implies(e.marks(c), marker(c, q.sent(c))),
            Implies(e.sends(c), And(Not(marker(c, place)), content(c, place) == puts(e.action, c))),
            Implies(
                e.copied(c),
                And(
                    q.holds(c, copy),
                    marker(c, new) == marker(c, copy),
                    tinted(c, new) == tinted(c, copy),
                    content(c, new) == content(c, copy),
                ),
            ),
        )

    sentence = "the sequence sent on a channel consists of what is put on it, copies being equal to what they copy"
    return (Premise("sequence sent", sentence, for_all(CHANNEL, put), Role.DEFINITION),)


def colours(q: State, e: Step) -> Premise:
    """EWD864a: a message has the colour of the atomic action that sends it; so has a marker."""
    return Premise(
        "colours",
        "a message or marker has the colour of the action that sends it",
        for_all(
            CHANNEL,
            lambda c: And(
                Implies(e.marks(c), tinted(c, q.sent(c)) == e.is_red(q)),
                Implies(e.sends(c), tinted(c, e.place(q, c)) == e.is_red(q)),
            ),
        ),
    )


def once(q: State, e: Step) -> Premise:
    return Premise(
        "turns once",
        "a machine turns red, and records its state, at most once",
        Implies(e.turns, Not(q.red(e.machine))),
    )


def condition(q: State, e: Step) -> Premise:
    """EWD864a: the one condition on which everything rests. It is about messages; markers are no messages."""
    return Premise("no red in white", "no red message is accepted in a white action", accepts_no_red(q, e))


def accepts_no_red(q: State, e: Step) -> Formula:
    return for_all(CHANNEL, lambda c: Implies(And(e.accepts(c), Not(e.is_red(q))), Not(tinted(c, e.at(c)))))


def no_loss(q: State, e: Step) -> tuple[Premise, Premise]:
    """Two assumptions: messages are not lost; markers are not lost."""
    return (
        Premise(
            "no message lost",
            "a message leaves its channel only by being accepted",
            for_all(CHANNEL, INT, lambda c, i: Implies(Not(marker(c, i)), Not(e.lost(c, i)))),
        ),
        Premise(
            "no marker lost",
            "a marker leaves its channel only by being accepted",
            for_all(CHANNEL, INT, lambda c, i: Implies(marker(c, i), Not(e.lost(c, i)))),
        ),
    )


def no_duplication(q: State, e: Step) -> tuple[Premise, Premise]:
    """Two assumptions: messages are not duplicated; markers are not duplicated."""
    return (
        Premise(
            "no message duplicated",
            "no copy of a message comes into being",
            for_all(CHANNEL, lambda c: Implies(e.copied(c), marker(c, e.copy(c)))),
        ),
        Premise(
            "no marker duplicated",
            "no copy of a marker comes into being",
            for_all(CHANNEL, lambda c: Implies(e.copied(c), Not(marker(c, e.copy(c))))),
        ),
    )


def fifo(q: State, e: Step) -> tuple[Premise, Premise, Premise]:
    """First in, first out, in three parts, because the theorems do not need all of it."""

    def ahead(taken: Map, before: Map) -> Formula:
        return for_all(
            CHANNEL,
            INT,
            lambda c, j: Implies(And(taken(c), q.within(c, j), j < e.at(c), before(c, j)), q.gone(c, j)),
        )

    def message(c: z3.ExprRef, i: z3.ArithRef) -> Formula:
        return Not(marker(c, i))

    return (
        Premise("no overtaking of markers", "no message overtakes a marker", ahead(e.accepts, marker)),
        Premise("no overtaking by markers", "no marker overtakes a message", ahead(e.hears, message)),
        Premise("no overtaking among messages", "no message overtakes a message", ahead(e.accepts, message)),
    )


def initial(q: State) -> Premise:
    """S0: all machines are white, nothing is recorded, no marker was put, and all messages in channels are white."""
    return Premise(
        "S0 is white",
        "at first all machines are white, all messages are white, and nothing of the snapshot has begun",
        both(
            for_all(MACHINE, lambda m: Not(q.red(m))),
            for_all(CHANNEL, lambda c: And(q.sent(c) >= 0, Not(q.closed(c)), Not(q.marked(c)))),
            for_all(
                CHANNEL,
                INT,
                lambda c, i: And(
                    Implies(q.within(c, i), white_message(c, i)),
                    Implies(q.gone(c, i), q.within(c, i)),
                    q.early(c, i) == q.gone(c, i),
                    Not(q.recorded(c, i)),
                ),
            ),
        ),
    )
