"""The exact search over (state, cut), for claims about S0, SSS and S1 that `refinement` does not establish.

Its nodes carry the cut of the run so far (`model.cut`), once for each snapshot in progress. Only runs to completed
snapshots are of interest, so a node waits until runs are looked at that are long enough to lead through it to a
completed one: those of the least length first, then those with one action more, and so on. Few states lie on runs
with few actions to spare, and nearly always these break what can be broken. The search ends with the length at which
the last pending claim is broken.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from checker.judging import shortest_runs as paths
from checker.judging.completed_snapshots import Snapshots
from checker.judging.local_columns import Interner
from checker.judging.reachability import CutOff, SearchedReachability
from checker.judging.results import Results
from checker.judging.run_claims import Memory
from checker.judging.shortest_paths import best_path
from checker.judging.target_distance import FAR, actions_to
from model.action import Event
from model.channels import Bag, Fifo
from model.cut import Cut, begin, cuts_of, extend
from model.property import CompletedSnapshot, Property, Reason

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


def search_cuts(results: Results, claims: list[Property], snapshots: Snapshots) -> None:
    """For each claim, the best of the shortest runs to a completed snapshot that breaks it."""
    for snapshot in range(results.system.protocol.snapshots):
        complete = snapshots.complete_rows(snapshot)
        if complete:
            CutSearch(results, Judge(results, claims, snapshot), complete).run()


class CutSearch:
    """One such search: nodes by the least length of a complete run through them, and by their distance from the start.

    The least number of actions from a node to a completed snapshot is that of its row, whatever the cut. So no edge
    leads to a node of a shorter run than the one it starts from, and a node is first met at its distance. An edge that
    makes the run longer by some actions, its detour, is looked at with the runs that are longer by as many.
    """

    def __init__(self, results: Results, judge: Judge, complete: set[int]) -> None:
        self.results, self.judge, self.complete = results, judge, complete
        self.search = results.search
        self.left = actions_to(self.search, np.array(sorted(complete), np.int64))
        self.changes = Changes(results, judge.snapshot)
        self.leads: dict[tuple[int, int], tuple[int, list[Leads]]] = {}
        self.levels: list[dict[Node, list[Edge]]] = []
        self.distance: dict[Node, int] = {}
        self.waiting: dict[int, dict[int, list[Node]]] = {}
        self.stop_condition = results.stop_condition.further()

    def run(self) -> None:
        """Exploration until every claim is broken, or no node is left, or a bound is met; keep what was found."""
        start = (0, self.changes.first())
        if self.left[0] < FAR:
            self.wait(start, int(self.left[0]), 0)
        while self.waiting and self.judge.open and self.look(min(self.waiting)):
            pass
        if self.stop_condition.why is not None and self.results.stop_condition.why is None:
            for claim in self.judge.open:
                self.results.unknown[claim.name] = self.stop_condition.why

    def look(self, length: int) -> bool:
        """Look at the complete runs of this length; whether no bound was met."""
        for distance in range(length):
            self.expand(self.due(length, distance), length, distance)
            if self.stop_condition.stop(len(self.distance), length - 1):
                return False
        finished = self.due(length, length)
        for node in finished:
            self.judge.visit(node, self.changes.cuts.values[node[1]])
        for claim, broken in self.judge.close():
            self.keep(claim, broken, length)
        if self.judge.open:
            self.expand(finished, length, length)
        del self.waiting[length]
        return True

    def wait(self, node: Node, length: int, distance: int) -> None:
        """Let the node, at this distance, wait for the complete runs of this length."""
        self.waiting.setdefault(length, {}).setdefault(distance, []).append(node)

    def due(self, length: int, distance: int) -> list[Node]:
        """The nodes that waited for runs of this length, but for those that have since been met nearer to the start."""
        waited = dict.fromkeys(self.waiting[length].pop(distance, ()))
        return [node for node in waited if self.distance.setdefault(node, distance) == distance]

    def expand(self, nodes: list[Node], length: int, distance: int) -> None:
        """Note the edges of these nodes that lie on complete runs of this length; what they lead to is due next."""
        while len(self.levels) <= distance:
            self.levels.append({})
        numbers = np.array(sorted({number for number, _ in nodes}), np.int64)
        keys = zip(numbers.tolist(), (length - distance - self.left[numbers]).tolist(), strict=True)
        leads = self.fetch(list(keys))
        after, level = self.changes.after, self.levels[distance]
        soon: list[Node] = []
        for node in nodes:
            number, cut = node
            next_detour, chosen = leads[number]
            edges = [(e.event, e.actor, (e.target, own)) for e in chosen for own in after(cut, e.change)]
            level.setdefault(node, []).extend(edges)
            soon.extend(target for _, _, target in edges)
            if next_detour < FAR:
                self.wait(node, length + next_detour, distance)
        if soon:
            self.waiting[length].setdefault(distance + 1, []).extend(soon)

    def fetch(self, wanted: list[tuple[int, int]]) -> dict[int, tuple[int, list[Leads]]]:
        """For each of these (row, detour), ascending: how many more actions its next detour takes, and its edges."""
        keys = [key for key in wanted if key not in self.leads]
        asked = [key for key in keys if key[0] < self.search.expanded]
        numbers, detours = np.array(asked, np.int64).reshape(-1, 2).T
        following = np.full(len(asked), FAR, np.int64)
        leads: list[list[Leads]] = [[] for _ in asked]
        for edges in self.search.edges(numbers):
            place = np.searchsorted(numbers, edges.source)
            more = self.left[edges.target] + 1 - self.left[edges.source] - detours[place]
            later = (more > 0) & (self.left[edges.target] < FAR)
            np.minimum.at(following, place[later], more[later])
            parts = (place, edges.event, edges.actor, edges.transition, edges.target)
            at, event, actor, row, target = (part[more == 0].tolist() for part in parts)
            changes = self.changes.of([asked[i][0] for i in at], event, row, target)
            for i, *lead in zip(at, event, actor, changes, target, strict=True):
                leads[i].append(Leads(*lead))
        self.leads.update((key, (FAR, [])) for key in keys)
        self.leads.update(zip(asked, zip(following.tolist(), leads, strict=True), strict=True))
        return {key[0]: self.leads[key] for key in wanted}

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
        system = self.results.system
        trace = paths.rebuild(system, self.search.state(0), [index for _, index in path])
        cuts = cuts_of(system, self.judge.snapshot, trace.states(), trace.events)
        reasons = (broken.get((end[0], self.changes.cuts(cut))) for cut in cuts)
        self.results.keep(claim, trace, next(filter(None, reasons)))


class Changes:
    """What transitions do to the cut of a run: worked out once for each pair of a change and a cut, both numbered."""

    def __init__(self, results: Results, snapshot: int) -> None:
        self.system, self.search, self.predicates = results.system, results.search, results.predicates
        self.snapshot = snapshot
        self.cuts = Interner()
        self._numbers = Interner()
        self._examples: list[tuple[int, int]] = []
        self._after: dict[tuple[int, int], list[int]] = {}
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
                fields = [machines + accepted.channel for accepted in self.predicates.moves[number].accepts]
                keys.append((number, *(before[i][f] for f in fields), *(after[i][f] for f in fields)))
        numbers = []
        for i, key in enumerate(keys):
            numbers.append(self._numbers(key))
            if numbers[-1] == len(self._examples):
                self._examples.append((source[i], event[i]))
        return numbers

    def after(self, cut: int, change: int) -> list[int]:
        """The numbers of the cuts after the change: one, unless it may concern any of several equal messages."""
        found = self._after.get((cut, change))
        if found is None:
            row = self._numbers.values[change][0]
            number, at = self._examples[change]
            if row >= 0 and self._tabled:
                move = self.predicates.moves[row]
                event = Event(move.machine, move.step.name, (move,))
            else:
                event = self._memory.events(number)[at]
            before = self.search.state(number).channels
            cuts = extend(self.system, self.snapshot, self.cuts.values[cut], event, before)
            found = self._after[cut, change] = [self.cuts(one) for one in cuts]
        return found


class Judge:
    """Judges nodes; a claim is closed with the length of run that first breaks it."""

    def __init__(self, results: Results, claims: list[Property], snapshot: int) -> None:
        self.results, self.snapshot = results, snapshot
        self.open = list(claims)
        self._reachability = SearchedReachability(results.system, results.stop_condition.further().options.max_states)
        self._reasons: dict[str, dict[Node, Reason]] = {claim.name: {} for claim in claims}

    def visit(self, node: Node, cut: Cut) -> None:
        """Judge a node whose row is complete."""
        system, snapshot = self.results.system, self.snapshot
        state = self.results.search.state(node[0])
        taken = CompletedSnapshot(system.recorded(state, snapshot), cut, system.project(state), self._reachability)
        for claim in self.open:
            try:
                reason = claim.on_completed(system, snapshot, taken) if claim.on_completed else None
            except CutOff as cut_off:
                self.results.unknown[claim.name] = str(cut_off)
                continue
            if reason is not None:
                self._reasons[claim.name][node] = reason

    def close(self) -> list[tuple[Property, dict[Node, Reason]]]:
        """The claims that have been broken since, with the nodes that break them."""
        closed = [(claim, self._reasons[claim.name]) for claim in self.open if self._reasons[claim.name]]
        self.open = [claim for claim in self.open if not self._reasons[claim.name]]
        return closed
