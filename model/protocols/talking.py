"""Machines that talk about the snapshot among themselves, on ways beside the topology's channels.

Papers that assume "a message is sent to the initiator" say nothing of how: here there is a way from every machine to
every other, FIFO and without faults, and it carries nothing of the program.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property

from model.action import Message
from model.protocol import Protocol


class Talking(Protocol):
    """A protocol with a way of its own from every machine to every other."""

    @cached_property
    def pairs(self) -> tuple[tuple[int, int], ...]:
        """The ends of each way."""
        machines = range(self.topology.machines)
        return tuple((a, b) for a in machines for b in machines if a != b)

    def control_channels(self) -> tuple[tuple[int, int], ...]:
        """The ways."""
        return self.pairs

    def way(self, machine: int, other: int) -> int:
        """The way from the machine to the other, numbered as a channel."""
        return len(self.topology.channels) + self.pairs.index((machine, other))

    def speaker(self, channel: int) -> int:
        """Who speaks on the way."""
        return self.pairs[channel - len(self.topology.channels)][0]

    def to_all(self, machine: int, message: Message) -> tuple[tuple[int, Message], ...]:
        """The message on the ways to all others."""
        return tuple((self.way(a, b), message) for a, b in self.pairs if a == machine)

    def to_each(self, machine: int, messages: Iterable[tuple[int, Message]]) -> tuple[tuple[int, Message], ...]:
        """The messages on the ways to the machines that they are for."""
        return tuple((self.way(machine, other), message) for other, message in messages)
