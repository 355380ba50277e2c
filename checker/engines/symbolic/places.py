"""A run with an eye on each message: which place of its channel's sequence it has, and whom it overtakes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from model.action import Event, Fault, Message
from model.system import System
from model.trace import Trace


class Placed:
    """A run so far: its events, the state it is in, and for each channel the places of what is in it, in order sent.

    Of equal messages in a channel without order the earliest is meant; a fault's copy has a place of its own.
    """

    def __init__(self, system: System) -> None:
        self.system = system
        (self.initial,) = system.initial_states()
        self.state = self.initial
        self.events: list[Event] = []
        self.places: list[list[tuple[int, Message]]] = [list(enumerate(content)) for content in self.state.channels]
        self.filled = [len(content) for content in self.state.channels]

    def take(self, event: Event) -> None:
        """The event happens."""
        for move in event.moves:
            for channel, position, message in move.accepts:
                self._remove(channel, self.taken(channel, position, message))
            for channel, message in move.sends:
                self._put(channel, message)
        fault = event.fault
        if fault is not None and fault.channel is not None:
            if fault.kind.endswith("loss"):
                self._remove(fault.channel, self.struck(fault))
            elif fault.message is not None:
                self._put(fault.channel, fault.message)
        self.state = self.system.step(self.state, event)
        self.events.append(event)

    def taken(self, channel: int, position: int, message: Message) -> int:
        """The place of the message at this position."""
        if self.system.discipline(channel).keeps_order:
            return self.places[channel][position][0]
        return next(place for place, held in self.places[channel] if held == message)

    def struck(self, fault: Fault) -> int:
        """The place that a fault strikes; of equal messages that are doubled, the earliest."""
        assert fault.channel is not None and fault.message is not None
        if fault.kind.endswith("loss"):
            return self.taken(fault.channel, fault.position, fault.message)
        return next(place for place, held in self.places[fault.channel] if held == fault.message)

    def trace(self) -> Trace:
        """The run so far as a trace."""
        return Trace(self.system, self.initial, tuple(self.events))

    def _remove(self, channel: int, place: int) -> None:
        self.places[channel] = [own for own in self.places[channel] if own[0] != place]

    def _put(self, channel: int, message: Message) -> None:
        self.places[channel].append((self.filled[channel], message))
        self.filled[channel] += 1


class Need(NamedTuple):
    """One relaxation that a run makes use of: a fault, or a message accepted past others that were sent before it.

    `kind` is "overtaking" or the fault's; `action` counts from 1; `past` holds the messages overtaken; for a crash
    `machine` says whose.
    """

    kind: str
    action: int
    channel: int | None
    message: Message | None
    past: tuple[Message, ...] = ()
    machine: int | None = None

    @property
    def cost(self) -> int:
        """One for a fault, one for each message overtaken."""
        return len(self.past) or 1


def needs(trace: Trace) -> tuple[Need, ...]:
    """All that the trace needs relaxed, in order."""
    run = Placed(trace.system)
    found: list[Need] = []
    for event in trace.events:
        found += _needs(run, event)
        run.take(event)
    return tuple(found)


def _needs(run: Placed, event: Event) -> Iterator[Need]:
    action = len(run.events) + 1
    if event.fault is not None:
        machine = event.actor if event.fault.channel is None else None
        yield Need(event.fault.kind, action, event.fault.channel, event.fault.message, machine=machine)
        return
    for move in event.moves:
        for channel, position, message in move.accepts:
            own = run.taken(channel, position, message)
            past = tuple(held for place, held in run.places[channel] if place < own)
            if past:
                yield Need("overtaking", action, channel, message, past)
