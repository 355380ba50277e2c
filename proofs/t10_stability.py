"""Theorem 10: stable predicates, both directions: y(S0) implies y(SSS), and y(SSS) implies y(S1).

A predicate y on states of the underlying computation is stable if every action of the program keeps it. States are
one more uninterpreted sort here, `next` is the program's step relation on them (any relation at all), and the two
projections of theorems 4 and 5 are sequences of states, one for each instant of the run, in which neighbours are
equal or one step apart: from S0 to SSS, and from SSS to S1.

Each obligation is about two neighbouring instants of a projection; by induction over the run it holds from end to end:

* `detected`, on the way from S0 to SSS: who evaluates y on the snapshot learns of stability that was there before the
  snapshot began; `no alarm missed` says the same backwards: if y does not hold at SSS, it did not hold in S0.
* `true`, on the way from SSS to S1: what is learned is still so; `no false alarm` says the same backwards: if y does
  not hold in S1, it did not hold at SSS.
"""

from __future__ import annotations

import z3
from z3 import And, Implies, Not, Or

from proofs.claims import Obligation, Premise, Role, Theorem
from proofs.computation import Map
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


def _projection(name: str, sentence: str, theorem: int, states: Map) -> Premise:
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


def _kept(names: tuple[str, str], way: str, moves: Premise, states: Map) -> tuple[Obligation, Obligation]:
    """Along one projection y is kept, and where it does not hold it did not hold before."""
    holds, fails = y(states(now)), Not(y(states(now + 1)))
    return (
        _obligation(
            names[0],
            f"y is kept on the way {way}",
            (stable(), moves, Premise("y now", "y holds of the projection now", holds, Role.HYPOTHESIS)),
            y(states(now + 1)),
            headline=True,
        ),
        _obligation(
            names[1],
            f"where y does not hold on the way {way}, it did not hold before",
            (stable(), moves, Premise("not y next", "y does not hold at the next instant", fails, Role.HYPOTHESIS)),
            Not(y(states(now))),
        ),
    )


def theorem() -> Theorem:
    to_snapshot = _projection("S0 ->* SSS", "the white projection moves by steps of the program or stays", 4, white)
    from_snapshot = _projection("SSS ->* S1", "the red projection moves by steps of the program or stays", 5, red)
    return Theorem(
        number=10,
        name="stability",
        title="stable predicates, both directions: y(S0) implies y(SSS) implies y(S1)",
        source="EWD864a, stable predicates; Chandy & Lamport 1985, section 5",
        argument=(
            "induction over the instants of the run, forwards (`detected`, `true`) and backwards (`no false alarm`, "
            "`no alarm missed`), from the ends that theorems 4 and 5 give: S0, SSS and S1"
        ),
        parts=(
            *_kept(("detected", "no alarm missed"), "from S0 to SSS", to_snapshot, white),
            *_kept(("true", "no false alarm"), "from SSS to S1", from_snapshot, red),
        ),
        uses=("white", "red"),
    )
