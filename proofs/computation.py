"""The computation and what a snapshot algorithm superposes on it, as all theories see them.

*Channels are positions into the sequence sent.* In one run, the i-th item ever put on channel c is a fixed thing:
`marker(c, i)` says whether it is a marker or a message, `content(c, i)` which message, `tinted(c, i)` whether it is
red. So a state needs only say how far each sequence has come (`sent`) and which positions have left the channel
(`gone`). Nothing about positions at or beyond `sent` has been decided yet: a step that puts an item there says what
it is. (As in EWD864a a channel is a buffer of messages in a definite order; the order is that of the positions.)

*An atomic action* belongs to one machine: it finds the machine in local state `pre`, leaves it in `post`, accepts at
most one message per input channel and sends at most one per output channel, any number of channels at once. The
program is the set of actions that satisfy the uninterpreted `program`: since actions are themselves uninterpreted,
that is any relation at all between a local state, what is accepted, what is sent, and a local state.

*A step* is what the theories reason about: one machine, in one atomic action, may turn red (recording its state
before anything else), accept markers, put markers on output channels and take part in an action of the program, all
together or any of them. Its colour is the machine's colour after turning. Beside it, the environment may lose items
or append copies of items in the channel; the assumptions that forbid it have names.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any

import z3
from z3 import And, Not, Or

from proofs.language import (
    ACTION,
    BOOL,
    CHANNEL,
    INT,
    LOCAL,
    MACHINE,
    MESSAGE,
    Formula,
    constant,
    number,
)
from proofs.language import function as f
from proofs.premises import Premise

source = f("source", CHANNEL, MACHINE)
destination = f("destination", CHANNEL, MACHINE)

marker = f("marker", CHANNEL, INT, BOOL)
tinted = f("tinted", CHANNEL, INT, BOOL)
content = f("content", CHANNEL, INT, MESSAGE)

program = f("program", ACTION, BOOL)
actor = f("actor", ACTION, MACHINE)
pre = f("pre", ACTION, LOCAL)
post = f("post", ACTION, LOCAL)
accepts = f("accepts", ACTION, CHANNEL, BOOL)
gets = f("gets", ACTION, CHANNEL, MESSAGE)
sends = f("sends", ACTION, CHANNEL, BOOL)
puts = f("puts", ACTION, CHANNEL, MESSAGE)

Map = Callable[..., z3.ExprRef]


@dataclass(frozen=True, slots=True)
class State:
    """Between two steps: the underlying state (`local`, `sent`, `gone`), the snapshot so far, and a ghost.

    `local[m]`; `red[m]`; `recorded_state[m]` (meaningful once m is red); `sent[c]`: number of items put so far;
    `gone[c, i]`: the i-th item has left the channel; `recorded[c, i]`: it is part of the recorded channel;
    `closed[c]`: its marker was accepted, so its record is complete; `marked[c]`: its marker was put.
    Ghost: `early[c, i]`: the i-th item is a message that was accepted by a white action.
    """

    local: Map
    red: Map
    recorded_state: Map
    sent: Map
    gone: Map
    early: Map
    recorded: Map
    closed: Map
    marked: Map

    @staticmethod
    def any(tag: str) -> State:
        """A state of which nothing is known; `tag` tells it from others in printed formulas."""
        return State(
            local=f("local" + tag, MACHINE, LOCAL),
            red=f("red" + tag, MACHINE, BOOL),
            recorded_state=f("recorded_state" + tag, MACHINE, LOCAL),
            sent=f("sent" + tag, CHANNEL, INT),
            gone=f("gone" + tag, CHANNEL, INT, BOOL),
            early=f("early" + tag, CHANNEL, INT, BOOL),
            recorded=f("recorded" + tag, CHANNEL, INT, BOOL),
            closed=f("closed" + tag, CHANNEL, BOOL),
            marked=f("marked" + tag, CHANNEL, BOOL),
        )

    def symbols(self) -> tuple[Any, ...]:
        """Its components, in order: of a state of which nothing is known, function symbols."""
        return tuple(getattr(self, f.name) for f in fields(self))

    def within(self, c: z3.ExprRef, i: z3.ArithRef) -> Formula:
        """Position i of c has been used."""
        return And(i >= 0, i < self.sent(c))

    def holds(self, c: z3.ExprRef, i: z3.ArithRef) -> Formula:
        """The i-th item of c is in the channel now."""
        return And(self.within(c, i), Not(self.gone(c, i)))

    def holds_marker(self, c: z3.ExprRef, i: z3.ArithRef) -> Formula:
        return And(self.holds(c, i), marker(c, i))

    def holds_message(self, c: z3.ExprRef, i: z3.ArithRef) -> Formula:
        return And(self.holds(c, i), Not(marker(c, i)))

    def holds_white(self, c: z3.ExprRef, i: z3.ArithRef) -> Formula:
        return And(self.holds(c, i), white_message(c, i))

    def holds_red(self, c: z3.ExprRef, i: z3.ArithRef) -> Formula:
        return And(self.holds(c, i), red_message(c, i))


def white_message(c: z3.ExprRef, i: z3.ArithRef) -> Formula:
    """The i-th item of c, once put, is a message sent by a white action."""
    return And(Not(marker(c, i)), Not(tinted(c, i)))


def red_message(c: z3.ExprRef, i: z3.ArithRef) -> Formula:
    """The i-th item of c, once put, is a message sent by a red action."""
    return And(Not(marker(c, i)), tinted(c, i))


@dataclass(frozen=True, slots=True)
class Step:
    """What one machine does in one atomic action, and what the environment does to the channels meanwhile.

    `turns`: the machine turns red, first of all; `acts`: `action` is taken; `hears[c]`: a marker is accepted from c;
    `at[c]`: the position of what is accepted from c, marker or message; `marks[c]`: a marker is put on c, before the
    action's message; `lost[c, i]`: the environment takes that item away; `copied[c]`: it appends a copy of item
    `copy[c]`, after what the machine puts.
    """

    machine: z3.ExprRef
    turns: Formula
    acts: Formula
    action: z3.ExprRef
    hears: Map
    marks: Map
    at: Map
    lost: Map
    copied: Map
    copy: Map

    @staticmethod
    def any(tag: str = "") -> Step:
        """A step of which nothing is known."""
        return Step(
            machine=constant("machine" + tag, MACHINE),
            turns=constant("turns" + tag, BOOL),
            acts=constant("acts" + tag, BOOL),
            action=constant("action" + tag, ACTION),
            hears=f("hears" + tag, CHANNEL, BOOL),
            marks=f("marks" + tag, CHANNEL, BOOL),
            at=f("at" + tag, CHANNEL, INT),
            lost=f("lost" + tag, CHANNEL, INT, BOOL),
            copied=f("copied" + tag, CHANNEL, BOOL),
            copy=f("copy" + tag, CHANNEL, INT),
        )

    def symbols(self) -> tuple[z3.FuncDeclRef, ...]:
        """The symbols of a step of which nothing is known, in order."""
        parts = (getattr(self, f.name) for f in fields(self))
        return tuple(part.decl() if z3.is_expr(part) else part for part in parts)

    def accepts(self, c: z3.ExprRef) -> Formula:
        """A message is accepted from c."""
        return And(self.acts, accepts(self.action, c))

    def takes(self, c: z3.ExprRef) -> Formula:
        """A message or a marker is accepted from c."""
        return Or(self.accepts(c), self.hears(c))

    def sends(self, c: z3.ExprRef) -> Formula:
        """A message is sent on c."""
        return And(self.acts, sends(self.action, c))

    def is_red(self, q: State) -> Formula:
        """The step is red: its machine is red already or turns red in it."""
        return Or(q.red(self.machine), self.turns)

    def place(self, q: State, c: z3.ExprRef) -> z3.ArithRef:
        """Where a message sent on c goes: behind the marker that is put in the same step."""
        return q.sent(c) + number(self.marks(c))

    def copy_place(self, q: State, c: z3.ExprRef) -> z3.ArithRef:
        return self.place(q, c) + number(self.sends(c))


@dataclass(frozen=True, slots=True)
class Protocol:
    """A snapshot algorithm: its rules for a step, and which accepted messages it records.

    `rules(q, e)`: what the algorithm demands of a step, as premises; `records(q, e, c)`: the message accepted from c
    in the step is recorded; `adds(q, e, c, i)`: item i of c is recorded for another reason; `erases(q, e, c)`:
    what was recorded of c is forgotten.
    """

    name: str
    rules: Callable[[State, Step], tuple[Premise, ...]]
    records: Callable[[State, Step, z3.ExprRef], Formula]
    adds: Callable[[State, Step, z3.ExprRef, z3.ArithRef], Formula] = lambda q, e, c, i: z3.BoolVal(False)
    erases: Callable[[State, Step, z3.ExprRef], Formula] = lambda q, e, c: z3.BoolVal(False)


def after(q: State, e: Step, protocol: Protocol) -> State:
    """The state after the step: a definition, so that no frame axiom can be forgotten."""

    def moved(c: z3.ExprRef, i: z3.ArithRef) -> Formula:
        return And(e.takes(c), i == e.at(c))

    def message(c: z3.ExprRef, i: z3.ArithRef) -> Formula:
        return And(e.accepts(c), i == e.at(c))

    def turning(m: z3.ExprRef) -> Formula:
        return And(m == e.machine, e.turns)

    return State(
        local=lambda m: z3.If(And(m == e.machine, e.acts), post(e.action), q.local(m)),
        red=lambda m: Or(q.red(m), turning(m)),
        recorded_state=lambda m: z3.If(turning(m), q.local(m), q.recorded_state(m)),
        sent=lambda c: e.copy_place(q, c) + number(e.copied(c)),
        gone=lambda c, i: Or(q.gone(c, i), moved(c, i), And(e.lost(c, i), q.holds(c, i))),
        early=lambda c, i: Or(q.early(c, i), And(message(c, i), Not(e.is_red(q)))),
        recorded=lambda c, i: Or(
            And(q.recorded(c, i), Not(protocol.erases(q, e, c))),
            And(message(c, i), protocol.records(q, e, c)),
            protocol.adds(q, e, c, i),
        ),
        closed=lambda c: Or(q.closed(c), e.hears(c)),
        marked=lambda c: Or(q.marked(c), e.marks(c)),
    )
