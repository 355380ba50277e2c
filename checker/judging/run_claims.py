"""Claims about runs: where one can end, or go round for ever under weak fairness, with an obligation outstanding.

Whether a snapshot has begun, and whether a condition was met since, is history: two runs to one state may differ in it.
It follows from the state where each transition shows by itself that it does (`follows`): a beginning leaves its machine
red, and no move takes back what the condition asks. Where that fails, states are looked at first without their
history; if none of them can break the claim under any, the claim holds, and only otherwise is history searched.

Where every transition leads to the next level there is no cycle, and only states in which runs end need a look. The
demands of fairness, and the loop that is shown, are those of `checker.judging.liveness`.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from checker.judging import shortest_runs as paths
from checker.judging.exploration import BEGUN, FAULT, Exploration, Int64s
from checker.judging.histories import Histories, Path, Watched
from checker.judging.observations import BITS, Observations, bits_of
from checker.judging.results import Results
from model.action import Event
from model.monitor import Reaches, RunMonitor, ends_short, goes_round
from model.property import Property
from model.trace import Trace

Component = frozenset[Watched]


def find_runs(results: Results, claims: list[Property]) -> list[Property]:
    """For each claim about runs, the best of the shortest runs that break it; which ones took a search of histories."""
    searched = []
    for broken in claims:
        monitor = broken.runs
        assert monitor is not None
        if isinstance(monitor, Reaches):
            ends, components = _suspects(results, monitor)
            if not len(ends) and not components:
                continue
            if results.predicates.follows(monitor.condition):
                _keep(results, broken, monitor, ends, components)
                continue
        elif not monitor.errs and _never_owes(results, monitor):
            continue
        _search(results, broken, monitor)
        searched.append(broken)
    return searched


def terminal_rows(results: Results) -> Int64s:
    """The rows that are judged and in which nothing but a fault can happen, ascending."""
    search = results.search
    terminal = search.terminal_states()
    found = [terminal[terminal < search.expanded]]
    if results.stop_condition.deep:
        for edges in search.edges(range(search.expanded, search.count)):
            able = np.unique(edges.source[edges.transition != FAULT])
            found.append(np.setdiff1d(edges.sources, able))
    return np.concatenate(found)


def _never_owes(results: Results, monitor: RunMonitor) -> bool:
    """Whether no run can end, or stay for ever, in states where the monitor can be hot."""
    search, observations = results.search, Observations(results, monitor)
    terminal = terminal_rows(results)
    if not observations.cool(terminal).all():
        return False
    if search.layered:
        return True
    rows = np.arange(search.expanded)
    return not _cycles(search, rows[~observations.cool(rows)], monitor.fair)


def _suspects(results: Results, monitor: Reaches) -> tuple[Int64s, list[Int64s]]:
    """Where runs can end, or stay for ever (a component each), that break the claim unless their history forbids it."""
    search = results.search
    terminal = terminal_rows(results)
    ends = terminal[_missing(results, monitor, terminal)]
    if search.layered:
        return ends, []
    rows = np.flatnonzero(_missing(results, monitor, range(search.expanded)))
    return ends, _cycles(search, rows, monitor.fair)


def _missing(results: Results, monitor: Reaches, rows: range | Int64s) -> NDArray[np.bool_]:
    """In which of these rows the condition is not met, and a snapshot may have begun."""
    search, bits = results.search, bits_of(results, rows)
    missing: NDArray[np.bool_] = np.ones(len(rows), np.bool_)
    if not results.predicates.forgets:
        missing = (bits & BEGUN) != 0
    if monitor.condition in BITS:
        missing &= (bits & BITS[monitor.condition]) == 0
        return missing
    for i in np.flatnonzero(missing).tolist():
        missing[i] = not monitor.condition(search.system, search.state(int(rows[i])))
    return missing


def _keep(results: Results, broken: Property, monitor: RunMonitor, ends: Int64s, components: list[Int64s]) -> None:
    """Keep the best of the shortest runs to one of these rows: their history follows from them."""
    search = results.search
    states = np.concatenate([ends, *components])
    level = search.level(search.depth_of(int(states.min())))
    targets = np.unique(states[(states >= level.start) & (states < level.stop)])
    path = paths.shortest(search, targets)
    end = paths.end(search, path)
    component = None if end in ends else next(c for c in components if end in c)
    _keep_run(results, broken, monitor, paths.trace(search, path), end, component)


def _keep_run(
    results: Results, broken: Property, monitor: RunMonitor, trace: Trace, end: int, component: Int64s | None
) -> None:
    """Keep a run that ends in this row, or goes round for ever in its component."""
    if component is None:
        results.keep(broken, trace, ends_short())
        return
    from checker.judging.liveness import fair_loop  # it loads networkx: only where there are cycles

    search, memory = results.search, Memory(results.search)
    cycle = fair_loop(frozenset(component.tolist()), end, memory.successors, memory.events, monitor.fair)
    looped = Trace(search.system, trace.initial, trace.events + paths.trace(search, cycle).events, loop=len(trace))
    results.keep(broken, looped, goes_round(len(trace)), len(trace))


def _search(results: Results, broken: Property, monitor: RunMonitor) -> None:
    """The same where history does not follow: over rows and values of the monitor."""
    search, histories = results.search, Histories(results, monitor)
    results.histories = max(results.histories or 0, histories.size)
    known = search.count if results.stop_condition.deep else search.expanded
    remembered = list(enumerate(histories.values.values))
    errors = {value: histories.rows(value) for value, own in remembered if monitor.error(own) is not None}
    errors = {value: rows[rows < known] for value, rows in errors.items() if (rows < known).any()}
    if errors:
        path, (end, value) = histories.nearest(errors)
        reason = monitor.explain(search.system, search.state(end), histories.values.values[value])
        assert reason is not None, f"{broken.name}: the decoded run does not break it"
        results.keep(broken, _trace(search, path), reason)
        return
    hot = {value: histories.rows(value) for value, own in remembered if monitor.hot(own)}
    terminal = terminal_rows(results)
    targets = {value: np.intersect1d(rows, terminal) for value, rows in hot.items()}
    inside = {value: rows[rows < search.expanded] for value, rows in hot.items()}
    if search.layered:
        components: list[Component] = []
    elif monitor.lasting:
        components = [
            frozenset((row, value) for row in one.tolist())
            for value, rows in inside.items()
            for one in _cycles(search, rows, monitor.fair)
        ]
    else:
        components = _watched_cycles(histories, inside, monitor.fair)
    for value, row in ((value, row) for one in components for row, value in one):
        targets[value] = np.append(targets[value], row)
    if not any(map(len, targets.values())):
        return
    path, node = histories.nearest(targets)
    trace = _trace(search, path)
    if node[0] in terminal:
        results.keep(broken, trace, ends_short())
        return
    from checker.judging.liveness import fair_loop  # as below

    component = next(one for one in components if node in one)
    graph_of = Watching(histories, component)
    cycle = fair_loop(graph_of.every, graph_of.numbers[node], graph_of.successors, graph_of.events, monitor.fair)
    loop = _trace(search, [(graph_of.nodes[number], index) for number, index in cycle])
    looped = Trace(search.system, trace.initial, trace.events + loop.events, loop=len(trace))
    results.keep(broken, looped, goes_round(len(trace)), len(trace))


def _trace(search: Exploration, path: Path) -> Trace:
    return paths.trace(search, [(node[0], index) for node, index in path])


def _watched_cycles(histories: Histories, hot: dict[int, Int64s], fair: bool) -> list[Component]:
    """The strongly connected components of these nodes in which a run can stay for ever."""
    from checker.judging.liveness import stuck  # it loads networkx: only where there are cycles

    graph_of = Watching(histories, frozenset((row, value) for value, rows in hot.items() for row in rows.tolist()))
    found = stuck(graph_of.every, graph_of.successors, graph_of.events, fair)
    return [frozenset(graph_of.nodes[number] for number in one) for one in found.components]


class Watching:
    """Nodes (row, value) as a graph: they are numbered, -1 stands for any other node."""

    def __init__(self, histories: Histories, nodes: Component) -> None:
        self.nodes = sorted(nodes)
        self.numbers = {node: number for number, node in enumerate(self.nodes)}
        self.every = frozenset(range(len(self.nodes)))
        self._memory = Memory(histories.search)
        self._successors: list[list[int]] = [[] for _ in self.nodes]
        for value in {value for _, value in nodes}:
            rows = np.array(sorted(row for row, own in nodes if own == value), np.int64)
            for edges, after in histories.edges(value, rows):
                for source, target, own in zip(
                    edges.source.tolist(), edges.target.tolist(), after.tolist(), strict=True
                ):
                    self._successors[self.numbers[source, value]].append(self.numbers.get((target, own), -1))

    def successors(self, number: int) -> list[int]:
        """Where the edges of a node lead, in the order of its events."""
        return self._successors[number]

    def events(self, number: int) -> list[Event]:
        """The events of its state."""
        return self._memory.events(self.nodes[number][0])


def _cycles(search: Exploration, rows: Int64s, fair: bool) -> list[Int64s]:
    """The strongly connected components of these rows in which a run can stay for ever."""
    if not len(rows):
        return []
    start, targets, component = search.components(rows)
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


def _fair(search: Exploration, rows: Int64s, component: NDArray[np.int32], components: int) -> NDArray[np.bool_]:
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
        steps = edges.transition >= 0
        steps[steps] = own[edges.transition[steps]]
        serves = edges.served.copy()
        serves[steps] |= np.uint64(1) << (channels + edges.actor[steps]).astype(np.uint64)
        starts = np.cumsum(edges.degrees) - edges.degrees
        np.bitwise_and.at(waiting, of[edges.sources], np.bitwise_or.reduceat(serves, starts))
        stays = of[edges.target] == of[edges.source]
        np.bitwise_or.at(served, of[edges.source[stays]], serves[stays])
    present = np.unique(component)
    good[present] = (waiting[present] & ~served[present]) == 0
    return good


class Memory:
    """The events and successors of rows, each decoded once."""

    def __init__(self, search: Exploration) -> None:
        self._search = search
        self.successors = lru_cache(maxsize=None)(self._successors)
        self.events = lru_cache(maxsize=None)(self._events)

    def _successors(self, number: int) -> list[int]:
        return self._search.successors(number)

    def _events(self, number: int) -> list[Event]:
        return self._search.events(number)
