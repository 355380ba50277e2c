"""The history of one run: each machine's events in its own order, and which accept is of which send.

A *position* in a machine's log is a number of events that it has done; a *cut* maps each machine to a position.
Nothing here depends on how the lines of different machines are interleaved.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping
from functools import cached_property
from itertools import pairwise

from checker.audit.events import ACCEPT, RECORD, SEND, START, Channel, Claim, Event

Cut = Mapping[str, int]


class History:
    """One run as its log has it, in the making until `traffic` and what rests on it are asked for."""

    def __init__(self, run: str) -> None:
        self.run = run
        self.machines: dict[str, list[Event]] = {}
        self.claims: list[Claim] = []
        self.repeated: list[Event] = []
        """The accepts that `once` left out."""

    def add(self, said: Event | Claim) -> None:
        """One more event, after all others of its machine, or one more claim."""
        if isinstance(said, Claim):
            self.claims.append(said)
            return
        machines = self.machines
        if said.machine not in machines:
            machines[said.machine] = []
        machines[said.machine].append(said)
        channel = said.channel
        if channel is not None:
            other = channel.destination if said.kind == SEND else channel.source
            if other not in machines:
                machines[other] = []

    def once(self) -> None:
        """Leave out accepts that repeat the line before them in their machine's log."""
        for machine, events in self.machines.items():
            kept = events[:1]
            for before, event in pairwise(events):
                repeats = event.kind == ACCEPT and before.said == event.said
                (self.repeated if repeats else kept).append(event)
            self.machines[machine] = kept

    @cached_property
    def traffic(self) -> dict[Channel, Traffic]:
        """What went over each channel, a channel of markers only included."""
        found: dict[Channel, Traffic] = {}
        for events in self.machines.values():
            for position, event in enumerate(events):
                if event.channel is None:
                    continue
                traffic = found.get(event.channel)
                if traffic is None:
                    traffic = found[event.channel] = Traffic(event.channel)
                if event.message is None:
                    continue
                (traffic.sends if event.kind == SEND else traffic.accepts).append(position)
        for traffic in found.values():
            traffic.pair(self.machines)
        return found

    @cached_property
    def channel_names(self) -> dict[str, Channel]:
        """Channels by the names that claims use; one that has no parallel to it goes by its ends too."""
        names = {str(channel): channel for channel in self.traffic}
        ends: dict[str, list[Channel]] = {}
        for channel in self.traffic:
            ends.setdefault(f"{channel.source}>{channel.destination}", []).append(channel)
        return {name: channels[0] for name, channels in ends.items() if len(channels) == 1} | names

    @cached_property
    def states(self) -> dict[str, list[str | None]]:
        """Each machine's state at each position, from 0 on; None where the log has not said it yet.

        A log that begins with `start` says the state at position 0.
        """
        found: dict[str, list[str | None]] = {}
        for machine, events in self.machines.items():
            state = events[0].state if events and events[0].kind == START else None
            states = [state]
            for event in events:
                state = state if event.state is None else event.state
                states.append(state)
            found[machine] = states
        return found

    @cached_property
    def marked(self) -> dict[str, dict[str, int]]:
        """The position at which each machine recorded for each snapshot.

        It is just after its `record`, or else just before its first accept of the snapshot's marker.
        """
        found: dict[str, dict[str, int]] = {}
        for machine, events in self.machines.items():
            said: dict[str, int] = {}
            for position, event in enumerate(events):
                if event.snapshot is None:
                    continue
                cut = found.setdefault(event.snapshot, {})
                if event.kind == RECORD:
                    said.setdefault(event.snapshot, position + 1)
                elif event.kind == ACCEPT:
                    cut.setdefault(machine, position)
            for snapshot, position in said.items():
                found[snapshot][machine] = position
        return found

    def contents(self, channel: Channel, cut: Cut) -> tuple[list[Event], list[tuple[Event, Event | None]]]:
        """What is in the channel at the cut, as sends in order; and accepts before it whose send is not, with it."""
        traffic = self.traffic[channel]
        sent = bisect_left(traffic.sends, cut[channel.source])
        accepted = bisect_left(traffic.accepts, cut[channel.destination])
        source, destination = self.machines[channel.source], self.machines[channel.destination]
        waiting = [source[traffic.sends[number]] for number in traffic.waiting(sent, accepted)]
        orphans = []
        for number in traffic.orphans(sent, accepted):
            send = traffic.sender[number]
            late = None if send is None else source[traffic.sends[send]]
            orphans.append((destination[traffic.accepts[number]], late))
        return waiting, orphans

    def accept_of(self, channel: Channel, send: Event) -> Event | None:
        """The accept of a message that was sent on the channel."""
        traffic = self.traffic[channel]
        events = self.machines[channel.source]
        number = next(n for n, position in enumerate(traffic.sends) if events[position] is send)
        accept = traffic.accepter[number]
        return None if accept is None else self.machines[channel.destination][traffic.accepts[accept]]


