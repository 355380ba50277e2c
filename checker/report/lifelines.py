"""Each message of a trace followed from its send to its accept, through overtaking, loss and duplication.

Contents are tuples of equal-looking messages; here each message has an identity. Where equal messages wait in a channel
that keeps no order, the one sent first is taken to be the one that leaves first: no run tells them apart.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from model.action import Event, Message
from model.channels import Content
from model.system import System
from model.trace import Trace


@dataclass(frozen=True, slots=True)
class Lifeline:
    """One message's way along its channel; `sent`, `accepted`, `lost` and `copied` are indices into the trace's events.

    sent: None if it was in the channel at the start. accepted, lost: at most one of the two is not None; both None: it
    is still in the channel at the end. A copy made by a duplication has its original's `sent`, its own `copied` (when
    the fault struck) and in `original` the number of the lifeline it copies.
    """

    channel: int
    message: Message
    sent: int | None
    accepted: int | None = None
    lost: int | None = None
    copied: int | None = None
    original: int | None = None

    @property
    def ended(self) -> int | None:
        """The event at which the message left its channel, accepted or lost."""
        return self.lost if self.accepted is None else self.accepted


Waiting = list[tuple[Message, int]]
"""What is in a channel, with the number of each message's lifeline, in the channel's own order."""


def lifelines(trace: Trace) -> tuple[Lifeline, ...]:
    """All messages of the trace, the protocol's own among them, in the order in which they came to be."""
    return Follower(trace).found()


class Follower:
    """Lifelines in progress: what waits in each channel, and what is known of every message so far."""

    def __init__(self, trace: Trace) -> None:
        self.system: System = trace.system
        self.all: list[Lifeline] = []
        self.waiting: list[Waiting] = [[] for _ in trace.initial.channels]
        self.taken: list[tuple[int, ...]] = []
        """Per event the lifelines that it ended, in the order of its accepts."""
        self.sent: list[tuple[int, ...]] = []
        """Per event the lifelines that it began, in the order of its sends."""
        for channel, content in enumerate(trace.initial.channels):
            for message in content:
                self._begin(channel, message, None)
        for number, event in enumerate(trace.events):
            self.taken.append(tuple(self._ends(number, event)))
            self.sent.append(tuple(self._begins(number, event)))

    def found(self) -> tuple[Lifeline, ...]:
        """All lifelines."""
        return tuple(self.all)

    def _ends(self, number: int, event: Event) -> list[int]:
        ended = []
        for move in event.moves:
            for channel, position, _ in move.accepts:
                _, lifeline = self.waiting[channel].pop(position)
                self.all[lifeline] = replace(self.all[lifeline], accepted=number)
                ended.append(lifeline)
        fault = event.fault
        if fault is not None and fault.channel is not None and fault.kind.endswith("loss"):
            _, lifeline = self.waiting[fault.channel].pop(fault.position)
            self.all[lifeline] = replace(self.all[lifeline], lost=number)
            ended.append(lifeline)
        return ended

    def _begins(self, number: int, event: Event) -> list[int]:
        begun = [self._begin(channel, message, number) for move in event.moves for channel, message in move.sends]
        fault = event.fault
        if fault is not None and fault.channel is not None and not fault.kind.endswith("loss"):
            message, original = self.waiting[fault.channel][fault.position]
            copy = self._begin(fault.channel, message, self.all[original].sent)
            self.all[copy] = replace(self.all[copy], copied=number, original=original)
            begun.append(copy)
        return begun

    def _begin(self, channel: int, message: Message, sent: int | None) -> int:
        lifeline = len(self.all)
        self.all.append(Lifeline(channel, message, sent))
        waiting = self.waiting[channel]
        content = self.system.discipline(channel).push(tuple(m for m, _ in waiting), message)
        self.waiting[channel] = arranged([*waiting, (message, lifeline)], content)
        return lifeline


def arranged(waiting: Waiting, content: Content) -> Waiting:
    """The messages in the order of `content`, which holds the same ones; of equal ones the earliest comes first."""
    left, result = list(waiting), []
    for message in content:
        index = next(i for i, (other, _) in enumerate(left) if other == message)
        result.append(left.pop(index))
    return result
