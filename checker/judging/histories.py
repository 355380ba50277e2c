"""The search over packed states and values of a monitor, for claims about runs whose history a state does not tell.

Its nodes are (row, value): where a run is, and what the monitor remembers of it. It goes along the edges that were
explored, level by level; what the monitor makes of an edge is asked once for each distinct (value, what it sees of
the event, what it observes of the state that the edge leads to), and the answers are a table.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from checker.engines.search_options import SearchOptions
from checker.judging.exploration import ALL, FAULT, Edges, Int64s
from checker.judging.local_columns import Interner
from checker.judging.observations import Observations
from checker.judging.results import Results
from checker.judging.shortest_paths import best_path
from model.action import Event
from model.errors import InputError
from model.monitor import SETTLED, RunMonitor

MOST_VALUES = 10_000
"""Values of one monitor; with more it is taken to have no end of them."""

Watched = tuple[int, int]
"""A node: the number of the row, and that of the monitor's value."""

Path = list[tuple[Watched, int]]
NO_EVENT = Event(-1, "", ())


class Histories:
    """All that can be reached of rows and values of one monitor; `levels[d]` holds the rows first met at distance d."""

    def __init__(self, results: Results, monitor: RunMonitor) -> None:
        self.results, self.search, self.monitor = results, results.search, monitor
        self.values, self._seen = Interner(), Interner()
        self.observations = Observations(results, monitor)
        self.levels: list[dict[int, Int64s]] = []
        self._distance: dict[int, NDArray[np.int32]] = {}
        self._rows: list[int] = []
        self._after: dict[tuple[int, int, int], int] = {}
        self._explore()

    @property
    def size(self) -> int:
        """How many nodes there are."""
        return sum(len(rows) for level in self.levels for rows in level.values())

    def distance(self, value: int) -> NDArray[np.int32]:
        """For each row its distance with this value; -1 where it never has it."""
        if value not in self._distance:
            self._distance[value] = np.full(self.search.count, -1, np.int32)
        return self._distance[value]

    def rows(self, value: int) -> Int64s:
        """The rows that are reached with this value, ascending."""
        return np.flatnonzero(self.distance(value) >= 0)

    def _explore(self) -> None:
        condition = self.results.stop_condition
        clock = condition.beside(SearchOptions(timeout=condition.options.timeout))
        start = self.monitor.start(self.observations.value(0))
        frontier = {} if start is SETTLED else {self.values(start): np.zeros(1, np.int64)}
        for value, rows in frontier.items():
            self.distance(value)[rows] = 0
        while frontier:
            self.levels.append(frontier)
            found: dict[int, list[Int64s]] = {}
            for value, rows in frontier.items():
                for edges, after in self.edges(value, rows):
                    for number in np.flatnonzero(np.bincount(after + 1)[1:]).tolist():
                        rows, distance = edges.target[after == number], self.distance(number)
                        found.setdefault(number, []).append(rows[distance[rows] < 0])
                    if clock.stop(0, 0):
                        condition.why, condition.limit = clock.why, clock.limit
                        return
            frontier = {}
            for number, parts in found.items():
                rows = np.sort(np.concatenate(parts))  # numpy's unique, which hashes, is slower
                rows = rows[np.diff(rows, prepend=-1) > 0]
                if len(rows):
                    self.distance(number)[rows] = len(self.levels)
                    frontier[number] = rows

    def edges(self, value: int, rows: Int64s) -> list[tuple[Edges, Int64s]]:
        """The edges of these rows, with the numbers of the values that a run with this one has after each.

        -1: the claim is settled then, or the state lies beyond a bound.
        """
        rows = rows[rows < self.search.expanded]
        return [(edges, self._step(value, edges)) for edges in self.search.edges(rows)] if len(rows) else []

    def _step(self, value: int, edges: Edges) -> Int64s:
        after = np.full(len(edges.target), -1, np.int64)
        known = np.flatnonzero(edges.target >= 0)
        if not len(known):
            return after
        seen = self._sees(edges)[known]
        observed = self.observations.of(edges.target[known])
        width = int(observed.max()) + 1
        codes = seen * width + observed
        table = np.full(int(codes.max()) + 1, -1, np.int64)
        for code in np.flatnonzero(np.bincount(codes)).tolist():
            table[code] = self._answer(value, *divmod(code, width))
        after[known] = table[codes]
        return after

    def _answer(self, value: int, seen: int, observed: int) -> int:
        key = (value, seen, observed)
        if key not in self._after:
            after = self.monitor.after(
                self.values.values[value], self._seen.values[seen], self.observations.values.values[observed]
            )
            self._after[key] = -1 if after is SETTLED else self.values(after)
            if len(self.values.values) > MOST_VALUES:
                raise InputError(f"a monitor with more than {MOST_VALUES:,} values: it must have few")
        return self._after[key]

    def _sees(self, edges: Edges) -> Int64s:
        """For each edge, the number of what the monitor sees of its event."""
        system, monitor, moves = self.search.system, self.monitor, self.results.predicates.moves
        for made in moves[len(self._rows) :]:
            self._rows.append(self._seen(monitor.sees(system, Event(made.machine, made.step.name, (made,)))))
        own = edges.transition >= 0
        seen = np.zeros(len(edges.transition), np.int64)
        seen[own] = np.array(self._rows, np.int64)[edges.transition[own]]
        if not monitor.sees_faults:
            seen[edges.transition == FAULT] = self._seen(monitor.sees(system, NO_EVENT))
        for i in np.flatnonzero((edges.transition == ALL) | (edges.transition == FAULT) & monitor.sees_faults).tolist():
            event = self.search.events(int(edges.source[i]))[int(edges.event[i])]
            seen[i] = self._seen(monitor.sees(system, event))
        return seen

    # -- runs ----------------------------------------------------------------------------------------------------------

    def depth_of(self, node: Watched) -> int:
        """The distance of a node."""
        return int(self.distance(node[1])[node[0]])

    def nearest(self, targets: dict[int, Int64s]) -> tuple[Path, Watched]:
        """The best of the shortest runs to one of these nodes (rows by value), and the node it leads to."""
        depth = min(int(self.distance(value)[rows].min()) for value, rows in targets.items() if len(rows))
        wanted = {v: np.sort(rows[self.distance(v)[rows] == depth]) for v, rows in targets.items()}
        if depth == 0:
            return [], next((0, value) for value, rows in wanted.items() if len(rows))
        layers: list[dict[Watched, list[tuple[int, int, Watched]]]] = []
        for level in reversed(self.levels[:depth]):
            layer: dict[Watched, list[tuple[int, int, Watched]]] = {}
            for value, rows in level.items():
                for edges, after in self.edges(value, rows):
                    for number, goals in wanted.items():
                        for i in np.flatnonzero((after == number) & np.isin(edges.target, goals)).tolist():
                            edge = (int(edges.event[i]), int(edges.actor[i]), (int(edges.target[i]), number))
                            layer.setdefault((int(edges.source[i]), value), []).append(edge)
            for own in layer.values():
                own.sort()
            layers.append(layer)
            wanted = {v: np.array(sorted(r for r, w in layer if w == v), np.int64) for v in {v for _, v in layer}}
        layers.reverse()
        path = best_path(layers, min(layers[0]))
        last, index = path[-1]
        return path, next(edge[2] for edge in layers[-1][last] if edge[0] == index)
