"""The graph that was explored, read back: states, their events and transitions, made again as they are asked for."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from checker.engines.native.kernels.expansion import expand
from checker.engines.native.paths.hash_prefilter import bit_set, mark, may_reach
from checker.engines.native.paths.path_counting import count_paths
from checker.engines.native.search.expander import PORTION, Expander
from checker.engines.native.search.visited_set import find
from checker.engines.native.tables.arrays import Int64s, Words, unpack
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

    def successors(self, number: int) -> list[int]:
        """Where they lead."""
        return [target for edges in self.edges(range(number, number + 1)) for target in edges.target.tolist()]

    def choices(self, path: list[tuple[int, int]]) -> list[int]:
        """The run along these (state, index of the event) from the first state, as indices into each state's events."""
        return [index for _, index in path]

    def edges(self, numbers: range | NDArray[np.int64]) -> Iterator[Edges]:
        """The transitions of these states, in portions; -1 for a target that was never reached (a bound forbade it)."""
        for low, ends, target in self.links(numbers):
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

    def links(self, numbers: range | NDArray[np.int64]) -> Iterator[tuple[int, Int64s, Int64s]]:
        """The same as (first of them, where each one's targets end, targets): numbers for a range, else places."""
        low, end = 0, len(numbers)
        if isinstance(numbers, range):
            low, end = numbers.start, numbers.stop
        while low < end:
            stop = min(end, low + PORTION)
            if isinstance(numbers, range):
                done = self._portion(self.rows, low, stop - low)
            else:
                done = self._portion(self.rows[numbers[low:stop]], 0, stop - low)
            if not done:
                continue
            ends = self.wide.ends[:done].copy()
            total = int(ends[-1])
            target = np.empty(total, np.int64)
            self.canonicalise(self.wide.states, total)
            find(self.table, self.rows, self.wide.states, 0, total, target, self._hashes)
            target[target >= self.count] = -1
            yield low, ends, target
            low += done

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
            done, misses, short, large = count_paths(
                self.relation(), self.table, self.rows, (low, level.stop),
                self.out, self._hashes, found, (here[low - level.start :], there),
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

    def may_reach(self, level: range, targets: NDArray[np.int64]) -> NDArray[np.int64] | range:
        """The states of the level that lead to one of the targets, and few others."""
        bits, found, low, count = bit_set(len(targets)), np.empty(len(level), np.int64), level.start, 0
        mark(self.rows[targets], np.empty(len(targets), np.uint64), bits)
        while low < level.stop:
            done, more, misses, short = may_reach(
                self.relation(), self.rows, low, level.stop, self.out, self._hashes, bits, found[count:]
            )
            low, count = low + done, count + more
            if misses:
                words = self.layout
                self.fill(self.out.misses[:misses])
                if self.layout is not words:  # hashes are of states as they are packed now
                    bits[:] = 0
                    mark(self.rows[targets], np.empty(len(targets), np.uint64), bits)
            elif short:
                self._widen()
        return found[:count]
