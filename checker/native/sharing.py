"""Kernels for several threads: each owns the states of some hashes, in a table of its own, so none waits for a lock.

Threads go through rounds together. In a round a thread expands its share of the sources and sorts the successors by
owner (`spread`); then enters those it owns into its table, keeping the new ones (`claim`); then numbers and stores the
new ones among the successors of its own share (`settle`): shares follow one another, and within one the order is that
of the successors, so rows get the numbers that one thread alone would have given them. Threads meet twice a round.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from checker.native.arrays import Arrays, Fields, Int64s, Words
from checker.native.compiled import kernel, prefetch
from checker.native.expansion import Successors, expand
from checker.native.meeting import meet
from checker.native.plain import Plan, expand_plain, is_plain
from checker.native.store import (
    AHEAD,
    GROW,
    LIMIT,
    LOAD,
    MISSES,
    TAIL,
    WIDER_CHOICES,
    WIDER_ROOM,
    copy,
    hash_all,
    mix,
    same,
)

PLACE = np.uint64(0xFFFFFFFF)

# What a thread tells the others, in its own row of `Exchange.board`; then how many successors it has for each.
WHY, MADE, USED, MOST, HEAD = range(5)


class Exchange(NamedTuple):
    """What threads hand each other; the first index is the thread that writes.

    sent, keys: for each owner, the rows of its successors, and hash << 32 | place among the thread's successors.
    fresh, places: the new rows the thread owns, in order of share and place. slots: where in its table they are.
    numbers: the row numbers they get (written by those who settle). starts: where in `fresh` each share begins.
    board: see WHY and on. rooms: successors, fresh ones, that there is room for.
    """

    sent: NDArray[np.uint64]
    keys: NDArray[np.uint64]
    fresh: NDArray[np.uint64]
    places: NDArray[np.int64]
    slots: NDArray[np.int64]
    numbers: NDArray[np.int64]
    starts: NDArray[np.int64]
    board: NDArray[np.int64]


def exchange(threads: int, words: int, capacity: int) -> Exchange:
    """Room for `capacity` successors of each thread in a round."""
    return Exchange(
        np.empty((threads, threads, capacity, words), np.uint64),
        np.empty((threads, threads, capacity), np.uint64),
        np.empty((threads, threads * capacity, words), np.uint64),
        np.empty((threads, threads * capacity), np.int64),
        np.empty((threads, threads * capacity), np.int64),
        np.empty((threads, threads * capacity), np.int64),
        np.zeros((threads, threads + 17), np.int64),
        np.zeros((threads, threads + 32), np.int64),
    )


@kernel
def owner(h: Any, threads: int) -> Any:
    """The thread that owns a hash (of 32 bits): by its lower half, since its upper bits choose the slot."""
    return np.int64(((h & np.uint64(0xFFFF)) * np.uint64(threads)) >> np.uint64(16))


@kernel
def spread(
    t: Arrays,
    layout: Fields,
    plan: Plan,
    rows: Words,
    low: int,
    high: int,
    out: Successors,
    threads: int,
    hashes: Words,
    sent: NDArray[np.uint64],
    keys: Words,
    board: Int64s,
    quiet: NDArray[np.uint8],
) -> Any:
    """Expand rows[low:high] and sort the successors by owner; returns (why it came back, how many misses).

    `sent`, `keys`, `board` are this thread's. quiet[i]: in row low + i nothing but a fault can happen.
    """
    batch, words = len(out.quiet), rows.shape[1]
    plain = is_plain(t, rows)
    made, at = 0, low
    board[HEAD : HEAD + threads] = 0
    while at < high:
        stop = min(high, at + batch)
        if plain:
            done, missing, choices = expand_plain(t, layout, plan, rows, at, stop, out)
        else:
            done, missing, choices = expand(t, layout, rows, at, stop, out, False)
        if choices:
            return WIDER_CHOICES, 0
        if missing > 0:
            return MISSES, missing
        if done == 0 or made + out.ends[done - 1] > keys.shape[1]:
            return WIDER_ROOM, 0
        hash_all(out.rows, 0, out.ends[done - 1], hashes)
        for number in range(out.ends[done - 1]):
            h = hashes[number]
            to = owner(h, threads)
            place = board[HEAD + to]
            board[HEAD + to] = place + 1
            keys[to, place] = (h << np.uint64(32)) | np.uint64(made + number)
            sent[to, place, 0] = out.rows[number, 0]
            if words > 1:
                sent[to, place, 1] = out.rows[number, 1]
            if words > 2:
                for word in range(2, words):
                    sent[to, place, word] = out.rows[number, word]
        for source in range(done):
            quiet[at + source - low] = out.quiet[source]
        made += out.ends[done - 1]
        at += done
    board[MADE] = made
    return 0, 0


@kernel
def claim(
    table: Words,
    rows: Words,
    count: int,
    sent: Words,
    keys: Words,
    n: int,
    floor: int,
    fresh: Words,
    places: Int64s,
    slots: Int64s,
    entered: int,
) -> Any:
    """Enter those of sent[:n] that are not among rows[:count] or fresh[:entered]; returns (how many in all, back).

    Number i of `fresh` stands in the table as row count + i for now. `back`: how many led below row `floor`.
    """
    spots = np.uint64(len(table) - TAIL)
    back = 0
    for step in range(n + 2 * AHEAD):
        if step < n:
            prefetch(table, np.int64(((keys[step] >> np.uint64(32)) * spots) >> np.uint64(32)))
        ahead = step - AHEAD
        if 0 <= ahead < n:
            h = keys[ahead] >> np.uint64(32)
            slot = table[np.int64((h * spots) >> np.uint64(32))]
            number = np.int64(slot & PLACE) - 1
            if slot != 0 and slot >> np.uint64(32) == h and number < count:
                prefetch(rows[number], 0)
        now = step - 2 * AHEAD
        if now >= 0:
            h = keys[now] >> np.uint64(32)
            at = np.int64((h * spots) >> np.uint64(32))
            while True:
                slot = table[at]
                if slot == 0:
                    table[at] = (h << np.uint64(32)) | np.uint64(count + entered + 1)
                    copy(fresh, entered, sent, now)
                    places[entered], slots[entered] = np.int64(keys[now] & PLACE), at
                    entered += 1
                    break
                if slot >> np.uint64(32) == h:
                    number = np.int64(slot & PLACE) - 1
                    if same(rows, number, sent, now) if number < count else same(fresh, number - count, sent, now):
                        if number < floor:
                            back += 1
                        break
                at += 1
    return entered, back


@kernel
def settle(x: Exchange, rows: Words, count: int, share: int) -> None:
    """Store the new rows among one share's successors, in their order; `numbers` says which became which."""
    threads = len(x.starts)
    heads = np.empty(threads, np.int64)
    before, after = count, count
    for thread in range(threads):
        heads[thread] = x.starts[thread, share]
        before += heads[thread]
        after += x.starts[thread, share + 1]
    for number in range(before, after):
        first, least = 0, np.int64(1) << 62
        for thread in range(threads):
            if heads[thread] < x.starts[thread, share + 1] and x.places[thread, heads[thread]] < least:
                first, least = thread, x.places[thread, heads[thread]]
        place = heads[first]
        for word in range(rows.shape[1]):
            rows[number, word] = x.fresh[first, place, word]
        x.numbers[first, place] = number
        heads[first] = place + 1


