"""The graph that was explored, read back: states, their events and transitions, made again as they are asked for."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from checker.engines.native.kernels.expansion import expand
from checker.engines.native.paths.hash_prefilter import bit_set, mark, may_reach, near_locals
from checker.engines.native.paths.path_counting import count_paths
from checker.engines.native.search.expander import PORTION, Expander
from checker.engines.native.search.state_store import MANY
from checker.engines.native.search.visited_set import LOAD, TAIL, Batch, StateSet, enter_all, find
from checker.engines.native.tables.arrays import ALL_SYNCHRONOUS, KINDS_OF_FAULTS, Int64s, Words, unpack
from checker.judging.exploration import Edges
from model.action import Event
from model.system import State


class ExploredGraph(Expander):
    """States found, as a graph; its transitions are not kept."""

    counts_by_levels = True
    """Whether `count_paths` is to be had: successors are found as they are made."""

    def unpacked(self, rows: Words) -> NDArray[np.int64]:
        """The field values of packed states that need not be stored."""
        return unpack(self.layout, rows)

    def values(self, numbers: NDArray[np.int64] | range) -> NDArray[np.int64]:
        """The field values of some states."""
        chosen = slice(numbers.start, numbers.stop) if isinstance(numbers, range) else numbers
        return unpack(self.layout, self.rows[chosen])

    def state(self, number: int) -> State:
        """A state by its number."""
        return self.tables.decode(self.values(range(number, number + 1))[0])

    def events(self, number: int) -> list[Event]:
        """Its events, in order."""
        return list(self.system.events(self.state(number)))

    def successors(self, number: int, among: Int64s | None = None) -> list[int]:
        """Where they lead; with `among` as in `edges`."""
        return [target for edges in self.edges(range(number, number + 1), among) for target in edges.target.tolist()]

    def choices(self, path: list[tuple[int, int]]) -> list[int]:
        """The run along these (state, index of the event) from the first state, as indices into each state's events."""
        return [index for _, index in path]

    def edges(self, numbers: range | Int64s, among: Int64s | None = None) -> Iterator[Edges]:
        """The transitions of these states, in portions; -1 for a target that was never reached (a bound forbade it).

        With `among`, states of one level, ascending: -1 for all other targets too, which are not looked up.
        """
        for low, ends, target in self.links(numbers, among):
            per, done, total = np.diff(ends, prepend=0), len(ends), len(target)
            sources = np.arange(low, low + done) if isinstance(numbers, range) else numbers[low : low + done]
            yield Edges(
                sources,
                per,
                np.repeat(sources, per),
                np.arange(total) - np.repeat(ends - per, per),
                self.wide.actor[:total].astype(np.int64),
                self.wide.transition[:total].copy(),
                self.wide.served[:total].copy(),
                target,
            )

    def links(self, numbers: range | Int64s, among: Int64s | None = None) -> Iterator[tuple[int, Int64s, Int64s]]:
        """The same as (first of them, where each one's targets end, targets): numbers for a range, else places."""
        low, end = 0, len(numbers)
        if isinstance(numbers, range):
            low, end = numbers.start, numbers.stop
        while low < end:
            if isinstance(numbers, range):
                stop = min(end, low + PORTION, self.level(self.depth_of(low)).stop)
                done = self._portion(self.rows, low, stop - low)
            else:
                stop = min(end, low + PORTION)
                done = self._portion(self.rows[numbers[low:stop]], 0, stop - low)
            if not done:
                continue
            ends = self.wide.ends[:done].copy()
            self.canonicalise(self.wide.states, int(ends[-1]))
            sources = range(low, stop) if isinstance(numbers, range) else numbers[low:stop]
            yield low, ends, self._targets(sources, int(ends[-1]), among)
            low += done

    def _targets(self, sources: range | Int64s, total: int, among: Int64s | None) -> Int64s:
        """The numbers of the successors in the wide room; -1 for one that was never reached, or is not asked for."""
        found = np.empty(total, np.int64)
        wanted = Batch(self.wide.states, 0, total, self._hashes)
        if among is None:
            self.remember(self._ahead(int(min(sources)), int(max(sources))))
            find(self.visited, wanted, found)
            found[found >= self.count] = -1
            return found
        rows: Words = np.ascontiguousarray(self.rows[among])
        table: Words = np.zeros(int(len(among) / LOAD) + 1 + TAIL, np.uint64)
        enter_all(StateSet(table, rows), 0, len(rows))
        find(StateSet(table, rows), wanted, found)
        return np.append(among, -1)[found]

    def _ahead(self, first: int, last: int) -> range:
        """The states that transitions of states first to last may lead to: all where these are few or go anywhere."""
        if self.count <= MANY or not self.forgets:
            return range(self.count)
        return range(
            self.level(self.depth_of(first)).stop, self.level(min(self.depth_of(last) + 1, len(self.levels))).stop
        )

    def numbers_of(self, rows: Words) -> Int64s:
        """The numbers of these packed states; -1 for one that was not found."""
        self.remember(range(self.count))
        found = np.empty(len(rows), np.int64)
        find(self.visited, Batch(rows, 0, len(rows), np.empty(len(rows), np.uint64)), found)
        return found

    def _portion(self, rows: Words, low: int, most: int) -> int:
        """Expand some of these states, described, into the wide room; how many were done: 0 if to be asked again.

        What is missing was in a sleep set, and then its answer is known in all but name; or it lies beyond a bound, and
        filling it in may repack all states.
        """
        done, misses, short = expand(self.arrays, self.layout, rows, low, low + most, self.wide, True)
        if misses:
            self.fill(self.wide.misses[:misses])
            return 0
        if short or not done:
            self.wider()
            return 0
        return int(done)

    def canonicalise(self, rows: Words, count: int) -> None:
        """Turn rows[:count] into those that stand for them in this search: themselves."""

    def count_paths(self, level: range, here: Words, there: Words) -> bool:
        """Count the runs from each state of a level, given those from the next (`path_counting`); whether they fit."""
        low, found = level.start, np.empty(self._capacity, np.int64)
        while low < level.stop:
            self.remember(self._ahead(level.start, level.start))
            done, misses, short, large = count_paths(
                self.relation(), self.visited, (low, level.stop), self.out, self._hashes, found,
                (here[low - level.start :], there),
            )  # fmt: skip
            if large:
                return False
            low += done
            if misses:
                self.fill(self.out.misses[:misses])
            elif short:
                self._widen()
                found = np.empty(self._capacity, np.int64)
        return True

    def edges_into(self, states: range, targets: Int64s) -> Iterator[Edges]:
        """The transitions that lead from states of one level to one of the targets in the next, and few others."""
        near = self.near(targets)
        for block in self.blocks(states):
            yield from self.edges(self.may_reach(block, targets, near), targets)

    def may_reach(self, states: range, targets: Int64s, near: NDArray[np.bool_]) -> Int64s | range:
        """The states that lead to one of the targets, in the next level, and few others.

        One action takes a machine one step at most: first those are left out of which a machine's local state is
        not `near`; then those no successor of which has the hash of a target.
        """
        bits, found, bases = bit_set(len(targets)), np.empty(len(states), np.int64), self.tables.flat.local_base
        near_count = near_locals(self.layout, self.rows, states.start, states.stop, bases, near, found)
        numbers = found[:near_count]
        rows, hits = self.rows[numbers], np.empty(near_count, np.int64)
        mark(self.rows[targets], np.empty(len(targets), np.uint64), bits)
        low = count = 0
        while low < near_count:
            done, more, misses, short = may_reach(
                self.relation(), rows, low, near_count, self.out, self._hashes, bits, hits[count:]
            )
            low, count = low + done, count + more
            if misses:
                words = self.layout
                self.fill(self.out.misses[:misses])
                if self.layout is not words:  # hashes are of states as they are packed now
                    bits[:], rows = 0, self.rows[numbers]
                    mark(self.rows[targets], np.empty(len(targets), np.uint64), bits)
            elif short:
                self._widen()
        return numbers[hits[:count]]

    def near(self, targets: Int64s) -> NDArray[np.bool_]:
        """Which local states of the machines are those of a target, or one transition before.

        All of them where a crash or the action of all machines changes what is in no transition of one machine.
        """
        flat, values = self.tables.flat, self.values(targets)
        near = np.zeros(len(flat.nothing), np.bool_)
        near[flat.local_base + values[:, : len(flat.local_base)]] = True
        start = flat.transition_start.array[: flat.transition_start.size]
        asked = self.tables.configurations[: len(start) - 1]  # whoever interrupts may leave one without transitions
        machine_of, local_of = np.array([key[:2] for key in asked], np.int64).reshape(-1, 2).T
        degrees = np.diff(start[: len(asked) + 1])
        base = np.repeat(flat.local_base[machine_of], degrees)
        after = base + flat.transition_local.array[: len(base)]
        before = base + np.repeat(local_of, degrees)
        near[before[near[after]]] = True
        return near | bool(self.arrays.flags[KINDS_OF_FAULTS] or self.arrays.flags[ALL_SYNCHRONOUS])
