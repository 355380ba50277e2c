"""Kernel for random runs: each step takes one of the enabled events, all equally likely."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from checker.native.arrays import Arrays, Fields, Int64s, Words
from checker.native.compiled import kernel
from checker.native.expansion import ALL, Successors, expand

LOOK = 1 << 62
"""Set where all machines acted together: what that breaks is not in the tables' rows."""


@kernel
def scramble(x: Any) -> Any:
    """The next of a sequence of 64-bit numbers that look random (splitmix64)."""
    z = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


@kernel
def walk(
    t: Arrays,
    layout: Fields,
    start: Words,
    first: int,
    seed: int,
    breaks: Int64s,
    out: Successors,
    taken: NDArray[np.int32],
    lengths: Int64s,
    flags: Int64s,
    finals: Words,
    quiet: NDArray[np.uint8],
) -> Any:
    """Runs number first, first + 1, ... from row `start`; returns (runs done, misses, whether room is short).

    taken[r]: the index of the event at each step; flags[r]: the claims that a step broke, as bits; finals[r]: the last
    row; quiet[r]: nothing but a fault could happen there. A run depends on the seed and its own number only.
    """
    current = np.empty_like(start)
    golden = np.uint64(0x9E3779B97F4A7C15)
    for run in range(len(lengths)):
        random = scramble(np.uint64(seed) * golden + np.uint64(first + run) + golden)
        current[0] = start[0]
        flags[run], step = 0, 0
        while True:
            done, missing, choices = expand(t, layout, current, 0, 1, out, True)
            if missing > 0 or choices or done == 0:
                return run, missing, missing == 0
            quiet[run] = out.quiet[0]
            if out.ends[0] == 0 or step == taken.shape[1]:
                break
            random += golden
            pick = np.int64(scramble(random) % np.uint64(out.ends[0]))
            row = out.row[pick]
            if row >= 0:
                flags[run] |= breaks[row]
            elif row == ALL:
                flags[run] |= LOOK
            current[0] = out.rows[pick]
            taken[run, step] = pick
            step += 1
        lengths[run] = step
        finals[run] = current[0]
    return len(lengths), 0, False
