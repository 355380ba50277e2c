"""The exact search over (state, cut), for claims about S0, SSS and S1 that the simulation does not settle.

Its nodes carry the cut of the run so far (`model.cut`), once for each snapshot in progress. Only runs to completed
snapshots are of interest, so a node waits until runs are looked at that are long enough to lead through it to a
completed one: those of the least length first, then those with one action more, and so on. Few states lie on runs
with few actions to spare, and nearly always these break what can be broken. The search ends with the length at which
the last pending claim is broken.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from checker.native import routes
from checker.native.facts import Numbering
from checker.native.fairness import Memory
from checker.native.findings import Findings
from checker.native.remaining import FAR, actions_to
from checker.native.snapshots import Snapshots
from checker.passage import CutOff, SearchedPassage
from checker.paths import best_path
from model.action import Event
from model.channels import Bag, Fifo
from model.cut import Cut, begin, extend
from model.property import Property, Reason, Taken

Node = tuple[int, int]
"""A node: the number of the row, and that of the cut of the run."""

Edge = tuple[int, int, Node]
"""(index of the event, its actor, where it leads)"""


class Leads(NamedTuple):
    """A transition that can lead to a complete row: index of the event, actor, what it does to cuts, target."""

    event: int
    actor: int
    change: int
    target: int


def search_cuts(findings: Findings, claims: list[Property], snapshots: Snapshots) -> None:
    """For each claim, the best of the shortest runs to a completed snapshot that breaks it."""
    for snapshot in range(findings.system.protocol.snapshots):
        complete = snapshots.complete_rows(snapshot)
        if complete:
            CutSearch(findings, Judge(findings, claims, snapshot), complete).run()


class CutSearch:
    """One such search: nodes by the least length of a complete run through them, and by their distance from the start.

    The least number of actions from a node to a completed snapshot is that of its row, whatever the cut. So no edge
    leads to a node of a shorter run than the one it starts from, and a node is first met at its distance.
    """

    def __init__(self, findings: Findings, judge: Judge, complete: set[int]) -> None:
        self.findings, self.judge, self.complete = findings, judge, complete
        self.search = findings.search
        self.left = actions_to(self.search, np.array(sorted(complete), np.int64))
        self.changes = Changes(findings, judge.snapshot)
        self.leads: dict[int, list[Leads]] = {}
        self.levels: list[dict[Node, list[Edge]]] = []
        self.distance: dict[Node, int] = {}
        self.waiting: dict[int, dict[int, list[Node]]] = {}
        self.clock = findings.clock.further()

    def run(self) -> None:
        """Search until every claim is broken, or no node is left, or a bound is met; keep what was found."""
        self.wait((0, self.changes.first()), 0)
        while self.waiting and self.judge.open and self.look(min(self.waiting)):
            pass
        if self.clock.why is not None and self.findings.clock.why is None:
            for claim in self.judge.open:
                self.findings.unknown[claim.name] = self.clock.why

    def look(self, length: int) -> bool:
        """Look at the complete runs of this length; whether no bound was met."""
        for distance in range(length):
            self.expand(self.settled(length, distance), distance)
            if self.clock.stop(len(self.distance), length - 1):
                return False
        finished = self.settled(length, length)
        for node in finished:
            self.judge.visit(node, self.changes.cuts.values[node[1]])
        for claim, broken in self.judge.close():
            self.keep(claim, broken, length)
        if self.judge.open:
            self.expand(finished, length)
        del self.waiting[length]
        return True

    def wait(self, node: Node, distance: int) -> None:
        """Let the node wait for the runs that are long enough to lead through it to a complete row, if any does."""
        left = int(self.left[node[0]])
        if left < FAR:
            self.waiting.setdefault(distance + left, {}).setdefault(distance, []).append(node)

    def settled(self, length: int, distance: int) -> list[Node]:
        """The nodes at this distance on complete runs of this length, those of shorter runs left out."""
        found = [node for node in self.waiting[length].pop(distance, ()) if node not in self.distance]
        self.distance.update(dict.fromkeys(found, distance))
        return list(dict.fromkeys(found))

    def expand(self, nodes: list[Node], distance: int) -> None:
        """Note the edges of these nodes, all at one distance; where they lead is looked at when its turn comes."""
        while len(self.levels) <= distance:
            self.levels.append({})
        self.fetch({number for number, _ in nodes})
        after, level, known = self.changes.after, self.levels[distance], self.distance
        for node in nodes:
            number, cut = node
            edges = level[node] = [(e.event, e.actor, (e.target, after(cut, e.change))) for e in self.leads[number]]
            for _, _, target in edges:
                if target not in known:
                    self.wait(target, distance + 1)

    def fetch(self, numbers: set[int]) -> None:
        """The transitions of these rows that can lead to a complete one."""
        new = sorted(numbers - self.leads.keys())
        self.leads.update((number, []) for number in new)
        known = np.array([number for number in new if number < self.search.expanded], np.int64)
        for edges in self.search.edges(known):
            near = self.left[edges.target] < FAR
            chosen = (part[near] for part in (edges.source, edges.event, edges.actor, edges.row, edges.target))
            source, event, actor, row, target = (part.tolist() for part in chosen)
            changes = self.changes.of(source, event, row, target)
            for number, *lead in zip(source, event, actor, changes, target, strict=True):
                self.leads[number].append(Leads(*lead))

    def keep(self, claim: Property, broken: dict[Node, Reason], length: int) -> None:
        """Keep the best of the runs of this length to the nodes that break the claim."""
        layers: list[dict[Node, list[Edge]]] = []
        targets = set(broken)
        for level in reversed(self.levels[:length]):
            layer = {node: [edge for edge in edges if edge[2] in targets] for node, edges in level.items()}
            layers.append({node: edges for node, edges in layer.items() if edges})
            targets = set(layers[-1])
        layers.reverse()
        path = best_path(layers, min(layers[0])) if layers else []
        end = next(e[2] for e in layers[-1][path[-1][0]] if e[0] == path[-1][1]) if path else min(broken)
        system = self.findings.system
        trace = routes.rebuild(system, self.search.state(0), [index for _, index in path])
        self.findings.keep(claim, trace, broken[end])


class Changes:
    """What transitions do to the cut of a run: worked out once for each pair of a change and a cut, both numbered."""

    def __init__(self, findings: Findings, snapshot: int) -> None:
        self.system, self.search, self.facts = findings.system, findings.search, findings.facts
        self.snapshot = snapshot
        self.cuts = Numbering()
        self._numbers = Numbering()
        self._examples: list[tuple[int, int]] = []
        self._after: dict[tuple[int, int], int] = {}
        self._memory = Memory(self.search)
        # Elsewhere what a row does to a cut depends on where in its channel the accepted message was.
        self._tabled = type(self.system.assumptions.discipline) in (Fifo, Bag)

    def first(self) -> int:
        """The number of the cut at the start."""
        return self.cuts(begin(self.system, self.search.state(0)))

    def of(self, source: list[int], event: list[int], row: list[int], target: list[int]) -> list[int]:
        """The numbers of these transitions' changes: equal ones do the same to any cut.

        The table row says all of it, and where messages may leave from the middle of a channel, the contents of the
        channels accepted from, before and after: messages taken from different places leave different contents.
        """
        machines = self.system.topology.machines
        keys: list[tuple[int, ...]] = []
        if not self._tabled:
            before, after = (self.search.values(np.array(rows, np.int64)).tolist() for rows in (source, target))
        for i, number in enumerate(row):
            if number < 0:
                keys.append((-1, source[i], event[i]))
            elif self._tabled:
                keys.append((number,))
            else:
                fields = [machines + accepted.channel for accepted in self.facts.moves[number].accepts]
                keys.append((number, *(before[i][f] for f in fields), *(after[i][f] for f in fields)))
        numbers = []
        for i, key in enumerate(keys):
            numbers.append(self._numbers(key))
            if numbers[-1] == len(self._examples):
                self._examples.append((source[i], event[i]))
        return numbers

    def after(self, cut: int, change: int) -> int:
        """The number of the cut after the change."""
        found = self._after.get((cut, change))
        if found is None:
            row = self._numbers.values[change][0]
            number, at = self._examples[change]
            if row >= 0 and self._tabled:
                move = self.facts.moves[row]
                event = Event(move.machine, move.step.name, (move,))
            else:
                event = self._memory.events(number)[at]
            before = self.search.state(number).channels
            found = self._after[cut, change] = self.cuts(
                extend(self.system, self.snapshot, self.cuts.values[cut], event, before)
            )
        return found


class Judge:
    """Judges nodes; a claim is closed with the length of run that first breaks it."""

    def __init__(self, findings: Findings, claims: list[Property], snapshot: int) -> None:
        self.findings, self.snapshot = findings, snapshot
        self.open = list(claims)
        self._passage = SearchedPassage(findings.system, findings.clock.further().bounds.max_states)
        self._reasons: dict[str, dict[Node, Reason]] = {claim.name: {} for claim in claims}

    def visit(self, node: Node, cut: Cut) -> None:
        """Judge a node whose row is complete."""
        system, snapshot = self.findings.system, self.snapshot
        state = self.findings.search.state(node[0])
        taken = Taken(system.recorded(state, snapshot), cut, system.project(state), self._passage)
        for claim in self.open:
            try:
                reason = claim.on_taken(system, snapshot, taken) if claim.on_taken else None
            except CutOff as cut_off:
                self.findings.unknown[claim.name] = str(cut_off)
                continue
            if reason is not None:
                self._reasons[claim.name][node] = reason

    def close(self) -> list[tuple[Property, dict[Node, Reason]]]:
        """The claims that have been broken since, with the nodes that break them."""
        closed = [(claim, self._reasons[claim.name]) for claim in self.open if self._reasons[claim.name]]
        self.open = [claim for claim in self.open if not self._reasons[claim.name]]
        return closed
