"""The number of maximal runs, exact: by adding up, from the ends back, how many go on from each state."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from checker.engines.native.kernels.components import strong_components
from checker.engines.native.search.explored_graph import ExploredGraph
from checker.engines.native.tables.arrays import Int64s, Words

MOST_STATES = 1 << 21
"""Beyond this many states runs are counted only where every transition leads to the next level."""

CHEAP = 1 << 19
"""Up to so many transitions counting costs no more than exploring did, which put the questions to Python besides."""


def graph(search: ExploredGraph, nodes: range | Int64s) -> tuple[Int64s, NDArray[np.int32]]:
    """The edges between these states, as (start, targets); nodes are numbered in the order given, ascending."""
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


def maximal_runs(search: ExploredGraph, asked: bool = False) -> int | None:
    """How many runs lead from the initial state to one without successors.

    None if there are infinitely many, or if nobody asked and counting would cost more than exploring did, or where it
    is not counted, as `MOST_STATES` says.
    """
    if not asked and search.transitions > CHEAP:
        return None
    if search.layered and search.counts_by_levels:
        return by_levels(search)
    return over_graph(*graph(search, range(search.count))) if search.count <= MOST_STATES else None


def by_levels(search: ExploredGraph) -> int:
    """The same from the last level back, each level's states expanded once more.

    A number is a row of 64-bit digits, the lowest first; where a sum outgrows them they become twice as many.
    """
    runs: Words = np.zeros((0, 1), np.uint64)
    for depth in range(search.depth, -1, -1):
        level = search.level(depth)
        here: Words = np.zeros((len(level), runs.shape[1]), np.uint64)
        while not search.count_paths(level, here, runs):
            runs = np.concatenate([runs, np.zeros_like(runs)], axis=1)
            here = np.zeros((len(level), runs.shape[1]), np.uint64)
        runs = here
    return sum(digit << 64 * place for place, digit in enumerate(runs[0].tolist()))


def over_graph(start: Int64s, targets: NDArray[np.int32]) -> int | None:
    """The same over the edges of all states; None where there is a cycle."""
    component = strong_components(start, targets)
    loops = (np.repeat(np.arange(len(component)), np.diff(start)) == targets).any()
    if loops or len(component) > component.max() + 1:
        return None
    runs, bounds, successors = [1] * len(component), start.tolist(), targets.tolist()
    for node in np.argsort(component, kind="stable").tolist():  # each behind those its edges lead to
        if bounds[node] < bounds[node + 1]:
            runs[node] = sum(runs[target] for target in successors[bounds[node] : bounds[node + 1]])
    return runs[0]
