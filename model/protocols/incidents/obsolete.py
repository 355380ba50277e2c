"""FLINK-20645, FLINK-20654, FLINK-21104: a declined checkpoint's barrier on one channel, a newer one on another.

A checkpoint was declined somewhere and never ran to its end, but its barriers are still under way. A task meets such an
obsolete barrier after, or before, it takes part in the newer checkpoint:

- `StaleStatus` (FLINK-20645): before; the channel's status stays "barrier received", and when the newer checkpoint
  begins the channel is not set to "barrier pending": what comes from it before the newer barrier is not saved.
- `WrongBuffers` (FLINK-20654): after; the buffers to be saved are those up to the obsolete barrier, not the newer.
- `NewerFirst` (FLINK-21104): after; a check that the earlier checkpoint had been stopped makes the job fail.

The fix of each: a barrier older than the checkpoint in progress is ignored, and a channel is pending for a newer one.

Choices: the snapshot judged is the newer one. Of the declined one only its barriers are left, which any source may have
sent before its own newer one; tasks do not forward them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from model.action import Local, Message, Step, control
from model.program import Program
from model.protocols.unaligned import Unaligned
from model.recording import Recording
from model.topology import Topology
from model.values import Value

OBSOLETE = control("obsolete barrier")
FAILED = "failed"


class Obsolete(Unaligned):
    """Unaligned checkpoints among the barriers of a declined one, which are ignored: the rule that is right."""

    marks = False

    def __init__(
        self, topology: Topology, program: Program, initiators: tuple[int, ...], *, fixed: bool = False
    ) -> None:
        super().__init__(topology, program, initiators)
        self.fixed = fixed

    def steps(self, machine: int, local: Local, offered: Mapping[int, Message]) -> Iterable[Step]:
        """As unaligned; and send, or receive, an obsolete barrier."""
        if local.memory == FAILED:
            return
        if not offered and machine in self.initiators and local.memory is None:
            sends = tuple((channel, OBSOLETE) for channel in self.topology.outputs[machine])
            yield Step("send the barrier of a declined checkpoint", local.state, "declined", sends)
        if any(message.tag == OBSOLETE.tag for message in offered.values()):
            for channel in offered if len(offered) == 1 else ():
                memory = local.memory if self.fixed else self.met(machine, local.memory, channel)
                yield Step("accept obsolete barrier", local.state, memory)
        else:
            yield from super().steps(machine, local, offered)

    def met(self, machine: int, memory: Value, channel: int) -> Value:
        """What an obsolete barrier does to the task's memory."""
        return memory


class NewerFirst(Obsolete):
    """FLINK-21104: an obsolete barrier after the newer one makes the task fail."""

    def met(self, machine: int, memory: Value, channel: int) -> Value:
        """The check fails while the newer checkpoint is in progress."""
        return FAILED if isinstance(memory, Recording) and not all(memory.closed) else memory


class WrongBuffers(Obsolete):
    """FLINK-20654: only what is ahead of the obsolete barrier is saved."""

    def met(self, machine: int, memory: Value, channel: int) -> Value:
        """The channel's state ends here."""
        return memory.close(self.topology.inputs[machine].index(channel)) if isinstance(memory, Recording) else memory


class StaleStatus(Obsolete):
    """FLINK-20645: a channel that has received an obsolete barrier is not set to pending."""

    def met(self, machine: int, memory: Value, channel: int) -> Value:
        """The channel's status is kept: barrier received."""
        if isinstance(memory, Recording):
            return memory
        return (memory if isinstance(memory, frozenset) else frozenset()) | {channel}

    def begin(self, machine: int, local: Local) -> Recording:
        """The snapshot, its channels pending but those of the stale status."""
        recording = super().begin(machine, local)
        for channel in local.memory if isinstance(local.memory, frozenset) else ():
            recording = recording.close(self.topology.inputs[machine].index(channel))
        return recording
