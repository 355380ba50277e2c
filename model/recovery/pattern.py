"""The checkpoint and communication pattern of a run: between which checkpoints each message was sent and accepted.

Checkpoint 0 of a machine is its initial state. Interval x of a machine is what it does from its checkpoint x on until
its next one; the last interval is still going on. A global checkpoint has one checkpoint of each machine, by number; a
number one above that of the last checkpoint stands for the machine's present state, which a machine that has not
failed still has (Elnozahy, Alvisi, Wang & Johnson 2002, section 2).
"""

from __future__ import annotations

from typing import Any, NamedTuple

from model.program import Underlying
from model.topology import Topology
from model.values import Value

Line = tuple[int, ...]
"""A global checkpoint: the number of one checkpoint of each machine."""
Stamps = tuple[tuple[Any, ...], ...]
"""Of each machine the stamps of its checkpoints."""


class Checkpoint(NamedTuple):
    """What a machine writes to stable storage: its state, and the stamp that the protocol writes with it.

    forced: the protocol took it; else it is a basic one, which the machine took by itself.
    """

    state: Value
    stamp: Value = None
    forced: bool = False


class History(NamedTuple):
    """What a machine remembers: its checkpoints, its messages, and the protocol's own `clock`.

    sent: per output channel, of each message in order (interval in which it was sent, payload). accepted: per input
    channel, of each message (its number on the channel, interval in which it was accepted), ascending.
    """

    checkpoints: tuple[Checkpoint, ...]
    sent: tuple[tuple[tuple[int, Value], ...], ...]
    accepted: tuple[tuple[tuple[int, int], ...], ...]
    clock: Value = None

    @property
    def interval(self) -> int:
        """The number of the interval that is going on."""
        return len(self.checkpoints) - 1


class Passed(NamedTuple):
    """A message: the intervals in which it was sent and accepted; `accepted` is None of one that never was."""

    source: int
    sent: int
    destination: int
    accepted: int | None


class Pattern(NamedTuple):
    """last: the number of each machine's last checkpoint. logged: whether senders log what they send."""

    last: Line
    messages: tuple[Passed, ...]
    logged: bool = True

    def consistent(self, line: Line) -> bool:
        """Whether the global checkpoint has no orphan (accepted in it and not sent), and no message that is lost.

        A message in transit (sent in it and not accepted) is lost where no log can send it again.
        """
        return all(not self.breaks(message, line) for message in self.messages)

    def breaks(self, message: Passed, line: Line) -> str:
        """`orphan` or `lost`, if the message is that in the global checkpoint; else nothing."""
        sent = message.sent < line[message.source]
        accepted = message.accepted is not None and message.accepted < line[message.destination]
        if accepted and not sent:
            return "orphan"
        return "lost" if sent and not accepted and not self.logged else ""

    def undone(self, line: Line) -> int:
        """How many sends and accepts going back to the global checkpoint undoes."""
        sends = sum(m.sent >= line[m.source] for m in self.messages)
        return sends + sum(m.accepted is not None and m.accepted >= line[m.destination] for m in self.messages)


def pattern_of(topology: Topology, histories: tuple[History, ...], logged: bool = True) -> Pattern:
    """The pattern of a run that has come to these histories."""
    messages: list[Passed] = []
    for channel, (source, destination) in enumerate(topology.channels):
        sent = histories[source].sent[topology.outputs[source].index(channel)]
        accepted = histories[destination].accepted[topology.inputs[destination].index(channel)]
        for number, (interval, _) in enumerate(sent):
            when: list[int | None] = [own for n, own in accepted if n == number]
            messages += [Passed(source, interval, destination, own) for own in when or [None]]
    return Pattern(tuple(history.interval for history in histories), tuple(messages), logged)


def restored(topology: Topology, histories: tuple[History, ...], line: Line, logged: bool = True) -> Underlying:
    """The state in which the computation goes on: the checkpoints' states, and what the log has for each channel."""
    machines = tuple(history.checkpoints[c].state for history, c in zip(histories, line, strict=True))
    contents: list[tuple[Value, ...]] = []
    for channel, (source, destination) in enumerate(topology.channels):
        sent = histories[source].sent[topology.outputs[source].index(channel)]
        accepted = histories[destination].accepted[topology.inputs[destination].index(channel)]
        known = {number for number, interval in accepted if interval < line[destination]}
        again = [p for n, (interval, p) in enumerate(sent) if interval < line[source] and n not in known]
        contents.append(tuple(again) if logged else ())
    return Underlying(machines, tuple(contents))
