"""Kernels for several threads: some expand, one looks up what they find, in the order in which one thread would.

The sources of a level are cut into batches, dealt to the expanding threads in turn. Each puts what it finds on its
*belt*, a few slots used over and over; the entering thread takes the batches off the belts in the order of the sources.
So one table and one numbering do, no successor is sorted by owner or copied, and nobody waits but for a full or an
empty belt. Where a question is unanswered, what lies before it has been entered and is not made again.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from checker.engines.native.kernels.compiled import kernel
from checker.engines.native.kernels.expansion import Successors, expand
from checker.engines.native.kernels.fast_path import expand_plain, is_plain
from checker.engines.native.kernels.plan import Plan
from checker.engines.native.search.notification import tell, wait
from checker.engines.native.search.visited_set import (
    COUNT,
    DONE,
    GROW,
    LOAD,
    MISSES,
    NEXT,
    QUIET,
    TAIL,
    TRANSITIONS,
    WIDER_CHOICES,
    WIDER_ROOM,
    enter,
    hash_all,
)
from checker.engines.native.tables.arrays import Arrays, Fields, Int64s, Words

SLOTS = 4

# What is noted of a slot: the sources, why the expanding thread stopped there (DONE if it goes on), how many misses.
LOW, HIGH, WHY, MISSING = range(4)

STOP = 0
"""The signal that all are to stop."""

MADE = 1
"""MADE + 2k counts the slots that thread k has filled, the signal after it those of them that were emptied."""


class Belts(NamedTuple):
    """What expanding threads hand over, as in `Successors` but for each thread and slot; `hashes` of the successors."""

    rows: NDArray[np.uint64]
    hashes: NDArray[np.uint64]
    asleep: NDArray[np.uint64]
    ends: NDArray[np.int64]
    quiet: NDArray[np.uint8]
    enabled: NDArray[np.int64]
    notes: NDArray[np.int64]


def belts(threads: int, words: int, capacity: int, batch: int) -> Belts:
    """Belts of so many expanding threads, each slot with room for so many successors of so many sources."""
    return Belts(
        np.empty((threads, SLOTS, capacity, words), np.uint64),
        np.empty((threads, SLOTS, capacity), np.uint64),
        np.empty((threads, SLOTS, capacity), np.uint64),
        np.empty((threads, SLOTS, batch), np.int64),
        np.empty((threads, SLOTS, batch), np.uint8),
        np.empty((threads, SLOTS, batch), np.int64),
        np.empty((threads, SLOTS, 4), np.int64),
    )


@kernel
def produce(
    thread: int,
    t: Arrays,
    layout: Fields,
    plan: Plan,
    rows: Words,
    low: int,
    end: int,
    room: Successors,
    belt: Belts,
    asleep: Words,
    signals: Int64s,
) -> None:
    """Expand this thread's batches of rows[low:end]; `room` is its own, for all that does not go on the belt."""
    threads, batch = belt.rows.shape[0], belt.ends.shape[2]
    plain, filled, own = is_plain(t, plan, rows), 0, MADE + 2 * thread
    if not plain:
        asleep = asleep[:0]
    for first in range(low + thread * batch, end, threads * batch):
        at, last = first, min(end, first + batch)
        while at < last:
            if not wait(signals, own + 1, filled - SLOTS, STOP):
                return
            slot = filled % SLOTS
            out = Successors(
                belt.rows[thread, slot], belt.ends[thread, slot], belt.quiet[thread, slot], belt.enabled[thread, slot],
                belt.asleep[thread, slot], room.actor, room.row, room.served, room.misses, room.values,
                room.choice_configuration, room.choice_size, room.choice_channel, room.choice_after, room.waiting,
                room.picked, room.offer,
            )  # fmt: skip
            if plain:
                done, missing, choices = expand_plain(t, layout, plan, rows, at, last, out, asleep)
            else:
                done, missing, choices = expand(t, layout, rows, at, last, out, False)
                done = 0 if missing > 0 or choices else done
            if done > 0:
                hash_all(out.rows, 0, out.ends[done - 1], belt.hashes[thread, slot])
            note = belt.notes[thread, slot]
            note[LOW], note[HIGH], note[MISSING], note[WHY] = at, at + done, missing, DONE
            if choices:
                note[WHY] = WIDER_CHOICES
            elif missing > 0:
                note[WHY] = MISSES
            elif done == 0:
                note[WHY] = WIDER_ROOM
            why = note[WHY]
            filled += 1
            tell(signals, own)
            if why != DONE:
                return
            at += done


@kernel
def consume(
    table: Words,
    rows: Words,
    counters: Int64s,
    end: int,
    floor: int,
    belt: Belts,
    quiet: Int64s,
    asleep: Words,
    born: Int64s,
    signals: Int64s,
) -> Any:
    """Enter what the others find from rows counters[NEXT] to `end`; returns (why it ended, misses, of which thread).

    `floor`: the end of the level. Where a slot's successors might not have room, it stops before them (GROW).
    """
    threads, batch, capacity = belt.rows.shape[0], belt.ends.shape[2], belt.rows.shape[2]
    limit = min(len(rows), np.int64((len(table) - TAIL) * LOAD))
    emptied = np.zeros(threads, np.int64)
    why, missing, thread = DONE, 0, 0
    boundary = counters[NEXT] + batch
    while counters[NEXT] < end and why == DONE:
        if counters[COUNT] + capacity > limit or counters[QUIET] + batch > len(quiet):
            why = GROW
            break
        if len(asleep) > 0 and counters[COUNT] + capacity - counters[NEXT] > len(asleep):
            why = GROW
            break
        if not wait(signals, MADE + 2 * thread, emptied[thread], STOP):
            break
        slot = emptied[thread] % SLOTS
        note = belt.notes[thread, slot]
        done = note[HIGH] - note[LOW]
        if done > 0:
            enter(
                table, rows, counters, belt.rows[thread, slot], 0, belt.ends[thread, slot, done - 1], floor,
                belt.hashes[thread, slot], asleep, belt.asleep[thread, slot], born,
            )  # fmt: skip
            for source in range(done):
                counters[TRANSITIONS] += belt.enabled[thread, slot, source]
                if belt.quiet[thread, slot, source]:
                    quiet[counters[QUIET]] = note[LOW] + source
                    counters[QUIET] += 1
            counters[NEXT] = note[HIGH]
        why, missing = note[WHY], note[MISSING]
        emptied[thread] += 1
        tell(signals, MADE + 2 * thread + 1)
        if why == DONE and counters[NEXT] >= boundary:
            boundary += batch
            thread = (thread + 1) % threads
    tell(signals, STOP)
    return why, missing, thread
