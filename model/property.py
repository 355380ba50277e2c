"""Properties: named claims about a system, each with the parts by which an engine can judge it, and its source."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

from model.action import Move
from model.cut import Cut
from model.program import Underlying
from model.system import State, System

Reason = dict[str, Any]
"""Why a property fails, as plain JSON data; the first key is always `kind`."""


class CompletedSnapshot(NamedTuple):
    """A completed snapshot of a run: what was recorded, from where, and where the run is now.

    recorded: SSS, channels in recorded order; start, end: S0 and S1, full underlying states; `reaches(a, b)`: whether
    the underlying computation can go from a state recorded as `a` to `b`, see `ReachabilityOracle`.
    """

    recorded: Underlying
    cut: Cut
    end: Underlying
    reachability: ReachabilityOracle


class ReachabilityOracle:
    """Reachability in the underlying computation, as an engine provides it."""

    def to_recorded(self, start: Underlying, recorded: Underlying, spent: tuple[int, ...] = ()) -> bool:
        """Whether a state that would be recorded as `recorded` is reachable from `start`.

        spent: how many faults of each kind had happened before `start`; the rest of those assumed may happen.
        """
        raise NotImplementedError

    def through(self, start: Underlying, recorded: Underlying, end: Underlying, spent: tuple[int, ...] = ()) -> bool:
        """Whether some state that would be recorded as `recorded` is reachable from `start` and reaches `end`.

        All faults together, those `spent` before `start` and those on both ways, are no more than is assumed.
        """
        raise NotImplementedError


@dataclass(frozen=True, slots=True)
class Property:
    """A claim; it fails where one of its parts gives a reason.

    on_move(system, move): a transition breaks it. on_state(system, state): a state does. on_recorded(system, snapshot,
    recorded): a completed SSS does by itself, however the run came to it, so it is asked once for each distinct one.
    on_completed(system, snapshot, taken): a completed snapshot of a run does. The last two quantify over snapshots:
    such a property holds vacuously where none completes.
    goal(system, state): every weakly fair run in which a snapshot has begun must reach it; with `fair` False, every
    maximal run, fair or not. preserves: every state of the underlying computation must stay reachable.
    asked: judged only when named.
    """

    name: str
    claim: str
    source: str
    applies: Callable[[System], bool] = lambda system: True
    on_move: Callable[[System, Move], Reason | None] | None = None
    on_state: Callable[[System, State], Reason | None] | None = None
    on_recorded: Callable[[System, int, Underlying], Reason | None] | None = None
    on_completed: Callable[[System, int, CompletedSnapshot], Reason | None] | None = None
    goal: Callable[[System, State], bool] | None = None
    preserves: bool = False
    fair: bool = True
    asked: bool = False

    @property
    def over_snapshots(self) -> bool:
        """Whether it quantifies over completed snapshots."""
        return self.on_recorded is not None or self.on_completed is not None

    def witness(self, system: System, completed: bool) -> bool | None:
        """Whether a snapshot completed, where the claim is over completed snapshots; None where it is over none."""
        return completed if self.over_snapshots and system.protocol.snapshots else None
