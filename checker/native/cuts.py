"""The exact search over (state, cut), for claims about S0, SSS and S1 that the simulation does not settle.

Its nodes carry the cut of the run so far (`model.cut`), once for each snapshot in progress. Transitions are taken from
the explored rows; it ends with the level in which the last pending claim is broken.
"""

from __future__ import annotations

from collections.abc import Iterator

from checker.bounds import Clock
from checker.native import routes
from checker.native.fairness import Memory
from checker.native.findings import Findings
from checker.passage import CutOff, SearchedPassage
from checker.search import explore, shortest
from model.cut import Cut, begin, extend
from model.property import Property, Reason, Taken

Node = tuple[int, Cut]
"""A node: the number of the row, and the cut of the run."""


def search_cuts(findings: Findings, claims: list[Property]) -> None:
    """For each claim, the best of the shortest runs to a completed snapshot that breaks it."""
    memory = Memory(findings.search)
    for snapshot in range(findings.system.protocol.snapshots):
        _search(findings, claims, snapshot, memory)


def _search(findings: Findings, claims: list[Property], snapshot: int, memory: Memory) -> None:
    system, rows = findings.system, findings.search
    passage = SearchedPassage(system, findings.clock.bounds.max_states)
    reasons: dict[str, dict[Node, Reason]] = {claim.name: {} for claim in claims}

    def visit(node: Node) -> bool:
        state = rows.state(node[0])
        if system.complete(state, snapshot):
            taken = Taken(system.recorded(state, snapshot), node[1], system.project(state), passage)
            for claim in claims:
                try:
                    reason = claim.on_taken(system, snapshot, taken) if claim.on_taken else None
                except CutOff as cut:
                    findings.unknown[claim.name] = str(cut)
                    continue
                if reason is not None:
                    reasons[claim.name][node] = reason
        return all(reasons.values())

    def expand(node: Node) -> Iterator[Node]:
        number, cut = node
        if number < rows.expanded:
            for event, succ in zip(memory.events(number), memory.successors(number), strict=True):
                yield succ, extend(system, snapshot, cut, event)

    clock = Clock(findings.clock.bounds)
    graph = explore([(0, begin(system, rows.state(0)))], expand, clock, visit)
    if clock.why == "interrupted":
        raise KeyboardInterrupt
    for claim in claims:
        broken = reasons[claim.name]
        if broken:
            depths = {node: graph.depth_of(graph.index[node]) for node in broken}
            nearest = min(depths.values())
            targets = {graph.index[node] for node, depth in depths.items() if depth == nearest}
            path = shortest(graph, lambda n: [e.actor for e in memory.events(graph.nodes[n][0])], targets)
            end = graph.successors[path[-1][0]][path[-1][1]] if path else 0
            trace = routes.rebuild(system, rows.state(0), [index for _, index in path])
            findings.keep(claim, trace, broken[graph.nodes[end]])
        elif clock.why is not None and findings.clock.why is None:
            findings.unknown[claim.name] = clock.why
