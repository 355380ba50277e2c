"""The explored graph as judging asks for it (`checker.judging.exploration`): scans of its packed states by kernels."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from checker.engines.native.kernels.components import strong_components
from checker.engines.native.kernels.scans import Judged, classify, combine, completions, judged, project
from checker.engines.native.paths.maximal_runs import graph, maximal_runs
from checker.engines.native.search.explored_graph import ExploredGraph
from checker.engines.native.tables.arrays import Fields, Int32s, Int64s, Words
from checker.engines.native.tables.interner import RowInterner
from checker.judging.exploration import Rows
from model.action import Local
from model.channels import Content
from model.system import State

PORTION = 1 << 15


class ScannedGraph(ExploredGraph):
    """States found, as an `Exploration`."""

    _judged: tuple[tuple[int, ...], Judged] | None = None

    def decode(self, values: Int64s) -> State:
        """The state that has these fields."""
        return self.tables.decode(values)

    def counts(self) -> tuple[int, ...]:
        """How many numbers each field has."""
        return tuple(self.tables.counts())

    def locals_of(self, machine: int) -> list[Local]:
        """The local states of a machine, by number."""
        return self.tables.locals[machine]

    def contents_of(self, channel: int) -> list[Content]:
        """The contents of a channel, by number."""
        return self.tables.contents[channel]

    def components(self, rows: Rows) -> tuple[Int64s, Int32s, Int32s]:
        """The graph of these rows, and the strongly connected component of each."""
        start, targets = graph(self, rows)
        return start, targets, strong_components(start, targets)

    def maximal_runs(self, asked: bool) -> int | None:
        """How many there are."""
        return maximal_runs(self, asked)

    def bits(self, rows: Rows) -> NDArray[np.uint8]:
        """What the rows tell at once."""
        bits, local = np.zeros(len(rows), np.uint8), self._local()
        if isinstance(rows, range):
            for block in self.blocks(rows):
                classify(local, self.layout, self.rows, block.start, block.stop, bits[block.start - rows.start :])
        else:
            classify(local, self.layout, self.rows[rows], 0, len(rows), bits)
        return bits

    def completed(self, rows: range) -> Iterator[tuple[Int64s, Int64s]]:
        """The completed snapshots of rows, in portions."""
        local = self._local()
        room, machines = PORTION * self.system.protocol.snapshots, self.system.topology.machines
        for block in self.blocks(rows):
            at = block.start
            while at < block.stop:
                keys, found = np.empty((room, machines + 1), np.int64), np.empty((room, 4), np.int64)
                stop = min(block.stop, at + PORTION)
                n, at = completions(local, self.layout, self.rows, at, stop, keys, found)
                keys[:n, machines] = found[:n, 1]
                if n:
                    yield keys[:n], found[:n]

    def combined(self, rows: Rows, columns: tuple[Int64s, Int64s, Int64s, Int64s], groups: int) -> Int64s:
        """Sums over some fields of rows."""
        (fields, *others), layout, (packed, low) = columns, self.layout, self._packed(rows)
        chosen = Fields(layout.word[fields], layout.shift[fields], layout.mask[fields])
        keys = np.zeros((len(rows), groups), np.int64)
        combine(chosen, packed, low, *others, keys)
        return keys

    def projected(self, bases: Int64s, numbers: Int64s, red: Int64s | None) -> Iterator[Int64s]:
        """All rows, each field replaced, in portions."""
        keys, touched = np.empty((PORTION, len(bases)), np.int64), numbers if red is None else red
        for block in self.blocks(range(self.count)):
            at = block.start
            while at < block.stop:
                n, at = project(self.layout, self.rows, at, block.stop, bases, numbers, red is not None, touched, keys)
                yield keys[:n]

    def distinct(self, columns: int) -> RowInterner:
        """An empty set of rows of so many values."""
        return RowInterner(columns)

    def _local(self) -> Judged:
        """What the kernels read of local states and contents, as far as they are known now."""
        known = self.counts()
        if self._judged is None or self._judged[0] != known:
            self._judged = known, judged(self.predicates)
        return self._judged[1]

    def _packed(self, rows: Rows) -> tuple[Words, int]:
        """The packed rows among which they are from a number on."""
        return (self.rows, rows.start) if isinstance(rows, range) else (self.rows[rows], 0)
