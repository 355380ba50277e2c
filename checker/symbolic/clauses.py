"""Clauses over numbered literals, handed to z3 as an incremental solver with assumptions.

A literal is a whole number other than 0; its negation is its negative. All that the transition relation says is said in
clauses, because z3's Python terms cost thirty times as much to build.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import z3

TRUE = 1
FALSE = -1


class SolverStopped(Exception):
    """The solver was stopped before it could answer; the text says why."""


class Clauses:
    """A growing set of clauses and the solver that decides it."""

    def __init__(self) -> None:
        self.solver = z3.SolverFor("QF_FD")
        self._context = self.solver.ctx.ref()
        self._terms: dict[int, z3.BoolRef] = {}
        self._handles: dict[int, Any] = {}
        self._model: z3.ModelRef | None = None
        self.count = 0
        assert self.new() == TRUE
        self.add(TRUE)

    def new(self) -> int:
        """A literal that nothing is known of yet."""
        number = len(self._terms) // 2 + 1
        term = z3.Bool(number, self.solver.ctx)
        for literal, own in ((number, term), (-number, z3.Not(term))):
            self._terms[literal] = own
            self._handles[literal] = own.as_ast()
        return number

    def add(self, *literals: int) -> None:
        """At least one of the literals is true."""
        if TRUE in literals and len(literals) > 1:
            return
        handles = [self._handles[literal] for literal in literals if literal != FALSE]
        array = (z3.Ast * len(handles))(*handles)
        z3.z3core.Z3_solver_assert(
            self._context, self.solver.solver, z3.z3core.Z3_mk_or(self._context, len(handles), array)
        )
        self.count += 1

    def implies(self, condition: int, *any_of: int) -> None:
        """If the condition is true, so is one of the others."""
        self.add(-condition, *any_of)

    def equals(self, literal: int, any_of: Iterable[int]) -> None:
        """The literal is true exactly if one of the others is."""
        others = list(any_of)
        self.add(-literal, *others)
        for other in others:
            self.add(literal, -other)

    def either(self, any_of: Iterable[int]) -> int:
        """A literal that is true exactly if one of these is."""
        others = [literal for literal in dict.fromkeys(any_of) if literal != FALSE]
        if not others or TRUE in others:
            return TRUE if others else FALSE
        if len(others) == 1:
            return others[0]
        literal = self.new()
        self.equals(literal, others)
        return literal

    def both(self, all_of: Iterable[int]) -> int:
        """A literal that is true exactly if all of these are."""
        return -self.either(-literal for literal in all_of)

    def at_most_one(self, literals: Sequence[int]) -> None:
        """No two of the literals are true."""
        for i, one in enumerate(literals):
            for other in literals[:i]:
                self.add(-one, -other)

    def add_up(self, so_far: Sequence[int], more: Iterable[int], most: int) -> list[int]:
        """A count in unary, `more` literals added: literal j of the answer says "more than j are true"; j < `most`."""
        count = list(so_far)
        for literal in more:
            if literal == FALSE:
                continue
            count = [
                self.either((at, self.both((below, literal))))
                for at, below in zip([*count, FALSE], [TRUE, *count], strict=True)
            ][:most]
        return count

    def check(self, assumptions: Iterable[int] = (), timeout: float | None = None) -> bool:
        """Whether the clauses can all be true with the assumptions; `SolverStopped` if the solver gives up."""
        self.solver.set("timeout", 2**32 - 1 if timeout is None else max(1, int(timeout * 1000)))
        answer = self.solver.check(*(self._terms[literal] for literal in assumptions))
        if answer == z3.unknown:
            raise SolverStopped(self.solver.reason_unknown())
        self._model = self.solver.model() if answer == z3.sat else None
        return bool(answer == z3.sat)

    def true(self, literal: int) -> bool:
        """Whether the literal is true in the last model; what the model leaves open counts as false."""
        assert self._model is not None, "no model: the last check found none"
        value = abs(literal) == TRUE or z3.is_true(self._model[self._terms[abs(literal)]])
        return value == (literal > 0)
