"""Theorem 8: every machine turns red and the snapshot completes.

The environment's part has two names: channels are weakly fair, and each initiator eventually turns red. The network's
part is that every machine is reachable from an initiator, and that machines and channels are finitely many; strong
connectivity is not needed. Reachability is given as a *rank*: the length of a path from an initiator, a natural
number, smaller for the machine before. The proof is that of `completing`, on the invariants of theorems 6 and 7 that
it needs, which are proved here once more: they need less than those theorems.
"""

from __future__ import annotations

from z3 import And, Implies

from proofs import completing
from proofs import marker_invariants as inv
from proofs.assumptions import fifo, no_duplication, no_loss
from proofs.claims import Obligation, Theorem
from proofs.completing import Completion
from proofs.computation import State, marker
from proofs.deriving import Derivation, only
from proofs.kernel import Thm
from proofs.language import CHANNEL, INT, for_all
from proofs.protocols import MARKER
from proofs.transition import Transition, inductive, standing

_INVARIANTS = (
    "marker at once",
    "marker on its way",
    "closed by the red",
    "marked by the red",
    "marker from the marked",
    "one marker",
    inv.POSITIONS,
)


def left_means_closed(prefix: str = "") -> Obligation:
    """What makes it enough that a marker is accepted; for every algorithm that has these three invariants."""
    q = State.any("0")
    return standing(
        f"{prefix}left means closed",
        "a channel whose marker was accepted is closed",
        q,
        inv.premises(q, ("marker from the marked", "marker on its way", "one marker", inv.POSITIONS)),
        for_all(CHANNEL, INT, lambda c, i: Implies(And(q.gone(c, i), marker(c, i)), q.closed(c))),
    )


def _conclude(d: Derivation) -> list[Thm]:
    return [only(Completion(d, Transition.of(MARKER).run).theorem())]


def theorem() -> Theorem:
    t = Transition.of(MARKER, no_loss, no_duplication, but=("colours", "no message lost", "no message duplicated"))
    ordered = Transition.of(MARKER, fifo, but=("colours", "turns once", "no overtaking by markers"))
    return Theorem(
        number=8,
        name="completion",
        title="every machine turns red and the snapshot completes",
        source="EWD864a, termination of the snapshot algorithm; Chandy & Lamport 1985, section 3.3",
        argument=(
            "induction over the positions of a channel, descent of the rank, the latest of finitely many instants; "
            "what is complete then is so by theorem 7"
        ),
        parts=(*completing.obligations(ordered), left_means_closed(), inductive(t, inv.facts(_INVARIANTS))),
        conclude=_conclude,
    )
