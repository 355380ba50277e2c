"""Completion by counting (Mattern 1993, "Efficient Algorithms for Distributed Snapshots").

Each machine counts white messages sent less white messages accepted. What the machines recorded and what arrived since
adds up to the white messages still under way: the snapshot is complete when that is 0 and every machine has recorded.

Choices: one number a machine, not one a channel: messages lost and doubled in one run may cancel out.
"""

from __future__ import annotations

from typing import NamedTuple

from model.action import Local
from model.protocol import Protocol, Recorded
from model.recording import Recording
from model.relabelling import Relabelling
from model.values import Value


class Counted(NamedTuple):
    """A machine's recording, once it has recorded, and white messages sent less white messages accepted.

    `sent`: how many white messages went out on each output channel, where a protocol numbers them. `more`: what it
    remembers besides.
    """

    recording: Recording | None
    balance: int
    sent: tuple[int, ...] = ()
    more: Value = None

    def counted(self, sent: int = 0, accepted: int = 0) -> Counted:
        """The memory after so many more white messages."""
        return self._replace(balance=self.balance + sent - accepted)


class Counting(Protocol):
    """A protocol whose machines remember a `Counted`."""

    def initial(self, machine: int) -> Counted:
        """White, nothing sent, nothing accepted."""
        return Counted(None, 0)

    def memory(self, local: Local) -> Counted:
        """What the machine remembers."""
        assert isinstance(local.memory, Counted)
        return local.memory

    def begin(self, machine: int, state: Value, memory: Counted) -> Counted:
        """The memory of a machine that records this state."""
        recorded = self.program.record(machine, state)
        return memory._replace(recording=Recording.begin(recorded, len(self.topology.inputs[machine])))

    def relabelled(self, machine: int, memory: Value, by: Relabelling) -> Value:
        """The recording follows its channels, and so do the numbers sent."""
        assert isinstance(memory, Counted)
        recording = memory.recording and memory.recording.relabelled(self.program, machine, by)
        sent = by.per_output(machine, memory.sent) if memory.sent else ()
        return memory._replace(recording=recording, sent=sent)

    def recorded(self, machine: int, local: Local, snapshot: int = 0) -> Recorded | None:
        """The recorded state, and the white messages accepted since."""
        recording = self.memory(local).recording
        return None if recording is None else recording.recorded()

    def done(self, machine: int, local: Local, snapshot: int = 0) -> bool:
        """The state is recorded."""
        return self.memory(local).recording is not None

    def outstanding(self, machine: int, local: Local, snapshot: int = 0) -> int:
        """White messages sent less accepted: over all machines, those still under way."""
        return self.memory(local).balance
