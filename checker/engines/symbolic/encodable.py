"""Which properties can be encoded in clauses. Others are judged run by run, or refused, but never passed over."""

from __future__ import annotations

from model.kinds import AtMostOne, Conserved, ConservedInRecords, KeepsGoing, OfCut
from model.monitor import ALL_RED, COMPLETE
from model.property import Property

STATES = (Conserved, AtMostOne, KeepsGoing)
"""The kinds of claims about states that are encoded in clauses; any claim about transitions is."""


PARTS = {
    "move": "on_move",
    "state": "on_state",
    "goal": "goal",
    "recorded": "on_recorded",
    "completed": "on_completed",
    "monitor": "monitor",
}
"""Ways to break a property, in the order in which they are preferred, each with the part that says how."""


def kinds(judged: Property) -> list[str]:
    """In which ways the property can be broken."""
    return [kind for kind, part in PARTS.items() if getattr(judged, part) is not None]


def encodable(judged: Property, kind: str) -> bool:
    """Whether clauses encode this way of breaking the property; `Defect` says of which cuts they do."""
    cut = judged.on_completed
    return (
        kind == "move"
        or (kind == "state" and isinstance(judged.on_state, STATES))
        or (kind == "goal" and judged.goal in (ALL_RED, COMPLETE))
        or (kind == "recorded" and isinstance(judged.on_recorded, ConservedInRecords))
        or (kind == "completed" and isinstance(cut, OfCut) and cut.defect is not None and cut.given is None)
    )


def why_not_encodable(judged: Property) -> str | None:
    """Why the property cannot be encoded in clauses; None if it can."""
    if kinds(judged) and all(encodable(judged, kind) for kind in kinds(judged)):
        return None
    return f"property {judged.name!r} cannot be encoded in clauses: judge it with check"
