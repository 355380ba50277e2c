"""Unaligned checkpoints (Flink, FLIP-76): the snapshot on the first barrier, records in flight become channel state.

Sources inject barriers. A task reacts to the first barrier: it takes the snapshot of its state and forwards the barrier
to all outputs at once. What it takes from another input before that input's barrier is part of the snapshot, as the
channel's state. No input is ever blocked. (So it is the marker algorithm, begun at every source.)

`overtake=true`: a barrier goes ahead of the records queued before it. These stay in the channel to be processed, and
are copied into the snapshot as the channel's state.

Choices: when a barrier that may overtake is taken is left to chance, from its being sent until its turn has come; so
overtaking as fast as the network allows is one behaviour among others. Where channels keep no order, all that waits
counts as overtaken. A source with back-edges records them too. A second barrier on a channel is ignored.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from model.action import Local, Message, Step, control
from model.dataflow import sources
from model.program import Program
from model.protocol import Protocol, Recorded, payloads
from model.recording import Recording
from model.relabelling import Relabelling
from model.topology import Topology
from model.values import Value

BARRIER = control("barrier")


class Unaligned(Protocol):
    """Exactly-once on FIFO channels; a lost barrier keeps the snapshot from completing, but never stops the records."""

    marks = True

    def __init__(
        self, topology: Topology, program: Program, initiators: tuple[int, ...], *, overtake: bool = False
    ) -> None:
        super().__init__(topology, program, sources(topology))
        self.overtakes = overtake

    def steps(self, machine: int, local: Local, offered: Mapping[int, Message]) -> Iterable[Step]:
        """Inject a barrier; receive one; process records, those in flight recorded."""
        barriers = {channel: message for channel, message in offered.items() if message.control}
        if not offered and self.injects(machine, local):
            yield self.turn_red("inject barrier", machine, local, self.begin(machine, local))
        if len(barriers) == len(offered) == 1:
            yield self.receive_barrier(machine, local, *barriers.popitem())
        elif not barriers:
            memory = local.memory
            if isinstance(memory, Recording):
                memory = self.in_flight(machine, memory, offered)
            for action in self.underlying(machine, local, offered):
                yield Step(action.name, action.state, memory, payloads(action), action)

    def injects(self, machine: int, local: Local) -> bool:
        """A source injects its barrier once."""
        return machine in self.initiators and not local.red and self.program.may_initiate(machine, local.state)

    def receive_barrier(self, machine: int, local: Local, channel: int, barrier: Message) -> Step:
        """The first: snapshot and forward. Each: its channel's state ends, with what the barrier has overtaken."""
        recording = local.memory
        if not isinstance(recording, Recording):
            recording = self.close(machine, self.begin(machine, local), channel, barrier)
            return self.turn_red("accept first barrier, record", machine, local, recording)
        return Step("accept barrier", local.state, self.close(machine, recording, channel, barrier))

    def begin(self, machine: int, local: Local) -> Recording:
        """The snapshot of the state, every channel's state still open."""
        return Recording.begin(self.program.record(machine, local.state), len(self.topology.inputs[machine]))

    def turn_red(self, name: str, machine: int, local: Local, recording: Recording) -> Step:
        """The snapshot is kept, and the barrier goes to all outputs."""
        sends = tuple((channel, BARRIER) for channel in self.topology.outputs[machine])
        return Step(name, local.state, recording, sends, turns=1)

    def in_flight(self, machine: int, recording: Recording, offered: Mapping[int, Message]) -> Recording:
        """The records taken from channels whose barrier has not come are part of those channels' state."""
        return recording.add_open(self.topology.inputs[machine], offered.items())

    def close(self, machine: int, recording: Recording, channel: int, barrier: Message) -> Recording:
        """The channel's state with the records overtaken, and closed; unchanged if it was."""
        index = self.topology.inputs[machine].index(channel)
        if recording.closed[index]:
            return recording
        for payload in barrier.payload if isinstance(barrier.payload, tuple) else ():
            recording = recording.add(index, payload)
        return recording.close(index)

    # What the snapshot is.

    def relabelled(self, machine: int, memory: Value, by: Relabelling) -> Value:
        """The recording follows its channels."""
        return memory.relabelled(self.program, machine, by) if isinstance(memory, Recording) else memory

    def recorded(self, machine: int, local: Local, snapshot: int = 0) -> Recorded | None:
        """The state at the first barrier, and the channels' states."""
        return local.memory.recorded() if isinstance(local.memory, Recording) else None

    def done(self, machine: int, local: Local, snapshot: int = 0) -> bool:
        """All barriers have come."""
        return isinstance(local.memory, Recording) and all(local.memory.closed)

    def closed(self, machine: int, local: Local, channel: int) -> bool:
        """Whether the channel's barrier has come."""
        if not isinstance(local.memory, Recording):
            return False
        return local.memory.closed[self.topology.inputs[machine].index(channel)]
