"""Judging one run anew: whether a given run breaks a given claim, and why. Whoever shows, shrinks or replays asks here.

    first_breach(claim, trace)  after how many actions a run first breaks the claim, and why
    rejudge(claim, trace)       whether its end (or its going round for ever) does
    RunJudge(system, claim)     the same while a run is followed event by event

Nothing that the run was once said to show is believed: states are recomputed, the claim is asked again. What one run
cannot show is said to be undecided, never passed over: that a state of the computation has become unreachable takes
all runs, and a search for reachability may be cut off.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass

from checker.judging.liveness import demands
from checker.judging.reachability import CutOff, SearchedReachability
from model.action import Event
from model.cut import Cut, begin, extend_all
from model.monitor import SETTLED, ends_short, goes_round
from model.property import CompletedSnapshot, Property, ReachabilityOracle, Reason
from model.system import State, System
from model.trace import Trace

TAKES_ALL = "that a state is lost is told by a search of all runs, not by one"
MOST_ROUNDS = 1_000
"""Rounds of a loop followed until what a monitor remembers comes again."""


@dataclass(frozen=True, slots=True)
class Rejudged:
    """reason: why the run breaks the claim; None if it does not, or, with `undecided`, if that could not be told."""

    reason: Reason | None
    undecided: str | None = None


def rejudge(claim: Property, trace: Trace, oracle: ReachabilityOracle | None = None) -> Rejudged:
    """Whether the run, with its last event or in its last state, or by going round for ever, breaks the claim.

    A prefix that breaks it does not count: a counterexample ends where the claim is broken. `oracle` answers about
    reachability in the underlying computation; without one, it is searched.
    """
    judge = RunJudge(trace.system, claim, oracle)
    values = [judge.value]
    for event in trace.events:
        judge.follow(event)
        values.append(judge.value)
    try:
        if trace.loop is not None:
            return Rejudged(_for_ever(judge, trace, values))
        reason = judge.broken(ended=True)
    except CutOff as cut:
        return Rejudged(None, str(cut))
    return Rejudged(reason, TAKES_ALL if reason is None and claim.preserves else None)


def first_breach(claim: Property, trace: Trace, oracle: ReachabilityOracle | None = None) -> tuple[int, Reason] | None:
    """After how many actions the run first breaks the claim, and why; of one that loops, whether going round does.

    May raise `CutOff` where a search for reachability was ended by its bound.
    """
    if trace.loop is not None:
        found = rejudge(claim, trace, oracle)
        return None if found.reason is None else (trace.loop, found.reason)
    judge = RunJudge(trace.system, claim, oracle)
    for number in range(len(trace) + 1):
        if number:
            judge.follow(trace.events[number - 1])
        reason = judge.broken(ended=number == len(trace))
        if reason is not None:
            return number, reason
    return None


class RunJudge:
    """Follows a run and judges it at each point; `completed` holds the snapshots that have been complete so far."""

    def __init__(self, system: System, claim: Property, oracle: ReachabilityOracle | None = None) -> None:
        self.system, self.claim = system, claim
        (self.state,) = system.initial_states()
        self.event: Event | None = None
        self.completed: set[int] = set()
        self.fresh: set[int] = set()
        cuts = claim.on_completed is not None
        first = (begin(system, self.state),)
        self.cuts: list[tuple[Cut, ...]] = [first] * system.protocol.snapshots if cuts else []
        self.oracle = oracle or (SearchedReachability(system) if cuts else None)
        self.monitor = claim.runs
        self.value: Hashable = SETTLED
        if self.monitor is not None:
            self.value = self.monitor.start(self.monitor.observe(system, self.state))
        self._note()

    def follow(self, event: Event) -> None:
        """The run goes on with this event, which must be enabled."""
        system, before = self.system, self.state.channels
        self.cuts = [extend_all(system, number, own, event, before) for number, own in enumerate(self.cuts)]
        self.state, self.event = system.step(self.state, event), event
        if self.monitor is not None and self.value is not SETTLED:
            observed = self.monitor.observe(system, self.state)
            self.value = self.monitor.after(self.value, self.monitor.sees(system, event), observed)
        self._note()

    def _note(self) -> None:
        complete = {s for s in range(self.system.protocol.snapshots) if self.system.complete(self.state, s)}
        self.fresh = complete - self.completed
        self.completed |= complete

    def broken(self, ended: bool = False, every: bool = True) -> Reason | None:
        """Why the claim is broken here; with `ended`, also if it is because the run can only end here.

        Without `every`, snapshots are judged where they first complete and where the run ends, not in between.
        May raise `CutOff` where a search for reachability was ended by its bound.
        """
        return next(filter(None, self._reasons(ended, every or ended)), None)

    def _reasons(self, ended: bool, every: bool) -> Iterator[Reason | None]:
        claim, system, event = self.claim, self.system, self.event
        if claim.on_move is not None and event is not None and event.fault is None:
            yield from (claim.on_move(system, move) for move in event.moves)
        if claim.on_state is not None:
            yield claim.on_state(system, self.state)
        if self.monitor is not None and self.value is not SETTLED:
            yield self.monitor.explain(system, self.state, self.value)
            if ended and self.monitor.hot(self.value) and final(system, self.state):
                yield ends_short()
        for snapshot in sorted(self.completed if claim.over_snapshots else ()):
            if snapshot in self.fresh or (every and system.complete(self.state, snapshot)):
                yield from self._of_snapshot(snapshot)

    def _of_snapshot(self, snapshot: int) -> Iterator[Reason | None]:
        claim, system = self.claim, self.system
        recorded = system.recorded(self.state, snapshot)
        if claim.on_recorded is not None:
            yield claim.on_recorded(system, snapshot, recorded)
        if claim.on_completed is not None and self.oracle is not None:
            for cut in self.cuts[snapshot]:
                taken = CompletedSnapshot(recorded, cut, system.project(self.state), self.oracle)
                yield claim.on_completed(system, snapshot, taken)


def final(system: System, state: State) -> bool:
    """Whether nothing but a fault can happen."""
    return not any(event.fault is None for event in system.events(state))


def _for_ever(judge: RunJudge, trace: Trace, values: list[Hashable]) -> Reason | None:
    """Why a run that repeats for ever from its loop on breaks the claim."""
    monitor, start = judge.monitor, trace.loop
    states = trace.states()
    if monitor is None or start is None or start >= len(trace) or states[start] != states[-1]:
        return None
    if monitor.fair and not _fair(trace, states, start):
        return None
    seen: dict[Hashable, int] = {values[start]: 0}
    rounds = [values[start:]]
    for number in range(1, MOST_ROUNDS):
        if judge.value in seen:
            always = [value for part in rounds[seen[judge.value] :] for value in part]
            if all(value is not SETTLED and monitor.hot(value) for value in always):
                return goes_round(start)
            return None
        seen[judge.value] = number
        rounds.append([])
        for event in trace.events[start:]:
            judge.follow(event)
            rounds[-1].append(judge.value)
    return None


def _fair(trace: Trace, states: list[State], start: int) -> bool:
    """Whether the loop is weakly fair: what is demanded in all of its states is served by one of its events."""
    served = set().union(*(demands(event) for event in trace.events[start:]))
    made = (set().union(*map(demands, trace.system.events(state))) for state in states[start:])
    return set.intersection(*made) <= served
