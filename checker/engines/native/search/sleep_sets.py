"""Successors that need not be made: the search knows that it has found them already.

Over FIFO channels, each with one sender, two actions of different machines that are both enabled in a state p commute:
neither takes what the other needs, and where one appends the other removes from the other end (EWD864a; the first
theorem of `proofs`). Let s be found first from p, by an action a, and let b be enabled in p too, of a machine that
comes before a's in the order of events. Then b leads from p to a state q that was found before s, so q is expanded
before s; a is enabled there still, and leads to where b leads from s. So by the time s is expanded that state is known:
b may *sleep* in s. So may what slept in p already, unless it is of a's machine: by induction on the order in which
transitions are tried, what sleeps leads to a state found before. These are Godefroid's sleep sets ("Using partial
orders to improve automatic verification methods", 1990), but that the order is that of a breadth-first search: the set
of the first finder is enough, and no state is expanded twice.

Nothing else changes: neither the states nor the order in which they are found, nor their depths, nor the transitions,
since what sleeps is counted. And if some transition leads to its own level or an earlier one, so does one that is made:
for where b does so from s, a does from q or b from p, which are tried before.

A *choice* is what one machine may accept (`plan.Plan`). What sleeps in a state is one word: a bit for each choice, and
above these, machine by machine, how many actions they have, the *tally*. It is kept only while the state waits to be
expanded.
"""

from __future__ import annotations

import numpy as np

from checker.engines.native.tables.arrays import ALL_SYNCHRONOUS, FIFO, KINDS_OF_FAULTS, MULTI_CHANNEL, Arrays, Words

FIRST = 1 << 14


class Asleep:
    """What sleeps in the rows that wait to be expanded: of row r in ring[r & (len(ring) - 1)], if it is not empty."""

    __slots__ = ("ring",)

    def __init__(self, t: Arrays) -> None:
        """Room for the first rows, where actions of different machines commute."""
        alone = not (t.flags[MULTI_CHANNEL] or t.flags[ALL_SYNCHRONOUS] or t.flags[KINDS_OF_FAULTS])
        self.ring: Words = np.zeros(FIRST if t.flags[FIFO] and alone else 0, np.uint64)

    def wake(self) -> None:
        """Let nothing sleep from now on."""
        self.ring = self.ring[:0].copy()

    def times(self, low: int, high: int) -> int:
        """How many times as much room rows low..high need as there is."""
        times = 1
        while high - low > times * len(self.ring) > 0:
            times *= 2
        return times

    def grow(self, times: int) -> None:
        """So many times the room, a power of 2; rows that were there before keep what they have."""
        if times > 1:
            self.ring = np.tile(self.ring, times)
