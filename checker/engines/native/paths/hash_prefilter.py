"""Kernels that tell which states of a level may lead to some target: all that do, and few that do not.

First by the local states of the machines, which is a look at the state alone; then by its successors' hashes.

Whoever looks for shortest runs backwards asks this of whole levels, for few targets: a successor's hash is looked up
among the targets' in a bit set that stays in near memory, not the successor among all states.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from checker.engines.native.kernels.compiled import kernel
from checker.engines.native.kernels.fast_path import Relation, successors_of
from checker.engines.native.kernels.successors import Successors
from checker.engines.native.search.visited_set import hash_all
from checker.engines.native.tables.arrays import Fields, Int64s, Words

LEAST, MOST = 1 << 12, 1 << 23
"""Bits of a set: so many at least and at most; between these, so many for each target that few others hit one."""

BITS_EACH = 64


def bit_set(targets: int) -> Words:
    """An empty set for the hashes of so many targets; its length is a power of 2."""
    bits = min(MOST, max(LEAST, 1 << (BITS_EACH * targets - 1).bit_length()))
    return np.zeros(bits // 64, np.uint64)


@kernel
def mark(targets: Words, hashes: Words, bits: Words) -> None:
    """Enter the hashes of these states."""
    hash_all(targets, 0, len(targets), hashes)
    for number in range(len(targets)):
        bit = hashes[number] & np.uint64(64 * len(bits) - 1)
        bits[np.int64(bit >> np.uint64(6))] |= np.uint64(1) << (bit & np.uint64(63))


@kernel
def may_reach(
    relation: Relation, states: Words, low: int, high: int, out: Successors, hashes: Words, bits: Words, found: Int64s
) -> Any:
    """The states of low..high with a successor whose hash is in the set, in `found`; it has room for all of them.

    Returns (states read, how many were found, misses, whether room is short).
    """
    batch, at, count = len(out.terminal), low, 0
    while at < high:
        done, missing, short = successors_of(relation, states, at, min(high, at + batch), out, out.sleep[:0])
        if short or missing > 0 or done == 0:
            return at - low, count, missing, missing == 0
        hash_all(out.states, 0, out.ends[done - 1], hashes)
        first = 0
        for source in range(done):
            hit = np.uint64(0)
            for number in range(first, out.ends[source]):
                bit = hashes[number] & np.uint64(64 * len(bits) - 1)
                hit |= bits[np.int64(bit >> np.uint64(6))] >> (bit & np.uint64(63))
            if hit & np.uint64(1) != 0:
                found[count] = at + source
                count += 1
            first = out.ends[source]
        at += done
    return at - low, count, 0, False


@kernel
def near_locals(
    layout: Fields, rows: Words, low: int, high: int, bases: Int64s, near: NDArray[np.bool_], found: Int64s
) -> Any:
    """Those of rows low..high of which each machine's local state is near, in `found`; how many there are."""
    count = 0
    for number in range(low, high):
        all_near = True
        for machine in range(len(bases)):
            local = (rows[number, layout.word[machine]] >> layout.shift[machine]) & layout.mask[machine]
            all_near = all_near and near[bases[machine] + np.int64(local)]
        if all_near:
            found[count] = number
            count += 1
    return count
