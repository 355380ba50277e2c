"""To which systems claims about snapshots apply."""

from __future__ import annotations

from model.system import System


def snapshots(system: System) -> bool:
    """Whether there is a snapshot."""
    return system.protocol.snapshots > 0


def cuts(system: System) -> bool:
    """Whether there is a snapshot whose machines say when they record their states."""
    return snapshots(system) and system.protocol.records
