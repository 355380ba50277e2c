"""Kernels on a graph given by its edges: strongly connected components, and the number of maximal runs."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from checker.engines.native.kernels.compiled import kernel
from checker.engines.native.tables.arrays import Int64s


@kernel
def strong_components(start: Int64s, targets: NDArray[np.int32]) -> NDArray[np.int32]:
    """The component of each node (Tarjan 1972, without recursion); edges of n are targets[start[n]:start[n + 1]].

    Components are numbered in the order in which they are finished: an edge never leads to a higher number.
    """
    n = len(start) - 1
    component = np.full(n, -1, np.int32)
    order = np.full(n, -1, np.int32)
    low = np.zeros(n, np.int32)
    stack = np.empty(n, np.int32)
    path = np.empty(n, np.int32)
    edge = np.empty(n, np.int64)
    met, height, components = 0, 0, 0
    for root in range(n):
        if order[root] >= 0:
            continue
        depth = 0
        path[0] = root
        edge[0] = start[root]
        order[root] = low[root] = met
        met += 1
        stack[height] = root
        height += 1
        while depth >= 0:
            node = path[depth]
            if edge[depth] < start[node + 1]:
                target = targets[edge[depth]]
                edge[depth] += 1
                if order[target] < 0:
                    order[target] = low[target] = met
                    met += 1
                    stack[height] = target
                    height += 1
                    depth += 1
                    path[depth] = target
                    edge[depth] = start[target]
                elif component[target] < 0:
                    low[node] = min(low[node], order[target])
                continue
            if low[node] == order[node]:
                while True:
                    height -= 1
                    component[stack[height]] = components
                    if stack[height] == node:
                        break
                components += 1
            depth -= 1
            if depth >= 0:
                low[path[depth]] = min(low[path[depth]], low[node])
    return component


@kernel
def count_runs(start: Int64s, targets: NDArray[np.int32], order: Int64s, modulus: int, runs: Int64s) -> Any:
    """runs[n]: how many runs from node n end where nothing follows, modulo `modulus`; returns log2 for node 0.

    `order` lists all nodes, each behind those its edges lead to.
    """
    size = np.zeros(len(order), np.float64)
    for node in order:
        first, last = start[node], start[node + 1]
        if first == last:
            runs[node] = 1
            continue
        total = np.int64(0)
        most = -1.0
        for edge in range(first, last):
            total += runs[targets[edge]]
            total -= modulus if total >= modulus else 0
            most = max(most, size[targets[edge]])
        exact = 0.0
        for edge in range(first, last):
            exact += 2.0 ** (size[targets[edge]] - most)
        runs[node] = total
        size[node] = most + np.log2(exact)
    return size[0]
