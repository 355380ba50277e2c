"""The number of maximal runs: exact, by dynamic programming over the graph modulo as many primes as it takes."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count

import numpy as np
from numpy.typing import NDArray

from checker.engines.native.kernels.components import count_runs, strong_components
from checker.engines.native.search.levels import Search
from checker.engines.native.tables.arrays import Int64s, Words

MOST_STATES = 1 << 21
"""Beyond this many states runs are counted only where every transition leads to the next level, and below 2^127."""

BITS = 61


def graph(search: Search, nodes: range | Int64s) -> tuple[Int64s, NDArray[np.int32]]:
    """The edges between these rows, as (start, targets); nodes are numbered in the order given, which is ascending."""
    rank = np.full(search.count + 1, -1, np.int32)
    rank[nodes if not isinstance(nodes, range) else slice(nodes.start, nodes.stop)] = np.arange(len(nodes))
    degrees, targets = [np.zeros(1, np.int64)], [np.zeros(0, np.int32)]
    for edges in search.edges(nodes):
        target = rank[edges.target]
        inside = target >= 0
        targets.append(target[inside])
        first = int(rank[edges.sources[0]])
        degrees.append(np.bincount(rank[edges.source[inside]] - first, minlength=len(edges.sources)))
    return np.cumsum(np.concatenate(degrees)), np.concatenate(targets)


def maximal_runs(search: Search) -> int | None:
    """How many runs lead from the initial state to one without successors.

    None if there are infinitely many; or where it is not counted, as `MOST_STATES` says.
    """
    found = by_levels(search) if search.graded else None
    if found is not None or search.count > MOST_STATES:
        return found
    start, targets = graph(search, range(search.count))
    component = strong_components(start, targets)
    loops = (np.repeat(np.arange(search.count), np.diff(start)) == targets).any()
    if loops or len(component) > component.max() + 1:
        return None
    order = np.argsort(component, kind="stable")
    runs = np.zeros(search.count, np.int64)
    found, product = 0, 1
    for prime in primes():
        size = count_runs(start, targets, order, prime, runs)
        # The Chinese remainder theorem, one prime more at a time.
        found += product * ((int(runs[0]) - found) * pow(product, -1, prime) % prime)
        product *= prime
        if product.bit_length() > size + 2:
            return found
    raise AssertionError("primes do not end")


def by_levels(search: Search) -> int | None:
    """The same from the last level back, each level's rows expanded once more; None if it is too large for 127 bits."""
    ways: Words = np.zeros((0, 2), np.uint64)
    for depth in range(search.depth, -1, -1):
        level = search.level(depth)
        here: Words = np.empty((len(level), 2), np.uint64)
        if not search.count_ways(level, here, ways):
            return None
        ways = here
    return int(ways[0, 0]) + (int(ways[0, 1]) << 64)


def primes() -> Iterator[int]:
    """Primes below 2^61, the largest first (Miller & Rabin; these bases decide all numbers below 2^64)."""
    for candidate in count((1 << BITS) - 1, -2):
        odd, twos = candidate - 1, 0
        while odd % 2 == 0:
            odd, twos = odd // 2, twos + 1
        if all(_passes(candidate, odd, twos, base) for base in (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37)):
            yield candidate


def _passes(candidate: int, odd: int, twos: int, base: int) -> bool:
    power = pow(base, odd, candidate)
    if power in (1, candidate - 1):
        return True
    for _ in range(twos - 1):
        power = power * power % candidate
        if power == candidate - 1:
            return True
    return False
