"""The reference engine: plain breadth-first search over `System`, the oracle that every other engine is judged by.

Two searches. The first is over the states: counts, snapshots, what a transition or a state breaks, what every fair
run reaches. The second, over (state, cut), is for claims about S0, SSS and S1, which depend on how a state was
reached: its nodes carry the cut of the run so far (`model.cut`), once for each snapshot in progress.
"""

from __future__ import annotations

import time
from functools import cached_property
from graphlib import CycleError, TopologicalSorter

from checker.engines.memory import peak_rss_mb
from checker.engines.reference.explored import rebuild
from checker.engines.reference.over_cuts import OverCuts
from checker.engines.reference.over_runs import OverRuns
from checker.engines.search_options import Progress, SearchOptions, StopCondition, silent
from checker.judging.breadth_first import Graph, shortest
from model.growth import Growth
from model.monitor import begins
from model.property import Property, Reason, further_of
from model.system import State, System
from model.trace import Counterexample
from model.verdict import COMPLETES, IN_CHANNEL, Counts, Coverage, PropertyVerdict, Verdict, settled_for, sought_of


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


class Reference(OverRuns, OverCuts):
    """One check in progress."""

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
