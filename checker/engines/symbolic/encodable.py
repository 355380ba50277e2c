"""Which properties can be encoded in clauses. Others are judged run by run, or refused, but never passed over."""

from __future__ import annotations

from model.properties import PROPERTIES
from model.property import Property

ENCODABLE = {
    "state": ("conservation", "one-marker-per-channel", "no-new-deadlock"),
    "goal": ("all-red", "completes", "completes-unfair"),
    "recorded": ("conservation",),
    "completed": ("consistent-cut", "channel-exact", "equivalent", "reachable"),
}
"""Which parts of which properties are encoded in clauses; any claim about transitions is."""


def kinds(judged: Property) -> list[str]:
    """In which ways the property can be broken, in the order in which they are preferred."""
    parts = {
        "move": judged.on_move,
        "state": judged.on_state,
        "goal": judged.goal,
        "recorded": judged.on_recorded,
        "completed": judged.on_completed,
        "monitor": judged.monitor,
    }
    return [kind for kind, part in parts.items() if part is not None]


def encodable(judged: Property, kind: str) -> bool:
    """Whether clauses encode this way of breaking the property; a user's of a catalogue's name is another property."""
    if kind == "move":
        return True
    name = kind if kind == "goal" else f"on_{kind}"
    known = PROPERTIES.get(judged.name)
    same = known is not None and getattr(known, name) is getattr(judged, name)
    return same and judged.name in ENCODABLE.get(kind, ())


def why_not_encodable(judged: Property) -> str | None:
    """Why the property cannot be encoded in clauses; None if it can."""
    if kinds(judged) and all(encodable(judged, kind) for kind in kinds(judged)):
        return None
    return f"property {judged.name!r} cannot be encoded in clauses: judge it with check"
