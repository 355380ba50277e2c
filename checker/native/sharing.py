"""Kernels for several threads: each owns the states of some hashes, in a table of its own, so none waits for another.

A round has three phases, each thread doing its part of each: expand sources (`spread`), find out which successors are
new among the thread's own hashes (`claim`), number and store these (`settle`). Between the last two the new ones are
ranked in the order of the successors, so that rows get the numbers that one thread alone would have given them.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from checker.native.arrays import Arrays, Fields, Int64s, Words
from checker.native.compiled import kernel, prefetch
from checker.native.expansion import Successors, expand
from checker.native.plain import Plan, expand_plain, is_plain
from checker.native.store import AHEAD, TAIL, mix


@kernel
def owner(h: Any, threads: int) -> Any:
    """The thread that owns a hash (of 32 bits): by its lower half, since its upper bits choose the slot."""
    return np.int64(((h & np.uint64(0xFFFF)) * np.uint64(threads)) >> np.uint64(16))


@kernel
def spread(
    t: Arrays, layout: Fields, plan: Plan, rows: Words, low: int, high: int, out: Successors, hashes: Words, at: int
) -> Any:
    """`expand`, with the hashes of the successors written from hashes[at] on."""
    if is_plain(t, rows):
        done, missing, choices = expand_plain(t, layout, plan, rows, low, high, out)
    else:
        done, missing, choices = expand(t, layout, rows, low, high, out, False)
    if not choices and missing == 0 and done > 0:
        for number in range(out.ends[done - 1]):
            hashes[at + number] = mix(out.rows, number) >> np.uint64(32)
    return done, missing, choices


@kernel
def claim(
    table: Words,
    rows: Words,
    count: int,
    new: Words,
    hashes: Words,
    segments: Int64s,
    capacity: int,
    thread: int,
    floor: int,
    own: Int64s,
    slots: Int64s,
    fresh: NDArray[np.uint8],
) -> Any:
    """Enter this thread's successors that are not among rows[:count]; returns (how many are new, led below `floor`).

    Segment s of the successors is new[s * capacity:][:segments[s]]. A new one at position p gets the number count + p
    for now; own[i], slots[i] are its position and slot, and fresh[p] is 1.
    """
    threads = len(segments)
    places = np.uint64(len(table) - TAIL)
    words = rows.shape[1]
    n = 0
    for segment in range(threads):
        for position in range(segment * capacity, segment * capacity + segments[segment]):
            # Without a branch: the processor could not guess whose a hash is.
            own[n] = position
            n += owner(hashes[position], threads) == thread
    entered, back = 0, 0
    for step in range(n + 2 * AHEAD):
        if step < n:
            # Only the owner touches a position: a write by another thread, even of the old value, would lose its mark.
            fresh[own[step]] = 0
            prefetch(table, np.int64((hashes[own[step]] * places) >> np.uint64(32)))
        ahead = step - AHEAD
        if 0 <= ahead < n:
            h = hashes[own[ahead]]
            slot = table[np.int64((h * places) >> np.uint64(32))]
            number = np.int64(slot & np.uint64(0xFFFFFFFF)) - 1
            if slot != 0 and slot >> np.uint64(32) == h and number < count:
                prefetch(rows[number], 0)
        now = step - 2 * AHEAD
        if now >= 0:
            position = own[now]
            h = hashes[position]
            at = np.int64((h * places) >> np.uint64(32))
            while True:
                slot = table[at]
                if slot == 0:
                    table[at] = (h << np.uint64(32)) | np.uint64(count + position + 1)
                    fresh[position] = 1
                    own[entered], slots[entered] = position, at
                    entered += 1
                    break
                if slot >> np.uint64(32) == h:
                    number = np.int64(slot & np.uint64(0xFFFFFFFF)) - 1
                    same = True
                    for word in range(words):
                        there = rows[number, word] if number < count else new[number - count, word]
                        if there != new[position, word]:
                            same = False
                            break
                    if same:
                        if number < floor:
                            back += 1
                        break
                at += 1
    return entered, back


@kernel
def rank_fresh(fresh: NDArray[np.uint8], ranks: Int64s, before: int) -> Any:
    """ranks[p]: how many new ones there are ahead of p, `before` of them ahead of all; returns how many with these."""
    for position in range(len(fresh)):
        ranks[position] = before
        before += fresh[position]
    return before


@kernel
def settle(
    table: Words, rows: Words, count: int, new: Words, own: Int64s, slots: Int64s, entered: int, rank: Int64s
) -> None:
    """Give the new ones their numbers, count + rank[position], and store their rows."""
    for i in range(entered):
        position = own[i]
        number = count + rank[position]
        for word in range(rows.shape[1]):
            rows[number, word] = new[position, word]
        slot = table[slots[i]]
        table[slots[i]] = (slot & np.uint64(0xFFFFFFFF00000000)) | np.uint64(number + 1)


@kernel
def refill_own(table: Words, rows: Words, count: int, thread: int, threads: int) -> int:
    """Fill an empty table with those of rows[:count] that the thread owns; returns how many."""
    places = np.uint64(len(table) - TAIL)
    n = 0
    for number in range(count):
        h = mix(rows, number) >> np.uint64(32)
        if owner(h, threads) == thread:
            at = np.int64((h * places) >> np.uint64(32))
            while table[at] != 0:
                at += 1
            table[at] = (h << np.uint64(32)) | np.uint64(number + 1)
            n += 1
    return n
