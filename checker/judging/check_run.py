"""One check: an exploration and the properties become a Verdict.

A claim about transitions is settled as local transitions are met, one about states by sums and bits over numbers of
local states and contents; a claim over snapshots first by the argument of `refinement`, and only where that fails by
the exact search over states and cuts (`cut_search`). Counterexamples are found backwards, by expanding levels again.
"""

from __future__ import annotations

import time
from functools import cached_property

import numpy as np

from checker.engines.memory import peak_rss_mb
from checker.judging.completed_snapshots import Snapshots, find_recorded
from checker.judging.cut_search import search_cuts
from checker.judging.exploration import ALL, Exploration
from checker.judging.results import Results
from checker.judging.run_claims import find_runs
from checker.judging.transition_checks import find_moves, find_states
from checker.judging.underlying_system import UnderlyingSystem, find_lost
from model.property import Property
from model.verdict import Counts, Coverage, PropertyVerdict, Verdict, settled_for


class CheckRun:
    """One check in progress: explores, then judges what was explored."""

    def __init__(
        self,
        properties: list[Property],
        exploration: Exploration,
        underlying_system: UnderlyingSystem,
        started: float | None = None,
    ) -> None:
        self.started = time.monotonic() if started is None else started
        self.system, self.properties = exploration.system, properties
        self.stop_condition, self.predicates = exploration.stop_condition, exploration.predicates
        self.search, self.underlying_system = exploration, underlying_system
        self.snapshots = self.completed_snapshots()
        self.results = self.no_results()

    def completed_snapshots(self) -> Snapshots:
        """To be filled with the completed snapshots."""
        return Snapshots(self.search)

    def no_results(self) -> Results:
        """To be filled with what is found."""
        return Results(self.search, self.properties)

    def verdict(self) -> Verdict:
        """Explore, judge, and say what was found."""
        self._explore()
        counts: Counts | None = None
        try:
            if self.stop_condition.interrupted:
                raise KeyboardInterrupt  # whoever interrupts wants the figures now
            self.underlying_system.explore()
            find_moves(self.results)
            find_states(self.results, self._chosen("on_state"))
            self._judge_runs(self._chosen("runs"))
            self._judge_lost(self._chosen("preserves"))
            self._judge_snapshots()
            counts = self._counts()
        except KeyboardInterrupt:
            self.stop_condition.interrupt(self.search.depth)
        return Verdict(
            system=self.system,
            engine="native",
            coverage=Coverage("exhaustive")
            if self.stop_condition.limit is None
            else Coverage("bounded", (self.stop_condition.limit,)),
            counts=counts or self._counts(),
            properties=tuple(map(self._property, self.properties)),
            snapshots=self.snapshots.distinct(),
            reason=self.stop_condition.why,
            seconds=time.monotonic() - self.started,
            peak_rss_mb=peak_rss_mb(),
            witnesses=self.snapshots.witnesses() + self.results.sought(),
            warnings=self.predicates.growth.evidence(self.search.depth)
            if self.stop_condition.limit is not None
            else (),
        )

    def _chosen(self, part: str) -> list[Property]:
        return [p for p in self.properties if getattr(p, part)]

    def _explore(self) -> None:
        for depth in self.search.explore():
            if (
                self.stop_condition.why is None
                and self.stop_condition.options.first
                and self.search.expanded < self.search.count
            ):
                first = Results(self.search, self.properties)
                find_moves(first)
                find_states(first, [p for p in self._chosen("on_state") if not p.sought], depth)
                if first.found:
                    self.stop_condition.end("the first violation was found", depth)
                    break
        self.snapshots.read()

    def _judge_snapshots(self) -> None:
        """The claims over snapshots: by SSS alone, by the simulation, or else by the exact search."""
        find_recorded(self.results, self._chosen("on_recorded"), self.snapshots)
        underlying, cuts = self.underlying_system, self._chosen("on_completed")
        pending = [claim for claim in cuts if not underlying.establishes(claim, self.predicates)]
        if pending and self.snapshots.any:
            self._judge_taken(pending)

    def _judge_runs(self, claims: list[Property]) -> None:
        find_runs(self.results, claims)

    def _judge_lost(self, claims: list[Property]) -> None:
        find_lost(self.results, claims, self.underlying_system)

    def _judge_taken(self, claims: list[Property]) -> None:
        search_cuts(self.results, claims, self.snapshots)

    def _property(self, judged: Property) -> PropertyVerdict:
        length, counterexample = self.results.found.get(judged.name, (None, None))
        cut = self.results.unknown.get(judged.name) or self.stop_condition.why
        witness = judged.witness(self.system, self.snapshots.any, self.begun)
        return settled_for(judged, counterexample, cut, witness, length)

    @cached_property
    def begun(self) -> bool:
        """Whether some run begins a snapshot: nearly always the first states tell."""
        begins, search = np.array(self.predicates.row_begins, np.bool_), self.search
        for edges in search.edges(range(search.expanded)) if begins.any() else ():
            if begins[edges.transition[edges.transition >= 0]].any() or (edges.transition == ALL).any():
                return True
        return False

    def _counts(self) -> Counts:
        options = self.stop_condition.options
        return Counts(
            states=self.search.count,
            transitions=self.search.transitions,
            depth=self.search.depth,
            underlying_states=self.underlying_system.states(),
            snapshots=len(self.snapshots.distinct()),
            interleavings=self.search.maximal_runs(options.interleavings) if self.stop_condition.why is None else None,
            histories=self.results.histories,
        )
