"""Interns rows of small integers, numbered in the order they came: snapshots recorded, states projected to."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from checker.engines.native.search.visited_set import LOAD, TAIL, Batch, StateSet, enter_all, find, insert
from checker.engines.native.tables.arrays import fields, pack, unpack

FIRST_WIDTH = 8


class RowInterner:
    """Distinct rows `int64[n, columns]`; equality decides, as in the visited set."""

    def __init__(self, columns: int) -> None:
        self.columns = columns
        self.widths = [FIRST_WIDTH] * columns
        self.layout, self.words = fields(self.widths)
        self.rows = np.empty((1 << 12, self.words), np.uint64)
        self.table = np.zeros((1 << 13) + TAIL, np.uint64)
        self.count = 0

    def add(self, values: NDArray[np.int64]) -> None:
        """Add rows of values."""
        if not len(values):
            return
        self._widen(values)
        self._reserve(len(values))
        hashes = np.empty(len(values), np.uint64)
        new = pack(self.layout, self.words, values)
        self.count, _ = insert(StateSet(self.table, self.rows), self.count, Batch(new, 0, len(values), hashes), 0)

    def new(self, values: NDArray[np.int64]) -> list[int]:
        """Add rows of values; the places of those that were not there, each once."""
        _, first = np.unique(values, axis=0, return_index=True)
        fresh: list[int] = first[self.index(values[first]) < 0].tolist()
        self.add(values)
        return fresh

    def index(self, values: NDArray[np.int64]) -> NDArray[np.int64]:
        """The numbers of the rows; -1 for one that is not there, as one with a negative value never is."""
        inside: NDArray[np.bool_] = np.all((values >= 0) & (values <= self.layout.mask.astype(np.int64)), axis=1)
        found = np.full(len(values), -1, np.int64)
        wanted = pack(self.layout, self.words, np.where(inside[:, None], values, 0))
        hashes = np.empty(len(values), np.uint64)
        find(StateSet(self.table, self.rows), Batch(wanted, 0, len(values), hashes), found)
        return np.where(inside, found, -1)

    def values(self, start: int = 0) -> NDArray[np.int64]:
        """The rows from number `start` on."""
        return unpack(self.layout, self.rows[start : self.count])

    def _widen(self, values: NDArray[np.int64]) -> None:
        highest = values.max(axis=0)
        if (highest <= self.layout.mask.astype(np.int64)).all():
            return
        old = self.values()
        # Old values may have used the spare bits of their fields: the new layout must hold them too.
        highest = np.maximum(highest, old.max(axis=0, initial=0))
        self.widths = [
            max(width, int(value).bit_length() + 1) for width, value in zip(self.widths, highest, strict=True)
        ]
        self.layout, self.words = fields(self.widths)
        rows = np.empty((len(self.rows), self.words), np.uint64)
        rows[: self.count] = pack(self.layout, self.words, old)
        self.rows = rows
        self.table[:] = 0
        enter_all(StateSet(self.table, self.rows), 0, self.count)

    def _reserve(self, more: int) -> None:
        need = self.count + more
        if need > len(self.rows):
            self.rows.resize((2 * need, self.words), refcheck=False)
        if need > int((len(self.table) - TAIL) * LOAD):
            self.table = np.zeros(int(2 * need / LOAD) + TAIL, np.uint64)
            enter_all(StateSet(self.table, self.rows), 0, self.count)
