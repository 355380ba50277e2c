"""What a run is shown for: a claim that it breaks, the catalogue's or one's own; as a witness; or for nothing."""

from __future__ import annotations

from model.own_monitors import SOUGHT
from model.properties import known, named
from model.property import Evidence, Property
from model.trace import Counterexample
from model.verdict import COMPLETES, IN_CHANNEL

WALK = "a walk by hand"
"""What a trace is called that claims nothing; its `kind` is its author's caption."""
WITNESSES = (COMPLETES, IN_CHANNEL)


def breaks(found: Counterexample) -> bool:
    """Whether the run is shown because it breaks something."""
    return found.property not in (WALK, *WITNESSES) and not found.explanation.get(SOUGHT)


def claim(found: Counterexample) -> Property | None:
    """The claim that the run is shown for, where it is the catalogue's or the program's: of others the reason tells."""
    return named(found.property, known(found.trace.system))


def evidence(found: Counterexample) -> Evidence:
    """What of the run shows that its claim fails: the values read, unless that is known better."""
    judged = claim(found)
    return Evidence.READ if judged is None else judged.evidence


def meaning(found: Counterexample) -> str:
    """What the run is there to show."""
    if "claim" in found.explanation:
        return str(found.explanation["claim"])
    judged = claim(found)
    if judged is not None:
        return judged.claim
    return "A run, judged by nothing." if found.property == WALK else "A run that shows that it can happen."
