"""Clauses that hold of everything observed: the shortest, over a vocabulary of atoms.

An atom is a term of the theories over some variables; a *valuation* says of each atom whether it was true, as a bit
set. A clause is a disjunction of literals. What holds of all valuations observed is a candidate, and no more.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from itertools import combinations, product
from typing import TypeAlias

import z3

from proofs.language import Formula

Literal: TypeAlias = tuple[int, bool]
"""The number of an atom, and whether it is to be true."""
Clause: TypeAlias = tuple[Literal, ...]


@dataclass(frozen=True, slots=True)
class Atom:
    """A word of the vocabulary: what it is called, what it means of some subject, and to which group it belongs.

    Of the atoms of one group exactly one is true, so a clause has one of them at most.
    """

    name: str
    of: Callable[..., Formula]
    group: str = ""


def shortest(
    atoms: Sequence[Atom], seen: Collection[int], most: int, allowed: Callable[[Clause], bool] = lambda clause: True
) -> list[Clause]:
    """Allowed clauses of at most `most` literals that all valuations satisfy, and no allowed part of which does."""
    ordered = sorted(seen)
    everything = (1 << len(ordered)) - 1
    holds = {
        (k, sign): sum(1 << n for n, valuation in enumerate(ordered) if bool(valuation >> k & 1) == sign)
        for k in range(len(atoms))
        for sign in (False, True)
    }
    found: list[Clause] = []
    short: set[frozenset[Literal]] = set()
    for size in range(1, most + 1):
        new = []
        for chosen in combinations(range(len(atoms)), size):
            groups = [atoms[k].group for k in chosen if atoms[k].group]
            if len(set(groups)) < len(groups):
                continue
            for signs in product((False, True), repeat=size):
                clause = tuple(zip(chosen, signs, strict=True))
                if _covers(holds, clause) == everything and allowed(clause) and not _has_part(clause, short):
                    new.append(clause)
        found += new
        short |= {frozenset(clause) for clause in new}
    return found


def _covers(holds: dict[Literal, int], clause: Clause) -> int:
    covered = 0
    for literal in clause:
        covered |= holds[literal]
    return covered


def _has_part(clause: Clause, short: set[frozenset[Literal]]) -> bool:
    return any(frozenset(part) in short for size in range(1, len(clause)) for part in combinations(clause, size))


def formula(atoms: Sequence[Atom], clause: Clause, *subject: object) -> Formula:
    """The clause, of the subject."""
    literals = [atoms[k].of(*subject) if sign else z3.Not(atoms[k].of(*subject)) for k, sign in clause]
    return z3.Or(*literals) if len(literals) > 1 else literals[0]


def text(atoms: Sequence[Atom], clause: Clause) -> str:
    """The clause as an implication: `a and b => c or d`."""
    given = [atoms[k].name for k, sign in clause if not sign]
    then = [atoms[k].name for k, sign in clause if sign]
    if not given:
        return " or ".join(then)
    if not then:
        return f"not ({' and '.join(given)})" if len(given) > 1 else f"never {given[0]}"
    return f"{' and '.join(given)} => {' or '.join(then)}"
