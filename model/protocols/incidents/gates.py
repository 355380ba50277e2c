"""FLINK-18139: unaligned checkpoints looked at the wrong channels for data in flight.

A task with several input gates asked, for the channel at hand, whether data was still in flight, but by the channel's
index within its gate: so all gates were answered for the first one. Once the barrier of the first gate's channel had
come, nothing of the other gates was saved. The fix: ask by the index over all gates.

Choices: each input is a gate of its own with one channel. What Flink decides for the buffers at hand when the snapshot
is taken is here decided for the channel: nothing in flight means that it is not recorded.
"""

from __future__ import annotations

from model.action import Local, Message
from model.program import Program
from model.protocols.unaligned import Unaligned
from model.recording import Recording
from model.topology import Topology


class Gates(Unaligned):
    """Unaligned checkpoints that ask the first input whether any input has data in flight."""

    def __init__(
        self, topology: Topology, program: Program, initiators: tuple[int, ...], *, fixed: bool = False
    ) -> None:
        super().__init__(topology, program, initiators)
        self.fixed = fixed

    def close(self, machine: int, recording: Recording, channel: int, barrier: Message) -> Recording:
        """The channel closed; on the first barrier, if that is the first input's, every other one with it."""
        first = not any(recording.closed)
        recording = super().close(machine, recording, channel, barrier)
        if first and not self.fixed and channel == self.topology.inputs[machine][0]:
            for index in range(len(recording.closed)):
                recording = recording.close(index)
        return recording

    def closed(self, machine: int, local: Local, channel: int) -> bool:
        """Not known from the record: it may be closed before its barrier comes."""
        return False
