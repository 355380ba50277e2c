"""The completed snapshots of a search: the distinct SSS, the nearest witnesses, and what they conserve."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from checker.native import routes
from checker.native.distinct import Distinct
from checker.native.facts import Facts
from checker.native.findings import Findings
from checker.native.scans import Judged, completions
from checker.native.search import Search
from checker.native.simulation import DRAINED
from model.cut import begin
from model.program import Underlying
from model.properties import conserved_total
from model.property import Passage, Property, Taken
from model.system import System
from model.trace import Counterexample
from model.verdict import COMPLETES, IN_CHANNEL

PORTION = 1 << 15


def judged(facts: Facts) -> Judged:
    """The facts as kernels read them, as far as they are known now."""
    protocol = facts.system.protocol
    return Judged(
        facts.local_bases(),
        facts.content_bases(),
        facts.done.flat(),
        facts.red.flat(),
        facts.white.flat(),
        facts.control.flat(),
        np.array([column.flat() for column in facts.owed]),
        np.array([column.flat() for column in facts.recorded]),
        facts.with_message.flat(),
        np.array([protocol.snapshots, protocol.drains], np.int64),
    )


class Snapshots:
    """Reads each level once its rows are known; keeps what each machine recorded, once for each distinct SSS."""

    def __init__(self, search: Search) -> None:
        self.search = search
        self.system: System = search.system
        self.keys = Distinct(self.system.topology.machines)
        self.nearest: list[NDArray[np.int64]] = []
        self.nearest_with_message: list[NDArray[np.int64]] = []
        self.first_of: list[tuple[int, int]] = []
        self._levels = (-1, -1)

    @property
    def any(self) -> bool:
        """Whether a snapshot completes."""
        return bool(self.nearest)

    @property
    def count(self) -> int:
        """Distinct SSS."""
        return self.keys.count

    def read(self) -> None:
        """Read all rows, level by level."""
        search = self.search
        facts = judged(search.facts)
        room = PORTION * self.system.protocol.snapshots
        keys = np.empty((room, self.system.topology.machines), np.int64)
        found = np.empty((room, 4), np.int64)
        for depth in range(search.depth + 2):
            level, before = search.level(depth), self.keys.count
            at = level.start
            while at < level.stop:
                stop = min(level.stop, at + PORTION)
                n, at = completions(facts, search.layout, search.rows, at, stop, keys, found)
                if n:
                    self.keys.add(keys[:n])
                    self._note(found[:n], depth)
            if self.keys.count > before:
                self.first_of.append((before, depth))

    def _note(self, found: NDArray[np.int64], depth: int) -> None:
        if found[:, 3].any():
            self.search.facts.departures.add(DRAINED)
        complete, with_message = self._levels
        if complete in (-1, depth):
            self.nearest.append(found[:, 0].copy())
            complete = depth
        if with_message in (-1, depth) and found[:, 2].any():
            self.nearest_with_message.append(found[found[:, 2] != 0, 0])
            with_message = depth
        self._levels = (complete, with_message)

    def distinct(self) -> tuple[Underlying, ...]:
        """The distinct SSS in the order found."""
        return tuple(self._decode(key) for key in self.keys.values().tolist())

    def _decode(self, key: list[int]) -> Underlying:
        topology, records = self.system.topology, self.search.facts.records
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
        found = []
        for name, rows in ((COMPLETES, self.nearest), (IN_CHANNEL, self.nearest_with_message)):
            if rows:
                path = routes.shortest(self.search, np.unique(np.concatenate(rows)))
                found.append(Counterexample(name, routes.trace(self.search, path), {"kind": name}))
        return tuple(found)


def find_unconserved(findings: Findings, claim: Property, snapshots: Snapshots) -> None:
    """The best of the shortest runs to a completed snapshot that does not conserve: a matter of SSS alone."""
    search, system = snapshots.search, snapshots.system
    program, start = system.program, conserved_total(system)
    totals = []
    for machine, numbering in enumerate(search.facts.records):
        own = [
            0 if r is None else program.held(machine, r.state) + sum(program.carried(p) for c in r.channels for p in c)
            for r in numbering.values
        ]
        totals.append(np.array(own, np.int64))
    keys = snapshots.keys.values()
    sums = sum((totals[m][keys[:, m]] for m in range(keys.shape[1])), np.zeros(len(keys), np.int64))
    bad = np.flatnonzero(sums != start)
    if not len(bad):
        return
    depth = max(level for first, level in snapshots.first_of if first <= bad[0])
    facts = judged(search.facts)
    level = search.level(depth)
    room = len(level) * system.protocol.snapshots
    found_keys, found = np.empty((room, keys.shape[1]), np.int64), np.empty((room, 4), np.int64)
    n, _ = completions(facts, search.layout, search.rows, level.start, level.stop, found_keys, found)
    sums = sum((totals[m][found_keys[:n, m]] for m in range(keys.shape[1])), np.zeros(n, np.int64))
    worst = found[:n][sums != start]
    worst = worst[worst[:, 1] == worst[:, 1].min()]
    path = routes.shortest(search, np.unique(worst[:, 0]))
    state = search.state(routes.end(search, path))
    for snapshot in range(system.protocol.snapshots):
        if system.complete(state, snapshot) and claim.on_taken is not None:
            taken = Taken(system.recorded(state, snapshot), begin(system, state), system.project(state), Passage())
            reason = claim.on_taken(system, snapshot, taken)
            if reason is not None:
                findings.keep(claim, routes.trace(search, path), reason)
                return
    raise AssertionError("conservation: the decoded snapshot does not break it")
