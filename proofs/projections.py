"""The underlying computation alone, and the two projections that carry a running state into it.

A state of the underlying computation is a local state for each machine and a string of messages for each channel.
A string is given here by the positions it occupies, read in ascending order; which positions they are beyond their
order means nothing, so two such states are equal if they have the same local states and the same positions (the
message at a position is the same for the whole run). An action of the program *moves* one state to another if it
finds its machine in the right local state and each message it accepts in its channel, takes those away, and puts
what it sends behind everything in its channel.
"""

from __future__ import annotations

from dataclasses import dataclass

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
    post,
    pre,
    program,
    puts,
    source,
    white_message,
)
from proofs.language import BOOL, CHANNEL, INT, LOCAL, MACHINE, Formula, both, for_all
from proofs.language import function as f


@dataclass(frozen=True, slots=True)
class Underlying:
    """A state of the underlying computation: `local[m]`, and `holds[c, i]`: the message at i is in channel c."""

    local: Map
    holds: Map


def underlying(q: State) -> Underlying:
    """What is left of a running state when colours, markers and everything recorded are forgotten."""
    return Underlying(q.local, lambda c, i: And(q.holds(c, i), Not(marker(c, i))))


def white_projection(q: State) -> Underlying:
    """What the white actions alone have made: red machines where they turned red; sent white, not accepted white."""
    return Underlying(
        local=lambda m: z3.If(q.red(m), q.recorded_state(m), q.local(m)),
        holds=lambda c, i: And(q.within(c, i), white_message(c, i), Not(q.early(c, i))),
    )


def exact(q: State) -> Formula:
    """The record of each channel is exactly what was sent white and not accepted white."""
    return for_all(CHANNEL, INT, lambda c, i: q.recorded(c, i) == white_projection(q).holds(c, i))


@dataclass(frozen=True, slots=True)
class Prophecy:
    """What a run will have recorded by its end: the white projection of its last state, taken as known beforehand.

    `recorded_state[m]`; `sent[c]`: items put on c by the end of the run; `early[c, i]`: accepted by a white action.
    A machine that is still white at the end counts with its local state of that moment.
    """

    recorded_state: Map
    sent: Map
    early: Map

    @staticmethod
    def any() -> Prophecy:
        return Prophecy(
            f("recorded_state_end", MACHINE, LOCAL), f("sent_end", CHANNEL, INT), f("early_end", CHANNEL, INT, BOOL)
        )

    def snapshot(self) -> Underlying:
        """SSS: the recorded states; sent white by the end of the run, not accepted white."""
        return Underlying(
            self.recorded_state,
            lambda c, i: And(i >= 0, i < self.sent(c), white_message(c, i), Not(self.early(c, i))),
        )

    def proper(self) -> Formula:
        """SSS takes away from channels only what white actions sent: by theorem 4, of the last state."""
        return for_all(
            CHANNEL,
            INT,
            lambda c, i: Implies(self.early(c, i), And(i >= 0, i < self.sent(c), white_message(c, i))),
        )

    def comes_true(self, q: State) -> Formula:
        """q is the last state of the run."""
        return both(
            for_all(MACHINE, lambda m: self.recorded_state(m) == white_projection(q).local(m)),
            for_all(CHANNEL, lambda c: self.sent(c) == q.sent(c)),
            for_all(CHANNEL, INT, lambda c, i: self.early(c, i) == q.early(c, i)),
        )

    def agrees(self, q: State) -> Formula:
        """q may be a state of the run whose end is prophesied: what is settled in q is as prophesied."""
        return both(
            for_all(MACHINE, lambda m: Implies(q.red(m), q.recorded_state(m) == self.recorded_state(m))),
            for_all(CHANNEL, lambda c: q.sent(c) <= self.sent(c)),
            for_all(
                CHANNEL,
                INT,
                lambda c, i: And(
                    Implies(q.early(c, i), self.early(c, i)),
                    Implies(And(q.red(destination(c)), self.early(c, i)), q.early(c, i)),
                    Implies(
                        And(q.red(source(c)), q.sent(c) <= i, i < self.sent(c)),
                        Not(white_message(c, i)),
                    ),
                ),
            ),
        )


def red_projection(q: State, end: Prophecy) -> Underlying:
    """What the red actions alone have made of SSS: white machines as they will be recorded; in a channel what SSS has
    in it or red actions have sent, and red actions have not accepted."""
    snapshot = end.snapshot()
    return Underlying(
        local=lambda m: z3.If(q.red(m), q.local(m), end.recorded_state(m)),
        holds=lambda c, i: And(
            Or(snapshot.holds(c, i), And(q.within(c, i), Not(marker(c, i)), Not(white_message(c, i)))),
            Or(Not(q.gone(c, i)), q.early(c, i)),
            Not(end.early(c, i)),
        ),
    )


def same(u: Underlying, v: Underlying) -> Formula:
    """The two states of the underlying computation are equal."""
    return both(
        for_all(MACHINE, lambda m: u.local(m) == v.local(m)),
        for_all(CHANNEL, INT, lambda c, i: u.holds(c, i) == v.holds(c, i)),
    )


def possible(u: Underlying, e: Step) -> Formula:
    """The action of step e can be taken in u: an action of the program, local state and messages as it expects them."""
    return both(
        And(program(e.action), actor(e.action) == e.machine, pre(e.action) == u.local(e.machine)),
        for_all(
            CHANNEL,
            lambda c: Implies(
                e.accepts(c),
                And(destination(c) == e.machine, u.holds(c, e.at(c)), content(c, e.at(c)) == gets(e.action, c)),
            ),
        ),
    )


def moves(u: Underlying, e: Step, place: Map, v: Underlying) -> Formula:
    """The action of step e leads from u to v; `place(c)` is where a message sent on c goes."""

    def moved(c: z3.ExprRef, i: z3.ArithRef) -> Formula:
        stays = And(u.holds(c, i), Not(And(e.accepts(c), i == e.at(c))))
        return v.holds(c, i) == Or(stays, And(e.sends(c), i == place(c)))

    return both(
        for_all(MACHINE, lambda m: v.local(m) == z3.If(m == e.machine, post(e.action), u.local(m))),
        for_all(CHANNEL, INT, moved),
        for_all(
            CHANNEL,
            lambda c: Implies(e.sends(c), And(source(c) == e.machine, content(c, place(c)) == puts(e.action, c))),
        ),
        for_all(CHANNEL, INT, lambda c, i: Implies(And(e.sends(c), u.holds(c, i)), i < place(c))),
    )


def same_ahead(e: Step, u: Underlying, q: State) -> Formula:
    """Ahead of what it accepts, the action finds in u the very messages that are in the channel in q.

    So any channel discipline that depends on what is in the channel ahead of an item (FIFO, bags, overtaking of at
    most k) lets the action accept it in u if it lets it do so in q.
    """
    real = underlying(q)
    return for_all(
        CHANNEL, INT, lambda c, j: Implies(And(e.accepts(c), j < e.at(c)), u.holds(c, j) == real.holds(c, j))
    )
