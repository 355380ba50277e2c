"""Memory that grows where it is, and may give its beginning to a file.

Address space is taken at once, and memory only as it is written to: a search does not know how many states it will
find. Arrays that are copied when they are outgrown take the memory of both, and fresh memory is dear: on a virtual
machine to touch a page for the first time takes longer than to fill it.

What is seldom read goes to a file, which is mapped in the place of the memory: whoever has the array reads on as
before. Who reads much of it in order has it brought back, block by block. Both go around the system's own cache of
files, which costs ten times what the disk takes and is memory too.
"""

from __future__ import annotations

import ctypes
import mmap
import os
import sys
import tempfile
import weakref
from contextlib import suppress
from functools import cache
from typing import Any

import numpy as np

from checker.engines.memory import address_space_left, total_memory
from checker.engines.native.tables.arrays import Words

NO_RESERVE = 0x4000 if sys.platform == "linux" else 0
"""MAP_NORESERVE: the space need not be backed by memory or swap."""

SMALL = 1 << 22
"""Bytes at the beginning that are left to small pages: most searches are short."""

BEYOND = 16
"""Times as much address space as there is memory: what lies in a file takes none."""

PIECE = 1 << 21
"""Bytes that go to the file at a time, and multiples of it: a large page."""

AT_ONCE = 1 << 26
"""Bytes written or read by one call of the system."""

FIXED = 0x10
"""MAP_FIXED, on Linux: exactly there, in the place of what is mapped there now."""


class Space:
    """Room for one array of 64-bit words, which keeps its place while it grows; all words are 0 at first."""

    __slots__ = ("__weakref__", "_all", "_brought", "_dropped", "_file", "_in_file", "_map", "_used")

    def __init__(self) -> None:
        self._map = _reserved()
        self._all: Words = np.zeros(0, np.uint64) if self._map is None else np.frombuffer(self._map, np.uint64)
        self._used = self._all[:0]
        self._file: int | None = None
        self._in_file = self._dropped = 0
        self._brought = 0, 0  # bytes of the file that are in memory

    def words(self, count: int) -> Words:
        """The first `count` words; those that were given out before hold what they held."""
        if count > len(self._all):
            moved: Words = np.zeros(count, np.uint64)
            moved[: len(self._used)] = self._used
            self._all, self._map = moved, None
        if count > len(self._used):
            self._used = self._all[:count]
        return self._all[:count]

    @property
    def in_file(self) -> int:
        """How many bytes, from the beginning, lie in the file, but for what was dropped before."""
        return self._in_file

    def in_memory(self, words: int) -> int:
        """How many bytes of the first `words` words lie in memory."""
        return 8 * words - max(self._in_file, self._dropped)

    def to_file(self, words: int) -> None:
        """Put the first `words` words, as far as they fill pieces, into a file; `OSError` if it has no room for them.

        Nothing is lost then: what is not in the file stays in memory.
        """
        start, end = max(self._in_file, self._dropped), 8 * words // PIECE * PIECE
        if self._map is None or end <= start or _system_call() is None:
            return
        if self._file is None:
            self._file = _new_file()
            weakref.finalize(self, os.close, self._file)
        with memoryview(self._map) as view:
            at = start
            while at < end:
                at += os.pwrite(self._file, view[at : min(end, at + AT_ONCE)], at)
        self._put_in_place(start, end, self._file)
        self._in_file = end

    def bring(self, low: int, high: int) -> None:
        """Have words low..high, which somebody is about to read, in memory until the next `bring` or `release`."""
        self.release()
        start, end = 8 * low // PIECE * PIECE, min(self._in_file, -(-8 * high // PIECE) * PIECE)
        if self._map is None or self._file is None or end <= start:
            return
        self._put_in_place(start, end, None)
        self._brought = start, end
        with memoryview(self._map) as view:
            at = start
            while at < end:
                at += os.preadv(self._file, [view[at : min(end, at + AT_ONCE)]], at)

    def release(self) -> None:
        """Give back the memory of what was read from the file; it must not have been written to."""
        if self._map is not None and self._file is not None:
            (start, end), self._brought = self._brought, (0, 0)
            if end > start:
                self._put_in_place(start, end, self._file)
            self._map.madvise(mmap.MADV_DONTNEED, 0, self._in_file)

    def _put_in_place(self, start: int, end: int, file: int | None) -> None:
        """Map this part of the file, or fresh memory, in the place of bytes start..end."""
        place, access = self._all.ctypes.data + start, mmap.PROT_READ | mmap.PROT_WRITE
        if file is None:
            flags, file = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | NO_RESERVE, -1
        else:
            flags = mmap.MAP_SHARED
        if _system_call()(place, end - start, access, flags | FIXED, file, start) != place:
            raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
        if file < 0 and self._map is not None:
            self._map.madvise(mmap.MADV_HUGEPAGE, start, end - start)

    def drop(self, words: int) -> None:
        """Give back the memory of the first `words` words, as far as they fill pieces: nobody reads them again."""
        end = 8 * words // PIECE * PIECE
        if self._map is not None and end > self._dropped:
            self._map.madvise(mmap.MADV_DONTNEED, self._dropped, end - self._dropped)
            self._dropped = end


def folder() -> str:
    """Where files of the size of a search go: TMPDIR if it is set, else a temporary folder that is not in memory."""
    return os.environ.get("TMPDIR") or ("/var/tmp" if os.path.isdir("/var/tmp") else tempfile.gettempdir())


def _new_file() -> int:
    """A file that goes when nobody has it open; its descriptor."""
    descriptor, name = tempfile.mkstemp(prefix="redwhite-", dir=folder())
    try:
        if hasattr(os, "O_DIRECT"):
            with suppress(OSError):  # not every file system can
                direct = os.open(name, os.O_RDWR | os.O_DIRECT)
                os.close(descriptor)
                descriptor = direct
    finally:
        os.unlink(name)
    return descriptor


@cache
def _system_call() -> Any:
    """mmap of the C library, which maps a file in a given place as Python's does not; None where there is none."""
    if sys.platform != "linux":
        return None
    call = ctypes.CDLL(None, use_errno=True).mmap
    call.restype = ctypes.c_void_p
    call.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]
    return call


def _reserved() -> mmap.mmap | None:
    """Address space for what may be found; None where the system does not give it, or little."""
    size = BEYOND * (total_memory() or 0) // SMALL * SMALL
    if address_space_left() is not None or not size or not hasattr(mmap, "MAP_ANONYMOUS"):
        return None
    try:
        space = mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | NO_RESERVE)
        if hasattr(mmap, "MADV_HUGEPAGE") and size > SMALL:
            space.madvise(mmap.MADV_HUGEPAGE, SMALL, size - SMALL)
    except OSError:
        return None
    return space
