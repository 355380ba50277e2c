"""Algorithms with one rule changed; what each forgets is said in `proofs.broken`, which shows what it breaks.

The names are those of the contract. `LAZY_MARKER` is a control: it forgets nothing.
"""

from __future__ import annotations

from dataclasses import replace

import z3
from z3 import And, Implies, Not, Or

from proofs.computation import State, Step, destination, source
from proofs.language import CHANNEL, MACHINE, Formula, constant, exists, for_all
from proofs.premises import Premise
from proofs.protocols import ALIGNED, CYCLIC, MAGIC, MARKER, TAGGED, aligned, loop, record_first, tags, turns_at_marker


def _later_marks(q: State, e: Step) -> Premise:
    return Premise(
        "markers later",
        "a red machine puts one marker on each output channel, some time after it turned red",
        for_all(CHANNEL, lambda c: Implies(e.marks(c), And(source(c) == e.machine, e.is_red(q), Not(q.marked(c))))),
    )


def _marker_before_message(q: State, e: Step) -> Premise:
    return Premise(
        "marker before message",
        "a red machine sends a message only on a channel on which it has put its marker",
        for_all(CHANNEL, lambda c: Implies(And(e.sends(c), e.is_red(q)), Or(q.marked(c), e.marks(c)))),
    )


LATE_MARKER = replace(MARKER, name="late-marker", rules=lambda q, e: (turns_at_marker(q, e), _later_marks(q, e)))
LAZY_MARKER = replace(
    MARKER,
    name="lazy-marker",
    rules=lambda q, e: (turns_at_marker(q, e), _later_marks(q, e), _marker_before_message(q, e)),
)

_forgotten = constant("forgotten", z3.DeclareSort("Channel"))


def _marks_all_but_one(q: State, e: Step) -> Premise:
    return Premise(
        "markers at once, but one",
        "a machine that turns red puts a marker on each output channel but the forgotten one",
        for_all(
            CHANNEL,
            lambda c: e.marks(c) == And(e.turns, source(c) == e.machine, c != _forgotten),
        ),
    )


MISSING_MARKER = replace(
    MARKER, name="missing-marker", rules=lambda q, e: (turns_at_marker(q, e), _marks_all_but_one(q, e))
)


def _marks_then_turns(q: State, e: Step) -> Premise:
    def mine(c: z3.ExprRef) -> Formula:
        return source(c) == e.machine

    all_marked = for_all(CHANNEL, lambda c: Implies(mine(c), q.marked(c)))
    all_mark = for_all(CHANNEL, lambda c: Implies(mine(c), And(e.marks(c), Not(q.marked(c)))))
    return Premise(
        "markers first, record later",
        "a machine puts its markers, at the latest when it accepts one, and turns red in some later action",
        And(
            for_all(CHANNEL, lambda c: Implies(e.marks(c), mine(c))),
            Implies(exists(CHANNEL, e.marks), And(all_mark, Not(e.is_red(q)))),
            Implies(e.turns, all_marked),
            Implies(exists(CHANNEL, e.hears), Or(all_marked, all_mark)),
        ),
    )


LATE_RECORD = replace(MARKER, name="late-record", rules=lambda q, e: (_marks_then_turns(q, e),))
NO_CHANNEL_STATE = replace(MARKER, name="no-channel-state", records=lambda q, e, c: z3.BoolVal(False))


def _until_all_markers(q: State, e: Step, c: z3.ExprRef) -> Formula:
    return And(
        e.is_red(q),
        exists(CHANNEL, lambda d: And(destination(d) == e.machine, Not(q.closed(d)), Not(e.hears(d)))),
    )


KEEP_RECORDING = replace(MARKER, name="keep-recording", records=_until_all_markers)
OVERWRITE = replace(MARKER, name="overwrite", erases=lambda q, e, c: And(e.hears(c), q.closed(c)))
UNGUARDED = replace(MAGIC, name="magic,guard=false", rules=lambda q, e: ())
UNALIGNED_BARRIER = replace(
    ALIGNED,
    name="barrier,align=false",
    rules=lambda q, e: tuple(p for p in ALIGNED.rules(q, e) if p.name != aligned(q, e).name),
)


def _until_all_loops(q: State, e: Step, c: z3.ExprRef) -> Formula:
    def open_loop(d: z3.ExprRef) -> Formula:
        return And(destination(d) == e.machine, loop(d), Not(q.closed(d)), Not(e.hears(d)))

    return And(loop(c), e.is_red(q), exists(CHANNEL, open_loop))


PRINTED = replace(CYCLIC, name="barrier,cyclic=true,variant=printed", records=_until_all_loops)

_observer = constant("observer", MACHINE)


def _observer_untagged(q: State, e: Step) -> Premise:
    return Premise(
        "all but the observer tag",
        "a message carries the tag if and only if the machine that sends it is red and not the observer",
        for_all(
            CHANNEL,
            lambda c: Implies(e.sends(c), tags(c, e.place(q, c)) == And(e.is_red(q), e.machine != _observer)),
        ),
    )


UNTAGGED = replace(
    TAGGED,
    name="observer,observer_tags=false",
    rules=lambda q, e: tuple(
        _observer_untagged(q, e) if p.name == "every message is tagged" else p for p in TAGGED.rules(q, e)
    ),
)
SAVE_AFTER = replace(
    TAGGED,
    name="observer,save=after",
    rules=lambda q, e: tuple(p for p in TAGGED.rules(q, e) if p.name != record_first(q, e).name),
)
