"""Which of the shortest paths is shown: the one with the fewest changes of machine, then the lexicographically first.

The rule is every engine's; only how the layers of states on shortest paths are found differs from one to another.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import TypeVar

Node = TypeVar("Node", bound=Hashable)

Edges = Sequence[tuple[int, int, Node]]
"""(index of the event among those enabled, its actor, where it leads); only edges that stay on a shortest path."""


def best_path(layers: Sequence[Mapping[Node, Edges[Node]]], start: Node) -> list[tuple[Node, int]]:
    """The path from `start` through all layers, as (node, index of the event taken there).

    layers[d] holds the nodes at distance d from the start that lie on a shortest path, with their edges into
    layers[d + 1]; the edges of the last layer lead to targets, which are in no layer.
    """
    rest: list[dict[Node, dict[int, int]]] = [{} for _ in layers]
    ahead: dict[Node, dict[int, int]] = {}
    for depth in range(len(layers) - 1, -1, -1):
        for node, edges in layers[depth].items():
            rest[depth][node] = _changes_by_actor(edges, ahead)
        ahead = rest[depth]
    path: list[tuple[Node, int]] = []
    node = start
    last: int | None = None
    for depth, layer in enumerate(layers):
        ahead = rest[depth + 1] if depth + 1 < len(layers) else {}
        index, actor, after = min(
            layer[node], key=lambda edge: (_step(last, edge[1]) + _fewest(ahead.get(edge[2], {}), edge[1]), edge[0])
        )
        path.append((node, index))
        node, last = after, actor
    return path


def _changes_by_actor(edges: Edges[Node], ahead: Mapping[Node, dict[int, int]]) -> dict[int, int]:
    """For each actor of an edge: the fewest changes of machine after it, to the target."""
    found: dict[int, int] = {}
    for _, actor, succ in edges:
        changes = _fewest(ahead.get(succ, {}), actor)
        if changes < found.get(actor, changes + 1):
            found[actor] = changes
    return found


def _fewest(by_actor: Mapping[int, int], last: int) -> int:
    return min((_step(last, actor) + changes for actor, changes in by_actor.items()), default=0)


def _step(last: int | None, actor: int) -> int:
    return int(last is not None and actor != last)
