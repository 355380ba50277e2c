"""The reference engine: plain breadth-first search over `System`, the oracle that every other engine is judged by.

Two searches. The first is over the states: counts, snapshots, what a transition or a state breaks, what every fair
run reaches. The second, over (state, cut), is for claims about S0, SSS and S1, which depend on how a state was
reached: its nodes carry the cut of the run so far (`model.cut`), once for each snapshot in progress.
"""

from __future__ import annotations

import time
from collections.abc import Hashable, Iterator
from dataclasses import replace
from functools import cached_property
from graphlib import CycleError, TopologicalSorter

from checker.engines.memory import peak_rss_mb
from checker.engines.search_options import Progress, SearchOptions, StopCondition, silent
from checker.judging.breadth_first import Graph, explore, shortest
from checker.judging.liveness import fair_loop, stuck
from checker.judging.reachability import CutOff, SearchedReachability
from model.action import Event
from model.cut import Cut, begin, cuts_of, extend
from model.errors import InputError
from model.growth import Growth
from model.monitor import SETTLED, RunMonitor, begins, ends_short, goes_round
from model.program import Underlying
from model.property import CompletedSnapshot, Property, Reason, further_of
from model.system import State, System
from model.trace import Counterexample, Trace
from model.verdict import COMPLETES, IN_CHANNEL, Counts, Coverage, PropertyVerdict, Verdict, settled_for, sought_of

Node = tuple[int, Cut]
"""A node of the second search: the number of the state in the first, and the cut of the run."""

Watched = tuple[int, Hashable]
"""A node of the search for a claim about runs: the number of the state, and what its monitor remembers of the run."""

NOWHERE: Watched = (-1, SETTLED)
"""Stands for all nodes in which the claim is settled."""

MOST_VALUES = 10_000
"""Values of one monitor; with more it is taken to have no end of them."""


def judge(
    system: System, properties: list[Property], options: SearchOptions | None = None, progress: Progress = silent
) -> Verdict:
    """The verdict on all `properties` of the system, over everything reachable within the bounds."""
    started = time.monotonic()
    run = Reference(system, properties, StopCondition(options or SearchOptions()), progress)
    run.explore()
    try:
        if run.stop_condition.interrupted:
            raise KeyboardInterrupt  # the searches below take as long again: whoever interrupts wants the figures now
        run.find_moves()
        run.find_states()
        run.find_runs()
        run.find_lost()
        run.find_recorded()
        run.find_taken()
    except KeyboardInterrupt:
        run.stop_condition.interrupt(run.graph.depth)
    verdicts = tuple(run.verdict(p) for p in properties)
    return Verdict(
        system=system,
        engine="reference",
        coverage=Coverage("exhaustive")
        if run.stop_condition.limit is None
        else Coverage("bounded", (run.stop_condition.limit,)),
        counts=run.counts(),
        properties=verdicts,
        snapshots=tuple(dict.fromkeys(recorded for _, _, recorded in run.completed)),
        reason=run.stop_condition.why,
        seconds=time.monotonic() - started,
        peak_rss_mb=peak_rss_mb(),
        witnesses=run.witnesses() + sought_of(properties, {name: found for name, (_, found) in run.found.items()}),
        warnings=run.growth() if run.stop_condition.limit is not None else (),
    )


