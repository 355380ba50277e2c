"""`--symmetry on`: of states that are the same but for the names of machines and channels, one is explored.

The search keeps the least of the images of each row (`canonical`); what makes that right is checked as it goes on
(`images`): a relabelling that turns out to change what the system does is dropped, and the search begins again with
the group that is left. Verdicts and lengths are those of the unreduced search.

- Claims about moves, states and SSS are not changed by relabelling: they are judged on representatives.
- An image g(r) of a representative can do what r can, so a run of representatives is a run of the system once each
  event is relabelled by what took the representative to the state it stands for: traces are rebuilt that way, and the
  number of maximal runs is that of the quotient graph.
- The argument of `refinement` is about every row, and holds of a row's images if of the row.
- The underlying computation alone is searched unreduced: it is small.
- Fairness demands name machines and channels, so a cycle of representatives need not serve them as its unfolding does.
  Goals are judged here where there is no cycle (there is one if and only if the system has one, as the group is
  finite), and otherwise, like claims that need the exact search over cuts, by an unreduced search of their own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from checker.engines.native.engine import beside, check_run
from checker.engines.native.reduction.batches import BatchSearch
from checker.engines.native.reduction.canonical import canonicalise, orbit_sizes
from checker.engines.native.reduction.orbit_images import Asymmetric, Images
from checker.engines.native.reduction.symmetry_group import Group, group_of, image_event, image_snapshot, image_state
from checker.engines.native.search.levels import Search
from checker.engines.native.tables.arrays import Int64s, Words, pack
from checker.engines.search_options import Progress, SearchOptions, StopCondition, silent
from checker.judging.check_run import CheckRun
from checker.judging.completed_snapshots import Snapshots
from checker.judging.local_predicates import LocalPredicates
from checker.judging.results import Results
from checker.judging.underlying_system import UnderlyingSystem
from model.errors import InputError
from model.kinds import KeepsGoing
from model.program import Underlying
from model.properties import PROPERTIES
from model.property import Property, Reason
from model.system import System
from model.trace import Trace
from model.verdict import Counts, Verdict


def judge(
    system: System, properties: list[Property], options: SearchOptions | None = None, progress: Progress = silent
) -> Verdict:
    """The verdict on all `properties`, over one state of each orbit; `InputError` for what cannot be judged so."""
    options = options or SearchOptions()
    refuse(properties, options)
    return under_a_group(system, lambda group: Symmetric(system, properties, options, progress, group))


def under_a_group(system: System, made: Callable[[Group], CheckRun]) -> Verdict:
    """The verdict of a check under the system's group, or under what turns out to be left of it."""
    group = group_of(system)
    while True:
        try:
            return made(group).verdict()
        except Asymmetric as found:
            group = group.without(found.failed)


def refuse(properties: list[Property], options: SearchOptions) -> None:
    """`InputError` for what is not judged by representatives."""
    for judged in properties:
        if not judged.symmetric:
            accepted = ", ".join(name for name, known in PROPERTIES.items() if known.symmetric)
            raise InputError(f"symmetry on: property {judged.name!r} is not judged so; accepted: {accepted}")
    if options.workers not in (None, 1):
        raise InputError(f"symmetry on: workers {options.workers}; accepted is 1")


class SymmetricSearch(BatchSearch):
    """The search of representatives."""

    way = "symmetry on"
    counts_by_levels = False  # successors would have to be replaced by their least images first

    def __init__(
        self,
        system: System,
        predicates: LocalPredicates,
        stop_condition: StopCondition,
        progress: Progress,
        group: Group,
    ) -> None:
        super().__init__(system, predicates, stop_condition, progress)
        self.sleep_sets.disable()  # what sleeps was found, but in an image of its own
        self.group = group
        self.images = Images(system, self.tables, predicates, group)
        self.fill(np.empty((0, 5), np.int64))

    @property
    def forgets(self) -> bool:
        """Not argued for images."""
        return False

    def answered(self, misses: NDArray[np.int64]) -> None:
        """Number and check the images of what is new."""
        self.images.extend()
        super().answered(misses)

    def kept(self) -> NDArray[np.int64]:
        """The group: what is kept are representatives under it."""
        return np.array([(*by.machines, *by.channels) for by in self.group.members], np.int64)

    def accepts(self, kept: NDArray[np.int64]) -> bool:
        """Whether the group was that; not if it was larger; `Asymmetric` if it had turned out smaller."""
        own, theirs = ({tuple(member) for member in members.tolist()} for members in (self.kept(), kept))
        if theirs < own:
            raise Asymmetric({g for g, member in enumerate(self.kept().tolist()) if tuple(member) not in theirs})
        return own == theirs

    def canonicalise(self, rows: Words, count: int) -> None:
        """The least images."""
        canonicalise(self.images.arrays(), self.layout, rows, count)

    def may_reach(self, states: range, targets: Int64s, near: NDArray[np.bool_]) -> Int64s | range:
        """All: successors would have to be replaced by their least images first."""
        return states

    def unreduced(self) -> int:
        """How many states the representatives stand for."""
        return int(orbit_sizes(self.images.arrays(), self.layout, self.rows, self.count))

    def change(self, low: int, done: int, produced: int) -> int:
        """Each becomes its least image."""
        self.canonicalise(self.out.states, produced)
        return produced

    def choices(self, path: list[tuple[int, int]]) -> list[int]:
        """A run of the system itself, each event what relabelling makes of the representative's."""
        state, found = self.state(0), []
        for number, index in path:
            here = self.state(number)
            by = next(by for by in self.group.members if image_state(self.system, by, here) == state)
            wanted = image_event(self.system, by, self.events(number)[index])
            events = list(self.system.events(state))
            same = self.group.members[0]
            place = next(i for i, event in enumerate(events) if image_event(self.system, same, event) == wanted)
            state = self.system.step(state, events[place])
            found.append(place)
        return found


