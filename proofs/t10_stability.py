"""Theorem 10: stable predicates, both directions: y(S0) implies y(SSS), and y(SSS) implies y(S1).

A predicate y on states of the underlying computation is stable if every action of the program keeps it. States are
one more uninterpreted sort here, `next` is the program's step relation on them (any relation at all), and the two
projections of theorems 4 and 5 are sequences of states, one for each instant of the run, in which neighbours are
equal or one step apart: from S0 to SSS, and from SSS to S1.

* `white: step`, `red: step`: y, once it holds at an instant of a projection, holds at the next instant.
* By induction over the run it then holds to the end: `detected`, the way from S0 to SSS (whoever evaluates y on the
  snapshot learns of stability that was there before the snapshot began), and `true`, the way from SSS to S1 (what
  is learned is still so). `no false alarm`, `no alarm missed` say the same the other way round: if y does not hold
  at SSS it did not hold in S0, and if it does not hold in S1 it did not hold at SSS.
"""

from __future__ import annotations

import z3
from z3 import And, Implies, Not, Or

from proofs.claims import Obligation, Premise, Role, Theorem
from proofs.language import BOOL, GLOBAL, INT, Formula, Scope, constant, for_all
from proofs.language import function as f

y = f("y", GLOBAL, BOOL)
successor = f("next", GLOBAL, GLOBAL, BOOL)
white = f("white_projection", INT, GLOBAL)
red = f("red_projection", INT, GLOBAL)
now = constant("now", INT)


def stable() -> Premise:
    return Premise(
        "stable",
        "y is stable: every step of the program keeps it",
        for_all(GLOBAL, GLOBAL, lambda g, h: Implies(And(y(g), successor(g, h)), y(h))),
    )


def _projection(name: str, sentence: str, theorem: int, states: z3.FuncDeclRef) -> Premise:
    return Premise(
        name,
        f"theorem {theorem}: {sentence}",
        Or(states(now + 1) == states(now), successor(states(now), states(now + 1))),
    )


def _read(model: z3.ModelRef) -> str:
    def holds(term: z3.ExprRef) -> str:
        return "y" if z3.is_true(model.eval(y(term), model_completion=True)) else "not y"

    steps = [("white", white), ("red", red)]
    return "; ".join(
        f"{name} projection: {holds(p(now))} now, {holds(p(now + 1))} next"
        + (
            " (a step of the program)"
            if z3.is_true(model.eval(successor(p(now), p(now + 1)), model_completion=True))
            else " (no step of the program)"
        )
        for name, p in steps
    )


def _obligation(
    name: str, sentence: str, given: tuple[Premise, ...], claim: Formula, headline: bool = False
) -> Obligation:
    return Obligation(name, sentence, given, claim, _read, (), (), Scope(others=4), headline)


def theorem() -> Theorem:
    to_snapshot = _projection("S0 ->* SSS", "the white projection moves by steps of the program or stays", 4, white)
    from_snapshot = _projection("SSS ->* S1", "the red projection moves by steps of the program or stays", 5, red)

    def case(states: z3.FuncDeclRef) -> Premise:
        return Premise("y now", "y holds of the projection now", y(states(now)), Role.HYPOTHESIS)

    def no_case(states: z3.FuncDeclRef) -> Premise:
        return Premise(
            "not y next",
            "y does not hold of the projection at the next instant",
            Not(y(states(now + 1))),
            Role.HYPOTHESIS,
        )

    return Theorem(
        number=10,
        name="stability",
        title="stable predicates, both directions: y(S0) implies y(SSS) implies y(S1)",
        source="EWD864a, stable predicates; Chandy & Lamport 1985, section 4",
        argument=(
            "induction over the instants of the run, forwards (`detected`, `true`) and backwards (`no false alarm`, "
            "`no alarm missed`), from the ends that theorems 4 and 5 give: S0, SSS and S1"
        ),
        obligations=(
            _obligation(
                "detected",
                "y is kept on the way from S0 to SSS",
                (stable(), to_snapshot, case(white)),
                y(white(now + 1)),
                headline=True,
            ),
            _obligation(
                "true",
                "y is kept on the way from SSS to S1",
                (stable(), from_snapshot, case(red)),
                y(red(now + 1)),
                headline=True,
            ),
            _obligation(
                "no alarm missed",
                "if y does not hold at SSS, it never held on the way there",
                (stable(), to_snapshot, no_case(white)),
                Not(y(white(now))),
            ),
            _obligation(
                "no false alarm",
                "if y does not hold in S1, it never held on the way there from SSS",
                (stable(), from_snapshot, no_case(red)),
                Not(y(red(now))),
            ),
        ),
        uses=("white", "red"),
    )
