"""Which properties clauses can say: what cannot be said is refused, never passed over."""

from __future__ import annotations

from model.properties import PROPERTIES
from model.property import Property

SAID = {
    "state": ("conservation", "one-marker-per-channel", "no-new-deadlock"),
    "goal": ("all-red", "completes", "completes-unfair"),
    "recorded": ("conservation",),
    "taken": ("consistent-cut", "channel-exact", "equivalent", "reachable"),
}
"""Which parts of which properties are said in clauses; any claim about moves is."""


def kinds(judged: Property) -> list[str]:
    """In which ways the property can be broken, in the order in which they are preferred."""
    parts = {
        "move": judged.on_move,
        "state": judged.on_state,
        "goal": judged.goal,
        "recorded": judged.on_recorded,
        "taken": judged.on_taken,
    }
    return [kind for kind, part in parts.items() if part is not None]


def unsaid(judged: Property) -> str | None:
    """Why the property cannot be said in clauses; None if it can."""
    known = PROPERTIES.get(judged.name)
    for kind in kinds(judged):
        name = kind if kind == "goal" else f"on_{kind}"
        own = known is not None and getattr(known, name) is getattr(judged, name)
        if kind != "move" and not (own and judged.name in SAID[kind]):
            return f"property {judged.name!r} cannot be said in clauses: judge it with check"
    return None if kinds(judged) else f"property {judged.name!r} cannot be said in clauses: judge it with check"
