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
_y = {side: function(f"y_{side}", INT, BOOL) for side in ("white", "red")}


def _stable(side: str) -> Premise:
    goes, stays, y = GOES[side], STAYS[side], _y[side]

    def keeps(t: Formula) -> Formula:
        led = Implies(And(goes(t, t, t + 1), y(t)), y(t + 1))
        return Implies(t >= 0, And(led, Implies(stays(t, t + 1), y(t) == y(t + 1))))

    return Premise("stable", "y is a predicate of states, and every step of the program keeps it", for_all(INT, keeps))


def _conclude(d: Derivation) -> list[Thm]:
    """By induction over the instants of the run, for each projection; and they meet at SSS."""
    numbers, zero = Numbers(d.decide), IntVal(0)
    meet = Implies(STAYS["across"](end, zero), _y["white"](end) == _y["red"](zero))
    one = Premise("stable", "y is a predicate of states: at SSS both projections are one", meet)
    detected = by_induction(
        d.decide,
        Implies(_y["white"](zero), _y["white"](_d)),
        _d,
        [],
        [
            kernel.specialise(kernel.given(_stable("white")), _d),
            *(kernel.specialise(known(k), _d) for k in ("white steps move", "red steps leave it")),
        ],
        "detected: y is kept on the way from S0 to SSS",
    )
    true = by_induction(
        d.decide,
        Implies(And(_d <= end, _y["red"](zero)), _y["red"](_d)),
        _d,
        [],
        [
            kernel.specialise(kernel.given(_stable("red")), _d),
            *(kernel.specialise(known(k), _d) for k in ("red steps move", "white steps leave it")),
            numbers.believed(_d + 1),
        ],
        "true: y is kept on the way from SSS to S1",
    )
    white, red = _y["white"], _y["red"]
    claim = And(Implies(white(zero), white(end)), white(end) == red(zero), Implies(red(zero), red(end)))
    at_end = [kernel.specialise(t, end) for t in (detected, true)]
    lemmas = [*at_end, kernel.given(one), known("one SSS"), numbers.believed(zero), known("end")]
    whole = kernel.solved(d.decide, (), lemmas, claim, "y(S0) implies y(SSS) implies y(S1)")
    return [Rearrangement(d, Transition.of(MAGIC, faults).run).of_the_run(whole)]


def theorem() -> Theorem:
    return Theorem(
        number=10,
        name="stability",
        title="stable predicates, both directions: y(S0) implies y(SSS) implies y(S1)",
        source="EWD864a, stable predicates; Chandy & Lamport 1985, section 5",
        argument="induction over the instants of the run, along each projection",
        parts=parts(),
        goals=(
            Goal(
                "a snapshot with a message in a channel",
                "all machines turn red, all white messages arrive, and one of them is recorded",
                MAGIC,
                faults,
                arrived_with_a_message,
            ),
        ),
        conclude=_conclude,
        composed=True,
    )
