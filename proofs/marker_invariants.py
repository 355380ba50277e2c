"""The invariants of theorems 6 and 7 as formulas: the list of `proofs.invariants`, name by name.

Where the plain predicates look at the queue of a channel, the formulas look at the positions that the channel holds;
what has left the channel is not forgotten here, so history needs no strings of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

import z3
from z3 import And, Implies, Not, Or

from proofs.computation import State, destination, marker, red_message, source, white_message
from proofs.invariants import INVARIANTS
from proofs.language import CHANNEL, INT, Formula, both, exists, for_all
from proofs.premises import Fact, Premise, Role

POSITIONS = "positions"
"""The one invariant that is about the encoding: only positions that were used can have left a channel."""

_SENTENCES = {POSITIONS: "only what was put on a channel can have left it"} | {i.name: i.sentence for i in INVARIANTS}

PROJECTION_INVARIANTS = ("red from the red", "white before red", "early is white", "white accepts early", POSITIONS)
"""Those that follow from colours and the condition alone, whatever the algorithm records: all that the two projections
rest on."""

COLOUR_INVARIANTS = (*PROJECTION_INVARIANTS, "recorded is the rest", "white records nothing")
"""Those of an algorithm that records by colour: the invariants of theorem 4."""

CONDITION_INVARIANTS = (*(i.name for i in INVARIANTS if i.theorem == 6), POSITIONS)
RECORD_INVARIANTS = tuple(i.name for i in INVARIANTS if i.theorem == 7)


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
    """All names, in the order of `proofs.invariants`, `positions` last."""
    return (*(invariant.name for invariant in INVARIANTS), POSITIONS)


def facts(wanted: Iterable[str]) -> tuple[Fact, ...]:
    """The invariants of these names."""
    return tuple(Fact(name, _SENTENCES[name], _FORMULAS[name]) for name in wanted)


def premises(q: State, wanted: Iterable[str], role: Role = Role.HYPOTHESIS) -> tuple[Premise, ...]:
    """The invariants of these names as premises about q: induction hypotheses, or lemmas proved elsewhere."""
    return tuple(fact.premise(q, role) for fact in facts(wanted))