class Traffic:
    """The messages of one channel: at which positions of its ends they were sent and accepted, and in what pairs.

    Sends and accepts are numbered in the order of their machine. `sender[a]` is the send of accept a, or None;
    `messages` are those sent.
    """

    def __init__(self, channel: Channel) -> None:
        self.channel = channel
        self.sends: list[int] = []
        self.accepts: list[int] = []
        self.sender: list[int | None] = []
        self.accepter: list[int | None] = []
        self.messages: list[str] = []
        self._first_waiting = [0]
        self._needed = [0]

    def pair(self, machines: Mapping[str, list[Event]]) -> None:
        """Pair by `id` where there is one, else the k-th accept with the k-th send; each send is accepted once."""
        source, destination = machines[self.channel.source], machines[self.channel.destination]
        waiting: dict[str | None, list[int]] = {}
        for number in reversed(range(len(self.sends))):
            waiting.setdefault(source[self.sends[number]].pair, []).append(number)
        self.messages = [str(source[position].message) for position in self.sends]
        self.accepter = [None] * len(self.sends)
        for number, position in enumerate(self.accepts):
            fitting = waiting.get(destination[position].pair)
            send = fitting.pop() if fitting else None
            self.sender.append(send)
            if send is not None:
                self.accepter[send] = number
            self._needed.append(max(self._needed[-1], len(self.sends) + 1 if send is None else send + 1))
            self._first_waiting.append(self._next_waiting(self._first_waiting[-1], number + 1))

    def waiting(self, sent: int, accepted: int) -> list[int]:
        """The numbers of the messages among the first `sent` that are not among the first `accepted` accepts."""
        numbers = range(self._first_waiting[accepted], sent)
        return [number for number in numbers if not self._was_accepted(number, accepted)]

    def orphans(self, sent: int, accepted: int) -> list[int]:
        """The numbers of those of the first `accepted` accepts whose send is not among the first `sent`."""
        if self._needed[accepted] <= sent:
            return []
        senders = enumerate(self.sender[:accepted])
        return [number for number, send in senders if send is None or send >= sent]

    def bounds(self, accepted: int, content: tuple[str, ...]) -> tuple[int, int] | None:
        """How many sends, at least and at most, leave just `content` waiting after so many accepts; None: no number.

        Where an accept has no send, no number does.
        """
        first: list[int] = []
        number = self._first_waiting[accepted]
        while number < len(self.sends) and len(first) <= len(content):
            if not self._was_accepted(number, accepted):
                first.append(number)
            number += 1
        if tuple(self.messages[number] for number in first[: len(content)]) != content:
            return None
        most = first[len(content)] if len(first) > len(content) else len(self.sends)
        least = max(self._needed[accepted], first[len(content) - 1] + 1 if content else 0)
        return (least, most) if least <= most else None

    def _was_accepted(self, number: int, accepted: int) -> bool:
        accepter = self.accepter[number]
        return accepter is not None and accepter < accepted

    def _next_waiting(self, number: int, accepted: int) -> int:
        while number < len(self.sends) and self._was_accepted(number, accepted):
            number += 1
        return number
