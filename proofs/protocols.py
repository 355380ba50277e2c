"""The snapshot algorithms whose rules the theories use; each rule is a premise with a name.

A broken algorithm is one of these with a rule changed (`proofs.broken`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import z3
from z3 import And, Implies, Not, Or

from proofs.assumptions import condition
from proofs.computation import Protocol, State, Step, destination, source, tinted
from proofs.language import BOOL, CHANNEL, MACHINE, Formula, both, exists, for_all, function
from proofs.premises import Premise, Role


def turns_at_marker(q: State, e: Step) -> Premise:
    return Premise(
        "a marker turns red",
        "a white machine that accepts a marker turns red, before anything else in that action",
        for_all(CHANNEL, lambda c: Implies(e.hears(c), e.is_red(q))),
    )


def marks_at_once(q: State, e: Step) -> Premise:
    return Premise(
        "markers at once",
        "a machine puts one marker on each output channel in the action in which it turns red, and no other markers",
        for_all(CHANNEL, lambda c: e.marks(c) == And(e.turns, source(c) == e.machine)),
    )


def while_open(q: State, e: Step, c: z3.ExprRef) -> Formula:
    """A red machine records what it accepts from a channel until it accepts the marker of that channel."""
    return And(e.is_red(q), Not(q.closed(c)))


MAGIC = Protocol(
    name="magic",
    rules=lambda q, e: (condition(q, e),),
    records=lambda q, e, c: And(e.is_red(q), Not(tinted(c, e.at(c)))),
)
"""EWD864a, first part: each machine turns red at any moment, the condition is kept by magic, and a red machine
records the white messages it accepts. Markers are allowed and mean nothing."""

MARKER = Protocol(
    name="marker",
    rules=lambda q, e: (turns_at_marker(q, e), marks_at_once(q, e)),
    records=while_open,
)
"""EWD864a, second part; Chandy & Lamport 1985, section 3.1. Spontaneous turning is open to every machine."""


def _only_sources_start(q: State, e: Step) -> Premise:
    return Premise(
        "sources start",
        "only a machine without input channels turns red without having accepted a barrier",
        Implies(
            e.turns,
            for_all(
                CHANNEL,
                lambda c: Implies(destination(c) == e.machine, exists(CHANNEL, lambda d: e.hears(d))),
            ),
        ),
    )


UNALIGNED = Protocol(
    name="unaligned",
    rules=lambda q, e: (*MARKER.rules(q, e), _only_sources_start(q, e)),
    records=while_open,
)
"""Flink's unaligned barriers without overtaking: the snapshot is taken at the first barrier, and the records that
arrive on another input before its barrier become channel state."""


OVERTAKING = replace(
    UNALIGNED,
    name="unaligned, overtaking",
    adds=lambda q, e, c, i: And(e.hears(c), Not(q.closed(c)), q.holds_white(c, i), i < e.at(c)),
)
"""Unaligned barriers that go ahead of queued records: a barrier may be accepted at any moment, and the records that
it has overtaken become channel state there and then, although they are accepted later."""


Into = Callable[[z3.ExprRef, z3.ExprRef], Formula]
"""Channels into a machine, of those that it waits for."""


def every_input(c: z3.ExprRef, m: z3.ExprRef) -> Formula:
    return destination(c) == m


def aligned(q: State, e: Step, into: Into = every_input) -> Premise:
    return Premise(
        "alignment",
        "a machine accepts nothing from a channel whose barrier it has accepted until it has turned red",
        for_all(CHANNEL, lambda c: Implies(both(e.accepts(c), q.closed(c), *_waited_for(c, into)), e.is_red(q))),
    )


def _waited_for(c: z3.ExprRef, into: Into) -> tuple[Formula, ...]:
    return () if into is every_input else (into(c, destination(c)),)


def turns_at_last_barrier(q: State, e: Step, into: Into = every_input) -> Premise:
    return Premise(
        "last barrier",
        "a machine turns red no earlier than in the action that accepts the last of its barriers",
        Implies(e.turns, for_all(CHANNEL, lambda c: Implies(into(c, e.machine), Or(q.closed(c), e.hears(c))))),
    )


def last_barrier_turns(q: State, e: Step, into: Into = every_input) -> Premise:
    return Premise(
        "last barrier turns red",
        "a machine that has accepted all its barriers, the last of them now, turns red",
        Implies(
            And(
                exists(CHANNEL, e.hears),
                for_all(CHANNEL, lambda c: Implies(into(c, e.machine), Or(q.closed(c), e.hears(c)))),
            ),
            e.is_red(q),
        ),
    )


ALIGNED = Protocol(
    name="aligned",
    rules=lambda q, e: (aligned(q, e), turns_at_last_barrier(q, e), marks_at_once(q, e)),
    records=lambda q, e, c: z3.BoolVal(False),
)
"""Flink / ABS on acyclic dataflows: block each input behind its barrier; the last barrier, the record, the barriers
out and the unblocking are one action. No channel is recorded. (For completion, `last_barrier_turns` besides.)"""

loop: Callable[..., Formula] = function("loop", CHANNEL, BOOL)
precedes: Callable[..., Formula] = function("precedes", MACHINE, MACHINE, BOOL)


def regular_input(c: z3.ExprRef, m: z3.ExprRef) -> Formula:
    return And(destination(c) == m, Not(loop(c)))


def loops_go_back() -> Premise:
    """`precedes` is that there is a path of regular channels: who precedes a machine precedes what comes before it."""

    def before(m: z3.ExprRef, n: z3.ExprRef) -> Formula:
        return exists(CHANNEL, lambda c: And(regular_input(c, n), precedes(m, source(c))))

    return Premise(
        "loops go back",
        "a path of regular channels leads from the destination of a loop input to its source",
        And(
            for_all(CHANNEL, lambda c: Implies(loop(c), precedes(destination(c), source(c)))),
            for_all(MACHINE, MACHINE, lambda m, n: Implies(precedes(m, n), Or(m == n, before(m, n)))),
        ),
    )


CYCLIC = Protocol(
    name="cyclic",
    rules=lambda q, e: (
        aligned(q, e, regular_input),
        turns_at_last_barrier(q, e, regular_input),
        marks_at_once(q, e),
    ),
    records=lambda q, e, c: And(loop(c), while_open(q, e, c)),
)
"""ABS on dataflows with loops, repaired: a machine waits for the barriers of its regular inputs; from then on it logs
each loop input up to that input's own barrier. (For completion, `last_barrier_turns` of regular inputs besides.)"""

