"""What a theorem is made of: premises with names, one claim, and a way to read a model that breaks it.

An obligation says: the premises together imply the claim. It is proved when `premises and not claim` has no model.
Nothing is assumed outside the premises: there are no background axioms, and the next state of a step is written
out as a definition, not constrained by one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

import z3

from proofs.kernel import Dynamics, Thm
from proofs.language import Formula, Scope
from proofs.premises import Premise, Reader, Role
from proofs.runs import Goal


@dataclass(frozen=True, slots=True)
class ByHand:
    """A counterexample given by hand, where every one is infinite and no solver can find it.

    `definitions` replace function symbols: in each right-hand side, variable k is the k-th argument. What is left of
    the formula speaks of integers only, and both solvers decide it.
    """

    text: str
    definitions: tuple[tuple[z3.FuncDeclRef, z3.ExprRef], ...]


@dataclass(frozen=True, slots=True)
class Obligation:
    """The premises imply the claim.

    `interesting` is asked of the witness besides the premises, so that it shows the case the sentence is about;
    `scope` and `bounds` keep witness and counterexamples small; a `headline` is tried first for counterexamples;
    `by_hand` holds a counterexample for an assumption whose counterexamples are all infinite. Where the obligation is
    about a step, `stated` holds premises and claim with the state after under symbols of its own, which premises and
    claim have written out. `run`: it is about a state or step of such a run.
    """

    name: str
    sentence: str
    premises: tuple[Premise, ...]
    claim: Formula
    read: Reader
    interesting: tuple[Formula, ...] = ()
    bounds: tuple[Formula, ...] = ()
    scope: Scope = field(default_factory=Scope)
    headline: bool = False
    by_hand: Mapping[str, ByHand] = field(default_factory=dict)
    stated: tuple[tuple[Premise, ...], Formula] | None = None
    run: Dynamics | None = None

    def without(self, name: str) -> tuple[Premise, ...]:
        """The premises but for the assumption of that name."""
        return tuple(p for p in self.premises if not (p.role is Role.ASSUMPTION and p.name == name))

    def assumes(self, name: str) -> bool:
        return any(p.role is Role.ASSUMPTION and p.name == name for p in self.premises)


@dataclass(frozen=True, slots=True)
class Induction:
    """Facts that hold in S0 and that together are kept by every step of `run`: by induction they hold always."""

    run: Dynamics
    facts: tuple[Premise, ...]
    bases: tuple[Obligation, ...]
    steps: tuple[Obligation, ...]


Parts: TypeAlias = "tuple[Obligation | Induction, ...]"


def flat(parts: Parts) -> tuple[Obligation, ...]:
    """Every obligation, those of the inductions among them."""
    return tuple(o for p in parts for o in ((*p.bases, *p.steps) if isinstance(p, Induction) else (p,)))


@dataclass(frozen=True, slots=True)
class Theorem:
    """A sentence of the paper, and the obligations that give it by the argument in `argument`.

    `argument` says in words what the kernel checks: `conclude` applies its rules to what was shown (to nothing but
    inductions and every instant, if there is none). `goals` are what some run must reach, so that the theorem is about
    something; `uses` names the theorems whose claims appear as lemmas.
    """

    number: int
    name: str
    title: str
    source: str
    argument: str
    parts: Parts
    goals: tuple[Goal, ...] = ()
    conclude: Callable[..., Sequence[Thm]] | None = None
    uses: tuple[str, ...] = ()
    composed: bool = False
    """It is made of what other theorems are about: there, premises are met and assumptions dropped, and not again."""

    @property
    def obligations(self) -> tuple[Obligation, ...]:
        return flat(self.parts)

    def assumptions(self) -> dict[str, str]:
        """Name and sentence of everything that is assumed, in order of first use."""
        return {
            premise.name: premise.sentence
            for obligation in self.obligations
            for premise in obligation.premises
            if premise.role is Role.ASSUMPTION
        }
