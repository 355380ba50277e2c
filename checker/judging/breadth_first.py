"""Breadth-first search in plain Python over any graph given by its expansion, keeping levels and edges."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from checker.engines.search_options import Progress, StopCondition, silent
from checker.judging.shortest_paths import best_path

Node = TypeVar("Node", bound=Hashable)


@dataclass(slots=True)
class Graph(Generic[Node]):
    """The part of a graph that was reached: nodes in the order found, and the edges of those that were expanded.

    `levels[d]` is the index of the first node at distance d; `successors[i]` are indices, one an edge, in the order
    of the expansion; nodes from `len(successors)` on were not expanded.
    """

    nodes: list[Node] = field(default_factory=list)
    index: dict[Node, int] = field(default_factory=dict)
    levels: list[int] = field(default_factory=list)
    successors: list[list[int]] = field(default_factory=list)
    depth: int = 0

    def level(self, depth: int) -> range:
        """The indices of the nodes at this distance."""
        end = self.levels[depth + 1] if depth + 1 < len(self.levels) else len(self.nodes)
        return range(self.levels[depth], end)

    def expanded(self, depth: int) -> range:
        """Those of them whose successors are known."""
        level = self.level(depth)
        return range(level.start, min(level.stop, len(self.successors)))

    def depth_of(self, node: int) -> int:
        """The distance of node number `node`."""
        low, high = 0, len(self.levels)
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if self.levels[middle] <= node else (low, middle)
        return low

    def leading_to(self, targets: Iterable[int]) -> set[int]:
        """The nodes from which a target can be reached along known edges, the targets included."""
        before: list[list[int]] = [[] for _ in self.nodes]
        for node, successors in enumerate(self.successors):
            for successor in successors:
                before[successor].append(node)
        found = set(targets)
        left = list(found)
        while left:
            new = set(before[left.pop()]) - found
            found |= new
            left.extend(new)
        return found


def explore(
    initial: Iterable[Node],
    expand: Callable[[Node], Iterable[Node]],
    stop_condition: StopCondition,
    visit: Callable[[Node], bool] | None = None,
    progress: Progress = silent,
) -> Graph[Node]:
    """The graph reachable from `initial`, breadth first; `visit` sees each node once; True ends it with that level.

    A keyboard interrupt or a bound ends the search early; the stop_condition then says why.
    """
    graph: Graph[Node] = Graph()

    def add(node: Node) -> int:
        number = graph.index.setdefault(node, len(graph.nodes))
        if number == len(graph.nodes):
            graph.nodes.append(node)
        return number

    end = 0
    try:
        for node in initial:
            add(node)
        while stop_condition.why is None and len(graph.successors) < len(graph.nodes):
            start, end = len(graph.successors), len(graph.nodes)
            graph.levels.append(start)
            graph.depth = len(graph.levels) - 1
            found = [visit(graph.nodes[number]) for number in range(start, end)] if visit else []
            for number in range(start, end):
                if stop_condition.stop(len(graph.nodes), graph.depth):
                    break
                graph.successors.append([add(node) for node in expand(graph.nodes[number])])
                if number % 4096 == 0:
                    progress(len(graph.nodes), len(graph.nodes) - number, graph.depth)
            if any(found) and len(graph.successors) < len(graph.nodes):
                stop_condition.end("the first violation was found", graph.depth)
                break
    except KeyboardInterrupt:
        stop_condition.interrupt(graph.depth)
    except MemoryError:
        stop_condition.exhaust(graph.depth)
    if graph.levels and len(graph.nodes) > end:
        graph.levels.append(end)  # cut off: what was found beyond the last level is one action further
    return graph


def shortest(
    graph: Graph[Node],
    actors: Callable[[int], Sequence[int]],
    targets: set[int],
    last_edges: dict[int, set[int]] | None = None,
) -> list[tuple[int, int]]:
    """The best of the shortest paths to a target, as (node, index of the edge taken).

    All `targets` are at one distance; with `last_edges` (node -> indices of its edges) a path ends with one of those
    instead. `actors(node)` names who acts on each edge of the node.
    """
    layers: list[dict[int, list[tuple[int, int, int]]]] = []
    if last_edges is not None:
        layer = {n: [(i, actors(n)[i], graph.successors[n][i]) for i in sorted(own)] for n, own in last_edges.items()}
        layers.append(layer)
        targets = set(last_edges)
    for depth in range(graph.depth_of(min(targets)) - 1, -1, -1):
        layer = {}
        for node in graph.expanded(depth):
            into = [i for i, succ in enumerate(graph.successors[node]) if succ in targets]
            if into:
                who = actors(node)
                layer[node] = [(i, who[i], graph.successors[node][i]) for i in into]
        layers.append(layer)
        targets = set(layer)
    layers.reverse()
    return best_path(layers, min(layers[0])) if layers else []
