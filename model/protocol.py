"""Protocols: a snapshot algorithm superposed on a program, again as pure functions of one machine's local state.

A protocol may turn the machine red (record its state), tag the program's messages, send messages of its own, record
what comes in, or hold an input back. It may not look at another machine, nor at the ghost colours.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from model.action import Action, Local, Message, Step
from model.asking import at
from model.errors import InputError
from model.program import Program, exact_actions
from model.relabelling import Relabelling
from model.topology import Topology
from model.values import Value


class Recorded(NamedTuple):
    """What one machine recorded: its state, and per input channel (in the order of `inputs`) the payloads."""

    state: Value
    channels: tuple[tuple[Value, ...], ...]


class Protocol(ABC):
    """A snapshot algorithm on a topology over a program; `initiators` may begin it spontaneously."""

    snapshots: int = 1
    """How many snapshots are in progress at once; each has a bit in the ghost colours."""

    completes_on_empty_channels: bool = False
    """Whether a snapshot is complete only once no white message is in any channel (an outside observer sees it)."""

    marks: bool = False
    """Whether it puts markers on the channels, so that one-marker-per-channel is a claim about it."""

    records: bool = True
    """Whether machines say when they record: without that a run has no cut to be judged."""

    everyone: bool = False
    """Whether every machine may turn red spontaneously, whoever the initiators are."""

    overtakes: bool = False
    """Whether its own messages may be accepted past those ahead of them, whose payloads they are then offered with."""

    synchronous: bool = False
    """Whether all machines take the step `synchronous_step` in one action."""

    def __init__(self, topology: Topology, program: Program, initiators: tuple[int, ...]) -> None:
        self.topology = topology
        self.program = program
        self.initiators = tuple(range(topology.machines)) if self.everyone else initiators
        self.multi_channel = program.multi_channel
        self._acts: dict[tuple[int, Value, tuple[tuple[int, Value], ...]], list[Action]] = {}

    def readings(self) -> Mapping[str, Any]:
        """The values of options that the constructor worked out itself, by name, for the description of the system."""
        return {}

    def control_channels(self) -> tuple[tuple[int, int], ...]:
        """Channels of the protocol's own, beside the topology's and numbered after them; always FIFO and faultless."""
        return ()

    def control_content(self, channel: int) -> tuple[Message, ...]:
        """What control channel number `channel` (0 is the first of them) holds at the start."""
        return ()

    def initial(self, machine: int) -> Value:
        """The machine's memory at the start."""
        return None

    def relabelled(self, machine: int, memory: Value, by: Relabelling) -> Value:
        """What the machine's memory is called at the machine that takes its place; see `Program.relabelled`."""
        return memory

    @abstractmethod
    def steps(self, machine: int, local: Local, offered: Mapping[int, Message]) -> Iterable[Step]:
        """The steps of the machine that accept exactly what is `offered` (channel -> message, its tag included)."""

    def synchronous_step(self, machine: int, local: Local) -> Step | None:
        """The machine's part of the action of all machines at once; None where it is not enabled."""
        return None

    @abstractmethod
    def recorded(self, machine: int, local: Local, snapshot: int = 0) -> Recorded | None:
        """What the machine has recorded so far for the snapshot; None while it is white."""

    @abstractmethod
    def done(self, machine: int, local: Local, snapshot: int = 0) -> bool:
        """Whether the machine's part of the snapshot is complete."""

    def outstanding(self, machine: int, local: Local, snapshot: int = 0) -> int:
        """The machine's term of a sum over all machines that must be 0 before a snapshot is complete."""
        return 0

    def closed(self, machine: int, local: Local, channel: int) -> bool:
        """Whether a marker has already been accepted from the channel."""
        return False

    def had_marker(self, machine: int, local: Local, channel: int, marker: Message) -> bool:
        """The same for that marker's own snapshot, where several are in progress."""
        return self.closed(machine, local, channel)

    def underlying(self, machine: int, local: Local, offered: Mapping[int, Message]) -> list[Action]:
        """The program's actions that accept exactly the payloads `offered`.

        The program is asked once for each: a machine meets the same in many states of the protocol's memory.
        """
        for channel, message in offered.items():
            if message.control:
                raise InputError(
                    f"{at(type(self).steps)}: it offers the program {message.tag!r}, a control message on channel"
                    f" {channel}; accepted are messages of the program"
                )
        key = (machine, local.state, tuple([(c, m.payload) for c, m in offered.items()]))
        found = self._acts.get(key)
        if found is None:
            found = self._acts[key] = exact_actions(self.program, machine, local.state, dict(key[2]))
        return found


class NoSnapshot(Protocol):
    """No snapshot at all: the underlying computation alone."""

    snapshots = 0

    def steps(self, machine: int, local: Local, offered: Mapping[int, Message]) -> Iterable[Step]:
        """The program's own actions."""
        for action in self.underlying(machine, local, offered):
            yield Step(action.name, action.state, None, payloads(action), action)

    def recorded(self, machine: int, local: Local, snapshot: int = 0) -> Recorded | None:
        """Nothing."""
        return None

    def done(self, machine: int, local: Local, snapshot: int = 0) -> bool:
        """Never."""
        return False


def payloads(action: Action, tag: Value = None) -> tuple[tuple[int, Message], ...]:
    """What the action sends, as messages that bear the protocol's tag."""
    return tuple((channel, Message(payload, tag)) for channel, payload in action.sends)
