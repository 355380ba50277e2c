"""Whether every run of so many actions meets some state twice: then shorter runs have been everywhere.

This closes the search over programs without end (Sheeran, Singh & Stalmarck 2000, the simple paths of k-induction). A
shortest run to a state meets no state twice; so if no run of k actions has k + 1 different states, every state is
reached by fewer than k actions, and every action that can happen ends a run of at most k, all of which were looked at.
Ordering independent actions loses no state: the ordered run ends where the other does, in as many actions.

Why not the induction step from any k states in a transition: it ranges over configurations that no run leads to, and a
machine's table of those has no end (a red machine would record one more message, and one more, for ever). From the
initial state the table is complete for every run of the depth at hand, and nothing else is asked of it.

A claim about a cut looks at more than the state. With `cuts` two times are the same only if the cuts of all snapshots
are the same too: white projections, what was sent white, what was crossed. Where a run's snapshot began is settled
before its first red machine, so on one run it is the same wherever the states are.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from graphlib import CycleError, TopologicalSorter

from checker.engines.symbolic.channel_encoding import ChannelEncoding
from checker.engines.symbolic.clauses import FALSE, TRUE, Clauses
from checker.engines.symbolic.history import History
from checker.engines.symbolic.local_configurations import Machine
from checker.engines.symbolic.unrolling import Unrolling

Features = dict[Hashable, int]
"""What a time is like: each feature's literal; a feature that is not named is false. Equal times have equal ones."""


class CompletenessThreshold:
    """The times of an unrolling told apart; `simple` may be assumed: no two times so far are the same."""

    def __init__(self, unrolling: Unrolling, histories: list[History] | None = None) -> None:
        """With histories, times are the same only if these are too."""
        self.unrolling = unrolling
        self.histories = histories or []
        self.simple = unrolling.clauses.new()
        self.times: list[Features] = []

    def possible(self) -> bool:
        """Whether some machine can come back to what it held, or send without moving: else no state comes twice."""
        return any(_returns(machine, self.unrolling.depth) for machine in self.unrolling.table.machines)

    def advance(self) -> None:
        """The present time differs from all before it that were told of, if `simple` is assumed."""
        clauses, now = self.unrolling.clauses, self._features()
        for then in self.times:
            clauses.add(-self.simple, *_differences(clauses, then, now))
        self.times.append(now)

    def _features(self) -> Features:
        unrolling = self.unrolling
        found: Features = {}
        for m, holds in enumerate(unrolling.holds[-1]):
            found.update({("holds", m, number): held for number, held in holds.items()})
        for kind, count in unrolling.spent.items():
            found.update({("spent", kind, number): more for number, more in enumerate(count)})
        for channel, encoding in enumerate(unrolling.encodings):
            found.update({("channel", channel, key): is_so for key, is_so in self._content(channel, encoding).items()})
        for history in self.histories:
            snapshot = history.snapshot
            found["crossed", snapshot] = history.crossed[-1]
            found["displaced", snapshot] = history.displaced[-1]
            for m, between in enumerate(history.between[-1]):
                found.update({("between", snapshot, m, value): is_so for value, is_so in between.items()})
        return found

    def _content(self, channel: int, encoding: ChannelEncoding) -> Features:
        """What matters of the channel from now on: what is at each rank of the sequence of places that matter.

        These are the places in the channel, and those that a cut has in it though they have left it. (In a bag the
        order is no part of the state: telling orders apart only makes fewer times the same.)
        """
        clauses, time = self.unrolling.clauses, self.unrolling.depth
        ways = {"inside": [encoding.inside(time, place) for place in range(len(encoding.filled[time]))]}
        for history in self.histories if channel < self.unrolling.table.plain else []:
            for same in (True, False):
                ways[f"{history.snapshot} {same}"] = [own for own, _ in history.white_places(channel, literal=same)]
        found: dict[Hashable, list[int]] = {}
        count: list[int] = []
        for place, holds in enumerate(encoding.holds[: len(encoding.filled[time])]):
            alive = clauses.either(own[place] for own in ways.values())
            what: list[tuple[Hashable, int]] = [*holds.items(), *((way, own[place]) for way, own in ways.items())]
            for rank in range(len(count) + 1):
                reached = count[rank - 1] if rank else TRUE
                here = clauses.both((alive, reached, -count[rank] if rank < len(count) else TRUE))
                for key, is_so in what:
                    found.setdefault((rank, key), []).append(clauses.both((here, is_so)))
            count = clauses.add_up(count, [alive], place + 1)
        return {key: clauses.either(own) for key, own in found.items()}


def _differences(clauses: Clauses, one: Features, other: Features) -> Iterator[int]:
    """Of two times, the literals that they differ in this feature, so far as they can."""
    for key in dict.fromkeys((*one, *other)):
        here, there = one.get(key, FALSE), other.get(key, FALSE)
        if here != there:
            yield clauses.both((here, -there))
            yield clauses.both((-here, there))


def _returns(machine: Machine, time: int) -> bool:
    """Whether the machine's transitions so far lead back to something it held, or send and leave it as it was."""
    before: dict[int, set[int]] = {}
    for transitions, starts in zip(machine.transitions, machine.start, strict=True):
        for transition, start in zip(transitions, starts, strict=True):
            if start < time and transition.before != transition.after:
                before.setdefault(transition.after, set()).add(transition.before)
            elif start < time and transition.sends:
                return True
    try:
        TopologicalSorter(before).prepare()
    except CycleError:
        return True
    return False
