"""Broken theories: an algorithm with one rule changed, and the theorem that it does not satisfy.

Each forgets one thing, and the theorem fails to be proved, with a counterexample to induction: a state that has all
the invariants, and a step that the changed rule allows, after which one is lost. Three are controls: the change does
no harm, and the theorem must still be proved. The names are those of the contract, where it has one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import z3
from z3 import And, Implies, Not, Or

from model.errors import InputError
from proofs import marker_invariants as inv
from proofs import t04_white, t06_markers, t07_record, t11_colour, t12_barriers, t13_interference
from proofs.claims import Obligation, Premise, Theorem
from proofs.computation import Protocol, State, Step, destination, source
from proofs.language import CHANNEL, MACHINE, Formula, constant, exists, for_all
from proofs.protocols import ALIGNED, MAGIC, MARKER, TAGGED, aligned, record_first, tags, turns_at_marker

_NOT_AT_ONCE = tuple(name for name in inv.CONDITION_INVARIANTS if name != "marker at once")
_RECORD = tuple(name for name in inv.names() if name != "marker at once")
_MARKERS_COPIED = tuple(name for name in inv.names() if name not in ("one marker", "none once closed"))


@dataclass(frozen=True, slots=True)
class Broken:
    """An algorithm that forgets something, and the obligations of a theorem for it; a control forgets nothing."""

    name: str
    forgets: str
    theorem: str
    obligations: Callable[[], tuple[Obligation, ...]]
    control: bool = False

    def theory(self) -> Theorem:
        """The theorem as it would be for this algorithm."""
        title = f"{self.name}: {'a control, forgets nothing: ' if self.control else 'forgets: '}{self.forgets}"
        argument = f"the obligations of theorem `{self.theorem}`, with the changed rule"
        return Theorem(0, self.name, title, "CONTRACT, section 3, mutants", argument, self.obligations())


def _rule(name: str, sentence: str, formula: Formula) -> Premise:
    return Premise(name, sentence, formula)


def _later_marks(q: State, e: Step) -> Premise:
    return _rule(
        "markers later",
        "a red machine puts one marker on each output channel, some time after it turned red",
        for_all(CHANNEL, lambda c: Implies(e.marks(c), And(source(c) == e.machine, e.is_red(q), Not(q.marked(c))))),
    )


def _marker_before_message(q: State, e: Step) -> Premise:
    return _rule(
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
    return _rule(
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
    return _rule(
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

_observer = constant("observer", MACHINE)


def _observer_untagged(q: State, e: Step) -> Premise:
    return _rule(
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


def _all_barriers_in(q: State, e: Step) -> Formula:
    return for_all(CHANNEL, lambda c: Implies(destination(c) == e.machine, Or(q.closed(c), e.hears(c))))


def _with_copied_markers(protocol: Protocol) -> tuple[Obligation, ...]:
    """The exact record, markers being duplicated by the environment."""
    return tuple(
        replace(o, premises=o.without("no marker duplicated"))
        for o in t07_record.obligations(protocol, _MARKERS_COPIED)
        if o.name != "one marker put"
    )


BROKEN: tuple[Broken, ...] = (
    Broken(
        "late-marker",
        "the marker goes before any message sent after turning red",
        "markers",
        lambda: t06_markers.obligations(LATE_MARKER, _NOT_AT_ONCE),
    ),
    Broken(
        "missing-marker",
        "one output channel",
        "markers",
        lambda: t06_markers.obligations(MISSING_MARKER),
    ),
    Broken(
        "late-record",
        "to record before the markers are put",
        "record",
        lambda: t07_record.obligations(LATE_RECORD),
    ),
    Broken("no-channel-state", "to record channels", "record", lambda: t07_record.obligations(NO_CHANNEL_STATE)),
    Broken(
        "keep-recording",
        "that the marker of a channel ends the record of that channel",
        "record",
        lambda: t07_record.obligations(KEEP_RECORDING),
    ),
    Broken(
        "overwrite",
        "that a closed record is closed, whatever comes, a second marker for one",
        "record",
        lambda: _with_copied_markers(OVERWRITE),
    ),
    Broken(
        "magic,guard=false",
        "that no red message is accepted in a white action",
        "white",
        lambda: t04_white.obligations(UNGUARDED),
    ),
    Broken(
        "observer,observer_tags=false",
        "that the observer's own messages need the tag",
        "colour",
        lambda: t11_colour.obligations(UNTAGGED),
    ),
    Broken(
        "observer,save=after",
        "to record before the tagged message is handled",
        "colour",
        lambda: t11_colour.obligations(SAVE_AFTER),
    ),
    Broken(
        "barrier,align=false",
        "to block a channel behind its barrier",
        "barriers",
        lambda: t12_barriers.aligned_obligations(UNALIGNED_BARRIER),
    ),
    Broken(
        "aligned",
        "not to stand in the way of the program (aligned barriers are right otherwise: theorem 12)",
        "interference",
        lambda: t13_interference.blocked_nowhere(ALIGNED, (inv.POSITIONS, "one marker"), _all_barriers_in),
    ),
    Broken(
        "lazy-marker",
        "each marker may go out later, yet before anything else on its channel",
        "record",
        lambda: (
            *t06_markers.obligations(LAZY_MARKER, _NOT_AT_ONCE),
            *t07_record.obligations(LAZY_MARKER, _RECORD),
        ),
        control=True,
    ),
    Broken(
        "marker, markers duplicated",
        "a second marker on a channel is ignored, so the record stays exact",
        "record",
        lambda: _with_copied_markers(MARKER),
        control=True,
    ),
)


def broken(name: str) -> Broken:
    """The broken theory of that name; `InputError` for an unknown one."""
    for theory in BROKEN:
        if theory.name == name:
            return theory
    raise InputError(f"broken theory '{name}': there are {'; '.join(b.name for b in BROKEN)}")
