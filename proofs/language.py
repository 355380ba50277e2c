"""The language of the theories: uninterpreted sorts, integers for positions and instants, and quantifiers over them.

Nothing is said about the sorts, so a theorem stated in this language holds for every set of machines, finite or
infinite, every topology, every program and every kind of message. Counterexamples and witnesses are looked for in
*scopes*: extra constraints that keep a model small enough to be read. A scope can only make a formula harder to
satisfy, so a model found in a scope is a model of the formula itself; no proof is ever made inside a scope.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import product
from typing import TypeAlias

import z3

MACHINE = z3.DeclareSort("Machine")
CHANNEL = z3.DeclareSort("Channel")
LOCAL = z3.DeclareSort("Local")
MESSAGE = z3.DeclareSort("Message")
ACTION = z3.DeclareSort("Action")
GLOBAL = z3.DeclareSort("Global")
SORTS = (MACHINE, CHANNEL, LOCAL, MESSAGE, ACTION, GLOBAL)
INT = z3.IntSort()
BOOL = z3.BoolSort()

Formula: TypeAlias = z3.BoolRef
"""A z3 term of sort Bool."""

_LETTERS = {"Machine": "m", "Channel": "c", "Local": "l", "Message": "x", "Action": "a", "Int": "i"}


def function(name: str, *sorts: z3.SortRef) -> Callable[..., z3.ExprRef]:
    """An uninterpreted function; the last sort is its result. It is called like a Python function."""
    symbol: Callable[..., z3.ExprRef] = z3.Function(name, *sorts)
    return symbol


def constant(name: str, sort: z3.SortRef) -> z3.ExprRef:
    """An uninterpreted constant."""
    return z3.Const(name, sort)


def for_all(*sorts_and_body: object) -> Formula:
    """`for_all(CHANNEL, INT, lambda c, i: ...)`: the body holds for all values of these sorts."""
    return _quantified(z3.ForAll, sorts_and_body)


def exists(*sorts_and_body: object) -> Formula:
    """`exists(INT, lambda i: ...)`: the body holds for some values of these sorts."""
    return _quantified(z3.Exists, sorts_and_body)


def both(*formulas: Formula) -> Formula:
    """Their conjunction, however many they are; `true` for none."""
    return z3.And(*formulas) if formulas else z3.BoolVal(True)


def number(flag: Formula) -> z3.ArithRef:
    """1 where the flag holds, else 0."""
    return z3.If(flag, z3.IntVal(1), z3.IntVal(0))


def _quantified(quantifier: Callable[..., Formula], sorts_and_body: Sequence[object]) -> Formula:
    *sorts, body = sorts_and_body
    assert callable(body)
    # Fresh constants first: a named one could be captured by a quantifier inside the body. Then names that are the
    # same in every run, so that exported files can be compared: the letter of the sort and the height of the nesting.
    fresh = [z3.FreshConst(sort, "q") for sort in sorts]
    formula = body(*fresh)
    height = _height(formula)
    names = [z3.Const(f"{_LETTERS.get(str(s), 'g')}{height}_{k}", s) for k, s in enumerate(sorts)]
    return quantifier(names, z3.substitute(formula, *zip(fresh, names, strict=True)))


def _height(term: z3.ExprRef) -> int:
    """How deeply quantifiers are nested in the term."""
    if z3.is_quantifier(term):
        return 1 + _height(term.body())
    return max((_height(child) for child in term.children()), default=0)


@dataclass(frozen=True, slots=True)
class Scope:
    """At most so many elements of each sort, so that a model can be read; `elements` names them."""

    machines: int = 2
    channels: int = 2
    others: int = 3
    positions: int = 3
    written_out: bool = False
    """Write quantifiers over the sorts out, element by element: slower, but needed where they alternate often."""

    def elements(self, sort: z3.SortRef) -> list[z3.ExprRef]:
        """The constants that stand for all elements of the sort; some may be equal in a model."""
        count = {"Machine": self.machines, "Channel": self.channels}.get(str(sort), self.others)
        letter = _LETTERS.get(str(sort), "g")
        return [z3.Const(f"{letter}{k}", sort) for k in range(count)]

    def confine(self, formulas: Sequence[Formula]) -> list[Formula]:
        """The formulas, and that every element of a sort is one of the scope's. (Positions are bounded by the
        obligation, which knows the functions that say how many there are.)"""
        covers = [
            for_all(sort, lambda x, sort=sort: z3.Or([x == element for element in self.elements(sort)]))
            for sort in SORTS
        ]
        return [*(self._write_out(formula) if self.written_out else formula for formula in formulas), *covers]

    def _write_out(self, term: z3.ExprRef) -> z3.ExprRef:
        """The same term, equal to it within the scope, without quantifiers over the uninterpreted sorts."""
        if z3.is_quantifier(term):
            return self._instances(term)
        if z3.is_app(term) and term.num_args() and term.sort() == BOOL:
            return term.decl()(*(self._write_out(child) for child in term.children()))
        return term

    def _instances(self, term: z3.QuantifierRef) -> Formula:
        # Integer variables stay quantified, under the names they had: names differ along a path, so none is captured.
        variables = [z3.Const(term.var_name(k), term.var_sort(k)) for k in range(term.num_vars())]
        choices = [self.elements(v.sort()) if v.sort() in SORTS else [v] for v in variables]
        bodies = [self._write_out(z3.substitute_vars(term.body(), *reversed(choice))) for choice in product(*choices)]
        formula = (z3.And if term.is_forall() else z3.Or)(*bodies)
        integers = [v for v in variables if v.sort() not in SORTS]
        return (z3.ForAll if term.is_forall() else z3.Exists)(integers, formula) if integers else formula
