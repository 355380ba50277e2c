"""`--reduce on`: of actions that commute, one order is explored: persistent sets, from Dijkstra's exchange of actions.

Actions of different machines commute unless one accepts what the other sends (EWD864a). Under FIFO without faults:
each machine's actions change its own state, take the heads of its own inputs, and add to the ends of its own outputs
(`System` refuses a send on another's channel). So two actions of different machines that are both
enabled commute, also where one sends on the channel the other accepts from: one takes the head, the other adds behind.

**The set explored.** A set M of machines is closed if the sender of each empty input of a member is a member. In each
state the enabled actions of one closed set are explored, the one with the fewest of those that have any. They are
persistent: as long as only others act, an input of M that holds a message keeps its head, and one that is empty stays
empty, as its sender is in M. So a member's possible actions stay just those enabled now, and commute with all done.
Joint actions, which take several heads at once, are covered by the same words.

**What follows where the reduced graph has no cycle.** (1) Then the full graph has none: given an infinite run, move
its first action of the set to the front, or put one before it if it has none; either way an explored successor has an
infinite run, and so on for ever. If the reduced graph has a transition that does not lead to the next level, nothing
is concluded. (2) So every run goes on to its end, and every complete run is, but for exchanges, one explored: each
machine takes the same actions in the same order, with the same messages and colours. Hence

- every terminal state is explored: `no-new-deadlock`, `all-red`, `completes` and `completes-unfair`, which on acyclic
  graphs ask about terminal states only;
- every local configuration and every row that occurs at all, occurs: claims about moves (`no-red-in-white`, the
  accepting half of `one-marker-per-channel`, a half of `non-interference`), `conservation` of states (a row that
  changes the sum makes the state before or after it wrong; if none does, no state is), and the premises of
  `refinement`;
- if no row changes what a done machine recorded or has outstanding, or makes it undone (checked of every row), a
  complete snapshot stays so to a terminal state: every SSS is found, so `conservation` of SSS, and a white message
  where a snapshot is complete is still there at the end, or accepted by a done machine, which must then record it, and
  does not: one of the two is seen. With `simulation`: `consistent-cut`, `channel-exact`, `reachable`, `equivalent`.
- a channel never carries two markers if none has one at the start and each machine sends markers only in turning red,
  which it does once, and one a channel (checked of every row).
- no underlying state is lost (`non-interference`) if every row of the computation alone is also one of the machine
  while untouched by the protocol, which it leaves so: then every underlying run is one with all machines white.

What such a check does not show is unknown, never said to hold. A counterexample is a run of the system, but need not
be its shortest. Refused: other properties (stability and claims over restored runs look at single states and
transitions), relaxations, protocols with their own completion (`completes_on_empty_channels`), that overtake or
act all together.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from checker.engines.native.engine import beside
from checker.engines.native.reduction.batches import BatchSearch
from checker.engines.native.reduction.selection_kernel import select_persistent
from checker.engines.native.tables.arrays import Int64s, Words
from checker.engines.search_options import Progress, SearchOptions, StopCondition, silent
from checker.judging.check_run import CheckRun
from checker.judging.exploration import Edges
from checker.judging.local_predicates import LocalPredicates
from checker.judging.run_claims import find_runs
from checker.judging.underlying_system import UnderlyingSystem
from model.action import Local, Message, Move
from model.channels import Fifo
from model.errors import InputError
from model.kinds import AtMostOne, Conserved, KeepsGoing, OfCut
from model.properties import PROPERTIES
from model.property import Property
from model.protocol import payloads
from model.system import System
from model.verdict import Counts, Verdict

MOST_MACHINES = 62
CYCLE = "the reduced graph may have a cycle, where nothing is concluded: check with --reduce off"
NOT_SHOWN = "the reduction does not show it: check with --reduce off"


def judge(
    system: System, properties: list[Property], options: SearchOptions | None = None, progress: Progress = silent
) -> Verdict:
    """The verdict on all `properties`, over the reduced graph; `InputError` for what cannot be judged so."""
    options = options or SearchOptions()
    refuse(system, properties, options)
    return Reduced(system, properties, options, progress).verdict()


def told_by_one_order(judged: Property) -> bool:
    """Whether one order of actions that commute tells of the property: by its kinds, see above."""
    cut = judged.on_completed
    return (
        (judged.on_state is None or isinstance(judged.on_state, Conserved | AtMostOne | KeepsGoing))
        and (cut is None or (isinstance(cut, OfCut) and cut.defect is not None and cut.given is None))
        and judged.monitor is None
    )


def refuse(system: System, properties: list[Property], options: SearchOptions) -> None:
    """`InputError` for what is not judged over the reduced graph."""
    for judged in properties:
        if not told_by_one_order(judged):
            accepted = ", ".join(name for name, known in PROPERTIES.items() if told_by_one_order(known))
            raise InputError(f"reduce on: property {judged.name!r} is not judged so; accepted: {accepted}")
    assumptions, protocol = system.assumptions, system.protocol
    if type(assumptions.discipline) is not Fifo or assumptions.faults:
        raise InputError("reduce on: relaxations are dropped orders and faults; accepted is FIFO without faults")
    if protocol.synchronous or protocol.overtakes or protocol.completes_on_empty_channels:
        name = system.description.get("protocol", type(protocol).__name__)
        raise InputError(
            f"reduce on: protocol {name!r}; accepted are those without joint turning, overtaking or outside completion"
        )
    if system.topology.machines > MOST_MACHINES:
        raise InputError(f"reduce on: {system.topology.machines} machines; accepted are at most {MOST_MACHINES}")
    if options.workers not in (None, 1):
        raise InputError(f"reduce on: workers {options.workers}; accepted is 1")


class Watched(LocalPredicates):
    """LocalPredicates that also notice what the argument above needs of every row."""

    def __init__(self, system: System, properties: list[Property]) -> None:
        super().__init__(system, properties)
        self.unsettled = False
        (start,) = system.initial_states()
        self.remarks = any(message.control for content in start.channels for message in content)

    def row(self, move: Move) -> None:
        """A new row."""
        super().row(move)
        protocol, machine = self.system.protocol, move.machine
        marked = [channel for channel, message in move.sends if message.control]
        self.remarks |= len(marked) != len(set(marked)) or bool(marked) != bool(move.step.turns and marked)
        self.remarks |= bool(move.before.red & ~move.after.red) or protocol.snapshots > 1
        for snapshot in range(protocol.snapshots):
            if protocol.done(machine, move.before, snapshot):
                kept = all(
                    ask(machine, move.before, snapshot) == ask(machine, move.after, snapshot)
                    for ask in (protocol.done, protocol.recorded, protocol.outstanding)
                )
                self.unsettled |= not (kept and move.before.red >> snapshot & 1)


class ReducedSearch(BatchSearch):
    """The search of one closed set of machines a state."""

    way = "reduce on"
    described = True

    def __init__(
        self, system: System, predicates: LocalPredicates, stop_condition: StopCondition, progress: Progress = silent
    ) -> None:
        super().__init__(system, predicates, stop_condition, progress)
        self.sleep_sets.disable()  # fewer orders are followed than sleep takes for granted
        self.senders = np.array([source for source, _ in system.channels], np.int64)
        self._thinning = True

    def _rooms(self) -> None:
        super()._rooms()
        self._which = np.empty(max(self._capacity, self._wide), np.int64)

    def change(self, low: int, done: int, produced: int) -> int:
        """Those of one closed set are left."""
        return int(
            select_persistent(self.arrays, self.layout, self.rows, low, done, self.senders, self.out, self._which)
        )

    def _portion(self, rows: Words, low: int, most: int) -> int:
        done = super()._portion(rows, low, most)
        if self._thinning:
            select_persistent(self.arrays, self.layout, rows, low, done, self.senders, self.wide, self._which)
        return done

    def edges(self, numbers: range | Int64s, among: Int64s | None = None) -> Iterator[Edges]:
        """The transitions explored, each with its number among all events of its state."""
        for edges in super().edges(numbers, among):
            if self._thinning:
                edges.event = self._which[: len(edges.target)].copy()
            yield edges

    def successors(self, number: int, among: Int64s | None = None) -> list[int]:
        """Where all events of a row's state lead; -1 for what was not explored."""
        self._thinning = False
        try:
            return super().successors(number, among)
        finally:
            self._thinning = True


