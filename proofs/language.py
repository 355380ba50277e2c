"""The language of the theories: uninterpreted sorts, integers for positions and instants, and quantifiers over them.

Nothing is said about the sorts, so a theorem stated in this language holds for every set of machines, finite or
infinite, every topology, every program and every kind of message. Counterexamples and witnesses are looked for in
*scopes*: extra constraints that keep a model small enough to be read. A scope can only make a formula harder to
satisfy, so a model found in a scope is a model of the formula itself; no proof is ever made inside a scope.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
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
    """Their conjunction, however many they are; `true` for none.

    Of one it is that one: z3 would write `(and f)`, which cvc5 reads as f and the checker of its proofs as something
    else, so that a proof would not be found to be of the exported file.
    """
    return z3.And(*formulas) if len(formulas) > 1 else formulas[0] if formulas else z3.BoolVal(True)


def number(flag: Formula) -> z3.ArithRef:
    """1 where the flag holds, else 0."""
    return z3.If(flag, z3.IntVal(1), z3.IntVal(0))


def _quantified(quantifier: Callable[..., Formula], sorts_and_body: Sequence[object]) -> Formula:
    *sorts, body = sorts_and_body
    assert callable(body)
    # Fresh constants first: a named one could be captured by a quantifier inside the body. Then names that are the
    # same in every run, so that exported files can be compared: the letter of the sort and the height of the nesting.
    fresh = [z3.FreshConst(sort, "q") for sort in sorts]
    return _close(quantifier, fresh, body(*fresh))


def _close(quantifier: Callable[..., Formula], fresh: Sequence[z3.ExprRef], body: Formula) -> Formula:
    height = _height(body, {})
    names = [z3.Const(f"{_LETTERS.get(str(x.sort()), 'g')}{height}_{k}", x.sort()) for k, x in enumerate(fresh)]
    return quantifier(names, z3.substitute(body, *zip(fresh, names, strict=True)))


Meaning: TypeAlias = Callable[..., z3.ExprRef]
"""What a symbol is replaced by: a term, as a Python function of the symbol's arguments."""


def interpret(term: z3.ExprRef, meaning: Mapping[z3.FuncDeclRef, Meaning]) -> z3.ExprRef:
    """The term with every occurrence of these symbols replaced, all at once; no variable is captured.

    Bound variables get the names that `for_all` would give them, so the same formula built in two ways is equal.
    """
    used = symbols(term) & meaning.keys()
    if not used:
        return term
    known: dict[int, tuple[z3.ExprRef, z3.ExprRef]] = {}  # the term is kept, or z3 would use its number again
    fixed = {decl.get_id(): _fixed(decl, meaning[decl]) for decl in used}

    def replaced(t: z3.ExprRef) -> z3.ExprRef:
        if t.get_id() not in known:
            known[t.get_id()] = (t, rebuilt(t))
        return known[t.get_id()][1]

    def rebuilt(t: z3.ExprRef) -> z3.ExprRef:
        if z3.is_quantifier(t):
            fresh = [z3.FreshConst(t.var_sort(k), "q") for k in range(t.num_vars())]
            body = replaced(z3.substitute_vars(t.body(), *reversed(fresh)))
            return _close(z3.ForAll if t.is_forall() else z3.Exists, fresh, body)
        children = [replaced(child) for child in t.children()]
        if t.decl().get_id() in fixed:
            variables, body = fixed[t.decl().get_id()]
            return z3.substitute(body, *zip(variables, children, strict=True)) if variables else body
        return t.decl()(*children) if children else t

    return replaced(term)


def _fixed(decl: z3.FuncDeclRef, means: Meaning) -> tuple[list[z3.ExprRef], z3.ExprRef]:
    """The meaning as one term over fresh constants: whatever the function does, all occurrences get the same."""
    variables = [z3.FreshConst(decl.domain(k), "q") for k in range(decl.arity())]
    body = means(*variables)
    if body.sort() != decl.range():
        raise ValueError(f"{decl} stands for values of sort {decl.range()}, not {body.sort()}")
    return variables, body


def evaluated(decl: z3.FuncDeclRef, means: Meaning) -> Meaning:
    """The meaning, asked for once at most: from then on it is the same term, whatever the function would answer."""
    known: list[tuple[list[z3.ExprRef], z3.ExprRef]] = []

    def meaning(*x: z3.ExprRef) -> z3.ExprRef:
        if not known:
            known.append(_fixed(decl, means))
        variables, body = known[0]
        return z3.substitute(body, *zip(variables, x, strict=True)) if variables else body

    return meaning


def unbound(term: z3.ExprRef) -> bool:
    """Some variable in the term is bound by no quantifier of the term."""
    seen: set[tuple[int, int]] = set()
    waiting = [(term, 0)]
    while waiting:
        t, bound = waiting.pop()
        if (t.get_id(), bound) in seen:
            continue
        seen.add((t.get_id(), bound))
        if z3.is_var(t) and z3.get_var_index(t) >= bound:
            return True
        if z3.is_quantifier(t):
            waiting.append((t.body(), bound + t.num_vars()))
        else:
            waiting += [(child, bound) for child in t.children()]
    return False


@lru_cache(maxsize=8192)
def symbols(term: z3.ExprRef) -> frozenset[z3.FuncDeclRef]:
    """The uninterpreted constants and functions in the term."""
    found: set[z3.FuncDeclRef] = set()
    seen: set[int] = set()
    waiting = [term]
    while waiting:
        t = waiting.pop()
        if t.get_id() in seen:
            continue
        seen.add(t.get_id())
        if z3.is_quantifier(t):
            waiting.append(t.body())
        elif z3.is_app(t):
            if t.decl().kind() == z3.Z3_OP_UNINTERPRETED:
                found.add(t.decl())
            waiting += t.children()
    return frozenset(found)


def _height(term: z3.ExprRef, known: dict[int, int]) -> int:
    """How deeply quantifiers are nested in the term; `known`, by the numbers of its subterms."""
    number = term.get_id()
    if number not in known:
        inside = [term.body()] if z3.is_quantifier(term) else term.children()
        known[number] = z3.is_quantifier(term) + max((_height(t, known) for t in inside), default=0)
    return known[number]


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
