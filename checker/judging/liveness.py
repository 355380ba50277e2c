"""What happens on every weakly fair run, decided on strongly connected components, never on a plain visited set.

A run is weakly fair if every channel that offers something from some moment on is accepted from again and again, and
likewise for the protocol's own steps of each machine. An infinite run ends up in one strongly connected component
(SCC); a fair one may stay in a component exactly if, for each channel, the component has an edge that accepts from it
or a state in which it offers nothing. A run that ends, ends where nothing but a fault can happen.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter
from itertools import pairwise
from typing import TYPE_CHECKING

from model.action import Event

if TYPE_CHECKING:
    import networkx as nx  # below where it is used: it takes 0.3 s to load, and most claims ask for no component

Demand = Hashable
"""What fairness asks for: ("channel", c), or ("machine", m) for the protocol's own steps."""


@dataclass(frozen=True, slots=True)
class Stuck:
    """Where fair runs can stay for ever without reaching the goal: the states, by component (one state: it ends)."""

    components: tuple[frozenset[int], ...]
    ends: frozenset[int]

    def states(self) -> set[int]:
        """All of them."""
        return set(self.ends).union(*self.components)


def demands(event: Event) -> set[Demand]:
    """The demands of fairness that the event serves."""
    served: set[Demand] = set()
    if event.fault is None:
        for move in event.moves:
            served.update(("channel", channel) for channel, _, _ in move.accepts)
            if move.step.action is None and not move.accepts:
                served.add(("machine", move.machine))
    return served


def stuck(
    states: Iterable[int],
    successors: Callable[[int], list[int]],
    events: Callable[[int], list[Event]],
    fair: bool = True,
) -> Stuck:
    """Where a weakly fair run can stay within `states` for ever, or end; events and successors are in one order.

    With `fair` False, where any maximal run can: every cycle counts.
    """
    inside = set(states)
    ends = frozenset(s for s in inside if not any(event.fault is None for event in events(s)))
    edges = {s: [t for t in successors(s) if t in inside] for s in inside}
    components = []
    for component in _components(edges):
        cyclic = len(component) > 1 or any(s in successors(s) for s in component)
        if cyclic and (not fair or _fair(component, successors, events)):
            components.append(frozenset(component))
    return Stuck(tuple(sorted(components, key=min)), ends)


def _components(edges: dict[int, list[int]]) -> Iterable[set[int]]:
    """The strongly connected components that may hold a cycle; networkx is loaded only where there is one."""
    try:
        TopologicalSorter(edges).prepare()
    except CycleError:
        import networkx as nx

        return nx.strongly_connected_components(nx.DiGraph(edges))  # type: ignore[no-any-return]
    return ()


def _fair(component: set[int], successors: Callable[[int], list[int]], events: Callable[[int], list[Event]]) -> bool:
    waiting: set[Demand] | None = None
    served: set[Demand] = set()
    for state in component:
        offered: set[Demand] = set()
        for event, succ in zip(events(state), successors(state), strict=True):
            offered |= demands(event)
            if succ in component:
                served |= demands(event)
        waiting = offered if waiting is None else waiting & offered
    return waiting is not None and waiting <= served


def fair_loop(
    component: frozenset[int],
    entry: int,
    successors: Callable[[int], list[int]],
    events: Callable[[int], list[Event]],
    fair: bool = True,
) -> list[tuple[int, int]]:
    """A cycle from `entry` back to it within the component that meets every demand, as (state, index of the edge).

    With `fair` False, any short one.
    """
    import networkx as nx

    graph: nx.DiGraph[int] = nx.DiGraph()
    graph.add_edges_from((s, t) for s in component for t in successors(s) if t in component)
    at = entry
    cycle: list[tuple[int, int]] = []

    def walk(goal: int) -> None:
        nonlocal at
        path = nx.shortest_path(graph, at, goal)
        cycle.extend((s, successors(s).index(t)) for s, t in pairwise(path))
        at = goal

    for state, edge in _stations(component, successors, events) if fair else ():
        walk(state)
        if edge is not None:
            cycle.append((state, edge))
            at = successors(state)[edge]
    if not cycle:
        edge = next(i for i, t in enumerate(successors(entry)) if t in component)
        cycle.append((entry, edge))
        at = successors(entry)[edge]
    walk(entry)
    return cycle


def _stations(
    component: frozenset[int], successors: Callable[[int], list[int]], events: Callable[[int], list[Event]]
) -> list[tuple[int, int | None]]:
    """For each demand, a state that does not make it (with None), or else a (state, edge) that serves it."""
    made: dict[int, set[Demand]] = {s: set().union(*map(demands, events(s))) for s in component}
    stations: list[tuple[int, int | None]] = []
    for demand in sorted(set().union(*made.values()), key=repr):
        idle = [s for s in component if demand not in made[s]]
        if idle:
            stations.append((min(idle), None))
        else:
            stations.append(
                min(
                    (s, i)
                    for s in component
                    for i, (event, t) in enumerate(zip(events(s), successors(s), strict=True))
                    if t in component and demand in demands(event)
                )
            )
    return stations
