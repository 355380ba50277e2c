"""Theorem 20: what every action of the program conserves is in SSS what it is in S0 and in S1.

The quantity is anything at all that is said of a state: a sum over machines and channels, a multiset, a set of numbers.
`quantity_white(t)` and `quantity_red(t)` are its values in the two projections at instant t. Assumed is that it is the
same of states that are the same, and that a step that leads from one projection to the next does not change it. Then
the money that a snapshot of a bank shows is all the money there is: theorem 10 with equality for implication.
"""

from __future__ import annotations

import z3

from proofs.claims import Theorem
from proofs.language import INT, function
from proofs.rearranged import parts
from proofs.t10_stability import GOAL, Carried

_VALUE = z3.DeclareSort("Value")
CONSERVED = Carried(
    {side: function(f"quantity_{side}", INT, _VALUE) for side in ("white", "red")},
    lambda a, b: a == b,
    "conserved",
    "it is a quantity of states, and every step of the program conserves it",
)


def theorem() -> Theorem:
    return Theorem(
        number=20,
        name="conservation",
        title="what every action conserves is in SSS what it is in S0 and in S1",
        source="EWD864a, stable predicates; Chandy & Lamport 1985, section 2: the money in a bank",
        argument="induction over the instants of the run, along each projection",
        parts=parts(),
        goals=(GOAL,),
        conclude=lambda d: CONSERVED.conclude(d, "the quantity of SSS is that of S0 and of S1"),
        composed=True,
    )
