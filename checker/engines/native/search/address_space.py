"""Memory that grows where it is: address space is taken at once, and memory only as it is written to.

A search does not know how many states it will find. Arrays that are copied when they are outgrown take the memory of
both, and fresh memory is dear: on a virtual machine to touch a page for the first time takes longer than to fill it.
"""

from __future__ import annotations

import mmap
import os
import sys

import numpy as np

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
    """Address space for as many bytes as there is memory; none where the system does not give it."""
    size = (total_memory() or 0) // SMALL * SMALL
    if not size or not hasattr(mmap, "MAP_ANONYMOUS"):
        return np.zeros(0, np.uint64)
    try:
        space = mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | NO_RESERVE)
        if hasattr(mmap, "MADV_HUGEPAGE") and size > SMALL:
            space.madvise(mmap.MADV_HUGEPAGE, SMALL, size - SMALL)
    except OSError:
        return np.zeros(0, np.uint64)
    return np.frombuffer(space, np.uint64)


def total_memory() -> int | None:
    """Bytes of memory that the machine has, if the system tells."""
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (ValueError, OSError, AttributeError):
        return None


def available_memory() -> int | None:
    """Bytes of memory that are free for use, if the system tells."""
    try:
        with open("/proc/meminfo", encoding="ascii") as lines:
            for line in lines:
                if line.startswith("MemAvailable:"):
                    return int(line.split()[1]) * 1024
    except OSError:
        pass
    try:
        return os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (ValueError, OSError, AttributeError):
        return None
