"""The completed snapshots of a search: the distinct SSS, the nearest witnesses, and what they conserve."""

from __future__ import annotations

import numpy as np

from checker.judging import shortest_runs as paths
from checker.judging.exploration import Exploration, Int64s
from checker.judging.premises import Premise
from checker.judging.results import Results
from model.program import Underlying
from model.property import Property
from model.system import System
from model.trace import Counterexample
from model.verdict import COMPLETES, IN_CHANNEL


class Snapshots:
    """Reads each level once its rows are known; keeps what each machine recorded, once for each distinct SSS."""

    def __init__(self, search: Exploration) -> None:
        self.search = search
        self.system: System = search.system
        self.keys = search.distinct(self.system.topology.machines + 1)
        self.nearest: list[Int64s] = []
        self.nearest_with_message: list[Int64s] = []
        self.first_of: list[tuple[int, int]] = []
        self._levels = (-1, -1)

    @property
    def any(self) -> bool:
        """Whether a snapshot completes."""
        return bool(self.nearest)

    def read(self) -> None:
        """Read all rows, level by level."""
        for depth in range(self.search.depth + 2 if self.system.protocol.snapshots else 0):
            before = self.keys.count
            for keys, found in self.search.completed(self.search.level(depth)):
                self.keys.add(keys)
                self._note(found, depth)
            if self.keys.count > before:
                self.first_of.append((before, depth))

    def of_level(self, rows: range) -> tuple[Int64s, Int64s]:
        """(row, number of its SSS in `keys`) for each completed snapshot of these rows."""
        found, numbers = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
        for keys, about in self.search.completed(rows):
            found.append(about[:, 0])
            numbers.append(self.keys.index(keys))
        return np.concatenate(found), np.concatenate(numbers)

    def complete_rows(self, snapshot: int) -> set[int]:
        """The rows in which a snapshot is complete."""
        found: set[int] = set()
        for _, about in self.search.completed(range(self.search.count)):
            found.update(about[about[:, 1] == snapshot, 0].tolist())
        return found

    def level_of(self, number: int) -> int:
        """The distance at which SSS number `number` is first complete."""
        return max(depth for first, depth in self.first_of if first <= number)

    def _note(self, found: Int64s, depth: int) -> None:
        if found[:, 3].any():
            self.search.predicates.premises.failed.add(Premise.DRAINED)
        complete, with_message = self._levels
        if complete in (-1, depth):
            self.nearest.append(found[:, 0].copy())
            complete = depth
        if with_message in (-1, depth) and found[:, 2].any():
            self.nearest_with_message.append(found[found[:, 2] != 0, 0])
            with_message = depth
        self._levels = (complete, with_message)

    def decoded(self) -> list[tuple[int, Underlying]]:
        """(snapshot, SSS) for each row of `keys`."""
        return [(key[-1], self._decode(key[:-1])) for key in self.keys.values().tolist()]

    def distinct(self) -> tuple[Underlying, ...]:
        """The distinct SSS in the order found."""
        return tuple(dict.fromkeys(sss for _, sss in self.decoded()))

    def _decode(self, key: list[int]) -> Underlying:
        topology, records = self.system.topology, self.search.predicates.records
        contents: list[tuple[object, ...]] = [()] * len(topology.channels)
        states = []
        for machine, number in enumerate(key):
            recorded = records[machine].values[number]
            states.append(recorded.state)
            for channel, content in zip(topology.inputs[machine], recorded.channels, strict=True):
                contents[channel] = content
        return Underlying(tuple(states), tuple(contents))

    def witnesses(self) -> tuple[Counterexample, ...]:
        """The shortest runs in which a snapshot completes, and in which one completes with a message in a channel."""
        nearest = {COMPLETES: self.nearest, IN_CHANNEL: self.nearest_with_message}
        seen = {name: np.unique(np.concatenate(rows)) for name, rows in nearest.items() if rows}
        found = paths.shortest_each(self.search, list(seen.values())) if seen else []
        return tuple(
            Counterexample(name, paths.trace(self.search, path), {"kind": name})
            for name, path in zip(seen, found, strict=True)
        )


def find_recorded(results: Results, claims: list[Property], snapshots: Snapshots) -> None:
    """For each claim about SSS alone, the best of the shortest runs to a completed one that breaks it."""
    recorded = snapshots.decoded()
    for claim in claims:
        asked = claim.on_recorded
        assert asked is not None
        reasons = [asked(results.system, snapshot, sss) for snapshot, sss in recorded]
        bad = np.array([reason is not None for reason in reasons], np.bool_)
        if not bad.any():
            continue
        for depth in range(snapshots.level_of(int(np.flatnonzero(bad)[0])), results.search.depth + 1):
            rows, numbers = snapshots.of_level(results.judged(depth))
            worst = bad[numbers]
            if worst.any():
                path = paths.shortest(results.search, np.unique(rows[worst]))
                at = np.flatnonzero(worst & (rows == paths.end(results.search, path)))[0]
                reason = reasons[numbers[at]]
                assert reason is not None
                results.keep(claim, paths.trace(results.search, path), reason)
                break
