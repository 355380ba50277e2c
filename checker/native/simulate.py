"""`--engine simulate`: random runs of systems too large to exhaust; what they break is shrunk to a minimal trace.

Runs are walked by a kernel over the tables. Python looks only at runs that may break something: those whose rows are
known to, those that end in a state not yet seen, and all of them where a claim is not decided by rows and ends.
"""

from __future__ import annotations

import resource
import time
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from checker.bounds import Bounds, Clock, Progress, silent
from checker.native.facts import Facts
from checker.native.search import Search
from checker.native.shrinking import Breach, breach, shrink
from checker.native.simulation import simulated
from checker.native.walking import walk
from model.action import Event
from model.program import Underlying
from model.properties import PROPERTIES
from model.property import Property
from model.system import State, System
from model.trace import Counterexample, Trace
from model.verdict import Counts, Coverage, PropertyVerdict, Verdict, settled

RUNS, LONGEST, BATCH = 10_000, 1_000, 256


def judge(
    system: System, properties: list[Property], bounds: Bounds | None = None, progress: Progress = silent
) -> Verdict:
    """What `bounds.runs` random runs of at most `bounds.max_depth` actions break (10,000 and 1,000 if not given)."""
    return Simulation(system, properties, bounds or Bounds(), progress).verdict()


class Simulation:
    """Random runs of one system, until all are done, time is up, or every claim is broken."""

    def __init__(self, system: System, properties: list[Property], bounds: Bounds, progress: Progress) -> None:
        self.started = time.monotonic()
        self.system, self.properties, self.progress = system, properties, progress
        self.bounds, self.clock = bounds, Clock(Bounds(timeout=bounds.timeout))
        self.runs = bounds.runs or RUNS
        self.seed = bounds.seed or 0
        self.longest = bounds.max_depth or LONGEST
        self.facts = Facts(system, properties)
        self.search = Search(system, self.facts, self.clock)
        self.pending = list(properties)
        self.found: dict[str, Breach] = {}
        self.done = self.steps = self.depth = 0
        self.completed = False
        self._ends: set[bytes] = set()
        self._recorded: set[tuple[int, Underlying]] = set()
        self._taken = np.empty((BATCH, self.longest), np.int32)
        self._lengths, self._flags = np.zeros(BATCH, np.int64), np.zeros(BATCH, np.int64)
        self._quiet = np.zeros(BATCH, np.uint8)

    def verdict(self) -> Verdict:
        """Walk, judge, and say what was found."""
        try:
            while self.done < self.runs and self.pending and not self.clock.stop(0, 0):
                for run in range(self._walk(min(BATCH, self.runs - self.done))):
                    self._look(run)
                self.progress(self.steps, self.runs - self.done, self.depth)
        except KeyboardInterrupt:
            self.clock.interrupt(self.depth)
        why = f"{self.done:,} random runs were looked at, not all"
        details = (("runs", self.done), ("seed", self.seed), ("steps", self.steps))
        return Verdict(
            system=self.system,
            engine="simulate",
            coverage=Coverage("sampled", details),
            counts=Counts(states=0, transitions=self.steps, depth=self.depth),
            properties=tuple(self._property(p, why) for p in self.properties),
            reason=self.clock.why or why,
            seconds=time.monotonic() - self.started,
            peak_rss_mb=resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e6,
        )

    def _property(self, judged: Property, why: str) -> PropertyVerdict:
        witness = judged.witness(self.system, self.completed)
        breach = self.found.get(judged.name)
        if breach is None:
            return PropertyVerdict(judged.name, settled(None, why, witness), None, witness)
        trace = Trace(self.system, self.system.initial_states()[0], breach.events)
        shown = Counterexample(judged.name, trace, breach.reason)
        return PropertyVerdict(judged.name, settled(shown, why, witness), len(trace), witness, shown)

    # -- walking -----------------------------------------------------------------------------------------------------

    def _walk(self, most: int) -> int:
        """Walk up to so many runs; how many were done."""
        search, done = self.search, 0
        while not done:
            finals = np.empty((most, search.words), np.uint64)
            breaks = np.array([*self.facts.row_breaks, 0], np.int64)
            done, missing, short = walk(
                search.arrays,
                search.layout,
                search.rows[:1],
                self.done,
                self.seed,
                breaks,
                search.wide,
                self._taken,
                self._lengths[:most],
                self._flags,
                finals,
                self._quiet,
            )
            self._finals = search.unpacked(finals[:done])  # before a new layout
            if missing:
                search.fill(search.wide.misses[:missing])
            elif short:
                search.wider()
        self.done += done
        self.steps += int(self._lengths[:done].sum())
        self.depth = max(self.depth, int(self._lengths[:done].max()))
        return int(done)

    # -- looking -----------------------------------------------------------------------------------------------------

    def _look(self, run: int) -> None:
        """Judge the pending claims that this run may break."""
        end = self._finals[run].tobytes()
        new_end = end not in self._ends
        self._ends.add(end)
        flagged = int(self._flags[run])
        suspects = [claim for claim in self.pending if flagged & self._bit(claim) or not self._decided(claim)]
        if new_end:
            state = self.search.tables.decode(self._finals[run])
            suspects += [claim for claim in self._broken_at(state) if claim not in suspects]
        if not suspects:
            return
        events = list(self._events(run))
        for claim in suspects:
            found, completed = breach(self.system, claim, events)
            self.completed |= completed
            if found is not None:
                self.found[claim.name] = shrink(self.system, claim, found)
                self.pending.remove(claim)

    def _broken_at(self, state: State) -> list[Property]:
        """The pending claims that the end of a run breaks: as a state, as a goal missed, by what it recorded."""
        system, broken = self.system, []
        recorded = [
            (i, system.recorded(state, i)) for i in range(system.protocol.snapshots) if system.complete(state, i)
        ]
        self.completed |= bool(recorded)
        new = [one for one in recorded if one not in self._recorded]
        self._recorded.update(new)
        for claim in self.pending:
            asked, goal = claim.on_recorded, claim.goal
            if (
                (claim.on_state is not None and claim.on_state(system, state) is not None)
                or (goal is not None and system.begun(state) and not goal(system, state))
                or (asked is not None and any(asked(system, *one) is not None for one in new))
            ):
                broken.append(claim)
        return broken

    def _bit(self, claim: Property) -> int:
        return (1 << self.facts.moving.index(claim)) | (1 << 62) if claim in self.facts.moving else 0

    def _decided(self, claim: Property) -> bool:
        """Whether rows and ends say all that a run can say of the claim."""
        if PROPERTIES.get(claim.name) is not claim:
            return False
        if claim.on_taken is not None:
            return simulated(self.system, self.facts, claim)
        if claim.name == "conservation":
            return self.facts.unconserved is None and not self.system.assumptions.faults
        if claim.name == "one-marker-per-channel":
            return self.facts.two_markers is None
        return claim.on_state is None or claim.name == "no-new-deadlock"

    def _events(self, run: int) -> Iterator[Event]:
        (state,) = self.system.initial_states()
        indices: NDArray[np.int32] = self._taken[run, : self._lengths[run]]
        for index in indices.tolist():
            event = list(self.system.events(state))[index]
            yield event
            state = self.system.step(state, event)
