"""Kernel on a graph given by its edges: its strongly connected components."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from checker.engines.native.kernels.compiled import allocating_kernel
from checker.engines.native.tables.arrays import Int64s


@allocating_kernel
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
