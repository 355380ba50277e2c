"""What is observed of packed states: by bits that a kernel tells, by what a predicate reads, or each decoded once.

A predicate that notes what it reads is asked once for each distinct tuple of the fields that it was ever seen to read.
That is sound because it is a pure function of what it reads: of two states that agree in all fields that it read in the
one, it reads the same in the other, and answers the same.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from checker.engines.native.kernels.scans import ALL_RED as ALL_RED_BIT
from checker.engines.native.kernels.scans import COMPLETE as COMPLETE_BIT
from checker.engines.native.kernels.scans import UNKNOWN, classify, look_up
from checker.engines.native.tables.arrays import Int64s
from checker.engines.native.tables.local_predicates import Numbering
from checker.judging.completed_snapshots import judged
from checker.judging.results import Results
from model.claims import OfStates
from model.monitor import Condition, Reaches, RunMonitor
from model.properties import ALL_RED, COMPLETE
from model.property import Formula

BITS: dict[Condition, int] = {ALL_RED: ALL_RED_BIT, COMPLETE: COMPLETE_BIT}
"""Conditions that a kernel tells of packed states."""

PORTION = 1 << 16
MOST_ANSWERS = 1 << 26
"""Entries of a table of answers; where there would be more, answers are kept by value."""

Truths = NDArray[np.bool_]


def bits_of(results: Results, rows: Int64s | range) -> NDArray[np.uint8]:
    """The bits of `classify` for these rows."""
    search = results.search
    bits = np.zeros(len(rows), np.uint8)
    if isinstance(rows, range):
        classify(judged(search.predicates), search.layout, search.rows, rows.start, rows.stop, bits)
    else:
        classify(judged(search.predicates), search.layout, search.rows[rows], 0, len(rows), bits)
    return bits


class Answers:
    """What a predicate answers of packed states."""

    def __init__(self, results: Results, formula: Formula) -> None:
        self.search, self.formula = results.search, formula
        self.fields: list[int] = []
        self._table: NDArray[np.uint8] | None = None
        self._strides = np.zeros(0, np.int64)
        self._by_value: dict[bytes, bool] = {}
        self._counts: list[int] = []

    def of(self, rows: range | Int64s) -> Truths:
        """The answers for these rows."""
        found: Truths = np.zeros(len(rows), np.bool_)
        for low in range(0, len(rows), PORTION):
            part = rows[low : low + PORTION]
            found[low : low + len(part)] = self._portion(part)
        return found

    def _portion(self, rows: range | Int64s) -> Truths:
        self._prepare()
        if self._table is None:
            return self._by_values(rows)
        search, found = self.search, np.zeros(len(rows), np.uint8)
        packed, low = (search.rows, rows.start) if isinstance(rows, range) else (search.rows[rows], 0)
        unknown = np.empty(256, np.int64)
        while True:
            fields = np.array(self.fields, np.int64)
            count = look_up(
                search.layout, packed, low, low + len(rows), fields, self._strides, self._table, found, unknown
            )
            if not count:
                yes: Truths = found == 1
                return yes
            for number in unknown[:count].tolist():
                if not self._learn(number if isinstance(rows, range) else int(rows[number])):
                    return self._portion(rows)

    def _learn(self, row: int) -> bool:
        """Ask about one row, unless one like it was asked about since; whether it read no field that is new."""
        values = self.search.values(range(row, row + 1))[0]
        assert self._table is not None
        key = int((values[self.fields] * self._strides).sum())
        if self._table[key] == UNKNOWN:
            answer, known = self._ask(row), len(self.fields)
            if known < len(self._strides) or known > len(self._strides):
                self._table = None
                return False
            self._table[key] = answer
        return True

    def _ask(self, row: int) -> bool:
        answer, view = self.formula.view(self.search.system, self.search.state(row))
        every = range(len(self.search.tables.counts()) - 1)
        read = [f for field in view.read for f in ([field] if isinstance(field, int) else every)]
        self.fields += [field for field in dict.fromkeys(read) if field not in self.fields]
        return answer

    def _prepare(self) -> None:
        """A table for the fields known to be read and the values they take now."""
        counts = self.search.tables.counts()
        if self._counts != counts:
            self._counts, self._table = counts, None
            self._by_value.clear()
        if self._table is not None or (self._by_value and len(self._strides) == len(self.fields)):
            return
        sizes = [counts[field] for field in self.fields]
        self._strides = np.cumprod([1, *sizes], dtype=object)[:-1].astype(object)
        entries = int(np.prod([1, *sizes], dtype=object))
        self._by_value.clear()
        if entries <= MOST_ANSWERS:
            self._strides = self._strides.astype(np.int64)
            self._table = np.full(entries, UNKNOWN, np.uint8)

    def _by_values(self, rows: range | Int64s) -> Truths:
        values = self.search.values(rows)
        while True:
            own, first, kind = np.unique(values[:, self.fields], axis=0, return_index=True, return_inverse=True)
            fields = len(self.fields)
            answers = np.zeros(len(own), np.bool_)
            for i, at in enumerate(first.tolist()):
                key = own[i].tobytes()
                if key not in self._by_value:
                    self._by_value[key] = self._ask(int(rows[at]))
                answers[i] = self._by_value[key]
                if len(self.fields) > fields:
                    break
            if len(self.fields) == fields:
                return answers[kind.reshape(-1)]
            self._by_value.clear()


class Observations:
    """What one monitor observes of each row, as numbers of `values`."""

    def __init__(self, results: Results, monitor: RunMonitor) -> None:
        self.results, self.monitor = results, monitor
        self.values = Numbering()
        self._numbers = np.full(results.search.count, -1, np.int64)
        every = range(results.search.count)
        if isinstance(monitor, Reaches) and monitor.condition in BITS:
            met = bits_of(results, every) & BITS[monitor.condition] != 0
            self._numbers = np.where(met, self.values(True), self.values(False))
        elif isinstance(monitor, OfStates) and not monitor.history:
            code = np.zeros(len(every), np.int64)
            for formula in monitor.formulas:
                code = 2 * code + Answers(results, formula).of(every)
            names = [
                self.values(tuple((bool(one >> i & 1),) * 2 for i in reversed(range(len(monitor.formulas)))))
                for one in range(1 << len(monitor.formulas))
            ]
            self._numbers = np.array(names, np.int64)[code]

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

    def cool(self, rows: Int64s) -> Truths:
        """Of which of these rows something is observed where no value of the monitor is hot."""
        numbers = self.of(rows)
        cool = np.array([self.monitor.cool(observed) for observed in self.values.values], np.bool_)
        found: Truths = cool[numbers]
        return found
