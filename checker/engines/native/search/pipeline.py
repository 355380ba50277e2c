"""Kernels for several threads: some expand, one looks up what they find, in the order in which one thread would.

The sources of a level are cut into batches, dealt to the expanding threads in turn. Each puts what it finds in its
bounded queue, a few slots used over and over; the entering thread takes the batches from the queues in the order of the
sources. So one table and one numbering do, no successor is sorted by owner or copied, and nobody waits but for a full
or an empty queue. Where a question is unanswered, what lies before it has been entered and is not made again.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from checker.engines.native.kernels.compiled import allocating_kernel, inlined, kernel
from checker.engines.native.kernels.fast_path import Relation, successors_of
from checker.engines.native.kernels.successors import Successors
from checker.engines.native.search.advance import (
    DONE,
    GROW,
    MISSES,
    NEXT,
    WIDER_CHOICES,
    WIDER_ROOM,
    Found,
    count_sources,
    enter,
    has_room,
)
from checker.engines.native.search.notification import notify, spin_wait
from checker.engines.native.search.visited_set import Batch, hash_all
from checker.engines.native.tables.arrays import Int64s

SLOTS = 4

# What is noted of a slot: the sources, why the expanding thread stopped there (DONE if it goes on), how many misses.
LOW, HIGH, WHY, MISSING = range(4)

STOP = 0
"""The signal that all are to stop."""

MADE = 1
"""MADE + 2k counts the slots that thread k has filled, the signal after it those of them that were emptied."""


class Queues(NamedTuple):
    """Bounded queues of what expanding threads hand over: as `Successors`, for each thread and slot, with hashes."""

    states: NDArray[np.uint64]
    hashes: NDArray[np.uint64]
    sleep: NDArray[np.uint64]
    ends: NDArray[np.int64]
    terminal: NDArray[np.uint8]
    enabled: NDArray[np.int64]
    notes: NDArray[np.int64]


def bounded_queues(threads: int, words: int, capacity: int, batch: int) -> Queues:
    """Queues of so many expanding threads, each slot with room for so many successors of so many sources."""
    return Queues(
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
    relation: Relation,
    found: Found,
    low: int,
    end: int,
    room: Successors,
    queues: Queues,
    signals: Int64s,
) -> None:
    """Expand this thread's batches of states low..end; `room` is its own, for all that does not go on the queue."""
    threads, batch = queues.states.shape[0], queues.ends.shape[2]
    filled, own = 0, MADE + 2 * thread
    for first in range(low + thread * batch, end, threads * batch):
        at, last = first, min(end, first + batch)
        while at < last:
            if not spin_wait(signals, own + 1, filled - SLOTS, STOP):
                return
            done, why = fill_slot(relation, found, at, last, room, queues, thread, filled % SLOTS)
            filled += 1
            notify(signals, own)
            if why != DONE:
                return
            at += done


@inlined
def fill_slot(
    relation: Relation, found: Found, at: int, last: int, room: Successors, queues: Queues, thread: int, slot: int
) -> Any:
    """Expand states at..last into a slot; returns (how many were done, DONE or what is wanted)."""
    out = Successors(
        queues.states[thread, slot], queues.ends[thread, slot], queues.terminal[thread, slot],
        queues.enabled[thread, slot], queues.sleep[thread, slot], room.actor, room.transition, room.served,
        room.misses, room.noted, room.scratch,
    )  # fmt: skip
    done, missing, short = successors_of(relation, found.visited.rows, at, last, out, found.sleep_sets)
    if done > 0:
        hash_all(out.states, 0, out.ends[done - 1], queues.hashes[thread, slot])
    why = DONE
    if short:
        why = WIDER_CHOICES
    elif missing > 0:
        why = MISSES
    elif done == 0:
        why = WIDER_ROOM
    note = queues.notes[thread, slot]
    note[LOW], note[HIGH], note[WHY], note[MISSING] = at, at + done, why, missing
    return done, why


@allocating_kernel
def consume(found: Found, end: int, floor: int, queues: Queues, signals: Int64s) -> Any:
    """Enter what the others find from state counters[NEXT] to `end`; returns (why it ended, misses, of which thread).

    `floor`: the end of the level. Where a slot's successors might not have room, it stops before them (GROW).
    """
    threads, capacity, batch = queues.states.shape[0], queues.states.shape[2], queues.ends.shape[2]
    counters = found.counters
    emptied = np.zeros(threads, np.int64)
    why, missing, thread = DONE, 0, 0
    boundary = counters[NEXT] + batch
    while counters[NEXT] < end and why == DONE:
        if not has_room(found, capacity, batch):
            why = GROW
            break
        if not spin_wait(signals, MADE + 2 * thread, emptied[thread], STOP):
            break
        why, missing = empty_slot(found, floor, queues, thread, emptied[thread] % SLOTS)
        emptied[thread] += 1
        notify(signals, MADE + 2 * thread + 1)
        if why == DONE and counters[NEXT] >= boundary:
            boundary += batch
            thread = (thread + 1) % threads
    notify(signals, STOP)
    return why, missing, thread


@inlined
def empty_slot(found: Found, floor: int, queues: Queues, thread: int, slot: int) -> Any:
    """Enter what a slot holds; returns (DONE or what its thread wants, how many misses)."""
    note = queues.notes[thread, slot]
    done = note[HIGH] - note[LOW]
    if done > 0:
        made, hashes = queues.ends[thread, slot, done - 1], queues.hashes[thread, slot]
        enter(found, Batch(queues.states[thread, slot], 0, made, hashes), floor, queues.sleep[thread, slot])
        count_sources(found, note[LOW], done, queues.enabled[thread, slot], queues.terminal[thread, slot])
    return note[WHY], note[MISSING]
