"""The number of maximal runs: exact, by dynamic programming over the graph modulo as many primes as it takes."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count

import numpy as np
from numpy.typing import NDArray

from checker.native.arrays import Int64s
from checker.native.components import count_runs, strong_components
from checker.native.search import Search

MOST_STATES = 1 << 21
"""Beyond this many states the runs are not counted: that would take longer than to explore them."""

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


def whole(search: Search) -> tuple[Int64s, NDArray[np.int32]]:
    """`graph` of all rows of a search that nothing cut off."""
    degrees, targets = [np.zeros(1, np.int64)], [np.zeros(0, np.int32)]
    for _, ends, target in search.links(range(search.count)):
        degrees.append(np.diff(ends, prepend=0))
        targets.append(target.astype(np.int32))
    return np.cumsum(np.concatenate(degrees)), np.concatenate(targets)


def maximal_runs(search: Search) -> int | None:
    """How many runs lead from the initial state to one without successors.

    None if there are infinitely many, or more than 2,097,152 states: then it is not counted.
    """
    if search.count > MOST_STATES:
        return None
    if search.graded:
        start, targets = whole(search)
        order = np.arange(search.count - 1, -1, -1)
    else:
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
