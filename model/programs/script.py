"""A computation given as a script: each machine's events in order, and which event accepts which event's message.

A script is a TOML file:

    [machines]                      # in the order of the topology's machines
    P1 = ["A", "B", "C"]
    P2 = ["D"]
    [messages]                      # sending event = accepting event
    B = "D"
    [snapshot]                      # optional: an initiator may begin right after this event, and only then
    P1 = "B"

`kuper` is the example of three processes from L. Kuper's lecture notes on Chandy-Lamport snapshots.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from typing import Any

from model.action import Action
from model.errors import InputError
from model.program import Program
from model.reading import read_text
from model.topology import Topology
from model.values import Value

KUPER = """
[machines]
P1 = ["A", "B", "C", "D", "E"]
P2 = ["F", "G", "H"]
P3 = ["I", "J", "K"]
[messages]
B = "F"
I = "G"
H = "D"
E = "K"
[snapshot]
P1 = "B"
"""


class Script(Program):
    """Each machine does its events in order; a machine's state is the tuple of events it has done.

    A message is named by its sending event, and takes the first channel from its sender to its accepter.
    """

    def __init__(self, topology: Topology, *, file: str) -> None:
        super().__init__(topology)
        self._read(read_text(file, "script file"), file)

    def _read(self, text: str, source: str) -> None:
        try:
            data = tomllib.loads(text)
        except (ValueError, RecursionError) as error:
            raise InputError(f"script {source!r}: not TOML ({error})") from None
        events, messages, snapshot = _tables(data, source)
        if len(events) != self.topology.machines:
            raise InputError(
                f"script {source!r} has {len(events)} machines, the topology {self.topology.machines}: they must agree"
            )
        self.labels = tuple(events)
        self.events = tuple(tuple(own) for own in events.values())
        place = {event: m for m, own in enumerate(self.events) for event in own}
        if len(place) != sum(map(len, self.events)):
            raise InputError(f"script {source!r}: every event needs a name of its own")
        self.sent: dict[Value, int] = {}
        self.accepted: dict[Value, tuple[int, str]] = {}
        for sender, accepter in messages.items():
            for event in (sender, accepter):
                if event not in place:
                    raise InputError(f"script {source!r}: message {sender}>{accepter} names unknown event {event!r}")
            ends = (place[sender], place[accepter])
            if ends not in self.topology.channels:
                raise InputError(
                    f"script {source!r}: message {sender}>{accepter} needs a channel {ends[0]}>{ends[1]},"
                    " which the topology lacks"
                )
            channel = self.topology.channels.index(ends)
            if accepter in self.accepted or accepter in self.sent or sender in self.accepted:
                raise InputError(
                    f"script {source!r}: an event sends or accepts one message; {sender}>{accepter} is more"
                )
            self.sent[sender] = channel
            self.accepted[accepter] = (channel, sender)
        self.begin: dict[int, int] = {}
        for label, event in snapshot.items():
            if label not in events or event not in events[label]:
                raise InputError(f"script {source!r}: snapshot {label} = {event!r} is no event of a machine")
            machine = self.labels.index(label)
            self.begin[machine] = self.events[machine].index(event) + 1

    def initial(self, machine: int) -> Value:
        """No event done."""
        return ()

    def actions(self, machine: int, state: Value, offered: Mapping[int, Value]) -> Iterator[Action]:
        """The machine's next event, if it is internal, a send, or the accepting of what is offered."""
        assert isinstance(state, tuple)
        if len(state) == len(self.events[machine]):
            return
        event = self.events[machine][len(state)]
        done = (*state, event)
        if event in self.accepted:
            channel, sender = self.accepted[event]
            if offered.get(channel) == sender:
                yield Action(event, done, accepts={channel: sender})
        elif event in self.sent:
            yield Action(event, done, sends={self.sent[event]: event})
        else:
            yield Action(event, done)

    def may_initiate(self, machine: int, state: Value) -> bool:
        """Right after the event that the script names, if it names one."""
        assert isinstance(state, tuple)
        return machine not in self.begin or len(state) == self.begin[machine]


class Kuper(Script):
    """Three processes: P1 A-E, P2 F-H, P3 I-K; messages B>F, I>G, H>D, E>K; P1 initiates right after B."""

    def __init__(self, topology: Topology) -> None:
        Program.__init__(self, topology)
        self._read(KUPER, "kuper")


def _tables(data: dict[str, Any], source: str) -> tuple[dict[str, list[str]], dict[str, str], dict[str, str]]:
    unknown = set(data) - {"machines", "messages", "snapshot"}
    if unknown or "machines" not in data:
        found = ", ".join(sorted(data)) or "none"
        raise InputError(f"script {source!r}: tables [machines], [messages], [snapshot] are read; found {found}")
    events, messages, snapshot = data["machines"], data.get("messages", {}), data.get("snapshot", {})
    tables = isinstance(events, dict) and isinstance(messages, dict) and isinstance(snapshot, dict)
    if not tables or not all(isinstance(own, list) and all(isinstance(e, str) for e in own) for own in events.values()):
        raise InputError(f"script {source!r}: [machines] maps names to lists of event names")
    if not all(isinstance(e, str) for e in (*messages.values(), *snapshot.values())):
        raise InputError(f"script {source!r}: [messages] and [snapshot] map names to event names")
    return events, messages, snapshot
