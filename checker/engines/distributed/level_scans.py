"""What the states of a level tell by themselves: which snapshots are complete, what is underlying, what is terminal."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from checker.engines.distributed.published_tables import PublishedTables
from checker.engines.native.kernels.scans import classify, completions, project
from checker.engines.native.tables.arrays import Int64s, Words

PORTION = 1 << 15
"""How many states are scanned at a time."""


def completed(tables: PublishedTables, rows: Words, low: int, high: int) -> Int64s:
    """What machines recorded in complete snapshots, distinct: see `TaskReport.keys`."""
    machines, snapshots = len(tables.judged.local_bases), int(tables.judged.flags[0])
    keys = np.empty((PORTION * snapshots, machines), np.int64)
    found = np.empty((PORTION * snapshots, 4), np.int64)
    distinct: list[Int64s] = []
    while low < high:
        n, low = completions(tables.judged, tables.layout, rows, low, min(high, low + PORTION), keys, found)
        if n:
            distinct.append(np.unique(np.concatenate([found[:n, 1:], keys[:n]], axis=1), axis=0))
    return np.unique(np.concatenate(distinct), axis=0) if distinct else np.empty((0, machines + 3), np.int64)


def projected(tables: PublishedTables, rows: Words, low: int, high: int) -> Int64s:
    """The distinct underlying states of those in which no machine is red."""
    width = len(tables.bases)
    distinct: list[Int64s] = []
    keys = np.empty((PORTION, width), np.int64)
    while low < high:
        n, low = project(
            tables.layout, rows, low, min(high, low + PORTION), tables.bases, tables.kinds, True, tables.touched, keys
        )
        if n:
            distinct.append(np.unique(keys[:n], axis=0))
    return np.unique(np.concatenate(distinct), axis=0) if distinct else np.empty((0, width), np.int64)


def terminal_kinds(tables: PublishedTables, rows: Words, numbers: Int64s) -> tuple[Words, NDArray[np.uint8]]:
    """One packed state for each kind of terminal state: its bits, and what of it is underlying."""
    chosen = rows[numbers]
    bits = np.zeros(len(chosen), np.uint8)
    if not len(chosen):
        return chosen, bits
    classify(tables.judged, tables.layout, chosen, 0, len(chosen), bits)
    keys = np.empty((len(chosen), len(tables.bases)), np.int64)
    project(tables.layout, chosen, 0, len(chosen), tables.bases, tables.kinds, False, tables.touched, keys)
    _, first = np.unique(np.concatenate([bits[:, None], keys], axis=1), axis=0, return_index=True)
    return chosen[first], bits[first]
