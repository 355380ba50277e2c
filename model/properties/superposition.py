"""Superposition: the protocol neither alters the underlying computation nor stops it."""

from __future__ import annotations

from model.kinds import KeepsGoing
from model.property import Property
from model.superposition import INTERFERENCE

SUPERPOSITION_PROPERTIES = (
    Property(
        "non-interference",
        "Each superposed step is an underlying step or none, and every underlying state stays reachable.",
        "Chandy & Lamport 1985, section 1: the snapshot must not alter the underlying computation",
        on_move=INTERFERENCE,
        positions=False,
        preserves=True,
        symmetric=True,
    ),
    Property(
        "no-new-deadlock",
        "Where nothing can happen, nothing could happen in the computation alone.",
        "superposition (Chandy & Misra 1988, chapter 7)",
        on_state=KeepsGoing(),
        symmetric=True,
    ),
)
