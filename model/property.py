"""Properties: named claims about a system, each with the parts by which an engine can judge it, and its source."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Any, NamedTuple

from model.action import Move
from model.cut import Cut
from model.monitor import Condition, Reaches, RunMonitor
from model.program import Underlying
from model.system import State, System

Reason = dict[str, Any]
"""Why a property fails, as plain JSON data; the first key is always `kind`."""


def further_of(reason: Reason) -> int:
    """How many actions after the end of the run it takes until what breaks the claim shows; 0 nearly always."""
    return int(reason.get("further", 0))


class Evidence(Enum):
    """What of a run shows that a property fails, and so what its explanation is about.

    READ: the values that the predicate read, and S0, SSS, S1. RED_ACCEPTED: a message sent red and accepted white in
    the last action; CROSSING: one sent after the cut and accepted before it. MARKERS: those on one channel. AMOUNT:
    what is there too much or too little. CHANNELS: how channels were recorded, and what was in them. STATES: S0, SSS
    and S1, which do not lead to each other. ORDER: the run with its white actions first. UNFINISHED: who still waits
    for what.
    """

    READ = "read"
    RED_ACCEPTED = "red accepted"
    CROSSING = "crossing"
    MARKERS = "markers"
    AMOUNT = "amount"
    CHANNELS = "channels"
    STATES = "states"
    ORDER = "order"
    UNFINISHED = "unfinished"


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
    """A claim; it fails where one of its parts gives a reason. What a part depends on, its kind says (`model.kinds`).

    on_move(system, move): a transition breaks it. on_state(system, state): a state does. on_recorded(system, snapshot,
    recorded): a completed SSS does by itself, however the run came to it, so it is asked once for each distinct one.
    on_completed(system, snapshot, taken): a completed snapshot of a run does. The last two are over snapshots:
    such a property holds vacuously where none completes.
    goal: every weakly fair run in which a snapshot begins must meet this condition from then on; with `fair` False,
    every maximal run, fair or not. monitor: no run may break it. preserves: every state of the underlying computation
    must stay reachable.
    evidence: what its explanation is about. begun: it is about runs in which a snapshot begins, as with a goal. asked:
    judged only when named. sought: what "breaks" it is looked for, and the claim holds if that is found. positions:
    on_move may look at where in a channel a message was. symmetric: no relabelling of machines and channels changes it.
    monotone: a run that breaks it is one under all weaker assumptions, too, and breaks it. further: what breaks it in a
    state shows only later; the reason says after how many actions.
    """

    name: str
    claim: str
    source: str
    applies: Callable[[System], bool] = lambda system: True
    on_move: Callable[[System, Move], Reason | None] | None = None
    on_state: Callable[[System, State], Reason | None] | None = None
    on_recorded: Callable[[System, int, Underlying], Reason | None] | None = None
    on_completed: Callable[[System, int, CompletedSnapshot], Reason | None] | None = None
    goal: Condition | None = None
    monitor: RunMonitor | None = None
    preserves: bool = False
    evidence: Evidence = Evidence.READ
    begun: bool = False
    fair: bool = True
    asked: bool = False
    further: bool = False
    sought: bool = False
    positions: bool = True
    symmetric: bool = False
    monotone: bool = False

    @property
    def runs(self) -> RunMonitor | None:
        """What it remembers of runs, if it is a claim about runs."""
        return self.monitor if self.goal is None else Reaches(self.goal, self.fair)

    @property
    def over_snapshots(self) -> bool:
        """Whether it quantifies over completed snapshots."""
        return self.on_recorded is not None or self.on_completed is not None

    def witness(self, system: System, completed: bool, begun: bool) -> bool | None:
        """Whether some run is what the claim is about: a snapshot completes, or begins; None if all runs are.

        Where there is none the claim holds, but says nothing.
        """
        if system.protocol.snapshots:
            if self.over_snapshots:
                return completed
            if self.begun or self.goal is not None:
                return begun
        return None
