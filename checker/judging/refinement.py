"""S0 ->* SSS ->* S1 without a search: the white projection as an argument over rows (DESIGN, section 4).

The white projection of a run holds, of each machine, its state if white and its state when it turned red otherwise;
of each channel, what white actions sent and white actions have not accepted. Dijkstra's equivalent computation (all
white actions first, EWD864a) passes through it. Suppose that of every reachable transition and local state

  1. each step is an underlying step or none, so that white actions move the projection as the program would;
  2. no red message is accepted in a white action;
  3. a machine records exactly when it turns red, and then its state of that moment, with empty channels;
  4. a red machine's record of a channel grows by each white message accepted from it, and in no other way;

and that

  5. no message of the program is lost or doubled;
  6. where a snapshot is complete, no channel holds a white message.

Then, by induction over the run, the projection of channel c is what c's receiver has recorded of it followed by the
white messages still in c. A white send adds one at the end of both. A white machine has recorded nothing; what it
accepts from c is white (2), so it leaves both. What a red machine accepts, if white, moves from the second part
to the end of the first (4); if red, it is in neither. Steps without an action touch no message of the program (1), and
crashes and faults of markers touch none either. Under FIFO the white messages of a channel come before the red ones
and leave in order, so this holds of sequences; where order is not kept it holds of multisets. At completion the second
part is empty (6): SSS, as recorded, is the projection (3, 4). That is `equivalent`, and `channel-exact`.

A red action directly before a white one of another machine may be exchanged with it: what the white one accepts was
not sent by the red one (2), and what it sends goes behind what the red one accepts. So the white actions, in their
order, followed by the red ones, are a run of the underlying computation too. S0 lies on it among the white ones (no
machine is red before), it passes through the projection, and ends in S1: `reachable`, and (2) alone is
`consistent-cut`. If a predicate is stable along every underlying transition, `stable-sound` follows.

Where a premise fails, nothing is concluded, and the exact search over states and cuts decides.
"""

from __future__ import annotations

from checker.judging.local_predicates import LocalPredicates
from checker.judging.premises import Premise
from model.channels import Bag, Fifo
from model.kinds import Defect, OfCut
from model.property import Property


def simulated(predicates: LocalPredicates, claim: Property) -> bool:
    """Whether the argument above excludes, for all that was explored, the defect by which alone a cut breaks the claim.

    Where the claim holds only given that predicates are stable, that is another question.
    """
    asked, assumptions, failed = claim.on_completed, predicates.system.assumptions, predicates.premises.failed
    if not isinstance(asked, OfCut) or asked.defect is None or not predicates.premises.wanted:
        return False
    if asked.defect is Defect.CROSSED:
        return Premise.NO_RED_IN_WHITE not in failed
    if failed or any(kind in ("loss", "duplication") for kind, _ in assumptions.faults):
        return False
    # As sequences, as multisets (SSS is compared as a state), or where there is no order to be seen.
    return type(assumptions.discipline) in (Fifo, Bag) or all(len(kinds) <= 1 for kinds in predicates.kinds_of_payload)
