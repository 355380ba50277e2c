"""What the tasks of a distributed search reported, level by level, and what it says of each claim."""

from __future__ import annotations

from typing import Any

import numpy as np

from checker.engines.distributed.exploration import Exploration
from checker.engines.distributed.level_report import LevelReport
from checker.judging.exploration import BEGUN
from checker.judging.observations import BITS
from checker.judging.premises import Premise
from checker.judging.underlying_system import UnderlyingSystem
from model.kinds import AtMostOne, Conserved, KeepsGoing
from model.program import Underlying
from model.property import Property
from model.system import State

WHOLE = 1 << 30
"""Stands for a depth that no search reaches: all of it is needed."""


class Reports:
    """Takes in what each level's tasks found; answers once the search has ended."""

    def __init__(self, exploration: Exploration, underlying: UnderlyingSystem) -> None:
        self.exploration = exploration
        self.system = exploration.system
        self.predicates = exploration.predicates
        self.underlying = underlying
        self.states: list[int] = []
        self.keys: dict[tuple[int, ...], int] = {}
        self.complete: int | None = None
        self.with_message: int | None = None
        self.kinds: set[tuple[int, ...]] = set()
        self.terminal: list[tuple[int, int, State]] = []

    def take(self, level: int, report: LevelReport) -> None:
        """What the tasks of a level reported."""
        self.states.append(report.new)
        for snapshot, message, white, *records in report.keys.tolist():
            self.keys.setdefault((snapshot, *records), level)
            if self.complete is None:
                self.complete = level
            if self.with_message is None and message:
                self.with_message = level
            if white:
                self.predicates.premises.failed.add(Premise.DRAINED)
        self.kinds.update(map(tuple, report.kinds.tolist()))
        for bits, values in zip(report.terminal_bits.tolist(), report.terminal, strict=True):
            self.terminal.append((level, bits, self.exploration.tables.decode(values)))

    # -- snapshots -----------------------------------------------------------------------------------------------------

    @property
    def completed(self) -> bool:
        """Whether a snapshot completes."""
        return self.complete is not None

    @property
    def begun(self) -> bool:
        """Whether some run begins a snapshot; where all machines act as one, its end tells."""
        if self.system.protocol.synchronous:
            return self.completed or any(bits & BEGUN for _, bits, _ in self.terminal)
        return any(self.predicates.row_begins)

    @property
    def witnessed(self) -> int:
        """To what depth the witnesses are found; 0 for none."""
        return max(-1 if level is None else level for level in (self.complete, self.with_message)) + 1

    def states_before(self, depth: int) -> int:
        """How many states lie at smaller distances."""
        return sum(self.states[:depth])

    def decoded(self) -> list[tuple[int, Underlying, int]]:
        """(snapshot, SSS, level) of each distinct record."""
        return [(key[0], self._sss(key[1:]), level) for key, level in self.keys.items()]

    def snapshots(self) -> tuple[Underlying, ...]:
        """The distinct SSS, nearest first."""
        return tuple(dict.fromkeys(sss for _, sss, _ in self.decoded()))

    def _sss(self, records: tuple[int, ...]) -> Underlying:
        topology = self.system.topology
        contents: list[tuple[Any, ...]] = [()] * len(topology.channels)
        states = []
        for machine, number in enumerate(records):
            recorded = self.predicates.records[machine].values[number]
            states.append(recorded.state)
            for channel, content in zip(topology.inputs[machine], recorded.channels, strict=True):
                contents[channel] = content
        return Underlying(tuple(states), tuple(contents))

    # -- claims --------------------------------------------------------------------------------------------------------

    def depth_needed(self, claim: Property) -> int | None:
        """None if nothing breaks the claim; else how deep the native engine must look to say what does, if anything."""
        depths = [
            self._moves(claim) if claim.on_move else None,
            self._states(claim) if claim.on_state else None,
            self._recorded(claim) if claim.on_recorded else None,
            self._taken(claim) if claim.on_completed else None,
            self._runs(claim) if claim.runs else None,
            self._preserved() if claim.preserves else None,
        ]
        return min((depth for depth in depths if depth is not None), default=None)

    def _moves(self, claim: Property) -> int | None:
        first = self.predicates.broken.get(claim.name)
        return None if first is None else first + 1

    def _states(self, claim: Property) -> int | None:
        asked = claim.on_state
        if isinstance(asked, Conserved):
            faults = any(kind in ("loss", "duplication") for kind, _ in self.system.assumptions.faults)
            return WHOLE if faults else _after(self.predicates.amounts[asked.amount].changed)
        if isinstance(asked, AtMostOne):
            return _after(self.predicates.crowding[asked].met)
        if not isinstance(asked, KeepsGoing):
            return WHOLE
        bad = [level for level, _, state in self.terminal if asked(self.system, state) is not None]
        return min(bad) + 1 if bad else None

    def _recorded(self, claim: Property) -> int | None:
        asked = claim.on_recorded
        assert asked is not None
        bad = [level for snapshot, sss, level in self.decoded() if asked(self.system, snapshot, sss) is not None]
        return min(bad) + 1 if bad else None

    def _taken(self, claim: Property) -> int | None:
        if not self.completed:
            return None
        return None if self.underlying.establishes(claim, self.predicates) else WHOLE

    def _runs(self, claim: Property) -> int | None:
        """Where no transition leads back there is no cycle, and a run can miss the goal only where it ends.

        Where what has been does not follow from the state, all of it is needed as soon as one state may break it.
        """
        if claim.goal not in BITS or self.exploration.back:
            return WHOLE
        bit, forgets = BITS[claim.goal], self.predicates.forgets
        bad = [level for level, bits, _ in self.terminal if (bits & BEGUN or forgets) and not bits & bit]
        if not bad:
            return None
        return min(bad) + 1 if self.predicates.follows(claim.goal) else WHOLE

    def _preserved(self) -> int | None:
        """Nearly always the states in which no snapshot has begun project to all underlying ones."""
        if not self.underlying.whole:
            return None
        return None if self.named() <= self.kinds else WHOLE

    def named(self) -> set[tuple[int, ...]]:
        """The underlying states, in the numbers of the main search (a state that it never met has -1)."""
        values = self.underlying.search.values(range(self.underlying.search.count))
        machines = self.system.topology.machines
        columns = [
            named[values[:, field]] * (2 if field < machines else 1)
            for field, named in enumerate(self.underlying.translation(self.predicates))
        ]
        return set(map(tuple, np.stack(columns, axis=1).tolist()))


def _after(level: int | None) -> int | None:
    """The level after the next: what a move of this level leads to is looked at there."""
    return None if level is None else level + 2