@kernel
def work(
    thread: int,
    t: Arrays,
    layout: Fields,
    plan: Plan,
    table: Words,
    used: int,
    rows: Words,
    count: int,
    low: int,
    end: int,
    floor: int,
    share: int,
    out: Successors,
    x: Exchange,
    at: Int64s,
    quiet: NDArray[np.uint8],
) -> Any:
    """One thread's part in expanding rows[low:end], `share` rows a round; all threads are to call it at once.

    Returns (why it came back, misses of this thread; and as far as the rounds were completed: where they end, rows,
    transitions, entries in this thread's table, how many of its successors led below row `floor`). quiet[i] is of row
    low + i.
    """
    threads = len(x.starts)
    board, start, meetings = x.board[thread], low, 0
    transitions, entered, back = 0, 0, 0
    hashes = np.empty(len(out.rows), np.uint64)
    while True:
        mine = min(end, low + thread * share)
        last = min(end, mine + share)
        board[WHY], missing, board[MADE], board[USED] = 0, 0, 0, used
        board[HEAD : HEAD + threads] = 0
        board[MOST] = len(table) - TAIL
        if low >= end:
            board[WHY] = LIMIT
        elif mine < last:
            board[WHY], missing = spread(
                t, layout, plan, rows, mine, last, out, threads, hashes, x.sent[thread], x.keys[thread], board,
                quiet[mine - start :],
            )  # fmt: skip
        meetings += threads
        if not meet(at, meetings):
            return -1, 0, low, count, transitions, used, back
        # The last round's new rows have their numbers by now.
        for i in range(entered):
            slot = table[x.slots[thread, i]]
            table[x.slots[thread, i]] = (slot & ~PLACE) | np.uint64(x.numbers[thread, i] + 1)
        why = decide(x, len(rows) - count)
        if why != 0:
            return why, missing, low, count, transitions, used, back
        entered = 0
        for other in range(threads):
            x.starts[thread, other] = entered
            transitions += x.board[other, MADE]
            entered, led = claim(
                table, rows, count, x.sent[other, thread], x.keys[other, thread], x.board[other, HEAD + thread], floor,
                x.fresh[thread], x.places[thread], x.slots[thread], entered,
            )  # fmt: skip
            back += led
        x.starts[thread, threads] = entered
        used += entered
        meetings += threads
        if not meet(at, meetings):
            return -1, 0, low, count, transitions, used, back
        settle(x, rows, count, thread)
        for other in range(threads):
            count += x.starts[other, threads]
        low = min(end, low + threads * share)


@kernel
def decide(x: Exchange, room: int) -> Any:
    """Why the round cannot go on, 0 if it can: all threads read the same and come to the same."""
    threads, made = len(x.starts), 0
    for thread in range(threads):
        if x.board[thread, WHY] != 0:
            return x.board[thread, WHY]
        made += x.board[thread, MADE]
    if made > room:
        return GROW
    for thread in range(threads):
        more = x.board[thread, USED]
        for other in range(threads):
            more += x.board[other, HEAD + thread]
        if more > np.int64(x.board[thread, MOST] * LOAD):
            return GROW
    return 0


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
