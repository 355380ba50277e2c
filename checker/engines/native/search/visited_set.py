"""The visited set: rows in the order found, and an open-addressing table of their numbers.

A table slot is 0 or (the upper 32 bits of the row's hash, the row's number + 1). The hash chooses where to look and
rules rows out; equality of the rows decides. A slot's place is proportional to the hash (not its remainder), so a
larger table is filled from a smaller one by reading both from end to end, even in its own place. Looking up is
pipelined over a batch: the slot, then the row, is asked of the memory some successors ahead of its use.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from checker.engines.native.kernels.compiled import allocating_kernel, inlined, kernel, prefetch
from checker.engines.native.tables.arrays import Fields, Int64s, Words

AHEAD = 24
TAIL = 4096
"""Slots beyond the last place, so that probing hardly ever goes round to the first slot."""

LOAD = 0.8


class StateSet(NamedTuple):
    """A table of the numbers of rows, and the rows."""

    table: Words
    rows: Words


class Batch(NamedTuple):
    """rows[low:high], with room for their hashes, hashes[0:high - low]."""

    rows: Words
    low: int
    high: int
    hashes: Words


@kernel
def mix(rows: Words, number: int) -> Any:
    """The hash of a row."""
    h = (np.uint64(0x9E3779B97F4A7C15) ^ rows[number, 0]) * np.uint64(0xFF51AFD7ED558CCD)
    h ^= h >> np.uint64(32)
    for word in range(1, rows.shape[1]):
        h = (h ^ rows[number, word]) * np.uint64(0xFF51AFD7ED558CCD)
        h ^= h >> np.uint64(32)
    return h * np.uint64(0xC4CEB9FE1A85EC53)


@allocating_kernel
def repack(old: Fields, rows: Words, layout: Fields, new: Words, count: int) -> None:
    """new[:count] are rows[:count] in another layout; both may be the same."""
    values = np.empty(len(old.word), np.uint64)
    for number in range(count):
        for field in range(len(values)):
            values[field] = (rows[number, old.word[field]] >> old.shift[field]) & old.mask[field]
        for word in range(new.shape[1]):
            new[number, word] = 0
        for field in range(len(values)):
            new[number, layout.word[field]] |= values[field] << layout.shift[field]


@kernel
def hash_all(rows: Words, low: int, n: int, hashes: Words) -> None:
    """The upper halves of the hashes of n rows from number `low` on, in hashes[:n]."""
    if rows.shape[1] == 1:
        for i in range(n):  # the same as `mix`: the compiler does several at once where there is no inner loop
            h = (np.uint64(0x9E3779B97F4A7C15) ^ rows[low + i, 0]) * np.uint64(0xFF51AFD7ED558CCD)
            hashes[i] = ((h ^ (h >> np.uint64(32))) * np.uint64(0xC4CEB9FE1A85EC53)) >> np.uint64(32)
    elif rows.shape[1] == 2:
        for i in range(n):
            h = (np.uint64(0x9E3779B97F4A7C15) ^ rows[low + i, 0]) * np.uint64(0xFF51AFD7ED558CCD)
            h = ((h ^ (h >> np.uint64(32))) ^ rows[low + i, 1]) * np.uint64(0xFF51AFD7ED558CCD)
            hashes[i] = ((h ^ (h >> np.uint64(32))) * np.uint64(0xC4CEB9FE1A85EC53)) >> np.uint64(32)
    else:
        for i in range(n):
            hashes[i] = mix(rows, low + i) >> np.uint64(32)


@kernel
def same(rows: Words, number: Any, others: Words, other: Any) -> Any:
    """Whether two rows are equal. The first two words by themselves: few rows have more, and a loop is dear."""
    words = rows.shape[1]
    equal = rows[number, 0] == others[other, 0]
    if words > 1:
        equal = equal and rows[number, 1] == others[other, 1]
    if words > 2:
        for word in range(2, words):
            equal = equal and rows[number, word] == others[other, word]
    return equal


@kernel
def copy(rows: Words, number: int, others: Words, other: int) -> None:
    """Make a row what the other one is."""
    words = rows.shape[1]
    rows[number, 0] = others[other, 0]
    if words > 1:
        rows[number, 1] = others[other, 1]
    if words > 2:
        for word in range(2, words):
            rows[number, word] = others[other, word]


@kernel
def next_slot(table: Words, at: Any) -> Any:
    """The slot that is tried after this one."""
    return at + 1 if at + 1 < len(table) else 0


@allocating_kernel
def insert(states: StateSet, count: int, new: Batch, floor: int) -> Any:
    """Add what is new of a batch to rows[:count]; returns (count, how many led below row `floor`)."""
    hash_all(new.rows, new.low, new.high - new.low, new.hashes)
    return insert_hashed(states, count, new, floor, np.empty(0, np.int64))


@kernel
def insert_hashed(states: StateSet, count: int, new: Batch, floor: int, inserted: Int64s) -> Any:
    """The same with the hashes known; inserted[i], if there is room: which of the batch became row count + i."""
    table, rows = states
    places, n = np.uint64(len(table) - TAIL), new.high - new.low
    before, back = count, 0
    for step in range(n + 2 * AHEAD):
        look_ahead(states, new.hashes, step, n)
        now = step - 2 * AHEAD
        if now >= 0:
            h, other = new.hashes[now], new.low + now
            at = np.int64((h * places) >> np.uint64(32))
            while True:
                slot = table[at]
                if slot == 0:
                    copy(rows, count, new.rows, other)
                    if len(inserted) > 0:
                        inserted[count - before] = other
                    count += 1
                    table[at] = (h << np.uint64(32)) | np.uint64(count)
                    break
                if slot >> np.uint64(32) == h:
                    number = np.int64(slot & np.uint64(0xFFFFFFFF)) - 1
                    if same(rows, number, new.rows, other):
                        if number < floor:
                            back += 1
                        break
                at = next_slot(table, at)
    return count, back


@inlined
def look_ahead(states: StateSet, hashes: Words, step: int, n: int) -> None:
    """Ask the memory for the slot of row `step` of n, and for the row that the slot of an earlier one may name."""
    places = np.uint64(len(states.table) - TAIL)
    if step < n:
        prefetch(states.table, np.int64((hashes[step] * places) >> np.uint64(32)))
    ahead = step - AHEAD
    if 0 <= ahead < n:
        slot = states.table[np.int64((hashes[ahead] * places) >> np.uint64(32))]
        if slot != 0 and slot >> np.uint64(32) == hashes[ahead]:
            prefetch(states.rows[np.int64(slot & np.uint64(0xFFFFFFFF)) - 1], 0)


@kernel
def find(states: StateSet, wanted: Batch, found: Int64s) -> None:
    """The numbers of the rows of a batch in found[0:]; -1 for a row that is not there."""
    table, rows = states
    places, n = np.uint64(len(table) - TAIL), wanted.high - wanted.low
    hash_all(wanted.rows, wanted.low, n, wanted.hashes)
    for step in range(n + 2 * AHEAD):
        look_ahead(states, wanted.hashes, step, n)
        now = step - 2 * AHEAD
        if now >= 0:
            h = wanted.hashes[now]
            at = np.int64((h * places) >> np.uint64(32))
            found[now] = -1
            while table[at] != 0:
                if table[at] >> np.uint64(32) == h:
                    number = np.int64(table[at] & np.uint64(0xFFFFFFFF)) - 1
                    if same(rows, number, wanted.rows, wanted.low + now):
                        found[now] = number
                        break
                at = next_slot(table, at)


@kernel
def refill(table: Words, old: Words) -> None:
    """Fill an empty, larger table from an old one."""
    places = np.uint64(len(table) - TAIL)
    for i in range(len(old)):
        slot = old[i]
        if slot != 0:
            at = np.int64(((slot >> np.uint64(32)) * places) >> np.uint64(32))
            while table[at] != 0:
                at = next_slot(table, at)
            table[at] = slot


@allocating_kernel
def stretch(table: Words, length: int) -> Any:
    """Refill a table that had only its first `length` slots, the others being empty; False if it must be rebuilt.

    From the end on each entry moves to its new place, which lies further back, where all have been moved already; but
    for a few at the beginning, which are put aside meanwhile.
    """
    places = np.uint64(len(table) - TAIL)
    aside = np.empty(4 * TAIL, np.uint64)
    n = 0
    for i in range(length - 1, -1, -1):
        slot = table[i]
        if slot != 0:
            table[i] = 0
            at = np.int64(((slot >> np.uint64(32)) * places) >> np.uint64(32))
            if at < i:
                if n == len(aside):
                    return False
                aside[n] = slot
                n += 1
            else:
                while table[at] != 0:
                    at += 1
                    if at == len(table):
                        return False
                table[at] = slot
    for i in range(n):
        at = np.int64(((aside[i] >> np.uint64(32)) * places) >> np.uint64(32))
        while table[at] != 0:
            at = next_slot(table, at)
        table[at] = aside[i]
    return True


@allocating_kernel
def enter_all(states: StateSet, low: int, high: int) -> None:
    """Enter the numbers of rows[low:high], which are distinct, into the table; none of them is there."""
    table, rows = states
    places = np.uint64(len(table) - TAIL)
    hashes = np.empty(4096, np.uint64)
    for first in range(low, high, len(hashes)):
        n = min(len(hashes), high - first)
        hash_all(rows, first, n, hashes)
        for step in range(n + AHEAD):
            if step < n:
                prefetch(table, np.int64((hashes[step] * places) >> np.uint64(32)))
            now = step - AHEAD
            if now >= 0:
                at = np.int64((hashes[now] * places) >> np.uint64(32))
                while table[at] != 0:
                    at = next_slot(table, at)
                table[at] = (hashes[now] << np.uint64(32)) | np.uint64(first + now + 1)
