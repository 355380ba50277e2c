"""What the ends of random runs say of claims: local predicates read by kernels, each new value decoded once."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from checker.engines.native.kernels.scans import classify, completions, judged
from checker.engines.native.search.levels import Search
from checker.engines.native.tables.arrays import pack
from checker.engines.native.tables.interner import RowInterner
from checker.judging.exploration import BEGUN
from checker.judging.observations import BITS
from model.kinds import KeepsGoing
from model.program import Underlying
from model.property import Property

Values = NDArray[np.int64]
Chosen = NDArray[np.bool_]


class Ends:
    """Remembers the snapshots recorded and the states of the computation in which runs ended."""

    def __init__(self, search: Search) -> None:
        self.search, self.system, self.predicates = search, search.system, search.predicates
        self.completed = False
        self.begun = False
        self.runs_complete = self.runs_with_message = 0  # that ended so, the second with a message in a channel
        machines, channels = self.system.topology.machines, len(self.system.channels)
        self._recorded = RowInterner(machines + 1)
        self._stuck = RowInterner(machines + channels)

    def broken(self, pending: list[Property], values: Values, terminal: Chosen) -> dict[str, Chosen]:
        """By claim, which runs seem to break it by where they end: `values` `int64[n, fields]`, `terminal` if final."""
        found = {claim.name: np.zeros(len(values), np.bool_) for claim in pending}
        rows = pack(self.search.layout, self.search.words, values)
        predicates, local, bits = self.predicates, judged(self.predicates), np.zeros(len(values), np.uint8)
        classify(local, self.search.layout, rows, 0, len(rows), bits)
        self.begun = self.begun or bool((bits & BEGUN).any())
        for claim in pending:
            if claim.goal is None:
                continue
            ended = terminal & ((bits & BEGUN != 0) | predicates.forgets)
            if claim.goal in BITS:
                found[claim.name] |= ended & (bits & BITS[claim.goal] == 0)
            else:
                for run in np.flatnonzero(ended).tolist():
                    found[claim.name][run] = not claim.goal(self.system, self.search.tables.decode(values[run]))
        room = len(rows) * self.system.protocol.snapshots
        keys, about = np.empty((room, self._recorded.columns), np.int64), np.empty((room, 4), np.int64)
        n, _ = completions(local, self.search.layout, rows, 0, len(rows), keys, about)
        if n:
            self.completed = True
            self.runs_complete += len(np.unique(about[:n, 0]))
            self.runs_with_message += len(np.unique(about[:n, 0][about[:n, 2] != 0]))
            keys[:n, -1] = about[:n, 1]
            self._find_recorded([p for p in pending if p.on_recorded is not None], keys[:n], about[:n, 0], found)
        self._find_stuck([p for p in pending if isinstance(p.on_state, KeepsGoing)], values, terminal, found)
        return found

    def _find_recorded(self, claims: list[Property], keys: Values, runs: Values, found: dict[str, Chosen]) -> None:
        """Ask of each SSS that is new."""
        for i in self._recorded.new(keys):
            snapshot, sss = int(keys[i, -1]), self._decoded(keys[i, :-1].tolist())
            for claim in claims:
                if claim.on_recorded is not None and claim.on_recorded(self.system, snapshot, sss) is not None:
                    found[claim.name][runs[i]] = True

    def _find_stuck(self, claims: list[Property], values: Values, terminal: Chosen, found: dict[str, Chosen]) -> None:
        """Ask of each final state that is new, where the protocol's part of it does not count."""
        predicates, machines = self.predicates, self.system.topology.machines
        runs = np.flatnonzero(terminal)
        if not claims or not len(runs):
            return
        keys = values[runs, :-1]
        for machine, part in enumerate(predicates.state.parts):
            crashed = np.array([local.crashed for local in self.search.tables.locals[machine]], np.int64)
            keys[:, machine] = 2 * np.array(part)[keys[:, machine]] + crashed[keys[:, machine]]
        for channel, part in enumerate(predicates.payloads.parts):
            keys[:, machines + channel] = np.array(part)[keys[:, machines + channel]]
        for i in self._stuck.new(keys):
            state = self.search.tables.decode(values[runs[i]])
            for claim in claims:
                if claim.on_state is not None and claim.on_state(self.system, state) is not None:
                    found[claim.name][runs[i]] = True

    def _decoded(self, key: list[int]) -> Underlying:
        topology = self.system.topology
        recorded = [self.predicates.records[machine].values[number] for machine, number in enumerate(key)]
        contents: list[tuple[object, ...]] = [()] * len(topology.channels)
        for machine, one in enumerate(recorded):
            for channel, content in zip(topology.inputs[machine], one.channels, strict=True):
                contents[channel] = content
        return Underlying(tuple(one.state for one in recorded), tuple(contents))
