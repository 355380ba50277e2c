"""The history of one run: each machine's events in its own order, and which accept is of which send.

A *position* in a machine's log is a number of events that it has done; a *cut* maps each machine to a position.
Nothing here depends on how the lines of different machines are interleaved.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping
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
        if said.outputs:
            self.known += said.outputs
            for output in said.outputs:
                machines.setdefault(output.destination, [])

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

    def channels_between(self, machine: str, start: int, end: int) -> Iterable[Channel]:
        """The channels that the machine's events between two positions use."""
        return (event.channel for event in self.machines[machine][start:end] if event.channel is not None)

    def numbered(self, machine: str, position: int) -> int:
        """The position among all events of the machine; see `Excerpt`."""
        return position

    def at(self, point: Point) -> Event:
        """The event itself."""
        return self.machines[point[0]][point[1]]

    def accept_of(self, channel: Channel, send: Event) -> Event | None:
        """The accept of a message that was sent on the channel."""
        pairs = ((sent, accepted) for sent, accepted in self.pairs(channel) if sent is not None)
        accepted = next(accepted for sent, accepted in pairs if self.at(sent) is send)
        return None if accepted is None else self.at(accepted)


class Excerpt(History):
    """Some events of a long run, all that one snapshot concerns, each with the state after it.

    Positions count the events that are here; `numbers` are those among all events of the machine.
    """

    def __init__(self, run: str, initial: Mapping[str, str | None], channels: Iterable[Channel]) -> None:
        super().__init__(run)
        self.known = tuple(channels)
        self.machines = {machine: [] for machine in initial}
        self.states = {machine: [state] for machine, state in initial.items()}
        self.numbers: dict[str, list[int]] = {machine: [] for machine in initial}

    def take(self, number: int, event: Event, state: str | None) -> None:
        """One more event, after all others of its machine."""
        self.machines[event.machine].append(event)
        self.numbers[event.machine].append(number)
        self.states[event.machine].append(state)

    def numbered(self, machine: str, position: int) -> int:
        """Just after the event before it."""
        return self.numbers[machine][position - 1] + 1 if position else 0

    def within(self, cut: Cut) -> Cut:
        """A cut of the run in positions of the excerpt."""
        return {machine: bisect_left(self.numbers[machine], position) for machine, position in cut.items()}


class Skeleton(History):
    """A whole run without its lines: states, and what went over the channels; some 50 bytes an event."""

    def __init__(self, run: str, initial: Mapping[str, str | None], channels: Iterable[Channel]) -> None:
        super().__init__(run)
        self.machines = {machine: [] for machine in initial}
        self.states = {machine: [state] for machine, state in initial.items()}
        self._channels = list(channels)
        self._index = {channel: number for number, channel in enumerate(self._channels)}
        self._used = {machine: array("i") for machine in initial}
        self.traffic = {channel: Traffic() for channel in self._channels}
        self._texts: dict[str, str] = {}

    def take(self, event: Event, state: str | None) -> None:
        """One more event, after all others of its machine."""
        keep, machine, channel = self._texts.setdefault, event.machine, event.channel
        self.states[machine].append(None if state is None else keep(state, state))
        self._used[machine].append(-1 if channel is None else self._index[channel])
        if channel is not None and event.message is not None:
            message = keep(event.message, event.message)
            self.traffic[channel].add(len(self._used[machine]) - 1, event.kind == SEND, message, event.pair)

    def finish(self) -> None:
        """All events are there."""
        for traffic in self.traffic.values():
            traffic.pair()

    def channels_between(self, machine: str, start: int, end: int) -> Iterable[Channel]:
        """The channels that the machine's events between two positions use."""
        return (self._channels[number] for number in self._used[machine][start:end] if number >= 0)
