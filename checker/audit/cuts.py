"""The least consistent cut of a log that has given states and channel contents, in time linear in the log.

Write s and r for the messages sent and accepted on a channel before a cut. For each r the fitting s form an interval
(`Traffic.bounds`), whose ends never fall as r grows: accepting more leaves later messages first in the channel. So if
two cuts fit, their componentwise minimum fits as well, and a least one exists if any does. (Constraints of this kind
are closed under minimum; for them local propagation decides: P. Jeavons, M. Cooper, 1995. The same argument finds
linear predicates in runs: C. Chase, V. Garg, 1998.) Hence no backtracking:

1. Begin with every machine at its first position that has its state.
2. While some channel does not fit: if s is above the interval of r, or r has none, no cut with this r or less fits
   beside an s this high, so the accepting machine goes on to its next accept; if s is below, the sender to the send
   that is missing. Each goes on to its next position with its state.
3. A machine that is asked beyond its end: no cut fits. No channel left: this is the least cut.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import deque
from collections.abc import Iterable

from checker.audit.events import Channel, Claim
from checker.audit.history import Cut, History


def matching_cut(history: History, claim: Claim, guess: bool = False) -> Cut | None:
    """The least consistent cut with the claim's states and contents; None if there is none.

    guess: a state that the log does not say may be any.
    """
    contents = claimed_contents(history, claim)
    if contents is None or not claim.states.keys() >= history.machines.keys():
        return None
    return _Search(history, claim, contents, guess).found()


def claimed_contents(history: History, claim: Claim) -> dict[Channel, tuple[str, ...]] | None:
    """What the claim has in each channel of the history; None if it has messages in a channel that is none."""
    contents: dict[Channel, tuple[str, ...]] = dict.fromkeys(history.traffic, ())
    for name, content in claim.channels.items():
        channel = history.channel_names.get(name)
        if channel is not None:
            contents[channel] = content
        elif content:
            return None
    return contents


class _Search:
    """The least cut so far: no fitting cut has a machine at an earlier position."""

    def __init__(self, history: History, claim: Claim, contents: dict[Channel, tuple[str, ...]], guess: bool) -> None:
        self.history, self.contents = history, contents
        self.fits = {machine: self._fitting(machine, claim.states[machine], guess) for machine in history.machines}
        self.cut = dict.fromkeys(history.machines, 0)
        self.dirty: deque[Channel] = deque()
        self.queued: set[Channel] = set()
        self.beside: dict[str, list[Channel]] = {machine: [] for machine in history.machines}
        for channel in history.traffic:
            for machine in {channel.source, channel.destination}:
                self.beside[machine].append(channel)

    def _fitting(self, machine: str, state: str, guess: bool) -> list[int]:
        """The positions, ascending, at which the machine has the state."""
        states = enumerate(self.history.states[machine])
        return [p for p, own in states if own == state or (own is None and (guess or state == "null"))]

    def found(self) -> Cut | None:
        for machine in self.cut:
            if not self._advance(machine, 0):
                return None
        self._touch(self.history.traffic)
        while self.dirty:
            channel = self.dirty.popleft()
            self.queued.discard(channel)
            if not self._mend(channel):
                return None
        return self.cut

    def _mend(self, channel: Channel) -> bool:
        """Bring forward the end of the channel that is behind; whether that can be."""
        traffic = self.history.traffic[channel]
        sent = bisect_left(traffic.sends, self.cut[channel.source])
        accepted = bisect_left(traffic.accepts, self.cut[channel.destination])
        bounds = traffic.bounds(accepted, self.contents[channel])
        if bounds is None or sent > bounds[1]:
            return accepted < len(traffic.accepts) and self._advance(channel.destination, traffic.accepts[accepted] + 1)
        return sent >= bounds[0] or self._advance(channel.source, traffic.sends[bounds[0] - 1] + 1)

    def _advance(self, machine: str, least: int) -> bool:
        """Move the machine to its first position from `least` on that has its state; whether there is one."""
        fits = self.fits[machine]
        index = bisect_left(fits, least)
        if index == len(fits):
            return False
        before, self.cut[machine] = self.cut[machine], fits[index]
        if fits[index] - before < len(self.beside[machine]):
            self._touch(self.history.channels_between(machine, before, fits[index]))
        else:
            self._touch(self.beside[machine])
        return True

    def _touch(self, channels: Iterable[Channel]) -> None:
        """Look at these channels again."""
        for channel in channels:
            if channel not in self.queued:
                self.queued.add(channel)
                self.dirty.append(channel)
