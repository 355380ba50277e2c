"""The history of one run: each machine's events in its own order, and which accept is of which send.

A *position* in a machine's log is a number of events that it has done; a *cut* maps each machine to a position.
Nothing here depends on how the lines of different machines are interleaved.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping
from functools import cached_property
from itertools import pairwise

from checker.audit.events import ACCEPT, RECORD, SEND, START, Channel, Claim, Event, natural
from checker.audit.traffic import NONE, Traffic

Cut = Mapping[str, int]
Point = tuple[str, int]
"""An event: its machine, and how many of that machine's events come before it."""


class History:
    """One run as its log has it, in the making until `traffic` and what rests on it are asked for."""

    def __init__(self, run: str) -> None:
        self.run = run
        self.machines: dict[str, list[Event]] = {}
        self.claims: list[Claim] = []
        self.known: tuple[Channel, ...] = ()
        """Channels that there are besides those of the events."""
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
        """What went over each channel, a channel of markers only included, in the natural order of their names."""
        found: dict[Channel, Traffic] = {channel: Traffic() for channel in self.known}
        for events in self.machines.values():
            for position, event in enumerate(events):
                if event.channel is None:
                    continue
                traffic = found.get(event.channel)
                if traffic is None:
                    traffic = found[event.channel] = Traffic()
                if event.message is not None:
                    traffic.add(position, event.kind == SEND, event.message, event.pair)
        for traffic in found.values():
            traffic.pair()
        return {channel: found[channel] for channel in sorted(found, key=lambda c: tuple(map(natural, c)))}

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
            late = None if send == NONE else source[traffic.sends[send]]
            orphans.append((destination[traffic.accepts[number]], late))
        return waiting, orphans

    def pairs(self, channel: Channel) -> Iterator[tuple[Point | None, Point | None]]:
        """Each message's send and accept: the accepts in order, each with its send if it has one; then other sends."""
        traffic = self.traffic[channel]
        for position, send in zip(traffic.accepts, traffic.sender, strict=True):
            sent = None if send == NONE else (channel.source, traffic.sends[send])
            yield sent, (channel.destination, position)
        for position, accept in zip(traffic.sends, traffic.accepter, strict=True):
            if accept == NONE:
                yield (channel.source, position), None

    def at(self, point: Point) -> Event:
        """The event itself."""
        return self.machines[point[0]][point[1]]

    def accept_of(self, channel: Channel, send: Event) -> Event | None:
        """The accept of a message that was sent on the channel."""
        pairs = ((sent, accepted) for sent, accepted in self.pairs(channel) if sent is not None)
        accepted = next(accepted for sent, accepted in pairs if self.at(sent) is send)
        return None if accepted is None else self.at(accepted)
