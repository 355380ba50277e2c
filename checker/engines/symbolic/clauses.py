"""Clauses over numbered literals, handed to z3 as an incremental solver with assumptions.

A literal is a whole number other than 0; its negation is its negative. The whole transition relation consists of
clauses, through z3's C interface: its Python terms cost thirty times as much to build.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from threading import Event, Thread
from typing import Any

import z3
from z3 import z3core

from checker.engines.memory import SPARE, available_memory, out_of_memory

TRUE = 1
FALSE = -1
GRACE = 0.25
"""Seconds beyond its limit that a solver is given to notice it, and between two interrupts after that."""


class SolverStopped(Exception):
    """The solver was stopped before it could answer; the text says why."""


STOPS = (SolverStopped, KeyboardInterrupt, MemoryError, z3.Z3Exception)
"""What ends a search that then says what it covered."""


def why_stopped(stopped: BaseException, limit: float | None, late: bool) -> str:
    """Why it ended, in words; what is none of these reasons is raised again."""
    if out_of_memory(stopped):
        return "memory ran out"
    if isinstance(stopped, z3.Z3Exception):
        raise stopped
    if late:
        return f"the time limit of {limit:g} s was met"
    gave_up = isinstance(stopped, SolverStopped) and "interrupt" not in str(stopped)
    return f"the solver gave up: {stopped}" if gave_up else "interrupted"


def _short() -> bool:
    free = available_memory()
    return free is not None and free < SPARE


class Clauses:
    """A growing set of clauses and the solver that decides it; `count` of them so far."""

    def __init__(self) -> None:
        self._context = z3.Context()
        self._handle = self._context.ref()
        self._sort = z3core.Z3_mk_bool_sort(self._handle)
        z3core.Z3_inc_ref(self._handle, z3core.Z3_sort_to_ast(self._handle, self._sort))
        self.solver = z3.SolverFor("QF_FD", ctx=self._context)
        self._terms: dict[int, Any] = {}
        self._known: dict[tuple[int, ...], int] = {}
        self._model: z3.ModelRef | None = None
        self.count = 0
        self.add(self.new())

    def new(self) -> int:
        """A literal that nothing is known of yet."""
        number = len(self._terms) // 2 + 1
        handle = self._handle
        term = z3core.Z3_mk_const(handle, z3core.Z3_mk_int_symbol(handle, number), self._sort)
        z3core.Z3_inc_ref(handle, term)  # never given back: terms live as long as the context
        negated = z3core.Z3_mk_not(handle, term)
        z3core.Z3_inc_ref(handle, negated)
        self._terms[number], self._terms[-number] = term, negated
        return number

    def add(self, *literals: int) -> None:
        """At least one of the literals is true."""
        if TRUE in literals and len(literals) > 1:
            return
        terms = [self._terms[literal] for literal in literals if literal != FALSE]
        disjunction = z3core.Z3_mk_or(self._handle, len(terms), (z3.Ast * len(terms))(*terms))
        z3core.Z3_solver_assert(self._handle, self.solver.solver, disjunction)
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
        """A literal that is true exactly if one of these is; the same one whenever it is asked for."""
        others = set(any_of)
        others.discard(FALSE)
        if TRUE in others or not others:
            return TRUE if others else FALSE
        if len(others) == 1:
            return others.pop()
        key = tuple(sorted(others))
        literal = self._known.get(key)
        if literal is None:
            literal = self._known[key] = self.new()
            self.equals(literal, key)
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
        """Whether the clauses can all be true with the assumptions; `SolverStopped` if the solver gives up, and
        `MemoryError` before memory runs out: a solver that cannot have more may end the process without a word."""
        if _short():
            raise MemoryError
        self.solver.set("timeout", 2**32 - 1 if timeout is None else max(1, int(timeout * 1000)))
        with self._watchdog(timeout) as stopped:
            answer = self.solver.check(*(z3.BoolRef(self._terms[literal], self._context) for literal in assumptions))
        if answer == z3.unknown:
            if stopped == ["memory"]:
                raise MemoryError
            raise SolverStopped(*stopped or [self.solver.reason_unknown()])
        self._model = self.solver.model() if answer == z3.sat else None
        return bool(answer == z3.sat)

    @contextmanager
    def _watchdog(self, timeout: float | None) -> Iterator[list[str]]:
        """Interrupt a solver that does not heed its own limit or takes the last memory, until it stops; why it was."""
        why: list[str] = []
        done, end = Event(), time.monotonic() + timeout if timeout is not None else math.inf

        def watch() -> None:
            while not done.wait(GRACE):
                if not why and (time.monotonic() > end or _short()):
                    why.append("timeout" if time.monotonic() > end else "memory")
                if why:
                    self._context.interrupt()

        watcher = Thread(target=watch, daemon=True)
        try:
            watcher.start()
        except RuntimeError:  # no memory for a thread
            raise MemoryError from None
        try:
            yield why
        finally:
            done.set()
            watcher.join()

    def true(self, literal: int) -> bool:
        """Whether the literal is true in the last model; what the model leaves open counts as false."""
        assert self._model is not None, "no model: the last check found none"
        term = z3.BoolRef(self._terms[abs(literal)], self._context)
        value = abs(literal) == TRUE or z3.is_true(self._model[term])
        return value == (literal > 0)
