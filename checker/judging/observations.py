"""What is observed of packed states: by bits that a kernel tells, by what a predicate reads, or each decoded once.

A predicate that notes what it reads is asked once for each distinct tuple of the fields that it was ever seen to read.
That is sound because it is a pure function of what it reads: of two states that agree in all fields that it read in the
one, it reads the same in the other, and answers the same.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from checker.judging.exploration import ALL_RED as ALL_RED_BIT
from checker.judging.exploration import COMPLETE as COMPLETE_BIT
from checker.judging.exploration import DistinctRows, Int64s
from checker.judging.local_columns import Interner
from checker.judging.results import Results
from model.kinds import Formula
from model.monitor import ALL_RED, COMPLETE, Condition, Reaches, RunMonitor
from model.own_monitors import OfStates
from model.views import BEGUN, CHANNEL, RECORDED, RED, Read
from model.views import COMPLETE as WHETHER_COMPLETE

BITS: dict[Condition, int] = {ALL_RED: ALL_RED_BIT, COMPLETE: COMPLETE_BIT}
"""Conditions that a kernel tells of packed states."""

WHOLE = "all that a field holds"
PORTION = 1 << 16
UNKNOWN = 2
"""The answer where nobody was asked yet."""
MOST_ANSWERS, MOST_IN_A_GROUP = 1 << 26, 1 << 31
"""Kinds of states that a table of answers has entries for; where there would be more, only those that are met are
numbered, by groups of fields of which each is one number.
"""

Truths = NDArray[np.bool_]


def bits_of(results: Results, rows: Int64s | range) -> NDArray[np.uint8]:
    """What of BEGUN, ALL_RED and COMPLETE is so in each of these rows."""
    return results.search.bits(rows)


class Answers:
    """What a predicate answers of packed states: asked once of each kind of state, kinds differing in what it reads."""

    def __init__(self, results: Results, formula: Formula, begun: bool | None = None) -> None:
        self.results, self.search, self.formula, self.begun = results, results.search, formula, begun
        self.reads: list[Read] = []
        self._known: tuple[object, ...] | None = None
        self._fields = self._bases = self._numbers = self._group = np.zeros(0, np.int64)
        self._groups = 1
        self._answers: NDArray[np.uint8] = np.zeros(0, np.uint8)
        self._kinds: DistinctRows | None = None

    def of(self, rows: range | Int64s) -> Truths:
        """The answers for these rows."""
        found: Truths = np.zeros(len(rows), np.bool_)
        for low in range(0, len(rows), PORTION):
            part = rows[low : low + PORTION]
            found[low : low + len(part)] = self._portion(part)
        return found

    def _portion(self, rows: range | Int64s) -> Truths:
        while True:
            self._prepare()
            kinds = self._kinds_of(rows)
            unknown = np.flatnonzero(self._answers[kinds] == UNKNOWN)
            own, first = np.unique(kinds[unknown], return_index=True)
            if self._learn(own, unknown[first] + rows.start if isinstance(rows, range) else rows[unknown[first]]):
                yes: Truths = self._answers[kinds] == 1
                return yes

    def _learn(self, kinds: Int64s, rows: Int64s) -> bool:
        """Ask about a row of each of these kinds; False as soon as it reads more than it was known to."""
        for kind, values in zip(kinds.tolist(), self.search.values(rows), strict=True):
            answer, view = self.formula.view(self.search.system, self.search.decode(values), self.begun)
            every = [(WHOLE, field) for field in range(len(self.search.counts()) - 1)]
            state = (own for own in view.read if own[0] != BEGUN)
            read = [one for own in state for one in (every if own[0] == WHETHER_COMPLETE else [own])]
            more = [one for one in dict.fromkeys(read) if one not in self.reads]
            if more:
                self.reads += more
                return False
            self._answers[kind] = answer
        return True

    def _prepare(self) -> None:
        """Kinds, by what is known to be read and the values that this takes now; no answer is known of any."""
        known = (len(self.reads), *self.search.counts())
        if self._known == known:
            return
        self._known = known
        columns = [self._column(*read) for read in self.reads]
        self._fields = np.array([field for field, _ in columns], np.int64)
        self._bases = np.cumsum([0, *(len(numbers) for _, numbers in columns)], dtype=np.int64)[:-1]
        strides, groups, entries = list[int](), list[int](), [1]
        for _, numbers in columns:
            size = int(numbers.max()) + 1
            if entries[-1] * size >= MOST_IN_A_GROUP:
                entries.append(1)
            strides.append(entries[-1])
            groups.append(len(entries) - 1)
            entries[-1] *= size
        parts = [numbers * stride for (_, numbers), stride in zip(columns, strides, strict=True)]
        self._numbers = np.concatenate([np.zeros(0, np.int64), *parts])
        self._group, self._groups = np.array(groups, np.int64), len(entries)
        few = len(entries) == 1 and entries[0] <= MOST_ANSWERS
        self._kinds = None if few else self.search.distinct(len(entries))
        self._answers = np.full(entries[0] if few else 0, UNKNOWN, np.uint8)

    def _kinds_of(self, rows: range | Int64s) -> Int64s:
        """The kind of each row: what it holds where the predicate reads, as one number."""
        keys = self.search.combined(rows, (self._fields, self._bases, self._numbers, self._group), self._groups)
        if self._kinds is None:
            return keys[:, 0]
        self._kinds.add(keys)
        new = np.full(self._kinds.count - len(self._answers), UNKNOWN, np.uint8)
        self._answers = np.concatenate([self._answers, new])
        return self._kinds.index(keys)

    def _column(self, word: str, index: int) -> tuple[int, Int64s]:
        """The field of a row in which this is read, and for each id of it a number: equal ones read the same."""
        predicates, machines = self.results.predicates, self.search.system.topology.machines
        if word == CHANNEL:
            return machines + index, np.array(predicates.payloads.parts[index], np.int64)
        if word == WHOLE:
            return index, np.arange(self.search.counts()[index])
        if word == RED:
            return index, (np.array(predicates.red.parts[index]) != 0).astype(np.int64)
        if word == RECORDED:
            none = [[0] * len(part) for part in predicates.red.parts]
            return index, np.array((predicates.recorded[0].parts if predicates.recorded else none)[index], np.int64)
        return index, np.array(predicates.state.parts[index], np.int64)


class Observations:
    """What one monitor observes of each row, as numbers of `values`."""

    def __init__(self, results: Results, monitor: RunMonitor) -> None:
        self.results, self.monitor = results, monitor
        self.values = Interner()
        self._numbers = np.full(results.search.count, -1, np.int64)
        every = range(results.search.count)
        if isinstance(monitor, Reaches) and monitor.condition in BITS:
            met = bits_of(results, every) & BITS[monitor.condition] != 0
            self._numbers = np.where(met, self.values(True), self.values(False))
        elif isinstance(monitor, OfStates):
            code, asked = np.zeros(len(every), np.uint8), list[tuple[Formula, bool | None]]()
            for one in monitor.formulas:
                asked += [(one, begun) for begun in ((False, True) if one.history else (None,))]
            for formula, begun in asked:
                code = 2 * code + Answers(results, formula, begun).of(every)
            names = [self.values(_paired(asked, one)) for one in range(1 << len(asked))]
            self._numbers = np.array(names, np.int64)[code]
        elif type(monitor).observe is RunMonitor.observe:
            self._numbers[:] = self.values(None)

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


def _paired(asked: list[tuple[Formula, bool | None]], code: int) -> tuple[tuple[bool, bool], ...]:
    """What `OfStates` observes, of the bits of a code: the last one is the answer to what was asked last."""
    bits = [bool(code >> i & 1) for i in reversed(range(len(asked)))]
    told = [bit for bit, (_, begun) in zip(bits, asked, strict=True) for _ in range(2 if begun is None else 1)]
    return tuple(zip(told[::2], told[1::2], strict=True))
