"""The underlying computation by itself: which of its states the superposition loses, which predicates are stable."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from checker.judging import shortest_runs as paths
from checker.judging.exploration import Exploration
from checker.judging.local_predicates import LocalPredicates
from checker.judging.refinement import simulated
from checker.judging.results import Results
from model.kinds import OfCut, Predicates
from model.property import Property

PORTION = 1 << 15


class UnderlyingSystem:
    """The exploration of the underlying computation."""

    def __init__(self, exploration: Exploration) -> None:
        self.search = exploration
        self.system, self.predicates = exploration.system, exploration.predicates

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
        """Distinct underlying states, whatever faults are left; None if they were not all explored."""
        if not self.whole:
            return None
        if not self.system.assumptions.faults:
            return self.search.count
        seen = self.search.distinct(len(self.search.counts()) - 1)
        for low in range(0, self.search.count, PORTION):
            seen.add(self.search.values(range(low, min(self.search.count, low + PORTION)))[:, :-1])
        return seen.count

    def unmatched(self, missing: NDArray[np.int64]) -> NDArray[np.int64]:
        """Of the rows that no explored state projects to, those that no reachable state does.

        Without symmetry these are all of them: no state stands for another.
        """
        return missing

    def translation(self, predicates: LocalPredicates) -> list[NDArray[np.int64]]:
        """For each field of the rows, the number that what it holds has in the main search; -1 where it was not met."""
        system, named = self.system, []
        for machine in range(system.topology.machines):
            known = {value: number for number, value in enumerate(predicates.states[machine].values)}
            named.append(np.array([known.get(local.state, -1) for local in self.search.locals_of(machine)], np.int64))
        for channel in range(len(system.topology.channels)):
            known = {value: number for number, value in enumerate(predicates.sequences[channel].values)}
            payloads = (system.normal(tuple(m.payload for m in held)) for held in self.search.contents_of(channel))
            named.append(np.array([known.get(p, -1) for p in payloads], np.int64))
        return named

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
            path = paths.shortest(search, lost[lost < level.stop])
            reason = {"kind": "alone the computation reaches this state; with the snapshot it cannot"}
            results.keep(broken, paths.trace(search, path), reason)


def _lost(results: Results, underlying: UnderlyingSystem) -> NDArray[np.int64]:
    """The underlying states that no explored state projects to.

    States in which no machine is red are tried first: nearly always they are enough, and they are few.
    """
    main, alone = results.search, underlying.search
    machines, channels = len(results.predicates.red.parts), len(underlying.system.topology.channels)
    bases, numbers, red = _numbers(results)
    wanted = underlying.translation(results.predicates)
    missing = np.arange(alone.count)
    kept = main.distinct(machines + channels)
    for untouched in (True, False):
        for keys in main.projected(bases, numbers, red if untouched else None):
            kept.add(keys)
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
