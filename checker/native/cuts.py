"""The exact search over (state, cut), for claims about S0, SSS and S1 that the simulation does not settle.

Its nodes carry the cut of the run so far (`model.cut`), once for each snapshot in progress. Transitions are those of
the explored rows; cuts are numbered, and what a table row does to a cut is worked out once for each pair of them.
It ends with the level in which the last pending claim is broken.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from checker.native import routes
from checker.native.facts import Numbering
from checker.native.fairness import Memory
from checker.native.findings import Findings
from checker.native.snapshots import Snapshots
from checker.passage import CutOff, SearchedPassage
from checker.search import explore, shortest
from model.action import Event
from model.channels import Bag, Fifo
from model.cut import begin, extend
from model.property import Property, Reason, Taken
from model.system import System

Node = tuple[int, int]
"""A node: the number of the row, and that of the cut of the run."""


def search_cuts(findings: Findings, claims: list[Property], snapshots: Snapshots) -> None:
    """For each claim, the best of the shortest runs to a completed snapshot that breaks it."""
    transitions = Transitions(findings)
    for snapshot in range(findings.system.protocol.snapshots):
        _search(findings, claims, snapshot, transitions, snapshots.complete_rows(snapshot))


class Transitions:
    """The transitions of all expanded rows as (table row, target, actor), and what each does to a cut."""

    def __init__(self, findings: Findings) -> None:
        search = findings.search
        self.search, self.system, self.facts = search, findings.system, findings.facts
        parts = [
            (e.degrees, e.row.astype(np.int32), e.target.astype(np.int32), e.actor.astype(np.int32))
            for e in search.edges(range(search.expanded))
        ]
        degrees, rows, targets, actors = (np.concatenate(part) for part in zip(*parts, strict=True))
        self.start = np.cumsum(np.concatenate([[0], degrees])).tolist()
        self.rows, self.targets, self.actors = rows, targets, actors
        self.memory = Memory(search)
        # Elsewhere what a row does to a cut depends on where in its channel the accepted message was.
        self.tabled = type(self.system.assumptions.discipline) in (Fifo, Bag)

    def cut_after(self, snapshot: int, cuts: Numbering, known: dict[Node, int], node: Node, at: int, row: int) -> int:
        """The number of the cut after transition number `at` of the node's row."""
        number, cut = node
        if row < 0 or not self.tabled:
            event, before = self.memory.events(number)[at], self.search.state(number).channels
            return cuts(extend(self.system, snapshot, cuts.values[cut], event, before))
        after = known.get((cut, row))
        if after is None:
            move = self.facts.moves[row]
            event = Event(move.machine, move.step.name, (move,))
            after = known[cut, row] = cuts(extend(self.system, snapshot, cuts.values[cut], event, ()))
        return after


def _search(
    findings: Findings, claims: list[Property], snapshot: int, transitions: Transitions, complete: set[int]
) -> None:
    system, rows = findings.system, findings.search
    judge = Judge(findings, claims, snapshot, complete)
    cuts, known = judge.cuts, judge.known

    def expand(node: Node) -> Iterator[Node]:
        judge.close()
        number = node[0]
        if number < rows.expanded:
            first, last = transitions.start[number], transitions.start[number + 1]
            leads = zip(transitions.rows[first:last].tolist(), transitions.targets[first:last].tolist(), strict=True)
            for at, (row, target) in enumerate(leads):
                yield target, transitions.cut_after(snapshot, cuts, known, node, at, row)

    clock = findings.clock.further()
    start = cuts(begin(system, rows.state(0)))
    graph = explore([(0, start)], expand, clock, judge.visit)
    if clock.why == "interrupted":
        raise KeyboardInterrupt

    def actors(node: int) -> list[int]:
        number = graph.nodes[node][0]
        found: list[int] = transitions.actors[transitions.start[number] : transitions.start[number + 1]].tolist()
        return found

    for claim in claims:
        broken = judge.reasons[claim.name]
        if broken:
            path = shortest(graph, actors, {graph.index[node] for node in broken})
            end = graph.successors[path[-1][0]][path[-1][1]] if path else 0
            trace = routes.rebuild(system, rows.state(0), [index for _, index in path])
            findings.keep(claim, trace, broken[graph.nodes[end]])
        elif clock.why is not None and findings.clock.why is None:
            findings.unknown[claim.name] = clock.why


class Judge:
    """Judges the nodes of one search, level by level: a claim is closed with the level that first breaks it."""

    def __init__(self, findings: Findings, claims: list[Property], snapshot: int, complete: set[int]) -> None:
        self.findings, self.claims, self.snapshot, self.complete = findings, claims, snapshot, complete
        self.system: System = findings.system
        self.passage = SearchedPassage(self.system, findings.clock.further().bounds.max_states)
        self.reasons: dict[str, dict[Node, Reason]] = {claim.name: {} for claim in claims}
        self.open = list(claims)
        self.cuts = Numbering()
        self.known: dict[Node, int] = {}

    def close(self) -> None:
        """The level has been judged: what broke in it needs no longer runs."""
        self.open = [claim for claim in self.open if not self.reasons[claim.name]]

    def visit(self, node: Node) -> bool:
        """Judge a node; whether every claim is broken."""
        if node[0] in self.complete and self.open:
            system, snapshot = self.system, self.snapshot
            state = self.findings.search.state(node[0])
            recorded = system.recorded(state, snapshot)
            taken = Taken(recorded, self.cuts.values[node[1]], system.project(state), self.passage)
            for claim in self.open:
                try:
                    reason = claim.on_taken(system, snapshot, taken) if claim.on_taken else None
                except CutOff as cut:
                    self.findings.unknown[claim.name] = str(cut)
                    continue
                if reason is not None:
                    self.reasons[claim.name][node] = reason
        return all(self.reasons.values())
