"""Theorem 2: a red action followed by a white one commutes; colours, condition and recorded snapshot are kept.

State and steps: as in theorem 1, with the colours in play: the first step is red (its machine is red, or turns red
in it), the second is white and, by the condition, accepts no red message. The hypotheses of theorem 1 are not
assumed here but follow: the machines are different, since a red machine stays red; and all messages that the red step
sends are red, so the white step accepts none of them. (Nor a marker: markers are superposed on the computation that
is rearranged, and no part of it.)

Claim: the exchange is possible and leads to the same state, of which the colours of machines, the recorded states
and the recorded channel contents are part; the white step is still white and still accepts nothing red; the red step
is still red. So the exchanged run has the same SSS, and the condition holds of it, so exchanges can go on.

The snapshot algorithm is the first one of EWD864a (`magic`). A machine's turning red is part of a red step.
"""

from __future__ import annotations

from z3 import And, Not

from proofs.assumptions import accepts_no_red, condition
from proofs.claims import Theorem
from proofs.language import CHANNEL, for_all
from proofs.premises import Premise, Role
from proofs.t01_commute import Exchange


def theorem() -> Theorem:
    x = Exchange()
    case = Premise(
        "red then white",
        "the first step is red, the second is white",
        And(x.first.is_red(x.start), Not(x.second.is_red(x.middle))),
        Role.CASE,
    )
    apart = Premise(
        "markers apart", "the white step accepts no marker", for_all(CHANNEL, lambda c: Not(x.second.hears(c)))
    )
    given = (*x.taken(UNNEEDED), condition(x.middle, x.second), apart, case)
    return Theorem(
        number=2,
        name="exchange",
        title="a red action followed by a white one commutes, and the exchange keeps colours, condition and snapshot",
        source="EWD864a, the exchange of a red action and the white one that follows it",
        argument="direct: the obligations are the theorem; equal states include colours and what is recorded",
        parts=(
            *x.obligations(given),
            x.obligation(
                "colours kept",
                "after the exchange the white step is still white and the red step still red",
                given,
                And(Not(x.second.is_red(x.start)), x.first.is_red(x.other)),
            ),
            x.obligation(
                "condition kept",
                "after the exchange the white step still accepts nothing red",
                given,
                accepts_no_red(x.start, x.second),
            ),
        ),
    )


UNNEEDED = ("turns once", "faithful channels")
