"""Claims that a transition or a state breaks: which level breaks them first, and the best run there."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
from numpy.typing import NDArray

from checker.judging import shortest_runs as paths
from checker.judging.exploration import ALL, FAULT
from checker.judging.observations import Answers
from checker.judging.results import Results
from checker.judging.run_claims import terminal_rows
from checker.judging.shortest_runs import Layer
from model.kinds import AtMostOne, ByReading, Conserved, KeepsGoing
from model.property import Property

Bad = NDArray[np.int64]


def find_moves(results: Results) -> None:
    """For each claim about moves, the best of the shortest runs that end with a move that breaks it.

    The rows that break a claim were noted when they were filled, and in which level: only that level is read again.
    """
    for number, broken in enumerate(results.predicates.moving):
        first = results.predicates.broken.get(broken.name)
        for depth in range(results.search.depth + 1 if first is not None else 0):
            if first is not None and depth >= first:
                last = _breaking(results, broken, 1 << number, depth)
                if last:
                    _keep(results, broken, last)
                    break


def _keep(results: Results, broken: Property, last: Layer) -> None:
    path = paths.shortest(results.search, np.array([], np.int64), last)
    number, index = path[-1]
    reason = results.event_reason(broken, results.search.events(number)[index])
    assert reason is not None, f"{broken.name}: the decoded event does not break it"
    results.keep(broken, paths.trace(results.search, path), reason)


def _breaking(results: Results, broken: Property, bit: int, depth: int) -> Layer:
    """The edges of this level that break the claim."""
    search = results.search
    breaks = np.array(results.predicates.row_breaks, np.int64) & bit != 0
    last: Layer = {}
    level = results.expanded(depth)
    for edges in search.edges(level):
        hits = (edges.transition >= 0) & breaks[np.maximum(edges.transition, 0)]
        for i in np.flatnonzero(edges.transition == ALL).tolist():
            event = search.events(int(edges.source[i]))[int(edges.event[i])]
            hits[i] = results.event_reason(broken, event) is not None
        assert not hits[edges.transition == FAULT].any()
        chosen = (part[hits].tolist() for part in (edges.source, edges.event, edges.actor, edges.target))
        for source, event_index, actor, target in zip(*chosen, strict=True):
            last.setdefault(source, []).append((event_index, actor, target))
    return last


def find_states(results: Results, claims: list[Property], least: int = 0) -> None:
    """For each claim about states, the best of the shortest runs to a state that breaks it, at `least` so far away."""
    for broken in claims:
        bad, start = _search_of(results, broken)
        for depth in range(max(start, least), results.search.depth + 1):
            targets = bad(results.judged(depth))
            if len(targets):
                results.keep_states(broken, targets)
                if not broken.further or results.found[broken.name][0] <= depth + 2:
                    break


def _search_of(results: Results, broken: Property) -> tuple[Callable[[range], Bad], int]:
    """How the rows of a level that break the claim are found, by its kind, and from which level on there may be any."""
    predicates, claim, never = results.predicates, broken.on_state, results.search.depth + 1
    if isinstance(claim, Conserved):
        changed = predicates.amounts[claim.amount].changed
        may_vanish = any(kind in ("loss", "duplication") for kind, _ in results.system.assumptions.faults)
        return partial(_unconserved, results, claim), 0 if may_vanish else never if changed is None else changed
    if isinstance(claim, AtMostOne):
        met = predicates.crowding[claim].met
        return partial(_crowded, results, claim), never if met is None else met
    if isinstance(claim, KeepsGoing):
        return partial(_deadlocked, results, claim), 0
    if isinstance(claim, ByReading):
        return partial(_answered, Answers(results, claim.formula), not claim.wanted), 0
    return partial(_decoded, results, broken), 0


def _answered(answers: Answers, wrong: bool, level: range) -> Bad:
    """By what the predicate reads: the answer that breaks the claim is the one it gives on the state that is shown."""
    bad: Bad = level.start + np.flatnonzero(answers.of(level) == wrong)
    return bad


def _decoded(results: Results, broken: Property, level: range) -> Bad:
    """Any other claim: each state is decoded and asked about."""
    assert broken.on_state is not None
    search = results.search
    return np.array([n for n in level if broken.on_state(results.system, search.state(n)) is not None], np.int64)


def _summed(results: Results, level: range, first: int, parts: list[list[int]]) -> NDArray[np.int64]:
    """The sum, for each row, of a number for each of its fields from the `first` on; exact, however large they are."""
    values = results.search.values(level)
    wide = sum(max(map(abs, part), default=0) for part in parts) >= 1 << 62
    exact = np.dtype(object if wide else np.int64)
    total = np.zeros(len(values), exact)
    for field, part in enumerate(parts, first):
        total += np.array(part, exact)[values[:, field]]
    return total


def _unconserved(results: Results, claim: Conserved, level: range) -> Bad:
    summed = results.predicates.amounts[claim.amount]
    totals = _summed(results, level, 0, [*summed.held.parts, *summed.carried.parts])
    return level.start + np.flatnonzero(totals != claim.amount.at_start(results.system))


def _crowded(results: Results, claim: AtMostOne, level: range) -> Bad:
    parts = results.predicates.crowding[claim].column.parts
    return level.start + np.flatnonzero(_summed(results, level, results.system.topology.machines, parts))


def _deadlocked(results: Results, claim: KeepsGoing, level: range) -> Bad:
    """Only where nothing can happen; asked once for each distinct underlying state."""
    search, predicates = results.search, results.predicates
    terminal = terminal_rows(results)
    terminal = terminal[(terminal >= level.start) & (terminal < level.stop)]
    if not len(terminal):
        return terminal
    values = search.values(terminal)
    machines = len(predicates.red.parts)
    for machine in range(machines):
        alive = np.array([local.crashed for local in search.locals_of(machine)], np.int64)
        values[:, machine] = (
            2 * np.array(predicates.state.parts[machine])[values[:, machine]] + alive[values[:, machine]]
        )
    for channel, part in enumerate(predicates.payloads.parts):
        values[:, machines + channel] = np.array(part)[values[:, machines + channel]]
    values[:, -1] = 0
    _, representative, kind = np.unique(values, axis=0, return_index=True, return_inverse=True)
    broke = [claim(results.system, search.state(int(terminal[r]))) is not None for r in representative]
    bad: Bad = terminal[np.array(broke)[kind.reshape(-1)]]
    return bad
