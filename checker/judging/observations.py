"""What a monitor observes of rows, as numbers: by what every row tells where it can, else each row decoded once."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from checker.engines.native.kernels.scans import ALL_RED as ALL_RED_BIT
from checker.engines.native.kernels.scans import COMPLETE as COMPLETE_BIT
from checker.engines.native.kernels.scans import classify
from checker.engines.native.tables.arrays import Int64s
from checker.engines.native.tables.local_predicates import Numbering
from checker.judging.completed_snapshots import judged
from checker.judging.results import Results
from model.monitor import Condition, Reaches, RunMonitor
from model.properties import ALL_RED, COMPLETE

BITS: dict[Condition, int] = {ALL_RED: ALL_RED_BIT, COMPLETE: COMPLETE_BIT}
"""Conditions that a kernel tells of packed states."""


def bits_of(results: Results, rows: Int64s | range) -> NDArray[np.uint8]:
    """The bits of `classify` for these rows."""
    search = results.search
    bits = np.zeros(len(rows), np.uint8)
    if isinstance(rows, range):
        classify(judged(search.predicates), search.layout, search.rows, rows.start, rows.stop, bits)
    else:
        classify(judged(search.predicates), search.layout, search.rows[rows], 0, len(rows), bits)
    return bits


class Observations:
    """What one monitor observes of each row, as numbers of `values`."""

    def __init__(self, results: Results, monitor: RunMonitor) -> None:
        self.results, self.monitor = results, monitor
        self.values = Numbering()
        self._numbers = np.full(results.search.count, -1, np.int64)
        if isinstance(monitor, Reaches) and monitor.condition in BITS:
            met = bits_of(results, range(results.search.count)) & BITS[monitor.condition] != 0
            self._numbers = np.where(met, self.values(True), self.values(False))

    def of(self, rows: Int64s) -> Int64s:
        """The numbers of what is observed of these rows."""
        numbers = self._numbers[rows]
        search = self.results.search
        for row in np.unique(rows[numbers < 0]).tolist():
            self._numbers[row] = self.values(self.monitor.observe(search.system, search.state(row)))
        found: Int64s = self._numbers[rows]
        return found

    def value(self, row: int) -> object:
        """What is observed of one row."""
        return self.values.values[int(self.of(np.array([row], np.int64))[0])]
