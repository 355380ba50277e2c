"""Goals that every weakly fair run must reach, decided on strongly connected components of packed states.

Where every transition leads to the next level there is no cycle, and only states in which runs end need a look. The
demands of fairness, and the loop that is shown, are those of `checker.judging.liveness`.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from checker.engines.native.kernels.components import strong_components
from checker.engines.native.kernels.scans import ALL_RED, BEGUN, COMPLETE, classify
from checker.engines.native.paths import shortest_runs as routes
from checker.engines.native.paths.maximal_runs import graph
from checker.engines.native.search.levels import Search
from checker.engines.native.tables.arrays import Int64s
from checker.judging.completed_snapshots import judged
from checker.judging.results import Results
from model.action import Event
from model.properties import PROPERTIES
from model.property import Property
from model.trace import Trace

GOALS = {"all-red": ALL_RED, "completes": COMPLETE, "completes-unfair": COMPLETE}
NEVER = {"kind": "the run ends here, and the goal was not reached"}


def find_unfair(results: Results, claims: list[Property]) -> None:
    """For each goal, the best of the shortest runs to where a run can miss it for ever, a snapshot having begun."""
    for broken in claims:
        search = results.search
        quiet = search.quiet_rows()
        quiet = quiet[quiet < search.expanded]
        ends = quiet[_missing(results, broken, quiet)]
        components: list[Int64s] = []
        if not search.graded:
            rows = np.flatnonzero(_missing(results, broken, range(search.expanded)))
            components = _cycles(search, rows, broken.fair)
        states = np.concatenate([ends, *components])
        if len(states):
            _keep(results, broken, states, ends, components)


def _missing(results: Results, broken: Property, rows: range | Int64s) -> NDArray[np.bool_]:
    """In which of these rows a snapshot has begun and the goal is not met."""
    search, system = results.search, results.system
    assert broken.goal is not None
    bits = np.zeros(len(rows), np.uint8)
    packed = search.rows if isinstance(rows, range) else search.rows[rows]
    classify(judged(search.predicates), search.layout, packed, 0, len(rows), bits)
    missing: NDArray[np.bool_] = (bits & BEGUN) != 0
    if PROPERTIES.get(broken.name) is broken:
        missing &= (bits & GOALS[broken.name]) == 0
        return missing
    for i in np.flatnonzero(missing).tolist():
        missing[i] = not broken.goal(system, search.state(int(rows[i])))
    return missing


def _cycles(search: Search, rows: Int64s, fair: bool) -> list[Int64s]:
    """The strongly connected components of these rows in which a run can stay for ever."""
    if not len(rows):
        return []
    start, targets = graph(search, rows)
    component = strong_components(start, targets)
    sizes = np.bincount(component)
    source = np.repeat(np.arange(len(rows)), np.diff(start))
    looping = np.zeros(len(sizes), np.bool_)
    looping[component[source[source == targets]]] = True
    cyclic = (sizes > 1) | looping
    inside = cyclic[component]
    if not inside.any():
        return []
    rows, component = rows[inside], component[inside]
    if fair:
        good = _fair(search, rows, component, len(sizes))
        rows, component = rows[good[component]], component[good[component]]
    return [rows[component == number] for number in np.unique(component).tolist()]


def _fair(search: Search, rows: Int64s, component: NDArray[np.int32], components: int) -> NDArray[np.bool_]:
    """Which components meet each demand of fairness: it is not made in some state, or served by an edge inside."""
    machines, channels = search.system.topology.machines, len(search.system.channels)
    good = np.zeros(components, np.bool_)
    if machines + channels > 64 or search.system.protocol.synchronous:
        from checker.judging.liveness import stuck  # it loads networkx: only where there are cycles

        memory = Memory(search)
        found = stuck(rows.tolist(), memory.successors, memory.events)
        member = dict(zip(rows.tolist(), component.tolist(), strict=True))
        for one in found.components:
            good[member[min(one)]] = True
        return good
    own = np.array(search.predicates.row_own, np.bool_)
    of = np.full(search.count + 1, -1, np.int32)
    of[rows] = component
    waiting = np.full(components, ~np.uint64(0), np.uint64)
    served = np.zeros(components, np.uint64)
    for edges in search.edges(rows):
        steps = edges.row >= 0
        steps[steps] = own[edges.row[steps]]
        serves = edges.served.copy()
        serves[steps] |= np.uint64(1) << (channels + edges.actor[steps]).astype(np.uint64)
        starts = np.cumsum(edges.degrees) - edges.degrees
        np.bitwise_and.at(waiting, of[edges.sources], np.bitwise_or.reduceat(serves, starts))
        stays = of[edges.target] == of[edges.source]
        np.bitwise_or.at(served, of[edges.source[stays]], serves[stays])
    present = np.unique(component)
    good[present] = (waiting[present] & ~served[present]) == 0
    return good


def _keep(results: Results, broken: Property, states: Int64s, ends: Int64s, components: list[Int64s]) -> None:
    search = results.search
    nearest = search.depth_of(int(states.min()))
    level = search.level(nearest)
    targets = np.unique(states[(states >= level.start) & (states < level.stop)])
    path = routes.shortest(search, targets)
    end, trace = routes.end(search, path), routes.trace(search, path)
    if end in ends:
        results.keep(broken, trace, dict(NEVER))
        return
    from checker.judging.liveness import fair_loop  # as above

    component = next(c for c in components if end in c)
    memory = Memory(search)
    cycle = fair_loop(frozenset(component.tolist()), end, memory.successors, memory.events, broken.fair)
    looped = Trace(search.system, trace.initial, trace.events + routes.trace(search, cycle).events, loop=len(trace))
    reason = {"kind": f"from action {len(trace) + 1} on the run repeats for ever, and never reaches the goal"}
    results.keep(broken, looped, reason, len(trace))


class Memory:
    """The events and successors of rows, each decoded once."""

    def __init__(self, search: Search) -> None:
        self._search = search
        self.successors = lru_cache(maxsize=None)(self._successors)
        self.events = lru_cache(maxsize=None)(self._events)

    def _successors(self, number: int) -> list[int]:
        return self._search.successors(number)

    def _events(self, number: int) -> list[Event]:
        return self._search.events(number)
