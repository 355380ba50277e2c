"""How a user's predicate is asked: what it raises, and that it is no pure function, is told by file and line."""

from __future__ import annotations

from collections.abc import Callable
from types import CellType, CodeType, FunctionType
from typing import Any, Generic, TypeVar

from model.asking import asked, at
from model.errors import InputError
from model.kinds import Formula
from model.system import State, System
from model.views import View

Predicate = Callable[[View], object]
Answer = TypeVar("Answer")

TWICE, ONE_IN = 256, 64
"""The first questions are all asked twice, later ones one in so many."""


class Asked(Generic[Answer]):
    """A user's function: what it raises, or that it answers the same question differently, is told by file and line."""

    def __init__(self, claim: str, function: Callable[..., object], kind: Callable[[Any], Answer]) -> None:
        if not callable(function):
            raise InputError(f"{claim!r}: {function!r} is no predicate: give a function")
        self.claim, self.function, self.kind = claim, function, kind
        self.count = 0

    def __call__(self, *arguments: object) -> Answer:
        """Its answer."""
        answer = self._ask(arguments)
        self.count += 1
        if self.count <= TWICE or self.count % ONE_IN == 0:
            again = self._ask(arguments)
            if again != answer:
                raise InputError(
                    f"{at(self.function)}: the predicate of {self.claim!r} says {answer} and {again} of the same:"
                    " it must be a pure function"
                )
        return answer

    def _ask(self, arguments: tuple[object, ...]) -> Answer:
        answer = asked(self.function, *arguments)
        try:
            return self.kind(answer)
        except (TypeError, ValueError):
            raise InputError(f"{at(self.function)}: {answer!r} is not what {self.claim!r} asks for") from None

    def reads_begun(self) -> bool:
        """Whether it, or a function that it uses by name, reads `view.begun`, as far as their code says."""
        waiting, seen = [self.function], set[int]()
        while waiting:
            function = waiting.pop()
            code = getattr(function, "__code__", None)
            if code is None or id(code) in seen:
                continue
            seen.add(id(code))
            names = _names(code)
            if "begun" in names:
                return True
            cells = [cell.cell_contents for cell in getattr(function, "__closure__", None) or () if _full(cell)]
            used = [function.__globals__.get(name) for name in names]
            waiting += [other for other in (*cells, *used) if isinstance(other, FunctionType)]
        return False


def _names(code: CodeType) -> set[str]:
    inner = [_names(constant) for constant in code.co_consts if isinstance(constant, CodeType)]
    return set(code.co_names).union(*inner)


def _full(cell: CellType) -> bool:
    try:
        return cell.cell_contents is not None
    except ValueError:
        return False


class AskedFormula(Formula):
    """A predicate of a state, and of whether a snapshot has begun in the run to it."""

    def __init__(self, claim: str, predicate: Predicate) -> None:
        self.asked = Asked(claim, predicate, bool)
        self.history = self.asked.reads_begun()

    def view(self, system: System, state: State, begun: bool | None = None) -> tuple[bool, View]:
        """The answer, and the view with what was read."""
        view = View(system, state, begun)
        return self.asked(view), view

    def __call__(self, system: System, state: State) -> tuple[bool, bool]:
        """The answers where no snapshot has begun, and where one has: the same, unless history is read."""
        if not self.history:
            answer = self.view(system, state)[0]
            return answer, answer
        return self.view(system, state, False)[0], self.view(system, state, True)[0]
