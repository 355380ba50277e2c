"""Claims about runs, by a search over (state, value of the monitor): two runs to a state may differ in history."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import replace

from checker.engines.reference.explored import Explored, rebuild
from checker.engines.search_options import SearchOptions
from checker.judging.breadth_first import Graph, explore, shortest
from checker.judging.liveness import fair_loop, stuck
from model.action import Event
from model.errors import InputError
from model.monitor import SETTLED, RunMonitor, ends_short, goes_round
from model.property import Property

Watched = tuple[int, Hashable]
"""A node of the search for a claim about runs: the number of the state, and what its monitor remembers of the run."""

NOWHERE: Watched = (-1, SETTLED)
"""Stands for all nodes in which the claim is settled."""

MOST_VALUES = 10_000
"""Values of one monitor; with more it is taken to have no end of them."""


class OverRuns(Explored):
    """Judges claims about runs."""

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
