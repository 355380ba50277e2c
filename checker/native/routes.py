"""Shortest runs, found backwards: levels are expanded again, keeping what leads to a target; no predecessor is kept."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from checker.native.search import Search
from checker.paths import best_path
from model.system import State, System
from model.trace import Trace

Layer = dict[int, list[tuple[int, int, int]]]


def shortest(search: Search, targets: NDArray[np.int64], last: Layer | None = None) -> list[tuple[int, int]]:
    """The best of the shortest runs to one of the `targets` (all at one distance), as (row, index of the event).

    With `last` (row -> its edges, rows at one distance) the run ends with one of these edges instead.
    """
    layers: list[Layer] = []
    if last is not None:
        layers.append(last)
        targets = np.array(sorted(last), np.int64)
    for depth in range(search.depth_of(int(targets[0])) - 1, -1, -1):
        layer = _into(search, depth, targets)
        layers.append(layer)
        targets = np.array(sorted(layer), np.int64)
    layers.reverse()
    return best_path(layers, min(layers[0])) if layers else []


def _into(search: Search, depth: int, targets: NDArray[np.int64]) -> Layer:
    """The edges of this level that lead to a target."""
    level, low = search.level(depth), int(targets[0])
    wanted = np.zeros(int(targets[-1]) - low + 1, np.bool_)
    wanted[targets - low] = True
    layer: Layer = {}
    for edges in search.edges(level):
        near = (edges.target >= low) & (edges.target < low + len(wanted))
        hits = near & wanted[np.where(near, edges.target - low, 0)]
        chosen = (part[hits].tolist() for part in (edges.source, edges.event, edges.actor, edges.target))
        for source, event, actor, target in zip(*chosen, strict=True):
            layer.setdefault(source, []).append((event, actor, target))
    return layer


def end(search: Search, path: list[tuple[int, int]]) -> int:
    """The row that the run leads to."""
    return search.successors(path[-1][0])[path[-1][1]] if path else 0


def rebuild(system: System, initial: State, choices: list[int]) -> Trace:
    """The trace that takes these choices, as indices into the events of each state."""
    state, events = initial, []
    for index in choices:
        events.append(list(system.events(state))[index])
        state = system.step(state, events[-1])
    return Trace(system, initial, tuple(events))


def trace(search: Search, path: list[tuple[int, int]]) -> Trace:
    """The run as a trace from its first row."""
    return rebuild(search.system, search.state(path[0][0] if path else 0), search.choices(path))
