"""The invariants of theorems 6 and 7, named once: a sentence and a formula each.

They look at the positions of the whole sequence sent, so what has left a channel is not forgotten. `proofs.evaluating`
evaluates the same formulas in the states that an explorer reaches.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

import z3
from z3 import And, Implies, Not, Or

from proofs.computation import State, destination, marker, red_message, source, white_message
from proofs.language import CHANNEL, INT, Formula, both, exists, for_all
from proofs.premises import Fact, Premise, Role

POSITIONS = "positions"
"""The one invariant that is about the encoding: only positions that were used can have left a channel."""

_CONDITION = {
    "marker at once": "a red machine has put its marker on each of its output channels",
    "marker on its way": "a channel on which the marker was put is closed, or a marker is in it",
    "marker ahead": "ahead of each red message in a channel there is a marker, unless the channel is closed",
    "closed by the red": "only a red machine has closed an input channel",
}
_RECORD = {
    "red from the red": "red messages come from red machines",
    "white before red": "no white message stands behind a red one",
    "marked by the red": "only a red machine has put its marker on an output channel",
    "marker from the marked": "a marker is in a channel, or was accepted from it, only after it was put on it",
    "one marker": "each channel carries at most one marker",
    "none once closed": "a closed channel carries no marker",
    "white before the marker": "no white message stands behind a marker",
    "closed is flushed": "a closed channel carries no white message",
    "early is white": "what white actions accepted was sent by white actions",
    "white accepts early": "of what was sent white, a white machine has accepted by white actions "
    "all that has left its input channels",
    "recorded is the rest": "recorded are exactly the messages sent white that were accepted, but not by white actions",
    "recorded from the front": "all messages sent white ahead of a recorded one have left the channel",
    "white records nothing": "nothing is recorded of the input channels of a white machine",
}
_SENTENCES = {**_CONDITION, **_RECORD, POSITIONS: "only what was put on a channel can have left it"}

PROJECTION_INVARIANTS = ("red from the red", "white before red", "early is white", "white accepts early", POSITIONS)
"""Those that follow from colours and the condition alone, whatever the algorithm records: all that the two projections
rest on."""

COLOUR_INVARIANTS = (*PROJECTION_INVARIANTS, "recorded is the rest", "white records nothing")
"""Those of an algorithm that records by colour: the invariants of theorem 4."""

CONDITION_INVARIANTS = (*_CONDITION, POSITIONS)


def _positions(q: State) -> Formula:
    return both(
        for_all(CHANNEL, lambda c: q.sent(c) >= 0),
        for_all(CHANNEL, INT, lambda c, i: Implies(q.gone(c, i), q.within(c, i))),
    )


def _marker_on_its_way(q: State) -> Formula:
    return for_all(
        CHANNEL, lambda c: Implies(q.marked(c), Or(q.closed(c), exists(INT, lambda j: q.holds_marker(c, j))))
    )


def _marker_ahead(q: State) -> Formula:
    return for_all(
        CHANNEL,
        INT,
        lambda c, i: Implies(
            q.holds_red(c, i), Or(q.closed(c), exists(INT, lambda j: And(j < i, q.holds_marker(c, j))))
        ),
    )


def _one_marker(q: State) -> Formula:
    """Over the whole sequence sent, so that a marker that was accepted still counts."""
    return for_all(
        CHANNEL,
        INT,
        INT,
        lambda c, i, j: Implies(And(q.within(c, i), q.within(c, j), marker(c, i), marker(c, j)), i == j),
    )


def _marker_from_the_marked(q: State) -> Formula:
    return both(
        for_all(CHANNEL, INT, lambda c, i: Implies(And(q.within(c, i), marker(c, i)), q.marked(c))),
        for_all(CHANNEL, lambda c: Implies(q.closed(c), q.marked(c))),
    )


def _white_before_the_marker(q: State) -> Formula:
    """Over the whole sequence sent, too."""

    def behind(c: z3.ExprRef, i: z3.ArithRef, j: z3.ArithRef) -> Formula:
        return And(q.within(c, i), q.within(c, j), white_message(c, i), marker(c, j))

    return for_all(CHANNEL, INT, INT, lambda c, i, j: Implies(behind(c, i, j), i < j))


def _recorded_is_the_rest(q: State) -> Formula:
    return for_all(
        CHANNEL,
        INT,
        lambda c, i: q.recorded(c, i) == And(q.gone(c, i), white_message(c, i), Not(q.early(c, i))),
    )


_FORMULAS: dict[str, Callable[[State], Formula]] = {
    POSITIONS: _positions,
    "marker at once": lambda q: for_all(CHANNEL, lambda c: Implies(q.red(source(c)), q.marked(c))),
    "marker on its way": _marker_on_its_way,
    "marker ahead": _marker_ahead,
    "closed by the red": lambda q: for_all(CHANNEL, lambda c: Implies(q.closed(c), q.red(destination(c)))),
    "red from the red": lambda q: for_all(
        CHANNEL, INT, lambda c, i: Implies(And(q.within(c, i), red_message(c, i)), q.red(source(c)))
    ),
    "white before red": lambda q: for_all(
        CHANNEL,
        INT,
        INT,
        lambda c, i, j: Implies(And(q.within(c, i), q.within(c, j), white_message(c, i), red_message(c, j)), i < j),
    ),
    "marked by the red": lambda q: for_all(CHANNEL, lambda c: Implies(q.marked(c), q.red(source(c)))),
    "marker from the marked": _marker_from_the_marked,
    "one marker": _one_marker,
    "none once closed": lambda q: for_all(CHANNEL, INT, lambda c, i: Not(And(q.closed(c), q.holds_marker(c, i)))),
    "white before the marker": _white_before_the_marker,
    "closed is flushed": lambda q: for_all(CHANNEL, INT, lambda c, i: Not(And(q.closed(c), q.holds_white(c, i)))),
    "early is white": lambda q: for_all(
        CHANNEL, INT, lambda c, i: Implies(q.early(c, i), And(q.gone(c, i), white_message(c, i)))
    ),
    "white accepts early": lambda q: for_all(
        CHANNEL,
        INT,
        lambda c, i: Implies(And(q.gone(c, i), white_message(c, i), Not(q.red(destination(c)))), q.early(c, i)),
    ),
    "recorded is the rest": _recorded_is_the_rest,
    "recorded from the front": lambda q: for_all(
        CHANNEL,
        INT,
        INT,
        lambda c, i, j: Implies(And(q.recorded(c, i), q.within(c, j), j < i, white_message(c, j)), q.gone(c, j)),
    ),
    "white records nothing": lambda q: for_all(
        CHANNEL, INT, lambda c, i: Implies(q.recorded(c, i), q.red(destination(c)))
    ),
}


def names() -> tuple[str, ...]:
    """All names: those of theorem 6, those of theorem 7, `positions` last."""
    return tuple(_SENTENCES)


def facts(wanted: Iterable[str]) -> tuple[Fact, ...]:
    """The invariants of these names."""
    return tuple(Fact(name, _SENTENCES[name], _FORMULAS[name]) for name in wanted)


def premises(q: State, wanted: Iterable[str], role: Role = Role.HYPOTHESIS) -> tuple[Premise, ...]:
    """The invariants of these names as premises about q: induction hypotheses, or lemmas proved elsewhere."""
    return tuple(fact.premise(q, role) for fact in facts(wanted))
