"""The marker algorithm's rules held against a history: the first event of a snapshot that they do not allow.

Rules and wording are those of `model.protocols.marker` (Chandy & Lamport 1985, section 3). Which channels a machine has
is known from the log: those over which anything went, markers included.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

from checker.audit.events import ACCEPT, RECORD, SEND, Channel, Claim, Event
from checker.audit.history import History
from checker.audit.judging import Judgement
from checker.audit.order import Point, ordered

LAST = ("", 1 << 62)


@dataclass(frozen=True, slots=True)
class Broken:
    """A rule broken: the line that does it (None: something that never happens), and a sentence."""

    line: Event | Claim | None
    why: str


Found = Iterator[tuple[Point, Broken]]


class MarkerRules:
    """The rules over one history; `rank` says which of two events comes first."""

    def __init__(self, history: History) -> None:
        self.history = history
        self.rank = {point: number for number, point in enumerate(ordered(history))}
        self.outputs: dict[str, list[Channel]] = {machine: [] for machine in history.machines}
        for channel in history.traffic:
            self.outputs[channel.source].append(channel)
        self.own: defaultdict[tuple[str, str], list[int]] = defaultdict(list)
        """Per machine and snapshot the positions of what is about the snapshot: its record, its markers."""
        for machine, events in history.machines.items():
            for position, event in enumerate(events):
                if event.snapshot is not None:
                    self.own[machine, event.snapshot].append(position)
        unsent = (broken for channel in history.traffic for broken in self._unsent(channel))
        self.unsent = min(unsent, key=lambda found: self._rank(found[0]), default=None)
        """The first accept of what was not sent, or not then: it concerns every snapshot."""

    def _rank(self, point: Point) -> int:
        return self.rank.get(point, LAST[1])

    def first_broken(self, judgement: Judgement) -> Broken | None:
        """The first rule broken for this snapshot; None if the log allows it."""
        snapshot = judgement.snapshot
        each = (next(self._machine(machine, snapshot), None) for machine in self.history.machines)
        found = [broken for broken in each if broken is not None]
        for channel in self.history.traffic:
            found += self._overtaken(channel, snapshot)
        found += [self.unsent] if self.unsent else []
        if not found:
            return next(self._announced(judgement), None)
        return min(found, key=lambda item: self._rank(item[0]))[1]

    # "p sends one marker along c after p records its state and before p sends further messages along c."

    def _machine(self, machine: str, snapshot: str) -> Found:
        recorded = self.history.marked.get(snapshot, {}).get(machine)
        marked: set[Channel] = set()
        heard: Event | None = None
        about, events = (
            self.own.get((machine, snapshot), [len(self.history.machines[machine])]),
            self.history.machines[machine],
        )
        for position in range(about[0], len(events)):
            event, point = events[position], (machine, position)
            if position > about[-1] and marked.issuperset(self.outputs[machine]):
                break  # all that is left to break is that a marker is put too late
            red = recorded is not None and position >= recorded
            own = event.snapshot == snapshot
            if event.kind == RECORD and own and recorded is not None and position >= recorded:
                yield point, Broken(event, f"{machine} records a second time")
            elif event.kind == SEND and event.channel is not None and own:
                if not red:
                    yield point, Broken(event, f"{machine} sends its marker on {event.channel} before it has recorded")
                elif event.channel in marked:
                    yield point, Broken(event, f"{machine} sends a second marker on {event.channel}")
                marked.add(event.channel)
            elif event.kind == SEND and event.message is not None and red and event.channel not in marked:
                yield point, Broken(event, f"{machine}, which has recorded, sends on {event.channel} before its marker")
            elif event.kind == ACCEPT and own:
                heard = heard or event
            if heard is not None and not red and event.message is not None:
                why = f"{machine} has accepted a marker (line {heard.place.line}), acts, and has not recorded yet"
                yield point, Broken(event, why)
        for channel in self.outputs[machine]:
            if recorded is not None and channel not in marked:
                yield LAST, Broken(None, f"{machine} has recorded, and its marker is never sent on {channel}")

    # Channels: each message and marker is accepted once, in the order in which they were sent.

    def _overtaken(self, channel: Channel, snapshot: str) -> Found:
        traffic = self.history.traffic[channel]
        sent = self._markers(channel.source, SEND, channel, snapshot)
        accepted = self._markers(channel.destination, ACCEPT, channel, snapshot)
        for number, position in enumerate(accepted):
            event = self.history.machines[channel.destination][position]
            point = channel.destination, position
            if number >= len(sent):
                what = "a marker" if number == 0 else "a second marker"
                yield point, Broken(event, f"{channel.destination} accepts {what} from {channel.source} that none sent")
                continue
            before, after = bisect_left(traffic.sends, sent[number]), bisect_left(traffic.accepts, position)
            if traffic.orphans(before, after):
                yield point, Broken(event, f"on {channel} a message that was sent after the marker has overtaken it")
            elif traffic.waiting(before, after):
                yield point, Broken(event, f"on {channel} the marker has overtaken a message that was sent before it")

    def _unsent(self, channel: Channel) -> Found:
        traffic = self.history.traffic[channel]
        source, destination = self.history.machines[channel.source], self.history.machines[channel.destination]
        for position, send in zip(traffic.accepts, traffic.sender, strict=True):
            event = destination[position]
            if send is None:
                why = f"{channel.destination} accepts {event.message} from {channel.source}, and no line sends it"
                yield (channel.destination, position), Broken(event, why)
            elif source[traffic.sends[send]].message != event.message:
                other = source[traffic.sends[send]]
                why = f"{channel} is not FIFO: {event.message} is accepted where {other.message} is due"
                yield (channel.destination, position), Broken(event, f"{why} (line {other.place.line})")

    def _markers(self, machine: str, kind: str, channel: Channel, snapshot: str) -> list[int]:
        events = self.history.machines[machine]
        own = self.own.get((machine, snapshot), ())
        return [position for position in own if events[position].kind == kind and events[position].channel == channel]

    # "q records the state of c as the sequence of messages received along c after q's state was recorded and before q
    # received the marker along c": all events were as they ought to be, so what was announced is wrong.

    def _announced(self, judgement: Judgement) -> Iterator[Broken]:
        claim = judgement.claim
        if claim is None:
            return
        for wrong in judgement.channels:
            held = tuple(str(send.message) for send in wrong.held)
            if len(wrong.claimed) < len(held) and held[: len(wrong.claimed)] == wrong.claimed:
                yield Broken(claim, f"what was announced of {wrong.channel} ends before its marker had closed it")
            else:
                yield Broken(claim, f"what was recorded of {wrong.channel} is not what was accepted before its marker")
        for state in judgement.states:
            yield Broken(claim, f"the state recorded for {state.machine} is not the one it was in where it recorded")
