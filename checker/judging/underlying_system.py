"""The underlying computation by itself: which of its states the superposition loses, which predicates are stable."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from checker.engines.native.kernels.scans import project
from checker.engines.native.paths import shortest_runs as routes
from checker.engines.native.search.levels import Search
from checker.engines.native.tables.interner import RowInterner
from checker.engines.native.tables.local_predicates import LocalPredicates
from checker.engines.search_options import StopCondition
from checker.judging.refinement import simulated
from checker.judging.results import Results
from model.kinds import OfCut, Predicates
from model.property import Property
from model.system import System

PORTION = 1 << 15


class UnderlyingSystem:
    """The search of the underlying computation."""

    def __init__(self, system: System, stop_condition: StopCondition) -> None:
        self.system = system.alone()
        self.predicates = LocalPredicates(self.system, [])
        options = replace(stop_condition.options, checkpoint=None, workers=None, symmetry=False, reduce=False)
        self.search = self._search(stop_condition.beside(options))

    def _search(self, stop_condition: StopCondition) -> Search:
        return Search(self.system, self.predicates, stop_condition)

    def explore(self) -> None:
        """All of it, within the bounds; raises `KeyboardInterrupt` if that was interrupted."""
        for _ in self.search.explore():
            pass
        if self.search.stop_condition.interrupted:
            raise KeyboardInterrupt

    @property
    def whole(self) -> bool:
        """Whether all of it was explored."""
        return self.search.expanded == self.search.count > 0

    def states(self) -> int | None:
        """RowInterner underlying states, whatever faults are left; None if they were not all explored."""
        if not self.whole:
            return None
        if not self.system.assumptions.faults:
            return self.search.count
        seen = RowInterner(self.search.tables.start.shape[1] - 1)
        for low in range(0, self.search.count, PORTION):
            seen.add(self.search.values(range(low, min(self.search.count, low + PORTION)))[:, :-1])
        return seen.count

    def unmatched(self, missing: NDArray[np.int64]) -> NDArray[np.int64]:
        """Of the rows that no explored state projects to, those that no reachable state does: all."""
        return missing

    def establishes(self, claim: Property, predicates: LocalPredicates) -> bool:
        """Whether the argument of `refinement` shows that it holds, given that what it takes to be stable is so."""
        asked = claim.on_completed
        if not isinstance(asked, OfCut) or not simulated(predicates, claim):
            return False
        return asked.given is None or self.stable(asked.given(self.system))

    def stable(self, predicates: Predicates) -> bool:
        """Whether each predicate, once true, stays true along every transition."""
        system, search = self.system, self.search
        if not self.whole:
            return False
        for holds in predicates.values():
            true = np.array(
                [bool(holds(system.view(system.project(search.state(n))))) for n in range(search.count)] + [True]
            )
            for edges in search.edges(range(search.count)):
                if (true[edges.source] & ~true[edges.target]).any():
                    return False
        return True


def find_lost(results: Results, claims: list[Property], underlying: UnderlyingSystem) -> None:
    """For a claim that preserves the computation, the nearest underlying state that became unreachable."""
    for broken in claims:
        if results.stop_condition.why is not None or not underlying.whole:
            results.unknown[broken.name] = "the reachable states were not all explored"
            continue
        lost = underlying.unmatched(_lost(results, underlying))
        if len(lost):
            search = underlying.search
            level = search.level(search.depth_of(int(lost.min())))
            path = routes.shortest(search, lost[lost < level.stop])
            reason = {"kind": "alone the computation reaches this state; with the snapshot it cannot"}
            results.keep(broken, routes.trace(search, path), reason)


def _lost(results: Results, underlying: UnderlyingSystem) -> NDArray[np.int64]:
    """The underlying states that no explored state projects to.

    States in which no machine is red are tried first: nearly always they are enough, and they are few.
    """
    main, alone, search = results.search, underlying.search, underlying.search
    machines, channels = len(main.tables.locals), len(search.tables.contents)
    bases, numbers, red = _numbers(results)
    wanted = _translation(results, underlying)
    missing = np.arange(alone.count)
    kept = RowInterner(machines + channels)
    for untouched in (True, False):
        keys = np.empty((PORTION, machines + channels), np.int64)
        at = 0
        while at < main.count:
            n, at = project(main.layout, main.rows, at, main.count, bases, numbers, untouched, red, keys)
            kept.add(keys[:n])
        still = []
        for low in range(0, len(missing), PORTION):
            part = missing[low : low + PORTION]
            values = alone.values(part)[:, :-1]
            named = np.stack([wanted[f][values[:, f]] for f in range(machines + channels)], axis=1)
            still.append(part[kept.index(named) < 0])
        missing = np.concatenate(still)
        if not len(missing):
            break
    return missing


def _numbers(results: Results) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """For `project`: where each field's numbers begin, the underlying number of each id, whether it is touched."""
    predicates, channels = results.predicates, len(results.system.topology.channels)
    parts = [*predicates.state.parts, *predicates.payloads.parts[:channels]]
    red = [*predicates.red.parts, *([0] * len(part) for part in predicates.payloads.parts[:channels])]
    bases = np.cumsum([0, *map(len, parts)], dtype=np.int64)[:-1]
    return (
        bases,
        np.concatenate([np.array(p, np.int64) for p in parts]),
        np.concatenate([np.array(p, np.int64) for p in red]),
    )


def _translation(results: Results, underlying: UnderlyingSystem) -> list[NDArray[np.int64]]:
    """For each field of the underlying system's rows, the number that its ids have in the main search; -1 for none."""
    predicates, tables, system = results.predicates, underlying.search.tables, underlying.system
    named = []
    for machine, locals_ in enumerate(tables.locals):
        known = {value: number for number, value in enumerate(predicates.states[machine].values)}
        named.append(np.array([known.get(local.state, -1) for local in locals_], np.int64))
    for channel, contents in enumerate(tables.contents):
        known = {value: number for number, value in enumerate(predicates.sequences[channel].values)}
        payloads = (system.normal(tuple(m.payload for m in content)) for content in contents)
        named.append(np.array([known.get(p, -1) for p in payloads], np.int64))
    return named
