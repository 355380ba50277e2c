"""Theorem 10: stable predicates, both directions: y(S0) implies y(SSS), and y(SSS) implies y(S1).

A predicate y on states of the underlying computation is stable if every action of the program keeps it. Here y is any
predicate at all: `y_white(t)` and `y_red(t)` say whether it holds of the white and of the red projection at instant t.
That it is a predicate of these states, and stable, are the assumptions: it is the same of states that are the same, and
a step that leads from one projection to the next keeps it.

By theorems 4 and 5, of the theory's own projections, y is kept from S0 to SSS (who evaluates y on the snapshot learns
of stability that was there before the snapshot began), and from SSS to S1 (what is learned is still so). Backwards:
where y does not hold of S1 it did not hold of SSS, and where it does not hold of SSS it did not hold of S0.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import z3
from z3 import And, Implies, IntVal

from proofs import kernel
from proofs.claims import Theorem
from proofs.deriving import Derivation, by_induction
from proofs.kernel import Thm
from proofs.language import BOOL, INT, Formula, constant, for_all, function
from proofs.premises import Premise
from proofs.protocols import MAGIC
from proofs.rearranged import GOES, STAYS, Numbers, Rearrangement, end, known, parts
from proofs.runs import Goal, arrived_with_a_message
from proofs.t04_white import faults
from proofs.transition import Transition

_d = constant("d", INT)
_SIDES = ("white", "red")


@dataclass(frozen=True, slots=True)
class Carried:
    """What is said of each projection at each instant, `of[side](t)`, and how a step of the program carries it on."""

    of: Mapping[str, Callable[..., z3.ExprRef]]
    carries: Callable[[z3.ExprRef, z3.ExprRef], Formula]
    name: str
    sentence: str

    def step(self, side: str, t: z3.ArithRef, u: z3.ArithRef) -> Formula:
        return self.carries(self.of[side](t), self.of[side](u))

    def keeps(self, side: str) -> Premise:
        goes, stays, of = GOES[side], STAYS[side], self.of[side]

        def kept(t: z3.ArithRef) -> Formula:
            led = Implies(goes(t, t, t + 1), self.step(side, t, t + 1))
            return Implies(t >= 0, And(led, Implies(stays(t, t + 1), of(t) == of(t + 1))))

        return Premise(self.name, self.sentence, for_all(INT, kept))

    def conclude(self, d: Derivation, what: str) -> list[Thm]:
        """By induction over the instants of the run, for each projection; and they meet at SSS."""
        numbers, zero = Numbers(d.decide), IntVal(0)
        white, red = (self.of[side] for side in _SIDES)
        meet = Implies(STAYS["across"](end, zero), white(end) == red(zero))
        one = Premise(self.name, "it is said of states: at SSS both projections are one", meet)
        to_sss = self._along(d, "white", self.step("white", zero, _d), [])
        to_s1 = self._along(d, "red", Implies(_d <= end, self.step("red", zero, _d)), [numbers.believed(_d + 1)])
        claim = And(self.step("white", zero, end), white(end) == red(zero), self.step("red", zero, end))
        at_end = [kernel.specialise(t, end) for t in (to_sss, to_s1)]
        lemmas = [*at_end, kernel.given(one), known("one SSS"), numbers.believed(zero), known("end")]
        whole = kernel.solved(d.decide, (), lemmas, claim, what)
        return [Rearrangement(d, Transition.of(MAGIC, faults).run).of_the_run(whole)]

    def _along(self, d: Derivation, side: str, claim: Formula, more: Sequence[Thm]) -> Thm:
        other = "red" if side == "white" else "white"
        facts = [known(f"{side} steps move"), known(f"{other} steps leave it"), kernel.given(self.keeps(side))]
        steps = [*(kernel.specialise(fact, _d) for fact in facts), *more]
        return by_induction(d.decide, claim, _d, [], steps, f"carried along the {side} projection")


STABLE = Carried(
    {side: function(f"y_{side}", INT, BOOL) for side in _SIDES},
    Implies,
    "stable",
    "y is a predicate of states, and every step of the program keeps it",
)

GOAL = Goal(
    "a snapshot with a message in a channel",
    "all machines turn red, all white messages arrive, and one of them is recorded",
    MAGIC,
    faults,
    arrived_with_a_message,
)


def theorem() -> Theorem:
    return Theorem(
        number=10,
        name="stability",
        title="stable predicates, both directions: y(S0) implies y(SSS) implies y(S1)",
        source="EWD864a, stable predicates; Chandy & Lamport 1985, section 5",
        argument="induction over the instants of the run, along each projection",
        parts=parts(),
        goals=(GOAL,),
        conclude=lambda d: STABLE.conclude(d, "y(S0) implies y(SSS) implies y(S1)"),
        composed=True,
    )
