"""Kernel that counts the runs from each state of a level, given those from the states of the next."""

from __future__ import annotations

from typing import Any

import numpy as np

from checker.engines.native.kernels.compiled import inlined, kernel, prefetch
from checker.engines.native.kernels.fast_path import Relation, successors_of
from checker.engines.native.kernels.successors import Successors
from checker.engines.native.search.visited_set import AHEAD, Batch, StateSet, find
from checker.engines.native.tables.arrays import Int64s, Words


@kernel
def count_paths(
    relation: Relation,
    visited: StateSet,
    level: tuple[int, int],
    out: Successors,
    hashes: Words,
    found: Int64s,
    runs: tuple[Words, Words],
) -> Any:
    """Of each state of low..high, `level`: the sum of the numbers of its successors; 1 where it has none.

    runs: the numbers of this level's states and of the next one's, which begins at `high`: rows of 64-bit digits.
    Returns (states done, misses, whether room is short, whether a sum has outgrown the digits).
    """
    (low, high), (here, there) = level, runs
    batch, at = len(out.terminal), low
    while at < high:
        done, missing, short = successors_of(relation, visited.rows, at, min(high, at + batch), out, out.sleep[:0])
        if short or missing > 0 or done == 0:
            return at - low, missing, missing == 0, False
        made = out.ends[done - 1]
        find(visited, Batch(out.states, 0, made, hashes), found)
        first = 0
        for source in range(done):
            last = out.ends[source]
            for digit in range(here.shape[1]):
                here[at + source - low, digit] = 1 if first == last and digit == 0 else 0
            for number in range(first, last):
                if number + AHEAD < made:
                    prefetch(there[found[number + AHEAD] - high], 0)
                if not add(here[at + source - low], there[found[number] - high]):
                    return at - low, 0, False, True
            first = last
        at += done
    return at - low, 0, False, False


@inlined
def add(total: Words, number: Words) -> Any:
    """Add a number to another, digit by digit; False where the sum has outgrown them."""
    carry = np.uint64(0)
    for digit in range(len(total)):
        once = total[digit] + number[digit]
        twice = once + carry
        carry = np.uint64(once < number[digit] or twice < carry)
        total[digit] = twice
    return carry == 0
