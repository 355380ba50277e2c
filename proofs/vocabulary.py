"""The words in which rules are read off and invariants are looked for."""

from __future__ import annotations

import re

import z3
from z3 import And, Implies, Not, Or

from proofs.clauses import Atom, Clause
from proofs.computation import State, Step, destination, marker, red_message, source, white_message
from proofs.language import CHANNEL, INT, exists, for_all
from proofs.protocols import tags

# -- of a step, and a channel ------------------------------------------------------------------------------------------


def _closed_by_then(q: State, e: Step, c: z3.ExprRef) -> z3.BoolRef:
    return Or(q.closed(c), e.hears(c))


def _marked_by_then(q: State, e: Step, c: z3.ExprRef) -> z3.BoolRef:
    return Or(q.marked(c), e.marks(c))


def _mine(end: object, e: Step, c: z3.ExprRef) -> z3.BoolRef:
    assert callable(end)
    found: z3.BoolRef = end(c) == e.machine
    return found


GLOBAL = "the machine"
INPUT = "an input"
OUTPUT = "an output"

STEP: tuple[tuple[str, Atom], ...] = (
    (GLOBAL, Atom("the machine was red", lambda q, e, c: q.red(e.machine))),
    (GLOBAL, Atom("it is red", lambda q, e, c: e.is_red(q))),
    (GLOBAL, Atom("it turns red", lambda q, e, c: e.turns)),
    (INPUT, Atom("c is its input", lambda q, e, c: _mine(destination, e, c))),
    (INPUT, Atom("a marker is accepted from c", lambda q, e, c: e.hears(c))),
    (INPUT, Atom("a message is accepted from c", lambda q, e, c: e.accepts(c))),
    (INPUT, Atom("a tagged message is accepted from c", lambda q, e, c: And(e.accepts(c), tags(c, e.at(c))))),
    (INPUT, Atom("c was closed", lambda q, e, c: q.closed(c))),
    (INPUT, Atom("c is closed by then", _closed_by_then)),
    (OUTPUT, Atom("c is its output", lambda q, e, c: _mine(source, e, c))),
    (OUTPUT, Atom("a marker is put on c", lambda q, e, c: e.marks(c))),
    (OUTPUT, Atom("a message is sent on c", lambda q, e, c: e.sends(c))),
    (OUTPUT, Atom("a tagged message is sent on c", lambda q, e, c: And(e.sends(c), tags(c, e.place(q, c))))),
    (OUTPUT, Atom("c was marked", lambda q, e, c: q.marked(c))),
    (OUTPUT, Atom("c is marked by then", _marked_by_then)),
    (GLOBAL, Atom("it accepts a marker", lambda q, e, c: exists(CHANNEL, e.hears))),
    (GLOBAL, Atom("it puts a marker", lambda q, e, c: exists(CHANNEL, e.marks))),
    (
        GLOBAL,
        Atom(
            "all its inputs are closed by then",
            lambda q, e, c: for_all(CHANNEL, lambda d: Implies(_mine(destination, e, d), _closed_by_then(q, e, d))),
        ),
    ),
    (
        GLOBAL,
        Atom(
            "all its outputs are marked by then",
            lambda q, e, c: for_all(CHANNEL, lambda d: Implies(_mine(source, e, d), _marked_by_then(q, e, d))),
        ),
    ),
    (
        GLOBAL,
        Atom("it has an input", lambda q, e, c: exists(CHANNEL, lambda d: _mine(destination, e, d))),
    ),
)
"""What a machine knows of its own step: what it was, what it accepts, puts and sends, which channels are done."""

_BY_NAME = {atom.name: k for k, (_, atom) in enumerate(STEP)}

MEANING: tuple[str, ...] = (
    "it is red = the machine was red or it turns red",
    "c is closed by then = c was closed or a marker is accepted from c",
    "c is marked by then = c was marked or a marker is put on c",
    "a tagged message is accepted from c => a message is accepted from c",
    "a tagged message is sent on c => a message is sent on c",
    "a message is accepted from c => c is its input",
    "a marker is accepted from c => c is its input",
    "a marker is accepted from c => it accepts a marker",
    "a message is sent on c => c is its output",
    "a marker is put on c => c is its output",
    "a marker is put on c => it puts a marker",
    "c is its input => it has an input",
    "it has an input or all its inputs are closed by then",
    "all its inputs are closed by then and c is its input => c is closed by then",
    "all its outputs are marked by then and c is its output => c is marked by then",
)
"""What follows from what the words mean, and is no rule."""


