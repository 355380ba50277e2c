"""Memory that grows where it is: address space is taken at once, and memory only as it is written to.

A search does not know how many states it will find. Arrays that are copied when they are outgrown take the memory of
both, and fresh memory is dear: on a virtual machine to touch a page for the first time takes longer than to fill it.
"""

from __future__ import annotations

import mmap
import sys

import numpy as np

from checker.engines.memory import address_space_left, total_memory
from checker.engines.native.tables.arrays import Words

NO_RESERVE = 0x4000 if sys.platform == "linux" else 0
"""MAP_NORESERVE: the space need not be backed by memory or swap."""

SMALL = 1 << 22
"""Bytes at the beginning that are left to small pages: most searches are short."""


class Space:
    """Room for one array of 64-bit words, which keeps its place while it grows; all words are 0 at first."""

    __slots__ = ("_all", "_used")

    def __init__(self) -> None:
        self._all = _reserved()
        self._used = self._all[:0]

    def words(self, count: int) -> Words:
        """The first `count` words; those that were given out before hold what they held."""
        if count > len(self._all):
            moved: Words = np.zeros(count, np.uint64)
            moved[: len(self._used)] = self._used
            self._all = moved
        if count > len(self._used):
            self._used = self._all[:count]
        return self._all[:count]


def _reserved() -> Words:
    """Address space for as many bytes as there is memory; none where the system does not give it, or little."""
    size = (total_memory() or 0) // SMALL * SMALL
    if address_space_left() is not None or not size or not hasattr(mmap, "MAP_ANONYMOUS"):
        return np.zeros(0, np.uint64)
    try:
        space = mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | NO_RESERVE)
        if hasattr(mmap, "MADV_HUGEPAGE") and size > SMALL:
            space.madvise(mmap.MADV_HUGEPAGE, SMALL, size - SMALL)
    except OSError:
        return np.zeros(0, np.uint64)
    return np.frombuffer(space, np.uint64)
