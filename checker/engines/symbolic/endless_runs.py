"""Runs that never end, judged by exact search: z3 looks at how runs end, and here is where they can go round for ever.

A claim that every (weakly fair) run comes to its goal is broken by a run that ends before, or by one that repeats for
ever in states without the goal. How long such a loop is has no useful bound, so no unrolling of so many actions says
that there is none. What is searched instead is the graph of (state, whether a snapshot has begun), cut off where the
goal was reached since: a run breaks the claim exactly if it ends in, or stays for ever in, nodes that have begun. The
graph is explored up to a number of nodes; beyond it, all that is known is said to be so.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from checker.judging.liveness import Stuck, fair_loop, stuck
from checker.judging.shortest_paths import best_path
from model.action import Event
from model.property import Property
from model.system import State, System
from model.trace import Counterexample, Trace

MOST_NODES = 20_000
"""About two seconds of plain Python."""

ENDS = {"kind": "the run ends here, and the goal was not reached"}
Node = tuple[State, bool]


@dataclass(frozen=True, slots=True)
class Missed:
    """The shortest run found that misses the goal for ever, if any; `length`: the actions to its end, or to its loop.

    whole: every run was followed to its end or to where it comes back.
    """

    counterexample: Counterexample | None
    length: int
    whole: bool


def missed(system: System, judged: Property, seconds: float | None = None) -> Missed:
    """The nearest state where a run can miss the goal for ever, of those found in time."""
    graph = _Graph(system, judged)
    whole = graph.explore(seconds)
    inside = [n for n in graph.successors if graph.nodes[n][1]]
    found = stuck(inside, graph.successors.__getitem__, graph.events, judged.fair)
    if not found.states():
        return Missed(None, 0, whole)
    nearest = min(map(graph.depth.__getitem__, found.states()))
    targets = {n for n in found.states() if graph.depth[n] == nearest}
    return Missed(graph.counterexample(found, targets, nearest), nearest, whole)


class _Graph:
    """The nodes in the order found, their distances, and the successors of those that were expanded (-1: settled)."""

    def __init__(self, system: System, judged: Property) -> None:
        self.system, self.judged = system, judged
        (self.initial,) = system.initial_states()
        self.nodes: list[Node] = [(self.initial, False)]
        self.depth = [0]
        self.successors: dict[int, list[int]] = {}
        self.events = lru_cache(maxsize=None)(self._events)
        self._index = {self.nodes[0]: 0}

    def explore(self, seconds: float | None) -> bool:
        """Breadth first, until time or room is used up; whether all was found."""
        end = math.inf if seconds is None else time.monotonic() + seconds
        for number, depth in enumerate(self.depth):  # it grows
            if len(self.nodes) > MOST_NODES or time.monotonic() > end:
                return False
            self.successors[number] = [self._number(after, depth + 1) for after in self._after(number)]
        return True

    def _events(self, node: int) -> list[Event]:
        return list(self.system.events(self.nodes[node][0]))

    def _after(self, node: int) -> Iterator[Node | None]:
        state, begun = self.nodes[node]
        goal = self.judged.goal
        assert goal is not None
        for event in self.events(node):
            after, begins = self.system.step(state, event), begun or _begins(event)
            yield None if begins and goal(self.system, after) else (after, begins)

    def _number(self, node: Node | None, depth: int) -> int:
        if node is None:
            return -1
        number = self._index.setdefault(node, len(self.nodes))
        if number == len(self.nodes):
            self.nodes.append(node)
            self.depth.append(depth)
        return number

    # -- the run that is shown ---------------------------------------------------------------------------------

    def counterexample(self, found: Stuck, targets: set[int], depth: int) -> Counterexample:
        """The best of the shortest runs to one of these nodes, and round from there if the run does not end."""
        path = self._path(targets, depth)
        end = self.successors[path[-1][0]][path[-1][1]] if path else 0
        events = self._taken(path)
        if end in found.ends:
            return Counterexample(self.judged.name, Trace(self.system, self.initial, events), dict(ENDS))
        component = next(own for own in found.components if end in own)
        loop = fair_loop(component, end, self.successors.__getitem__, self.events, self.judged.fair)
        trace = Trace(self.system, self.initial, events + self._taken(loop), loop=len(events))
        reason = f"from action {len(events) + 1} on the run repeats for ever, and never reaches the goal"
        return Counterexample(self.judged.name, trace, {"kind": reason})

    def _path(self, targets: set[int], depth: int) -> list[tuple[int, int]]:
        """The path that every engine would show, as (node, index of the event)."""
        levels: list[list[int]] = [[] for _ in range(depth)]
        for node in self.successors:
            if self.depth[node] < depth:
                levels[self.depth[node]].append(node)
        layers: list[dict[int, list[tuple[int, int, int]]]] = []
        for level in reversed(levels):
            layer = {n: [(i, e.actor, t) for i, (e, t) in self._edges(n) if t in targets] for n in level}
            layers.append({node: edges for node, edges in layer.items() if edges})
            targets = set(layers[-1])
        return best_path(layers[::-1], 0) if layers else []

    def _edges(self, node: int) -> Iterator[tuple[int, tuple[Event, int]]]:
        return iter(enumerate(zip(self.events(node), self.successors[node], strict=True)))

    def _taken(self, path: list[tuple[int, int]]) -> tuple[Event, ...]:
        return tuple(self.events(node)[index] for node, index in path)


def _begins(event: Event) -> bool:
    """Whether a snapshot begins here, if none has: a machine turns red, or sends a control message."""
    return any(bool(move.step.turns) or any(message.control for _, message in move.sends) for move in event.moves)
