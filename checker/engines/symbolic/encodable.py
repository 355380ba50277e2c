"""Which properties clauses can say. Others are judged run by run, or refused, but never passed over."""

from __future__ import annotations

from model.properties import PROPERTIES
from model.property import Property

SAID = {
    "state": ("conservation", "one-marker-per-channel", "no-new-deadlock"),
    "goal": ("all-red", "completes", "completes-unfair"),
    "recorded": ("conservation",),
    "completed": ("consistent-cut", "channel-exact", "equivalent", "reachable"),
}
"""Which parts of which properties are said in clauses; any claim about moves is."""


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


def said(judged: Property, kind: str) -> bool:
    """Whether clauses say this way of breaking the property; another property of a catalogue's name is another."""
    if kind == "move":
        return True
    name = kind if kind == "goal" else f"on_{kind}"
    known = PROPERTIES.get(judged.name)
    return judged.name in SAID.get(kind, ()) and known is not None and getattr(known, name) is getattr(judged, name)


def unsaid(judged: Property) -> str | None:
    """Why the property cannot be said in clauses; None if it can."""
    if kinds(judged) and all(said(judged, kind) for kind in kinds(judged)):
        return None
    return f"property {judged.name!r} cannot be said in clauses: judge it with check"
