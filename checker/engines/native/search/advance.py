"""The search's inner loop: kernels that expand states and enter what is new, until something is wanted of Python."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from checker.engines.native.kernels.compiled import inlined, kernel
from checker.engines.native.kernels.fast_path import Relation, successors_of
from checker.engines.native.kernels.successors import Successors
from checker.engines.native.search.visited_set import LOAD, TAIL, Batch, StateSet, hash_all, insert_hashed
from checker.engines.native.tables.arrays import Int64s, Words

# Counters of a search, in an array that the kernels keep up to date, so that an interruption leaves them right: states
# found, states expanded, transitions, back edges (transitions that do not lead to the next level), terminal states; and
# the number of the first state that the table knows.
COUNT, NEXT, TRANSITIONS, BACK, TERMINAL, FIRST_KNOWN = range(6)

# Why `advance` came back.
DONE, MISSES, GROW, WIDER_ROOM, WIDER_CHOICES, LIMIT = range(6)


class Found(NamedTuple):
    """What a search has found, in arrays that grow: the visited set, which has all states in the order found, counters.

    terminal: the numbers of the states in which nothing but a fault can happen. sleep_sets: one for each row, or empty.
    inserted: room for which of a batch were new.
    """

    visited: StateSet
    counters: Int64s
    terminal: Int64s
    sleep_sets: Words
    inserted: Int64s


@inlined
def has_room(found: Found, successors: int, sources: int) -> Any:
    """Whether so many successors of so many sources can be entered."""
    counters, limit = found.counters, np.int64((len(found.visited.table) - TAIL) * LOAD)
    return counters[COUNT] + successors <= min(len(found.visited.rows), counters[FIRST_KNOWN] + limit) and counters[
        TERMINAL
    ] + sources <= len(found.terminal)


@kernel
def enter(found: Found, new: Batch, floor: int, sleep: Words) -> None:
    """Enter what is new in a batch whose hashes are known, with its sleep sets."""
    counters, sleep_sets, inserted = found.counters, found.sleep_sets, found.inserted
    before = counters[COUNT]
    count, back = insert_hashed(found.visited, before, new, floor, inserted)
    if len(sleep_sets) > 0:
        for i in range(count - before):
            sleep_sets[before + i] = sleep[inserted[i]]
    counters[COUNT] = count
    counters[BACK] += back


@inlined
def count_sources(found: Found, low: int, done: int, enabled: Any, terminal: Any) -> None:
    """Count the transitions of sources low..low + done as explored, and note the terminal ones."""
    counters = found.counters
    for source in range(done):
        counters[TRANSITIONS] += enabled[source]
        if terminal[source]:
            found.terminal[counters[TERMINAL]] = low + source
            counters[TERMINAL] += 1
    counters[NEXT] = low + done


@inlined
def enter_up_to(found: Found, out: Successors, done: int, floor: int, most: int, hashes: Words) -> Any:
    """Enter the successors of the first `done` sources; of fewer, if `most` states are found; how many sources."""
    if found.counters[COUNT] + out.ends[done - 1] < most:
        hash_all(out.states, 0, out.ends[done - 1], hashes)
        enter(found, Batch(out.states, 0, out.ends[done - 1], hashes), floor, out.sleep)
        return done
    start = 0
    for source in range(done):
        if found.counters[COUNT] >= most:
            return source
        hash_all(out.states, start, out.ends[source] - start, hashes)
        enter(found, Batch(out.states, start, out.ends[source], hashes), floor, out.sleep)
        start = out.ends[source]
    return done


@kernel
def advance(relation: Relation, found: Found, out: Successors, hashes: Words, end: int, floor: int, most: int) -> Any:
    """Expand from state counters[NEXT] to `end`, adding what is new; returns (why it came back, how many misses).

    `floor`: the end of the level. With `most` states or more found it stops before the next source (LIMIT), as the
    reference does.
    """
    counters, batch = found.counters, len(out.terminal)
    while counters[NEXT] < end:
        low = counters[NEXT]
        if counters[COUNT] >= most:
            return LIMIT, 0
        if not has_room(found, len(out.states), batch):
            return GROW, 0
        high = min(end, low + batch)
        done, missing, short = successors_of(relation, found.visited.rows, low, high, out, found.sleep_sets)
        if short:
            return WIDER_CHOICES, 0
        if done == 0:
            return MISSES if missing > 0 else WIDER_ROOM, missing
        done = enter_up_to(found, out, done, floor, most, hashes)
        count_sources(found, low, done, out.enabled, out.terminal)
        if missing > 0 and counters[COUNT] < most:
            return MISSES, missing
    return DONE, 0
