"""Claims about completed snapshots, by a second search over (state, cut), once for each snapshot in progress."""

from __future__ import annotations

from collections.abc import Iterator

from checker.engines.reference.explored import Explored, rebuild
from checker.judging.breadth_first import explore, shortest
from checker.judging.reachability import CutOff, SearchedReachability
from model.cut import Cut, begin, cuts_of, extend
from model.property import CompletedSnapshot, Reason

Node = tuple[int, Cut]
"""A node of the second search: the number of the state in the first, and the cut of the run."""


class OverCuts(Explored):
    """Judges claims about SSS, and about S0, SSS and S1."""

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
