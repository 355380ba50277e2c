"""Kernel that counts the runs from each row of a level, given those from the rows of the next; exact below 2^127."""

from __future__ import annotations

from typing import Any

import numpy as np

from checker.engines.native.kernels.compiled import kernel, prefetch
from checker.engines.native.kernels.expansion import Successors, expand
from checker.engines.native.kernels.fast_path import expand_plain, is_plain
from checker.engines.native.kernels.plan import Plan
from checker.engines.native.search.visited_set import AHEAD, find
from checker.engines.native.tables.arrays import Arrays, Fields, Int64s, Words


@kernel
def count_ways(
    t: Arrays,
    layout: Fields,
    plan: Plan,
    table: Words,
    rows: Words,
    low: int,
    high: int,
    out: Successors,
    hashes: Words,
    found: Int64s,
    here: Words,
    there: Words,
    next_level: int,
) -> Any:
    """here[i], of row low + i, as (lower, upper half) of the sum of `there` over its successors; 1 where it has none.

    Returns (rows done, misses, whether room is short, whether a sum is too large). there[j] is of row next_level + j.
    """
    batch, plain, at = len(out.quiet), is_plain(t, plan, rows), low
    while at < high:
        stop = min(high, at + batch)
        if plain:
            done, missing, choices = expand_plain(t, layout, plan, rows, at, stop, out, out.asleep[:0])
        else:
            done, missing, choices = expand(t, layout, rows, at, stop, out, False)
        if choices or missing > 0 or done == 0:
            return at - low, missing, missing == 0, False
        made = out.ends[done - 1]
        find(table, rows, out.rows, 0, made, found, hashes)
        first = 0
        for source in range(done):
            last = out.ends[source]
            lower, upper = np.uint64(1 if first == last else 0), np.uint64(0)
            for number in range(first, last):
                if number + AHEAD < made:
                    prefetch(there[found[number + AHEAD] - next_level], 0)
                target = found[number] - next_level
                more = there[target, 0]
                lower += more
                upper += there[target, 1] + np.uint64(1 if lower < more else 0)
                if upper >> np.uint64(63) != 0:
                    return at - low, 0, False, True
            here[at + source - low, 0], here[at + source - low, 1] = lower, upper
            first = last
        at += done
    return at - low, 0, False, False