class Reference:
    """One check in progress: the explored graph and what was found in it."""

    def __init__(
        self, system: System, properties: list[Property], stop_condition: StopCondition, progress: Progress
    ) -> None:
        self.system = system
        self.properties = properties
        self.stop_condition = stop_condition
        self.progress = progress
        self.graph: Graph[State] = Graph()
        self.alone = system.alone()
        self.underlying: Graph[State] = Graph()
        self.completed: list[tuple[int, int, Underlying]] = []  # (state, snapshot, SSS)
        self.found: dict[str, tuple[int, Counterexample]] = {}
        self.unknown: dict[str, str] = {}
        self.histories: int | None = None

    # -- the first search: states ------------------------------------------------------------------------------

    def explore(self) -> None:
        """All reachable states, and all completed snapshots among them; and the underlying states by themselves."""
        system = self.system
        self.graph = explore(
            system.initial_states(),
            self.expand,
            self.stop_condition,
            self.stops if self.stop_condition.options.first else None,
            self.progress,
        )
        for number, state in enumerate(self.graph.nodes):
            for snapshot in range(system.protocol.snapshots):
                if system.complete(state, snapshot):
                    self.completed.append((number, snapshot, system.recorded(state, snapshot)))
        if self.stop_condition.interrupted:
            return
        alone, stop_condition = self.alone, self.stop_condition.beside()
        self.underlying = explore(
            alone.initial_states(), lambda s: (alone.step(s, e) for e in alone.events(s)), stop_condition
        )
        if stop_condition.interrupted:
            self.stop_condition.interrupt(self.graph.depth)

    def expand(self, state: State) -> Iterator[State]:
        """The successors of a state, in the order of its events."""
        return (self.system.step(state, event) for event in self.system.events(state))

    def stops(self, state: State) -> bool:
        """With --first: whether the state, or a move from it, breaks a property."""
        return any(self.state_reason(p, state) for p in self.properties if not p.sought) or any(
            self.event_reason(p, event) for p in self.properties for event in self.system.events(state)
        )

    def events(self, number: int) -> list[Event]:
        """The events of state number `number`."""
        return list(self.system.events(self.graph.nodes[number]))

    def actors(self, number: int) -> list[int]:
        """Who acts in each of the state's events."""
        return [event.actor for event in self.events(number)]

    # -- what breaks a property --------------------------------------------------------------------------------

    def state_reason(self, broken: Property, state: State) -> Reason | None:
        """Why the state by itself breaks the property, if it does."""
        return broken.on_state(self.system, state) if broken.on_state else None

    def event_reason(self, broken: Property, event: Event) -> Reason | None:
        """Why a move of the event breaks the property, if one does; faults are nobody's fault."""
        if broken.on_move is None or event.fault is not None:
            return None
        return next(filter(None, (broken.on_move(self.system, move) for move in event.moves)), None)

    def find_moves(self) -> None:
        """For each property that a transition can break, the best of the shortest runs that end with such a one."""
        for broken in (p for p in self.properties if p.on_move is not None):
            for depth in range(len(self.graph.levels)):
                edges: dict[int, set[int]] = {}
                reasons: dict[tuple[int, int], Reason] = {}
                for number in self.expanded(depth):
                    for index, event in enumerate(self.events(number)):
                        reason = self.event_reason(broken, event)
                        if reason is not None:
                            edges.setdefault(number, set()).add(index)
                            reasons[number, index] = reason
                if edges:
                    path = shortest(self.graph, self.actors, set(), edges)
                    self.keep(broken, self.trace(path), reasons[path[-1]])
                    break

    def find_states(self) -> None:
        """The same for each property that a state can break; where that shows only later, the soonest to show."""
        for broken in (p for p in self.properties if p.on_state is not None):
            for depth in range(len(self.graph.levels)):
                if broken.further and broken.name in self.found and self.found[broken.name][0] <= depth + 1:
                    break
                reasons = {n: self.state_reason(broken, self.graph.nodes[n]) for n in self.judged(depth)}
                bad = {number: reason for number, reason in reasons.items() if reason is not None}
                if bad:
                    soonest = min(map(further_of, bad.values()))
                    path = shortest(self.graph, self.actors, {n for n in bad if further_of(bad[n]) == soonest})
                    self.keep(broken, self.trace(path), bad[self.end(path)], depth + soonest)
                    if not broken.further:
                        break

    def expanded(self, depth: int) -> range:
        """The states at this depth whose events are all known."""
        level = self.graph.level(depth)
        return range(level.start, min(level.stop, len(self.graph.successors)))

    def judged(self, depth: int) -> range:
        """The states at this depth that are judged: where a bound forbade to expand them, only at the depth bound."""
        level = self.graph.level(depth)
        return range(level.start, min(level.stop, self.known))

    @property
    def known(self) -> int:
        """How many states are judged; they are the first ones."""
        return len(self.graph.nodes if self.stop_condition.deep else self.graph.successors)

    # -- claims about runs -------------------------------------------------------------------------------------

    def find_runs(self) -> None:
        """For each claim about runs, the best of the shortest runs that break it, whatever their states by themselves.

        The search goes over (state, value of the monitor), since two runs to one state may differ in what has been.
        """
        for broken in self.properties:
            monitor = broken.runs
            if monitor is not None:
                product = self.watch(monitor)
                if not self.keep_error(broken, monitor, product):
                    self.keep_stuck(broken, monitor, product)

    def watch(self, monitor: RunMonitor) -> Graph[Watched]:
        """All that can be reached of states and values of the monitor, along what was explored."""
        system, states = self.system, self.graph
        observed = [monitor.observe(system, state) for state in states.nodes]
        values = set[Hashable]()
        pairs = {(0, monitor.start(observed[0]))}

        def expand(node: Watched) -> Iterator[Watched]:
            number, value = node
            if 0 <= number < len(states.successors):
                for event, succ in zip(self.events(number), states.successors[number], strict=True):
                    after = monitor.after(value, monitor.sees(system, event), observed[succ])
                    values.add(after)
                    pairs.add((succ, after))
                    if len(values) > MOST_VALUES:
                        raise InputError(f"a monitor with more than {MOST_VALUES:,} values: it must have few")
                    yield NOWHERE if after is SETTLED else (succ, after)

        time_only = SearchOptions(timeout=self.stop_condition.options.timeout)
        start = monitor.start(observed[0])
        initial = [NOWHERE if start is SETTLED else (0, start)]
        stop_condition = self.stop_condition.beside(time_only)
        product = explore(initial, expand, stop_condition)
        if stop_condition.why == "interrupted":
            raise KeyboardInterrupt
        if stop_condition.why is not None and self.stop_condition.why is None:
            self.stop_condition.why, self.stop_condition.limit = stop_condition.why, stop_condition.limit
        if len(pairs) > len({number for number, _ in pairs}):
            self.histories = max(self.histories or 0, len(pairs))
        return product

    def keep_error(self, broken: Property, monitor: RunMonitor, product: Graph[Watched]) -> bool:
        """Keep the best of the shortest runs to an error of the monitor; whether there is one."""
        errors = {
            node
            for node, (number, value) in enumerate(product.nodes)
            if value is not SETTLED and number < self.known and monitor.error(value) is not None
        }
        if not errors:
            return False
        path = self.nearest(product, errors)
        number, value = product.nodes[product.successors[path[-1][0]][path[-1][1]] if path else 0]
        reason = monitor.explain(self.system, self.graph.nodes[number], value)
        assert reason is not None, f"{broken.name}: the run does not break it"
        self.keep(broken, rebuild(self.system, self.graph.nodes[0], [index for _, index in path]), reason)
        return True

    def keep_stuck(self, broken: Property, monitor: RunMonitor, product: Graph[Watched]) -> None:
        """Keep the best of the shortest runs to where one can end, or go on for ever, in hot values."""

        def successors(node: int) -> list[int]:
            return product.successors[node] if node < len(product.successors) else []

        def events(node: int) -> list[Event]:
            return self.events(product.nodes[node][0])

        hot = [
            node
            for node, (number, value) in enumerate(product.nodes)
            if value is not SETTLED and number < self.known and monitor.hot(value)
        ]
        found = stuck(hot, successors, events, monitor.fair)
        if not found.states():
            return
        path = self.nearest(product, found.states())
        end = product.successors[path[-1][0]][path[-1][1]] if path else 0
        choices = [index for _, index in path]
        if end in found.ends:
            trace = rebuild(self.system, self.graph.nodes[0], choices)
            self.keep(broken, trace, ends_short())
            return
        component = next(c for c in found.components if end in c)
        cycle = fair_loop(component, end, successors, events, monitor.fair)
        looped = rebuild(self.system, self.graph.nodes[0], choices + [index for _, index in cycle])
        looped = replace(looped, loop=len(path))
        self.keep(broken, looped, goes_round(len(path)), len(path))

    def nearest(self, product: Graph[Watched], targets: set[int]) -> list[tuple[int, int]]:
        """The best of the shortest paths to one of these nodes."""
        depth = product.depth_of(min(targets))
        at_that = {node for node in targets if product.depth_of(node) == depth}
        return shortest(product, lambda node: self.actors(product.nodes[node][0]), at_that)

    # -- what the superposition loses --------------------------------------------------------------------------

    def find_lost(self) -> None:
        """For a property that preserves the computation, the nearest underlying state that became unreachable."""
        for broken in (p for p in self.properties if p.preserves):
            if self.stop_condition.why is not None or len(self.underlying.successors) < len(self.underlying.nodes):
                self.unknown[broken.name] = "the reachable states were not all explored"
                continue
            kept = {self.system.project(state) for state in self.graph.nodes}
            lost = {n for n, s in enumerate(self.underlying.nodes) if self.alone.project(s) not in kept}
            if lost:
                nearest = self.underlying.depth_of(min(lost))
                targets = {n for n in lost if self.underlying.depth_of(n) == nearest}
                path = shortest(self.underlying, self.actors_alone, targets)
                trace = rebuild(self.alone, self.underlying.nodes[0], [index for _, index in path])
                self.keep(
                    broken, trace, {"kind": "alone the computation reaches this state; with the snapshot it cannot"}
                )

    def actors_alone(self, number: int) -> list[int]:
        """Who acts in each event of an underlying state."""
        return [event.actor for event in self.alone.events(self.underlying.nodes[number])]

    # -- what was recorded, by itself --------------------------------------------------------------------------

    def find_recorded(self) -> None:
        """For each property that an SSS by itself can break, the best of the shortest runs to a completed one."""
        distinct = dict.fromkeys((snapshot, recorded) for _, snapshot, recorded in self.completed)
        for broken in self.properties:
            if broken.on_recorded is None:
                continue
            reasons = {key: broken.on_recorded(self.system, *key) for key in distinct}
            bad: dict[int, Reason] = {}
            for number, snapshot, recorded in self.completed:
                reason = reasons[snapshot, recorded]
                if reason is not None and number < self.known:
                    bad.setdefault(number, reason)
            if bad:
                nearest = self.graph.depth_of(min(bad))
                path = shortest(self.graph, self.actors, {n for n in bad if self.graph.depth_of(n) == nearest})
                self.keep(broken, self.trace(path), bad[self.end(path)])

    # -- the second search: states and cuts --------------------------------------------------------------------

    def find_taken(self) -> None:
        """For each property of completed snapshots, the best of the shortest runs to one that breaks it."""
        if any(p.on_completed is not None for p in self.properties) and self.completed:
            for snapshot in range(self.system.protocol.snapshots):
                self.search_cuts(snapshot)

    def search_cuts(self, snapshot: int) -> None:
        """The second search, for one of the snapshots in progress."""
        system, states = self.system, self.graph
        stop_condition = self.stop_condition.further()
        reachability = SearchedReachability(system, stop_condition.options.max_states)
        pending = {p.name: p for p in self.properties if p.on_completed is not None}
        reasons: dict[str, dict[Node, Reason]] = {name: {} for name in pending}
        start = begin(system, states.nodes[0])
        # Once a run can no longer become complete its cut is no matter, and might grow for ever where states recur.
        leading = states.leading_to(number for number, own, _ in self.completed if own == snapshot)

        def visit(node: Node) -> bool:
            state = states.nodes[node[0]]
            if system.complete(state, snapshot):
                taken = CompletedSnapshot(
                    system.recorded(state, snapshot), node[1], system.project(state), reachability
                )
                for name, broken in pending.items():
                    try:
                        reason = broken.on_completed(system, snapshot, taken) if broken.on_completed else None
                    except CutOff as cut:
                        self.unknown[name] = str(cut)
                        continue
                    if reason is not None:
                        reasons[name][node] = reason
            return all(reasons.values())

        def choices(node: Node) -> Iterator[tuple[int, int, Node]]:
            """(index of the event, its actor, where it leads): an event may lead to several cuts."""
            number, cut = node
            if number < len(states.successors):
                before = states.nodes[number].channels
                for index, (event, succ) in enumerate(zip(self.events(number), states.successors[number], strict=True)):
                    cuts = extend(system, snapshot, cut, event, before) if succ in leading else (start,)
                    yield from ((index, event.actor, (succ, after)) for after in cuts)

        def expand(node: Node) -> Iterator[Node]:
            return (target for _, _, target in choices(node))

        graph = explore([(0, start)], expand, stop_condition, visit)
        if stop_condition.interrupted:
            raise KeyboardInterrupt
        for name, broken in pending.items():
            if reasons[name]:
                depths = {node: graph.depth_of(graph.index[node]) for node in reasons[name]}
                nearest = min(depths.values())
                targets = {graph.index[node] for node, depth in depths.items() if depth == nearest}
                path = shortest(graph, lambda n: [actor for _, actor, _ in choices(graph.nodes[n])], targets)
                end = graph.successors[path[-1][0]][path[-1][1]] if path else 0
                events = [list(choices(graph.nodes[n]))[index][0] for n, index in path]
                trace = rebuild(system, states.nodes[0], events)
                cuts = cuts_of(system, snapshot, trace.states(), trace.events)
                reason = next(filter(None, (reasons[name].get((graph.nodes[end][0], cut)) for cut in cuts)))
                self.keep(broken, trace, reason)
            elif stop_condition.why is not None and self.stop_condition.why is None:
                self.unknown[name] = stop_condition.why

    # -- results -----------------------------------------------------------------------------------------------

    def keep(self, broken: Property, trace: Trace, reason: Reason, length: int | None = None) -> None:
        """Keep the counterexample, unless a shorter one of the property is known."""
        length = len(trace) if length is None else length
        if broken.name not in self.found or length < self.found[broken.name][0]:
            self.found[broken.name] = (length, Counterexample(broken.name, trace, reason))

    def end(self, path: list[tuple[int, int]]) -> int:
        """The state to which the path leads."""
        return self.graph.successors[path[-1][0]][path[-1][1]] if path else 0

    def trace(self, path: list[tuple[int, int]]) -> Trace:
        """The path as a trace from its first state."""
        start = self.graph.nodes[path[0][0]] if path else self.graph.nodes[0]
        return rebuild(self.system, start, [index for _, index in path])

    def verdict(self, judged: Property) -> PropertyVerdict:
        """What was found of one property."""
        length, counterexample = self.found.get(judged.name, (None, None))
        cut = self.unknown.get(judged.name) or self.stop_condition.why
        witness = judged.witness(self.system, bool(self.completed), self.begun)
        return settled_for(judged, counterexample, cut, witness, length)

    @cached_property
    def begun(self) -> bool:
        """Whether some run begins a snapshot."""
        return any(begins(event) for number in range(len(self.graph.successors)) for event in self.events(number))

    def witnesses(self) -> tuple[Counterexample, ...]:
        """The shortest runs in which a snapshot completes, and in which one completes with a message in a channel."""
        found = []
        with_message = {number for number, _, recorded in self.completed if any(recorded.channels)}
        for name, targets in ((COMPLETES, {number for number, _, _ in self.completed}), (IN_CHANNEL, with_message)):
            if targets:
                nearest = self.graph.depth_of(min(targets))
                path = shortest(self.graph, self.actors, {n for n in targets if self.graph.depth_of(n) == nearest})
                found.append(Counterexample(name, self.trace(path), {"kind": name}))
        return tuple(found)

    def growth(self) -> tuple[str, ...]:
        """What still grew when the search was cut off."""
        growth = Growth(self.system)
        for depth in range(len(self.graph.levels)):
            for number in self.graph.level(depth):
                state = self.graph.nodes[number]
                for machine, local in enumerate(state.machines):
                    growth.local(machine, local, depth)
                for channel, content in enumerate(state.channels):
                    growth.content(channel, content, depth)
        return growth.evidence(self.graph.depth)

    def underlying_states(self) -> int | None:
        """How many states the computation has alone; None if they were not all explored."""
        nodes = self.underlying.nodes
        if not nodes or len(self.underlying.successors) < len(nodes):
            return None
        return len({self.alone.project(state) for state in nodes})

    def counts(self) -> Counts:
        """Figures of what was explored."""
        return Counts(
            states=len(self.graph.nodes),
            transitions=sum(map(len, self.graph.successors)),
            depth=self.graph.depth,
            underlying_states=self.underlying_states(),
            snapshots=len({recorded for _, _, recorded in self.completed}),
            interleavings=maximal_runs(self.graph) if self.stop_condition.why is None else None,
            histories=self.histories,
        )


def rebuild(system: System, initial: State, choices: list[int]) -> Trace:
    """The trace that takes these choices, as indices into the events of each state."""
    state, events = initial, []
    for index in choices:
        events.append(list(system.events(state))[index])
        state = system.step(state, events[-1])
    return Trace(system, initial, tuple(events))


def maximal_runs(graph: Graph[State]) -> int | None:
    """How many runs lead from the initial state to one without successors; None if there are infinitely many."""
    runs = [0] * len(graph.nodes)
    try:
        for number in TopologicalSorter(dict(enumerate(graph.successors))).static_order():  # successors first
            succs = graph.successors[number]
            runs[number] = sum(runs[succ] for succ in succs) if succs else 1
    except CycleError:
        return None
    return runs[0]
