"""How many actions each row is from the nearest row of a given set, by the transitions that were explored."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from checker.judging.exploration import Exploration, Int32s, Int64s

FAR = 1 << 30
"""The distance of a row from which none of them can be reached."""


def actions_to(search: Exploration, goals: Int64s) -> Int32s:
    """For each row, the fewest actions to one of the `goals` (row numbers, at least one); FAR where none is reachable.

    One value more than there are rows: the last, FAR, is where a target of -1 points to (a row beyond a bound).
    """
    left = np.full(search.count + 1, FAR, np.int32)
    left[goals] = 0
    deepest = search.depth_of(int(goals.max())) - 1 if search.layered else search.depth
    while _nearer(search, left, deepest) and not search.layered:
        pass
    return left


def _nearer(search: Exploration, left: Int32s, deepest: int) -> bool:
    """Look from each row one action ahead, from the last level to the first; whether that brought any row nearer.

    Where every transition leads to the next level, once is enough.
    """
    nearer = False
    for depth in range(deepest, -1, -1):
        level = search.level(depth)
        for low, ends, target in search.links(range(level.start, min(level.stop, search.expanded))):
            starts: NDArray[np.int64] = ends - np.diff(ends, prepend=0)
            busy = np.flatnonzero(starts < ends)
            if len(busy):
                found = np.minimum.reduceat(left[target], starts[busy]) + 1
                nearer = nearer or bool((found < left[low + busy]).any())
                left[low + busy] = np.minimum(left[low + busy], found)
    return nearer
