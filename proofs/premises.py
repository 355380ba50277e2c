"""Premises: formulas with a name, the sentence they stand for, and what they are to an obligation."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from enum import Enum
from typing import TypeAlias

import z3

from proofs.language import Formula

Reader: TypeAlias = Callable[[z3.ModelRef], str]
"""Turns a model into text that a person can follow."""


class Role(Enum):
    """What a premise is to its obligation; only assumptions are counted and dropped one by one."""

    ASSUMPTION = "assumption"
    """Taken for granted about machines, channels or algorithm: listed, and dropped to see if it is needed."""
    LEMMA = "lemma"
    """Proved by another theorem, named in the sentence."""
    HYPOTHESIS = "hypothesis"
    """The induction hypothesis: what the same theorem claims of the state, or the instant, before."""
    CASE = "case"
    """What the claim is about: the antecedent of its sentence."""
    DEFINITION = "definition"
    """Says what a word means; it can always be met and restricts nothing."""


@dataclass(frozen=True, slots=True)
class Premise:
    """One named formula among the premises, with the sentence it stands for."""

    name: str
    sentence: str
    formula: Formula
    role: Role = Role.ASSUMPTION


@dataclass(frozen=True, slots=True)
class Fact:
    """A named sentence about a state, such as an invariant; `of(q)` says it of state q."""

    name: str
    sentence: str
    of: Callable[..., Formula]

    def premise(self, q: object, role: Role = Role.HYPOTHESIS) -> Premise:
        """The fact, of state q, as a premise: by default as induction hypothesis."""
        return Premise(self.name, self.sentence, self.of(q), role)


def formulas(premises: Iterable[Premise]) -> Iterator[Formula]:
    """Their formulas, in order."""
    return (premise.formula for premise in premises)
