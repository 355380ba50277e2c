"""Kernels for symmetry: each row becomes the least of its images under a group.

Images are compared by ids, field by field, not as packed words: ids stay what they are when rows are packed anew.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from checker.engines.native.kernels.compiled import allocating_kernel
from checker.engines.native.tables.arrays import Fields, Int64s, Words


class Images(NamedTuple):
    """A group as it acts on rows: field f of image g is `ids[g, bases[s] + id of field s]`, with s = sources[g, f].

    Number 0 of the group is the identity. counts: how many ids of each field have images.
    """

    ids: NDArray[np.int32]
    bases: Int64s
    sources: Int64s
    counts: Int64s


@allocating_kernel
def canonicalise(images: Images, layout: Fields, rows: Words, count: int) -> None:
    """Replace each of rows[:count] by the least of its images.

    A row with an id that has no images is left alone: it is met only beyond a bound, and is like no row that was kept.
    """
    size, words = len(layout.word), rows.shape[1]
    values, best = np.empty(size, np.int64), np.empty(size, np.int64)
    for number in range(count):
        for f in range(size):
            values[f] = (rows[number, layout.word[f]] >> layout.shift[f]) & layout.mask[f]
            best[f] = values[f]
        known = True
        for f in range(size):
            known = known and values[f] < images.counts[f]
        if not known:
            continue
        changed = False
        for g in range(1, len(images.sources)):
            smaller = False
            for f in range(size):
                s = images.sources[g, f]
                value = np.int64(images.ids[g, images.bases[s] + values[s]])
                if smaller:
                    best[f] = value
                elif value < best[f]:
                    best[f] = value  # what is before it is equal
                    smaller = True
                elif value > best[f]:
                    break
            changed = changed or smaller
        if changed:
            for word in range(words):
                rows[number, word] = 0
            for f in range(size):
                rows[number, layout.word[f]] |= np.uint64(best[f]) << layout.shift[f]


@allocating_kernel
def orbit_sizes(images: Images, layout: Fields, rows: Words, count: int) -> Any:
    """The number of distinct images of all of rows[:count], no two of which are images of each other."""
    size, order, total = len(layout.word), len(images.sources), 0
    values = np.empty(size, np.int64)
    for number in range(count):
        for f in range(size):
            values[f] = (rows[number, layout.word[f]] >> layout.shift[f]) & layout.mask[f]
        fixed = 0
        for g in range(order):
            same = True
            for f in range(size):
                s = images.sources[g, f]
                if images.ids[g, images.bases[s] + values[s]] != values[f]:
                    same = False
                    break
            fixed += same
        total += order // fixed
    return total