# What a message looks like to the machine that accepts it: the tag it carries, not the ghost colour.
tags = z3.Function("tag", CHANNEL, z3.IntSort(), z3.BoolSort())


def every_message_tagged(q: State, e: Step) -> Premise:
    return Premise(
        "every message is tagged",
        "a message carries the tag if and only if the machine that sends it is red",
        for_all(CHANNEL, lambda c: Implies(e.sends(c), tags(c, e.place(q, c)) == e.is_red(q))),
    )


def record_first(q: State, e: Step) -> Premise:
    return Premise(
        "record before handling",
        "a white machine that is about to accept a tagged message records its state and turns red first",
        for_all(CHANNEL, lambda c: Implies(And(e.accepts(c), tags(c, e.at(c))), e.is_red(q))),
    )


def _copied_tags(q: State, e: Step) -> Premise:
    return Premise(
        "tags of copies",
        "a copy of a message carries its tag",
        for_all(CHANNEL, lambda c: Implies(e.copied(c), tags(c, e.copy_place(q, c)) == tags(c, e.copy(c)))),
        Role.DEFINITION,
    )


TAGGED = Protocol(
    name="tagged",
    rules=lambda q, e: (every_message_tagged(q, e), record_first(q, e), _copied_tags(q, e)),
    records=lambda q, e, c: And(e.is_red(q), Not(tags(c, e.at(c)))),
)
"""The colour is piggybacked on every message: Lai & Yang 1987, and the observer's token as repaired (tag all messages,
also the observer's own; save before handling). Turning red unprompted is the observer's request, or an initiator."""
