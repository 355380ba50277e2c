"""Theorem 23: whatever is recorded passes the count: no cut accepts more messages of a channel than it sends.

The snapshot of a run is that of a cut: the white actions of each machine. `sent_white(c, j)` and `accepted_white(c, j)`
say how many of the first j items of channel c white actions sent, and how many of them white actions accepted. At every
instant of every run in which the condition holds, and so where the snapshot is complete, the second number is at most
the first; and where they are equal, nothing of these j items is recorded. (Theorems 6, 11, 12 and 19: the condition.)

The other way round, that the snapshot of each cut that passes the count is recorded by some run, is found by taking all
runs and all cuts of small systems (`tests/proofs/test_obtainable.py`); it is not proved for every N.
"""

from __future__ import annotations

import z3
from z3 import And

from proofs import kernel
from proofs import marker_invariants as inv
from proofs.claims import Theorem
from proofs.computation import State, white_message
from proofs.deriving import Derivation, only
from proofs.kernel import Thm
from proofs.language import CHANNEL, INT, Meaning, constant, for_all, function, interpret
from proofs.premises import Premise, Role
from proofs.protocols import MAGIC
from proofs.runs import Goal, arrived_with_a_message
from proofs.t04_white import faults
from proofs.t11_colour import Counts, equal_means_empty, equality, now
from proofs.transition import Transition, inductive, state_at

_end, _c = constant("end", INT), constant("c", CHANNEL)
_sent, _accepted = (function(name, CHANNEL, INT, INT) for name in ("sent_white", "accepted_white"))


def _conclude(d: Derivation) -> list[Thm]:
    q = state_at(Transition.of(MAGIC, faults).run, _end)
    counting = [Premise("counting", "white items sent, and accepted white", f, Role.DEFINITION) for f in _counts(q)]
    meaning: dict[z3.FuncDeclRef, Meaning] = {
        Counts.white: lambda i: And(q.within(_c, i), white_message(_c, i)),
        now.gone: lambda i: q.early(_c, i),
        Counts.white_sent: lambda i: _sent(_c, i),
        now.white_gone: lambda i: _accepted(_c, i),
    }
    known = []
    for name in ("early is white", inv.POSITIONS):
        always = kernel.assume(kernel.specialise(d.invariants[name], _end), "end")
        known.append(always)
    defined = [kernel.specialise(kernel.given(p), _c) for p in counting]
    unfolded = [
        kernel.solved(d.decide, (), (*defined, *known), interpret(p.formula, meaning), "counting along a channel")
        for p in now.recursion()
    ]
    counted = kernel.use(kernel.instance(equal_means_empty(d), meaning), *unfolded)
    return [only(kernel.generalise(counted, _c), _end >= 0)]


def _counts(q: State) -> list[z3.BoolRef]:
    """Both numbers, by recursion along each channel."""
    zero, j = z3.IntVal(0), constant("j", INT)

    def sent(c: z3.ExprRef) -> z3.BoolRef:
        more = z3.If(And(q.within(c, j), white_message(c, j)), 1, 0)
        return kernel.recursive(lambda i: _sent(c, i), zero, j, _sent(c, j) + more)

    def accepted(c: z3.ExprRef) -> z3.BoolRef:
        more = z3.If(q.early(c, j), 1, 0)
        return kernel.recursive(lambda i: _accepted(c, i), zero, j, _accepted(c, j) + more)

    return [for_all(CHANNEL, sent), for_all(CHANNEL, accepted)]


def theorem() -> Theorem:
    t = Transition.of(MAGIC, faults)
    return Theorem(
        number=23,
        name="obtainable",
        title="whatever is recorded passes the count: a cut accepts at most what it sends, on every channel",
        source="EWD864a, the condition; Mattern 1993, consistent cuts",
        argument="the invariants of theorem 4; the numbers by induction over the items of a channel (theorem 11)",
        parts=(*equality(), inductive(t, inv.facts(inv.PROJECTION_INVARIANTS))),
        conclude=_conclude,
        goals=(
            Goal(
                "a snapshot with a message in a channel",
                "all machines turn red, all white messages arrive, and one of them is recorded",
                MAGIC,
                faults,
                arrived_with_a_message,
            ),
        ),
        uses=("white", "colour"),
        composed=True,
    )
