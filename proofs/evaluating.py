"""Formulas of the theories evaluated on finite states: z3 terms compiled to Python, so that millions are judged.

A *world* gives every symbol its meaning: a value for a constant, a Python function for a function symbol, both under
the symbol's name; and the elements over which quantifiers range: `Machine` and `Channel`, and `Int` for positions.
There are infinitely many integers, so the world's positions must be enough: all those at which a function of the world
differs from what it is further off, and beyond these as many on each side as a formula has nested integer variables.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

import z3

from proofs.language import Formula, symbols

World: TypeAlias = Mapping[str, Any]

_BETWEEN = {
    z3.Z3_OP_AND: " and ",
    z3.Z3_OP_OR: " or ",
    z3.Z3_OP_EQ: " == ",
    z3.Z3_OP_IFF: " == ",
    z3.Z3_OP_DISTINCT: " != ",
    z3.Z3_OP_LE: " <= ",
    z3.Z3_OP_GE: " >= ",
    z3.Z3_OP_LT: " < ",
    z3.Z3_OP_GT: " > ",
    z3.Z3_OP_ADD: " + ",
    z3.Z3_OP_SUB: " - ",
}


def failing(named: Sequence[tuple[str, Formula]]) -> Callable[[World], str | None]:
    """The name of the first of these formulas that is false of a world; None if all are true."""
    lines = [f" if not {_source(formula, {})}: return {name!r}" for name, formula in named]
    used = {symbol for _, formula in named for symbol in symbols(formula)}
    return _compiled(["def made(world):", *_bound(used), *lines, " return None"])


def functions(terms: Sequence[tuple[Sequence[z3.ExprRef], z3.ExprRef]]) -> Callable[[World], tuple[Any, ...]]:
    """For each pair of variables and a term: the term as a Python function of the variables, in a world."""
    lines, used = [], set[z3.FuncDeclRef]()
    for variables, term in terms:
        names = {variable.get_id(): f"v{k}" for k, variable in enumerate(variables)}
        used |= symbols(term) - {variable.decl() for variable in variables}
        lines.append(f"  lambda {', '.join(names.values())}: {_source(term, names)},")
    return _compiled(["def made(world):", *_bound(used), " return (", *lines, " )"])


def evaluate(formula: Formula, world: World) -> bool:
    """Whether the formula is true of the world."""
    return failing([("", formula)])(world) is None


def nested(formula: z3.ExprRef) -> int:
    """How many integer variables are nested at most: as many positions are needed beyond those in use."""
    if not z3.is_quantifier(formula):
        return max((nested(child) for child in formula.children()), default=0)
    return sum(bool(formula.var_sort(k) == z3.IntSort()) for k in range(formula.num_vars())) + nested(formula.body())


def _compiled(lines: Sequence[str]) -> Callable[[World], Any]:
    space: dict[str, Any] = {}
    exec("\n".join(lines), space)  # source made here, of operators and of names made here
    made: Callable[[World], Any] = space["made"]
    return made


def _bound(used: set[z3.FuncDeclRef]) -> list[str]:
    """Each symbol, and each sort's elements, under a name of its own."""
    names = sorted({str(symbol) for symbol in used})
    return [f" {_name(n)} = world[{n!r}]" for n in names] + [
        f" D{s} = world[{s!r}]" for s in ("Machine", "Channel", "Int")
    ]


def _name(symbol: str) -> str:
    return "s_" + "".join(ch if ch.isalnum() else f"_{ord(ch)}_" for ch in symbol)


def _source(term: z3.ExprRef, names: Mapping[int, str], bound: tuple[str, ...] = ()) -> str:
    """The term as Python; `names` are those of constants that are parameters, `bound` of variables, innermost last."""
    if z3.is_var(term):
        return str(bound[-1 - z3.get_var_index(term)])
    if z3.is_quantifier(term):
        own = tuple(f"q{len(bound) + k}" for k in range(term.num_vars()))
        over = "".join(f" for {v} in D{term.var_sort(k)}" for k, v in enumerate(own))
        return f"{'all' if term.is_forall() else 'any'}([{_source(term.body(), names, (*bound, *own))}{over}])"
    if term.get_id() in names:
        return names[term.get_id()]
    if z3.is_int_value(term):
        return f"({term.as_long()})"
    parts = [_source(child, names, bound) for child in term.children()]
    return _applied(term, parts)


def _applied(term: z3.ExprRef, parts: list[str]) -> str:
    kind = term.decl().kind()
    if kind in _BETWEEN and (len(parts) == 2 or kind in (z3.Z3_OP_AND, z3.Z3_OP_OR, z3.Z3_OP_ADD)):
        return f"({_BETWEEN[kind].join(parts)})"
    fixed = {z3.Z3_OP_TRUE: "True", z3.Z3_OP_FALSE: "False"}
    if kind in fixed:
        return fixed[kind]
    if kind == z3.Z3_OP_NOT:
        return f"(not {parts[0]})"
    if kind == z3.Z3_OP_IMPLIES:
        return f"(not {parts[0]} or {parts[1]})"
    if kind == z3.Z3_OP_ITE:
        return f"({parts[1]} if {parts[0]} else {parts[2]})"
    if kind == z3.Z3_OP_UNINTERPRETED:
        name = _name(str(term.decl()))
        return f"{name}({', '.join(parts)})" if parts else name
    raise ValueError(f"{term.decl()} is no word of the theories")
