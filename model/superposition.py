"""Whether a superposed step is an underlying step, or none: what `refinement` rests on, and a property asks."""

from __future__ import annotations

from model.action import Move
from model.kinds import ByEffect
from model.program import exact_actions
from model.property import Reason
from model.system import System


def _interferes(system: System, move: Move) -> Reason | None:
    action = move.step.action
    accepted = {c: m.payload for c, _, m in move.accepts if not m.control}
    sent = tuple(sorted((c, m.payload) for c, m in move.sends if not m.control))
    if action is None:
        if move.after.state == move.before.state and not accepted and not sent:
            return None
    elif (
        max(accepted, default=0) < len(system.topology.channels)  # what a channel of the protocol's carries is its own
        and action in exact_actions(system.program, move.machine, move.before.state, accepted)
        and move.after.state == action.state
        and sent == action.sends
    ):
        return None
    return {"kind": "a superposed step changes the underlying computation", "machine": move.machine}


INTERFERENCE = ByEffect(_interferes)
"""Why a step is neither an underlying step nor none."""