def is_new(clause: Clause, known: z3.Solver) -> bool:
    """Whether the clause does not follow from those asserted; if so it is asserted."""
    literals = [_FLAGS[k] if sign else Not(_FLAGS[k]) for k, sign in clause]
    if known.check(*(Not(x) for x in literals)) == z3.unsat:
        return False
    known.add(Or(*literals))
    return True


_FLAGS = [z3.Bool(atom.name) for _, atom in STEP]


def meaning() -> z3.Solver:
    """A solver that knows what the words mean."""
    solver = z3.Solver()
    for sentence in MEANING:
        left, between, right = re.split(" (=>?) ", sentence) if "=" in sentence else ("", "=>", sentence)
        given = And(*(z3.Bool(name) for name in left.split(" and ") if name))
        then = Or(*(z3.Bool(name) for name in right.split(" or ")))
        solver.add(given == then if between == "=" else Implies(given, then))
    return solver


_COMES = {
    _BY_NAME[name]
    for name in (
        "it has an input",
        "c is its input",
        "a message is accepted from c",
        "a tagged message is accepted from c",
        "a marker is accepted from c",
        "it accepts a marker",
        "c is its output",
        "a message is sent on c",
    )
}
"""What the program does, and what others send."""
_STATE = {
    k
    for k, (_, atom) in enumerate(STEP)
    if atom.name.startswith(("the machine was", "c was", "c is", "all its", "it is red", "it has"))
}
_OWN = {
    INPUT: {_BY_NAME[n] for n in ("c is its input", "a marker is accepted from c", "a message is accepted from c",
                                  "a tagged message is accepted from c")},
    OUTPUT: {_BY_NAME[n] for n in ("c is its output", "a marker is put on c", "a message is sent on c",
                                   "a tagged message is sent on c")},
}  # fmt: skip


def is_rule(clause: Clause) -> bool:
    """Whether the clause is about what one machine does, and about its own channels.

    Not about what a program does by itself, what comes from others, nor about states; and of a channel only where the
    machine is at that end.
    """
    atoms = {k for k, _ in clause}
    if atoms <= _COMES or atoms <= _STATE:
        return False
    ends = {STEP[k][0] for k in atoms} - {GLOBAL}
    if len(ends) > 1:
        return False
    return all(any(k in _OWN[end] and not sign for k, sign in clause) for end in ends)


RECORDING: tuple[Atom, ...] = tuple(
    STEP[_BY_NAME[name]][1]
    for name in (
        "it is red",
        "c was closed",
        "a tagged message is accepted from c",
        "all its inputs are closed by then",
        "the machine was red",
    )
)
"""What may decide whether an accepted message is recorded."""

# -- of a state, a channel, and positions on it ------------------------------------------------------------------------


def _marker_inside(q: State, c: z3.ExprRef) -> z3.BoolRef:
    return exists(INT, lambda j: q.holds_marker(c, j))


def _marker_ahead(q: State, c: z3.ExprRef, i: z3.ExprRef) -> z3.BoolRef:
    return exists(INT, lambda j: And(j < i, q.holds_marker(c, j)))


def _kinds(which: str) -> tuple[Atom, ...]:
    k = 1 if which == "j" else 0
    return (
        Atom(f"{which} is a marker", lambda q, c, *p: marker(c, p[k]), f"kind of {which}"),
        Atom(f"{which} is white", lambda q, c, *p: white_message(c, p[k]), f"kind of {which}"),
        Atom(f"{which} is red", lambda q, c, *p: red_message(c, p[k]), f"kind of {which}"),
        Atom(f"{which} has left", lambda q, c, *p: q.gone(c, p[k])),
        Atom(f"{which} is recorded", lambda q, c, *p: q.recorded(c, p[k])),
    )


CHANNELS: tuple[Atom, ...] = (
    Atom("the source is red", lambda q, c, *p: q.red(source(c))),
    Atom("the destination is red", lambda q, c, *p: q.red(destination(c))),
    Atom("c is closed", lambda q, c, *p: q.closed(c)),
    Atom("c is marked", lambda q, c, *p: q.marked(c)),
    Atom("a marker is in c", lambda q, c, *p: _marker_inside(q, c)),
)
POSITIONS: tuple[Atom, ...] = (
    *_kinds("i"),
    Atom("i was accepted white", lambda q, c, *p: q.early(c, p[0])),
    Atom("i is tagged", lambda q, c, *p: And(Not(marker(c, p[0])), tags(c, p[0]))),
    *CHANNELS[:4],
    Atom("a marker is ahead of i", lambda q, c, *p: _marker_ahead(q, c, p[0])),
)
PAIRS: tuple[Atom, ...] = (*_kinds("i"), *_kinds("j"), CHANNELS[2])
