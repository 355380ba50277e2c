"""What is observed of packed states: by bits that a kernel tells, by what a predicate reads, or each decoded once.

A predicate that notes what it reads is asked once for each distinct tuple of the fields that it was ever seen to read.
That is sound because it is a pure function of what it reads: of two states that agree in all fields that it read in the
one, it reads the same in the other, and answers the same.
"""

from __future__ import annotations

from math import prod

import numpy as np
from numpy.typing import NDArray

from checker.engines.native.kernels.scans import ALL_RED as ALL_RED_BIT
from checker.engines.native.kernels.scans import COMPLETE as COMPLETE_BIT
from checker.engines.native.kernels.scans import UNKNOWN, classify, look_up
from checker.engines.native.tables.arrays import Int64s
from checker.engines.native.tables.local_predicates import Numbering
from checker.judging.completed_snapshots import judged
from checker.judging.results import Results
from model.kinds import Formula
from model.monitor import ALL_RED, COMPLETE, Condition, Reaches, RunMonitor
from model.own_monitors import OfStates
from model.views import CHANNEL, RECORDED, RED, Read
from model.views import COMPLETE as WHETHER_COMPLETE

BITS: dict[Condition, int] = {ALL_RED: ALL_RED_BIT, COMPLETE: COMPLETE_BIT}
"""Conditions that a kernel tells of packed states."""

WHOLE = "all that a field holds"
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
        self.results, self.search, self.formula = results, results.search, formula
        self.reads: list[Read] = []
        self._known: tuple[object, ...] | None = None
        self._fields = self._bases = self._numbers = np.zeros(0, np.int64)
        self._table: NDArray[np.uint8] = np.zeros(0, np.uint8)
        self._by_value: dict[bytes, bool] | None = None

    def of(self, rows: range | Int64s) -> Truths:
        """The answers for these rows."""
        found: Truths = np.zeros(len(rows), np.bool_)
        for low in range(0, len(rows), PORTION):
            part = rows[low : low + PORTION]
            found[low : low + len(part)] = self._portion(part)
        return found

    def _portion(self, rows: range | Int64s) -> Truths:
        search, found = self.search, np.zeros(len(rows), np.uint8)
        unknown = np.empty(256, np.int64)
        while True:
            self._prepare()
            if self._by_value is not None:
                return self._by_values(rows, self._by_value)
            packed, low = (search.rows, rows.start) if isinstance(rows, range) else (search.rows[rows], 0)
            count = look_up(
                search.layout, packed, low, low + len(rows), self._fields, self._bases, self._numbers, self._table,
                found, unknown,
            )  # fmt: skip
            if not count:
                yes: Truths = found == 1
                return yes
            for number in unknown[:count].tolist():
                self._learn(number if isinstance(rows, range) else int(rows[number]))

    def _learn(self, row: int) -> None:
        """Ask about one row, unless what it reads now was just found to be more, or one like it was asked about."""
        if len(self._fields) < len(self.reads):
            return
        values = self.search.values(range(row, row + 1))[0]
        place = int(self._numbers[self._bases + values[self._fields]].sum())
        if self._table[place] == UNKNOWN:
            answer = self._ask(row)
            if len(self._fields) == len(self.reads):
                self._table[place] = answer

    def _ask(self, row: int) -> bool:
        answer, view = self.formula.view(self.search.system, self.search.state(row))
        every = [(WHOLE, field) for field in range(len(self.search.tables.counts()) - 1)]
        read = [one for own in view.read for one in (every if own[0] == WHETHER_COMPLETE else [own])]
        self.reads += [one for one in dict.fromkeys(read) if one not in self.reads]
        return answer

    def _prepare(self) -> None:
        """A table for what is known to be read, and the values that this takes now."""
        known = (len(self.reads), *self.search.tables.counts())
        if self._known == known:
            return
        self._known = known
        columns = [self._column(*read) for read in self.reads]
        self._fields = np.array([field for field, _ in columns], np.int64)
        sizes = [int(numbers.max()) + 1 for _, numbers in columns]
        self._bases = np.cumsum([0, *(len(numbers) for _, numbers in columns)], dtype=np.int64)[:-1]
        entries = prod(sizes)
        self._by_value = None if entries <= MOST_ANSWERS else {}
        strides = [1] * len(sizes) if self._by_value is not None else [prod(sizes[:i]) for i in range(len(sizes))]
        parts = [numbers * stride for (_, numbers), stride in zip(columns, strides, strict=True)]
        self._numbers = np.concatenate([np.zeros(0, np.int64), *parts])
        self._table = np.full(entries if self._by_value is None else 0, UNKNOWN, np.uint8)

    def _column(self, word: str, index: int) -> tuple[int, Int64s]:
        """The field of a row in which this is read, and for each id of it a number: equal ones read the same."""
        predicates, machines = self.results.predicates, self.search.system.topology.machines
        if word == CHANNEL:
            return machines + index, np.array(predicates.payloads.parts[index], np.int64)
        if word == WHOLE:
            return index, np.arange(self.search.tables.counts()[index])
        if word == RED:
            return index, (np.array(predicates.red.parts[index]) != 0).astype(np.int64)
        if word == RECORDED:
            none = [[0] * len(part) for part in predicates.red.parts]
            return index, np.array((predicates.recorded[0].parts if predicates.recorded else none)[index], np.int64)
        return index, np.array(predicates.state.parts[index], np.int64)

    def _by_values(self, rows: range | Int64s, known: dict[bytes, bool]) -> Truths:
        values = self._numbers[self._bases + self.search.values(rows)[:, self._fields]]
        own, first, kind = np.unique(values, axis=0, return_index=True, return_inverse=True)
        answers = np.zeros(len(own), np.bool_)
        for i, at in enumerate(first.tolist()):
            key = own[i].tobytes()
            if key not in known:
                answer = self._ask(int(rows[at]))
                if len(self.reads) > len(self._fields):
                    return self._portion(rows)
                known[key] = answer
            answers[i] = known[key]
        return answers[kind.reshape(-1)]


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
