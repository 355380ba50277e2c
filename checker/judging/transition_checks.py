"""Claims that a transition or a state breaks: which level breaks them first, and the best run there."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from checker.engines.native.kernels.expansion import ALL, FAULT
from checker.engines.native.paths import shortest_runs as routes
from checker.engines.native.paths.shortest_runs import Layer
from checker.engines.native.tables.local_predicates import CONSERVATION, NO_DEADLOCK, ONE_MARKER, Column
from checker.judging.results import Findings
from model.properties import PROPERTIES, conserved_total
from model.property import Property

Bad = NDArray[np.int64]


def find_moves(findings: Findings) -> None:
    """For each claim about moves, the best of the shortest runs that end with a move that breaks it.

    The rows that break a claim were noted when they were filled, and in which level: only that level is read again.
    """
    for number, broken in enumerate(findings.facts.moving):
        first = findings.facts.broken.get(broken.name)
        for depth in range(findings.search.depth + 1 if first is not None else 0):
            if first is not None and depth >= first:
                last = _breaking(findings, broken, 1 << number, depth)
                if last:
                    _keep(findings, broken, last)
                    break


def _keep(findings: Findings, broken: Property, last: Layer) -> None:
    path = routes.shortest(findings.search, np.array([], np.int64), last)
    number, index = path[-1]
    reason = findings.event_reason(broken, findings.search.events(number)[index])
    assert reason is not None, f"{broken.name}: the decoded event does not break it"
    findings.keep(broken, routes.trace(findings.search, path), reason)


def _breaking(findings: Findings, broken: Property, bit: int, depth: int) -> Layer:
    """The edges of this level that break the claim."""
    search = findings.search
    breaks = np.array(findings.facts.row_breaks, np.int64) & bit != 0
    last: Layer = {}
    level = findings.expanded(depth)
    for edges in search.edges(level):
        hits = (edges.row >= 0) & breaks[np.maximum(edges.row, 0)]
        for i in np.flatnonzero(edges.row == ALL).tolist():
            event = search.events(int(edges.source[i]))[int(edges.event[i])]
            hits[i] = findings.event_reason(broken, event) is not None
        assert not hits[edges.row == FAULT].any()
        chosen = (part[hits].tolist() for part in (edges.source, edges.event, edges.actor, edges.target))
        for source, event_index, actor, target in zip(*chosen, strict=True):
            last.setdefault(source, []).append((event_index, actor, target))
    return last


def find_states(findings: Findings, claims: list[Property]) -> None:
    """For each claim about states, the best of the shortest runs to a state that breaks it."""
    for broken in claims:
        known = PROPERTIES.get(broken.name) is broken
        bad: Callable[[Findings, Property, range], Bad] = _decoded
        start = 0
        if known and broken.name == CONSERVATION:
            bad, found = _unconserved, findings.facts.unconserved
            may_vanish = any(kind in ("loss", "duplication") for kind, _ in findings.system.assumptions.faults)
            start = 0 if may_vanish else _from(findings, found)
        elif known and broken.name == ONE_MARKER:
            bad, start = _two_markers, _from(findings, findings.facts.two_markers)
        elif known and broken.name == NO_DEADLOCK:
            bad = _deadlocked
        for depth in range(start, findings.search.depth + 1):
            targets = bad(findings, broken, findings.expanded(depth))
            if len(targets):
                findings.keep_states(broken, targets)
                break


def _from(findings: Findings, level: int | None) -> int:
    return findings.search.depth + 1 if level is None else level


def _decoded(findings: Findings, broken: Property, level: range) -> Bad:
    """Any other claim: each state is decoded and asked about."""
    assert broken.on_state is not None
    search = findings.search
    return np.array([n for n in level if broken.on_state(findings.system, search.state(n)) is not None], np.int64)


def _summed(findings: Findings, level: range, locals_: Column, contents: Column) -> NDArray[np.int64]:
    """The sum, for each row, of a number for each of its local states and contents; exact, however large they are."""
    values, parts = findings.search.values(level), [*locals_.parts, *contents.parts]
    wide = sum(max(map(abs, part), default=0) for part in parts) >= 1 << 62
    exact = np.dtype(object if wide else np.int64)
    total = np.zeros(len(values), exact)
    for field, part in enumerate(parts):
        total += np.array(part, exact)[values[:, field]]
    return total


def _unconserved(findings: Findings, broken: Property, level: range) -> Bad:
    totals = _summed(findings, level, findings.facts.weight, findings.facts.carried)
    return level.start + np.flatnonzero(totals != conserved_total(findings.system))


def _two_markers(findings: Findings, broken: Property, level: range) -> Bad:
    facts = findings.facts
    none = Column(len(facts.red.parts))
    none.parts = [[0] * len(part) for part in facts.red.parts]
    return level.start + np.flatnonzero(_summed(findings, level, none, facts.double))


def _deadlocked(findings: Findings, broken: Property, level: range) -> Bad:
    """Only where nothing can happen; asked once for each distinct underlying state."""
    assert broken.on_state is not None
    search, facts = findings.search, findings.facts
    quiet = search.quiet_rows()
    quiet = quiet[(quiet >= level.start) & (quiet < level.stop)]
    if not len(quiet):
        return quiet
    values = search.values(quiet)
    machines = len(facts.red.parts)
    for machine in range(machines):
        alive = np.array([local.crashed for local in search.tables.locals[machine]], np.int64)
        values[:, machine] = 2 * np.array(facts.state.parts[machine])[values[:, machine]] + alive[values[:, machine]]
    for channel, part in enumerate(facts.payloads.parts):
        values[:, machines + channel] = np.array(part)[values[:, machines + channel]]
    values[:, -1] = 0
    _, representative, kind = np.unique(values, axis=0, return_index=True, return_inverse=True)
    broke = [broken.on_state(findings.system, search.state(int(quiet[r]))) is not None for r in representative]
    bad: Bad = quiet[np.array(broke)[kind.reshape(-1)]]
    return bad
