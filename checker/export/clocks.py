"""A trace as a log for ShiViz, with vector clocks: the space-time diagram of the tools that distributed systems use.

The file begins as ShiViz's upload wants it: the line's regular expression, then an empty line (one execution). One
host per machine, and one per channel that a fault strikes; an event is what one machine does in one action.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass

from checker.report.lifelines import Follower
from checker.report.names import channel_name, machine_name, message_name
from model.action import Event, Message, Move
from model.trace import Counterexample, Trace

PATTERN = r"(?<host>\S*) (?<clock>\{.*?\}) (?<event>.*)"

StopCondition = dict[str, int]


@dataclass(frozen=True, slots=True)
class Line:
    """One event of the log: where, when (how many events of each host it knows of, itself included), what."""

    host: str
    clock: StopCondition
    event: str


def shiviz(found: Counterexample) -> str:
    """The content of a ShiViz log."""
    lines = [f"{line.host} {json.dumps(line.clock)} {line.event}" for line in log(found.trace)]
    return "\n".join([PATTERN, "", *lines]) + "\n"


def log(trace: Trace) -> Iterator[Line]:
    """The events in the trace's order."""
    return Logger(trace).lines()


class Logger:
    """A log being written: each host's clock, and the clock that each message carries."""

    def __init__(self, trace: Trace) -> None:
        self.trace = trace
        self.system = trace.system
        self.follower = Follower(trace)
        self.hosts = unique([word(machine_name(self.system, m)) for m in range(self.system.topology.machines)])
        self.channels = unique(
            [f"channel_{word(channel_name(self.system, c))}" for c in range(len(self.system.channels))], self.hosts
        )
        self.clocks: dict[str, StopCondition] = {}
        self.carried: dict[int, StopCondition] = {}

    def lines(self) -> Iterator[Line]:
        """Event by event: a machine's move, or a fault of a channel."""
        for number, event in enumerate(self.trace.events):
            ended, begun = list(self.follower.taken[number]), list(self.follower.sent[number])
            for move in event.moves:
                taken = [ended.pop(0) for _ in move.accepts]
                clock = self.tick(self.hosts[move.machine], taken)
                for _ in move.sends:
                    self.carried[begun.pop(0)] = clock
                yield Line(self.hosts[move.machine], clock, self.told(number, event, move))
            if event.fault is not None and event.fault.channel is not None:
                yield self.struck(number, event, ended, begun)

    def struck(self, number: int, event: Event, ended: list[int], begun: list[int]) -> Line:
        """A message vanishes, or its copy comes to be, where its channel is."""
        fault = event.fault
        assert fault is not None and fault.channel is not None and isinstance(fault.message, Message)
        host = self.channels[fault.channel]
        known = ended or [n for n in (self.follower.all[copy].original for copy in begun) if n is not None]
        clock = self.tick(host, known)
        for copy in begun:
            self.carried[copy] = clock
        return Line(host, clock, f"{number + 1}: {oneline(f'{fault.kind}: {message_name(fault.message)}')}")

    def tick(self, host: str, messages: list[int]) -> StopCondition:
        """The host's clock at its next event, in which it learns what the messages carry."""
        clock = dict(self.clocks.get(host, {}))
        for message in messages:
            for other, count in self.carried.get(message, {}).items():
                clock[other] = max(clock.get(other, 0), count)
        clock[host] = clock.get(host, 0) + 1
        self.clocks[host] = clock
        return clock

    def told(self, number: int, event: Event, move: Move) -> str:
        """One line: the action's number and name, what it accepts and sends."""
        parts = [f"{number + 1}: {event.name if len(event.moves) == 1 else move.step.name}"]
        for accepted in move.accepts:
            parts.append(f"accepts {message_name(accepted.message)} from {channel_name(self.system, accepted.channel)}")
        for channel, message in move.sends:
            parts.append(f"sends {message_name(message)} on {channel_name(self.system, channel)}")
        if move.step.turns:
            parts.append("red from here on")
        return oneline("; ".join(parts))


def word(text: str) -> str:
    """The text as a host's name: letters, digits and underscores."""
    return re.sub(r"[^A-Za-z0-9_]+", "_", text).strip("_") or "host"


def oneline(text: str) -> str:
    """The text without line breaks and other control characters, so that it stays one event."""
    return "".join(c if c.isprintable() else " " for c in text)


def unique(names: list[str], taken: list[str] | None = None) -> list[str]:
    """The names, told apart by a number where two are equal."""
    found: list[str] = []
    for name in names:
        candidate, number = name, 1
        while candidate in found or candidate in (taken or []):
            number += 1
            candidate = f"{name}_{number}"
        found.append(candidate)
    return found
