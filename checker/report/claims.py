"""What a run is shown for: a claim that it breaks, the catalogue's or one's own; as a witness; or for nothing."""

from __future__ import annotations

from model.claims import SOUGHT
from model.properties import named
from model.property import Evidence
from model.trace import Counterexample
from model.verdict import COMPLETES, IN_CHANNEL

WALK = "a walk by hand"
"""What a trace is called that claims nothing; its `kind` is its author's caption."""
WITNESSES = (COMPLETES, IN_CHANNEL)


def breaks(found: Counterexample) -> bool:
    """Whether the run is shown because it breaks something."""
    return found.property not in (WALK, *WITNESSES) and not found.explanation.get(SOUGHT)


def evidence(name: str) -> Evidence:
    """What shows that the property of this name fails: the values read, unless the catalogue says more."""
    known = named(name)
    return Evidence.READ if known is None else known.evidence


def meaning(found: Counterexample) -> str:
    """What the run is there to show."""
    if "claim" in found.explanation:
        return str(found.explanation["claim"])
    known = named(found.property)
    if known is not None:
        return known.claim
    return "A run, judged by nothing." if found.property == WALK else "A run that shows that it can happen."