class SymmetricFindings(Results):
    """Counterexamples with the reason as it is in the run that is shown, not in its representatives."""

    def keep(self, broken: Property, trace: Trace, reason: Reason, length: int | None = None) -> None:
        """Keep it, the reason found anew."""
        if trace.system is self.system and broken.runs is None:
            reasons = [found for found in self._reasons(broken, trace) if found is not None]
            assert reasons, f"{broken.name}: the run that is shown does not break it"
            reason = next((found for found in reasons if found["kind"] == reason["kind"]), reasons[0])
        super().keep(broken, trace, reason, length)

    def _reasons(self, broken: Property, trace: Trace) -> Iterator[Reason | None]:
        state = trace.states()[-1]
        if trace.events:
            yield self.event_reason(broken, trace.events[-1])
        if broken.on_state is not None:
            yield broken.on_state(self.system, state)
        for snapshot in range(self.system.protocol.snapshots if broken.on_recorded is not None else 0):
            if broken.on_recorded is not None and self.system.complete(state, snapshot):
                yield broken.on_recorded(self.system, snapshot, self.system.recorded(state, snapshot))


class SymmetricSnapshots(Snapshots):
    """The completed snapshots of all states that the representatives stand for."""

    def __init__(self, search: SymmetricSearch) -> None:
        super().__init__(search)
        self.group = search.group

    def distinct(self) -> tuple[Underlying, ...]:
        """The distinct SSS and their images."""
        own = super().distinct()
        return tuple(dict.fromkeys(image_snapshot(self.system, by, sss) for sss in own for by in self.group.members))


class SymmetricUnderlyingSystem(UnderlyingSystem):
    """The underlying computation, all of it; it knows its states' images."""

    search: Search

    def __init__(self, search: Search, group: Group) -> None:
        super().__init__(search)
        topology = len(self.system.topology.channels)
        self.group = Group.of(replace(by, channels=by.channels[:topology]) for by in group.members)

    def unmatched(self, missing: NDArray[np.int64]) -> NDArray[np.int64]:
        """Those of which no image is matched."""
        search = self.search
        images = Images(self.system, search.tables, self.predicates, self.group)
        images.extend()
        actions = images.arrays()
        lost = np.zeros(search.count, np.bool_)
        lost[missing] = True
        left = missing
        for g in range(1, len(self.group.members)):
            values = search.values(left)
            there = np.stack(
                [actions.ids[g, actions.bases[s] + values[:, s]] for s in actions.sources[g].tolist()], axis=1
            )
            rows = pack(search.layout, search.words, there.astype(np.int64))
            found = search.numbers_of(rows)
            if (found < 0).any():
                raise Asymmetric({g})
            left = left[lost[found]]
        return left


class Symmetric(CheckRun):
    """One check in progress, under a group."""

    def __init__(
        self, system: System, properties: list[Property], options: SearchOptions, progress: Progress, group: Group
    ) -> None:
        stop_condition, alone = StopCondition(options), system.alone()
        self.progress, self.group = progress, group
        self.representatives = SymmetricSearch(
            system, LocalPredicates(system, properties), stop_condition, progress, group
        )
        own = Search(alone, LocalPredicates(alone, []), beside(stop_condition))
        underlying = SymmetricUnderlyingSystem(own, group)
        super().__init__(properties, self.representatives, underlying, stop_condition.started)

    def completed_snapshots(self) -> Snapshots:
        """Those of all states that the representatives stand for."""
        return SymmetricSnapshots(self.representatives)

    def no_results(self) -> Results:
        """To be filled with runs of the system itself."""
        return SymmetricFindings(self.search, self.properties)

    def verdict(self) -> Verdict:
        """As without symmetry; an unreduced search that was cut off says why."""
        found = super().verdict()
        return replace(found, reason=found.reason or next(iter(self.results.unknown.values()), None))

    def _judge_runs(self, claims: list[Property]) -> None:
        if any(isinstance(p.on_state, KeepsGoing) for p in self.properties):
            self.representatives.images.check_program()
        if claims and self._cyclic():
            self._judge_unreduced(claims)
        else:
            super()._judge_runs(claims)

    def _judge_taken(self, claims: list[Property]) -> None:
        self._judge_unreduced(claims)

    def _cyclic(self) -> bool:
        """Whether some of the states that were expanded lie on a cycle."""
        if self.search.layered:
            return False
        start, targets, component = self.search.components(range(self.search.expanded))
        loops = (np.repeat(np.arange(len(start) - 1), np.diff(start)) == targets).any()
        return bool(loops) or len(component) > component.max() + 1

    def _judge_unreduced(self, claims: list[Property]) -> None:
        options = replace(self.stop_condition.options, symmetry=False, checkpoint=None)
        verdict = check_run(self.system, claims, options, self.progress, self.stop_condition.started).verdict()
        for claim, found in zip(claims, verdict.properties, strict=True):
            if found.counterexample is not None and found.length is not None:
                self.results.found[claim.name] = (found.length, found.counterexample)
            elif verdict.reason is not None:
                self.results.unknown[claim.name] = verdict.reason

    def _counts(self) -> Counts:
        return replace(
            super()._counts(), symmetries=len(self.group.members), unreduced_states=self.representatives.unreduced()
        )
