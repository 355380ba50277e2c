"""`--engine simulate`: random runs of systems too large to exhaust; what they break is shrunk to a minimal trace.

Runs are walked by a kernel over the tables. Python looks only at runs that may break something: those whose rows are
known to, those that seem to by where they end (`ends`), and all where a claim is not decided by rows and ends.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from checker.engines.memory import peak_rss_mb
from checker.engines.native.search.levels import Search
from checker.engines.native.tables.arrays import pack
from checker.engines.native.tables.flat_arrays import Grown
from checker.engines.native.walk.random_walk import Runs, begin, walk
from checker.engines.native.walk.shrinking import Breach, breach, shrink
from checker.engines.native.walk.terminal_checks import Ends
from checker.engines.search_options import Progress, SearchOptions, StopCondition, silent
from checker.judging.local_predicates import LocalPredicates
from checker.judging.refinement import simulated
from model.action import Event
from model.kinds import AtMostOne, Conserved, KeepsGoing, OfCut
from model.property import Property
from model.system import System
from model.trace import Counterexample, Trace, length_of
from model.verdict import Counts, Coverage, PropertyVerdict, Verdict, settled_for, sought_of

RUNS, LONGEST, BATCH = 10_000, 1_000, 1024
MISSES = 1 << 14
"""Questions put to the tables at a time."""


def judge(
    system: System, properties: list[Property], options: SearchOptions | None = None, progress: Progress = silent
) -> Verdict:
    """What `options.runs` random runs of at most `options.max_depth` actions break (10,000 and 1,000 if not given)."""
    return Simulation(system, properties, options or SearchOptions(), progress).verdict()


class Walked(NamedTuple):
    """Runs that were walked: field values where each ended, its length, what it broke, whether it could not go on."""

    values: NDArray[np.int64]
    lengths: NDArray[np.int64]
    flags: NDArray[np.int64]
    terminal: NDArray[np.uint8]


class Simulation:
    """Random runs of one system, until all are done, time is up, or every claim is broken."""

    def __init__(self, system: System, properties: list[Property], options: SearchOptions, progress: Progress) -> None:
        self.started = time.monotonic()
        self.system, self.properties, self.progress = system, properties, progress
        self.options, self.stop_condition = options, StopCondition(SearchOptions(timeout=options.timeout))
        self.runs = options.runs or RUNS
        self.seed = options.seed or 0
        self.longest = options.max_depth or LONGEST
        self.predicates = LocalPredicates(system, properties)
        self.search = Search(system, self.predicates, self.stop_condition)
        self.pending = list(properties)
        self.found: dict[str, Breach] = {}
        self.done = self.steps = self.depth = 0
        self.completed = False
        self.ends = Ends(self.search)
        self._breaks, self._often = Grown(np.int64), Grown(np.int64)
        self._taken = np.empty((BATCH, self.longest), np.int32)
        self._misses = np.empty((MISSES, 5), np.int64)

    def verdict(self) -> Verdict:
        """Walk, judge, and say what was found."""
        try:
            while self.done < self.runs and self.pending and not self.stop_condition.stop(0, 0):
                self._look(self._walk(min(BATCH, self.runs - self.done)))
                self.progress(self.steps, self.runs - self.done, self.depth)
        except KeyboardInterrupt:
            self.stop_condition.interrupt(self.depth)
        why = f"{self.done:,} random runs were looked at, not all"
        details = (("runs", self.done), ("seed", self.seed), ("steps", self.steps), *self._seen())
        return Verdict(
            system=self.system,
            engine="simulate",
            coverage=Coverage("sampled", details),
            counts=Counts(states=0, transitions=self.steps, depth=self.depth),
            properties=tuple(self._property(p, why) for p in self.properties),
            reason=self.stop_condition.why or why,
            seconds=time.monotonic() - self.started,
            peak_rss_mb=peak_rss_mb(),
            witnesses=sought_of(self.properties, self._shown()),
        )

    def _seen(self) -> tuple[tuple[str, int], ...]:
        """How much of what may happen locally was seen, and in how many runs what vacuity asks for.

        Good and Turing's estimate of the chance that one more step takes a local transition that no step took is the
        share of steps whose transition was taken once (Good 1953); here in parts per million.
        """
        often = self._often.array[: self._often.size]
        return (
            ("transitions_taken", int(np.count_nonzero(often))),
            ("transitions_known", len(often)),
            ("configurations_known", len(self.search.tables.configurations)),
            ("unseen_ppm", round(1e6 * np.count_nonzero(often == 1) / max(1, self.steps))),
            ("runs_complete", self.ends.runs_complete),
            ("runs_with_message", self.ends.runs_with_message),
        )

    def _property(self, judged: Property, why: str) -> PropertyVerdict:
        witness = judged.witness(self.system, self.completed, self.ends.begun or self.predicates.forgets)
        found = self._shown().get(judged.name)
        return settled_for(judged, found, why, witness, None if found is None else length_of(found))

    def _shown(self) -> dict[str, Counterexample]:
        """What was found, as runs."""
        (start,) = self.system.initial_states()
        return {
            name: Counterexample(name, Trace(self.system, start, breach.events), breach.reason)
            for name, breach in self.found.items()
        }

    # -- walking -----------------------------------------------------------------------------------------------------

    def _walk(self, count: int) -> Walked:
        """Walk so many runs."""
        search = self.search
        values = np.repeat(search.values(range(1)), count, axis=0)
        randoms, ended = np.empty(count, np.uint64), np.zeros(count, np.uint8)
        walked = Walked(values, np.zeros(count, np.int64), np.zeros(count, np.int64), np.zeros(count, np.uint8))
        begin(self.done, self.seed, randoms)
        while not ended.all():
            current = pack(search.layout, search.words, walked.values)
            for broken in self.predicates.row_breaks[self._breaks.size :]:
                self._breaks.append(broken)
                self._often.append(0)
            missing, short = walk(
                search.arrays,
                search.layout,
                self._breaks.array,
                search.wide,
                current,
                Runs(randoms, ended, self._taken, walked.lengths, walked.flags, walked.terminal, self._often.array),
                self._misses,
            )
            walked.values[:] = search.unpacked(current)  # before a new layout
            if missing:
                search.fill(self._misses[:missing])
            if short:
                search.wider()
        self.done += count
        self.steps += int(walked.lengths.sum())
        self.depth = max(self.depth, int(walked.lengths.max()))
        return walked

    # -- looking -----------------------------------------------------------------------------------------------------

    def _look(self, walked: Walked) -> None:
        """Judge the pending claims, each by the runs that may break it, in their order."""
        broken = self.ends.broken(self.pending, walked.values, walked.terminal != 0)
        self.completed |= self.ends.completed
        for claim in list(self.pending):
            suspects = broken[claim.name] | (walked.flags & self._bit(claim) != 0)
            if not self._decided(claim):
                suspects[:] = True
            for run in np.flatnonzero(suspects).tolist():
                found, completed = breach(self.system, claim, list(self._events(run, int(walked.lengths[run]))))
                self.completed |= completed
                if found is not None:
                    self.found[claim.name] = shrink(self.system, claim, found)
                    self.pending.remove(claim)
                    break

    def _bit(self, claim: Property) -> int:
        return (1 << self.predicates.moving.index(claim)) | (1 << 62) if claim in self.predicates.moving else 0

    def _decided(self, claim: Property) -> bool:
        """Whether rows and ends say all that a run can say of the claim."""
        cut, state, predicates = claim.on_completed, claim.on_state, self.predicates
        if claim.monitor is not None or (isinstance(cut, OfCut) and cut.given is not None):
            return False
        if cut is not None:
            return simulated(predicates, claim)
        if isinstance(state, Conserved):
            return predicates.amounts[state.amount].changed is None and not self.system.assumptions.faults
        if isinstance(state, AtMostOne):
            return predicates.crowding[state].met is None
        return state is None or isinstance(state, KeepsGoing)

    def _events(self, run: int, length: int) -> Iterator[Event]:
        (state,) = self.system.initial_states()
        indices: NDArray[np.int32] = self._taken[run, :length]
        for index in indices.tolist():
            event = list(self.system.events(state))[index]
            yield event
            state = self.system.step(state, event)