class ReducedUnderlyingSystem(UnderlyingSystem):
    """The underlying computation, reduced as well: what counts is which rows it has."""

    search: ReducedSearch

    def states(self) -> int | None:
        """They are not all met."""
        return None

    def kept_by(self, system: System) -> bool:
        """Whether each machine, untouched by the protocol, can do all that it does alone, and stays untouched."""
        return self.whole and self.search.layered and all(_kept(system, move) for move in self.predicates.moves)


def _kept(system: System, move: Move) -> bool:
    machine, action = move.machine, move.step.action
    untouched = system.protocol.initial(machine)
    offered = tuple((a.channel, Message(a.message.payload)) for a in move.accepts)
    return action is not None and any(
        step.action == action
        and step.state == action.state
        and step.memory == untouched
        and not step.turns
        and step.sends == payloads(action)
        for step in system.steps(machine, Local(move.before.state, untouched), offered)
    )


class Reduced(CheckRun):
    """One check in progress, over the reduced graph."""

    def __init__(self, system: System, properties: list[Property], options: SearchOptions, progress: Progress) -> None:
        stop_condition, alone = StopCondition(options), system.alone()
        self.watched = Watched(system, properties)
        search = self.reduced(system, stop_condition, progress)
        own = ReducedSearch(alone, LocalPredicates(alone, []), beside(stop_condition))
        self.underlying: ReducedUnderlyingSystem = ReducedUnderlyingSystem(own)
        super().__init__(properties, search, self.underlying, stop_condition.started)

    def reduced(self, system: System, stop_condition: StopCondition, progress: Progress) -> ReducedSearch:
        """The search to judge."""
        return ReducedSearch(system, self.watched, stop_condition, progress)

    def verdict(self) -> Verdict:
        """As without reduction; what the reduced graph does not show is unknown."""
        found = super().verdict()
        reason = found.reason or next(iter(self.results.unknown.values()), None)
        coverage = replace(found.coverage, details=(*found.coverage.details, ("reduction", "persistent sets")))
        return replace(found, coverage=coverage, reason=reason)

    def _explore(self) -> None:
        super()._explore()
        if not self.search.layered:
            self._unknown(self.properties, CYCLE)
        if self.watched.remarks:
            self._unknown([p for p in self.properties if isinstance(p.on_state, AtMostOne)], NOT_SHOWN)
        if self.watched.unsettled:
            self._unknown([p for p in self.properties if p.over_snapshots], NOT_SHOWN)

    def _unknown(self, claims: list[Property], why: str) -> None:
        for claim in claims:
            self.results.unknown.setdefault(claim.name, why)

    def _judge_runs(self, claims: list[Property]) -> None:
        if self.search.layered:
            for claim in find_runs(self.results, claims):
                if claim.goal is None or not self.predicates.conditions[claim.goal]:
                    self._unknown([claim], NOT_SHOWN)  # in another order of the same actions it may have been met

    def _judge_taken(self, claims: list[Property]) -> None:
        self._unknown(claims, NOT_SHOWN)

    def _judge_lost(self, claims: list[Property]) -> None:
        if claims and not self.underlying.kept_by(self.system):
            self._unknown(claims, NOT_SHOWN)

    def _counts(self) -> Counts:
        return Counts(
            states=self.search.count,
            transitions=self.search.transitions,
            depth=self.search.depth,
            reduced=True,
            snapshots=None if self.watched.unsettled or not self.search.layered else len(self.snapshots.distinct()),
        )
