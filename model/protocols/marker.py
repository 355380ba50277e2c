"""The marker algorithm (Chandy & Lamport 1985, section 3; EWD864a, second part).

"Turning red" is one atomic action: the machine records its state and puts one marker on each of its output channels.
A white machine turns red spontaneously, if it is an initiator, or on accepting its first marker, whose channel it
records as empty. A red machine records what it accepts from a channel until that channel's marker.

Choices: a marker on a channel already closed is ignored (the paper never has one); the accepting of a marker is an
action of its own unless the program's actions are joint, then several markers may be accepted in one; with
`mixed=true` markers and messages may be accepted together, the machine turning red before the action.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from model.action import Local, Message, Step, control
from model.program import Program
from model.protocol import Protocol, Recorded, payloads
from model.recording import Recording
from model.relabelling import Relabelling
from model.topology import Topology
from model.values import Value

MARKER = control("marker")


class Marker(Protocol):
    """Chandy & Lamport's markers; right if channels are FIFO and every machine is reachable from an initiator."""

    marks = True

    def __init__(
        self, topology: Topology, program: Program, initiators: tuple[int, ...], *, mixed: bool = False
    ) -> None:
        super().__init__(topology, program, initiators)
        self.mixed = mixed
        self.multi_channel = program.multi_channel or mixed

    def steps(self, machine: int, local: Local, offered: Mapping[int, Message]) -> Iterable[Step]:
        """Turn red; accept markers; act as the program does, recording."""
        markers = [channel for channel, message in offered.items() if message.control]
        if not offered and self.may_turn_red(machine, local):
            yield self.turn_red(machine, local)
        if markers and len(markers) == len(offered):
            yield self.accept_markers(machine, local, markers)
        elif not markers or self.mixed:
            yield from self.act(machine, local, offered, markers)

    # "Marker-Sending Rule for a Process p. For each channel c, incident on, and directed away from p: p sends one
    # marker along c after p records its state and before p sends further messages along c."

    def may_turn_red(self, machine: int, local: Local) -> bool:
        """An initiator may turn red spontaneously while white."""
        return machine in self.initiators and not local.red and self.program.may_initiate(machine, local.state)

    def turn_red(self, machine: int, local: Local) -> Step:
        """Record the state and put a marker on each output channel."""
        return Step("turn red", local.state, self.begin(machine, local), self.markers(machine), turns=1)

    def begin(self, machine: int, local: Local) -> Recording:
        """The record of a machine that has just turned red."""
        return Recording.begin(self.program.record(machine, local.state), len(self.topology.inputs[machine]))

    def markers(self, machine: int) -> tuple[tuple[int, Message], ...]:
        """One marker for each output channel."""
        return tuple((channel, MARKER) for channel in self.topology.outputs[machine])

    # "Marker-Receiving Rule for a Process q. On receiving a marker along a channel c: if q has not recorded its state
    # then q records its state; q records the state of c as the empty sequence; else q records the state of c as the
    # sequence of messages received along c after q's state was recorded and before q received the marker along c."

    def accept_markers(self, machine: int, local: Local, markers: list[int]) -> Step:
        """Turn red if white, then close the markers' channels."""
        recording = local.memory if local.red else self.begin(machine, local)
        assert isinstance(recording, Recording)
        for channel in markers:
            recording = self.close(machine, recording, channel)
        if local.red:
            return Step("accept marker", local.state, recording)
        return Step("accept marker, turn red", local.state, recording, self.markers(machine), turns=1)

    def close(self, machine: int, recording: Recording, channel: int) -> Recording:
        """The record after the channel's marker."""
        return recording.close(self.topology.inputs[machine].index(channel))

    def act(self, machine: int, local: Local, offered: Mapping[int, Message], markers: list[int]) -> Iterator[Step]:
        """The program's actions, whose messages a red machine records; markers accepted with them count first."""
        before = self.accept_markers(machine, local, markers) if markers else None
        messages = {channel: message for channel, message in offered.items() if not message.control}
        memory = before.memory if before else local.memory
        if isinstance(memory, Recording):
            memory = self.record(machine, memory, messages)
        for action in self.underlying(machine, local, messages):
            if before is None:
                yield Step(action.name, action.state, memory, payloads(action), action)
            else:
                sends = before.sends + payloads(action)
                yield Step(f"{before.name}, {action.name}", action.state, memory, sends, action, before.turns)

    def record(self, machine: int, recording: Recording, messages: Mapping[int, Message]) -> Recording:
        """The record after these messages were accepted."""
        return recording.add_open(self.topology.inputs[machine], messages.items())

    # What the snapshot is.

    def relabelled(self, machine: int, memory: Value, by: Relabelling) -> Value:
        """The recording follows its channels."""
        return memory.relabelled(self.program, machine, by) if isinstance(memory, Recording) else memory

    def recorded(self, machine: int, local: Local, snapshot: int = 0) -> Recorded | None:
        """The recorded state and channels of a red machine."""
        return local.memory.recorded() if isinstance(local.memory, Recording) else None

    def done(self, machine: int, local: Local, snapshot: int = 0) -> bool:
        """Red, and every input channel closed by its marker."""
        return isinstance(local.memory, Recording) and all(local.memory.closed)

    def closed(self, machine: int, local: Local, channel: int) -> bool:
        """Whether the channel's marker has been accepted."""
        if not isinstance(local.memory, Recording):
            return False
        return local.memory.closed[self.topology.inputs[machine].index(channel)]
