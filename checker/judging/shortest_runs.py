"""Shortest runs, found backwards: levels are expanded again, keeping what leads to a target; no predecessor is kept."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from checker.judging.exploration import Exploration
from checker.judging.shortest_paths import best_path
from model.system import State, System
from model.trace import Trace

Layer = dict[int, list[tuple[int, int, int]]]


def shortest(search: Exploration, targets: NDArray[np.int64], last: Layer | None = None) -> list[tuple[int, int]]:
    """The best of the shortest runs to one of the `targets` (all at one distance), as (row, index of the event).

    With `last` (row -> its edges, rows at one distance) the run ends with one of these edges instead.
    """
    (path,) = shortest_each(search, [targets if last is None else np.array(sorted(last), np.int64)], last)
    return path


def shortest_each(
    search: Exploration, wanted: list[NDArray[np.int64]], last: Layer | None = None
) -> list[list[tuple[int, int]]]:
    """The same for several sets of targets, each ascending: no level is expanded more than once."""
    layers: list[list[Layer]] = [[] if last is None else [last] for _ in wanted]
    depths = [search.depth_of(int(targets[0])) for targets in wanted]
    ahead = list(wanted)
    for depth in range(max(depths) - 1, -1, -1):
        here = [i for i, own in enumerate(depths) if own > depth]
        found = _into(search, depth, np.unique(np.concatenate([ahead[i] for i in here])))
        for i in here:
            hits = found[np.isin(found[:, 3], ahead[i])]
            layer: Layer = {}
            for source, event, actor, target in hits.tolist():
                layer.setdefault(source, []).append((event, actor, target))
            layers[i].append(layer)
            ahead[i] = np.array(sorted(layer), np.int64)
    return [best_path(own[::-1], min(own[-1])) if own else [] for own in layers]


def _into(search: Exploration, depth: int, targets: NDArray[np.int64]) -> NDArray[np.int64]:
    """The edges of this level that lead to a target, as (source, event, actor, target)."""
    found = [np.empty((0, 4), np.int64)]
    for edges in search.edges_into(search.level(depth), targets):
        hits = edges.target >= 0
        found.append(np.column_stack([part[hits] for part in (edges.source, edges.event, edges.actor, edges.target)]))
    return np.concatenate(found)


def end(search: Exploration, path: list[tuple[int, int]]) -> int:
    """The row that the run leads to."""
    return search.successors(path[-1][0])[path[-1][1]] if path else 0


def rebuild(system: System, initial: State, choices: list[int]) -> Trace:
    """The trace that takes these choices, as indices into the events of each state."""
    state, events = initial, []
    for index in choices:
        events.append(list(system.events(state))[index])
        state = system.step(state, events[-1])
    return Trace(system, initial, tuple(events))


def trace(search: Exploration, path: list[tuple[int, int]]) -> Trace:
    """The run as a trace from its first row."""
    return rebuild(search.system, search.state(path[0][0] if path else 0), search.choices(path))
