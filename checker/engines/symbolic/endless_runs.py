"""Claims about whole runs, judged by exact search: z3 looks at how runs end, and here is where they can go on for ever.

A claim that every (weakly fair) run comes to its goal is broken by a run that ends before, or by one that repeats for
ever in states where the goal is outstanding. How long such a loop is has no useful bound, so no unrolling of so many
actions shows that there is none. What is searched instead is the graph of (state, value of the claim's monitor), cut
off where the monitor is settled: a run breaks the claim exactly if it comes to an error, or ends in, or stays for ever
in, nodes whose value is hot. The graph is explored up to a number of nodes; what lies beyond is told to be unknown.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from checker.judging.liveness import fair_loop, stuck
from checker.judging.shortest_paths import best_path
from model.action import Event
from model.monitor import SETTLED, RunMonitor, ends_short, goes_round
from model.property import Property
from model.system import State, System
from model.trace import Counterexample, Trace

MOST_NODES = 10_000
"""About a second of plain Python for each claim."""

Node = tuple[State, Hashable]
Expand = Callable[[State], list[tuple[Event, State]]]


@dataclass(frozen=True, slots=True)
class RunSearch:
    """The shortest run found that breaks the claim, if any; `length`: the actions to its end, or to its loop.

    whole: every run was followed to its end or to where it comes back.
    """

    counterexample: Counterexample | None
    length: int
    whole: bool


def expansion(system: System) -> Expand:
    """The events of a state and where they lead, found once for all claims."""
    return lru_cache(maxsize=None)(lambda state: [(event, system.step(state, event)) for event in system.events(state)])


def search_runs(
    system: System, expand: Expand, judged: Property, monitor: RunMonitor, seconds: float | None = None
) -> RunSearch:
    """The nearest state where a run breaks the claim, of those found in time; errors go before what stays hot."""
    graph = _Graph(system, expand, monitor)
    whole = graph.explore(seconds)
    values = {node: graph.nodes[node][1] for node in graph.successors}
    errors = {node: why for node, value in values.items() if (why := monitor.error(value)) is not None}
    if errors:
        path, end = graph.nearest(set(errors))
        trace = Trace(system, graph.initial, graph.taken(path))
        return RunSearch(Counterexample(judged.name, trace, errors[end]), len(path), whole)
    hot = [node for node, value in values.items() if monitor.hot(value)]
    found = stuck(hot, graph.successors.__getitem__, graph.events, monitor.fair)
    if not found.states():
        return RunSearch(None, 0, whole)
    path, end = graph.nearest(found.states())
    events = graph.taken(path)
    if end in found.ends:
        trace = Trace(system, graph.initial, events)
        return RunSearch(Counterexample(judged.name, trace, ends_short()), len(path), whole)
    component = next(own for own in found.components if end in own)
    loop = graph.taken(fair_loop(component, end, graph.successors.__getitem__, graph.events, monitor.fair))
    trace = Trace(system, graph.initial, events + loop, loop=len(path))
    return RunSearch(Counterexample(judged.name, trace, goes_round(len(path))), len(path), whole)


class _Graph:
    """The nodes in the order found, their distances, and the successors of those that were expanded (-1: settled)."""

    def __init__(self, system: System, expand: Expand, monitor: RunMonitor) -> None:
        self.system, self.expand, self.monitor = system, expand, monitor
        (self.initial,) = system.initial_states()
        start = monitor.start(monitor.observe(system, self.initial))
        self.nodes: list[Node] = [] if start is SETTLED else [(self.initial, start)]
        self.depth = [0] * len(self.nodes)
        self.successors: dict[int, list[int]] = {}
        self.events = lru_cache(maxsize=None)(self._events)
        self._index = {node: number for number, node in enumerate(self.nodes)}

    def explore(self, seconds: float | None) -> bool:
        """Breadth first, until time or room is used up; whether all was found."""
        end = math.inf if seconds is None else time.monotonic() + seconds
        for number, depth in enumerate(self.depth):  # it grows
            if len(self.nodes) > MOST_NODES or time.monotonic() > end:
                return False
            self.successors[number] = [self._number(after, depth + 1) for after in self._after(number)]
        return True

    def _events(self, node: int) -> list[Event]:
        return [event for event, _ in self.expand(self.nodes[node][0])]

    def _after(self, node: int) -> Iterator[Node]:
        (state, value), system, monitor = self.nodes[node], self.system, self.monitor
        for event, after in self.expand(state):
            yield after, monitor.after(value, monitor.sees(system, event), monitor.observe(system, after))

    def _number(self, node: Node, depth: int) -> int:
        if node[1] is SETTLED:
            return -1
        number = self._index.setdefault(node, len(self.nodes))
        if number == len(self.nodes):
            self.nodes.append(node)
            self.depth.append(depth)
        return number

    # -- the run that is shown ---------------------------------------------------------------------------------

    def nearest(self, targets: set[int]) -> tuple[list[tuple[int, int]], int]:
        """The path that every engine would show to the nearest target, as (node, index of the event); that target."""
        depth = min(map(self.depth.__getitem__, targets))
        targets = {node for node in targets if self.depth[node] == depth}
        if not depth:
            return [], 0
        levels: list[list[int]] = [[] for _ in range(depth)]
        for node in self.successors:
            if self.depth[node] < depth:
                levels[self.depth[node]].append(node)
        layers: list[dict[int, list[tuple[int, int, int]]]] = []
        for level in reversed(levels):
            layer = {n: [(i, e.actor, t) for i, (e, t) in self._edges(n) if t in targets] for n in level}
            layers.append({node: edges for node, edges in layer.items() if edges})
            targets = set(layers[-1])
        path = best_path(layers[::-1], 0)
        last, index = path[-1]
        return path, self.successors[last][index]

    def taken(self, path: list[tuple[int, int]]) -> tuple[Event, ...]:
        """The events of a path."""
        return tuple(self.events(node)[index] for node, index in path)

    def _edges(self, node: int) -> Iterator[tuple[int, tuple[Event, int]]]:
        return iter(enumerate(zip(self.events(node), self.successors[node], strict=True)))
