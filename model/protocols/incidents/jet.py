"""Four incidents of Hazelcast Jet, whose snapshots are Flink's aligned ones with a master that asks for them.

- `Drained` (hazelcast 22207): several queues are drained in one call. When the last queue's barrier is met the others
  are unblocked and the barrier is put aside to be returned; but the call goes on to the next queue, and an item that
  follows its barrier there is returned first: it counts in the snapshot, and is emitted again after a restore. The fix:
  the call ends with the barrier.
- `LostOperation` (hazelcast-jet 1435): the master's operation "begin a snapshot" is lost on its way to one member. That
  member sends no barrier, and whoever is behind it waits for ever. The fix: the operation is sent again.
- `HalfEmitted` (hazelcast-jet 809): a source has emitted an item to some of its queues, the rest being full, when it
  records its offset and its barriers go out. On those queues the item comes after the barrier, and the offset is past
  it: restored, it is lost there. The fix: a source emits what is pending before it begins a snapshot.
- `LateResponse` (hazelcast-jet 2824; 2503 told a part of it): the job is restarted, to be restored from snapshot 1,
  while the master handles a late answer of the execution before: phase 1 of snapshot 2 was a success. So it clears the
  map of snapshot 1, and who has not been restored yet begins from nothing. The fix: a lock; a late answer is ignored.

Choices: `Drained` takes queues by their numbers, and several items may come before the barrier. `LostOperation` loses
an operation once. In `HalfEmitted` the barrier of the last queue goes out before the item that the offset counts: the
queues look just the same. In `LateResponse` failure and restart are not played: the snapshot judged is what is
restored, by each task in a step of its own, and the map is cleared task by task.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from model.action import Local, Message, Step, control
from model.program import Program
from model.protocol import Recorded
from model.protocols.barrier import Barrier, Task
from model.protocols.incidents.phased import Checkpoint, Phased
from model.protocols.unaligned import BARRIER
from model.topology import Topology
from model.values import Value

OPERATION, RETRIED = control("snapshot operation"), control("snapshot operation, again")


class Aligned(Barrier):
    """Aligned barriers with a rule that was fixed."""

    def __init__(
        self, topology: Topology, program: Program, initiators: tuple[int, ...], *, fixed: bool = False
    ) -> None:
        super().__init__(topology, program, initiators)
        self.fixed = fixed


class Drained(Aligned):
    """hazelcast 22207: the last barrier is put aside, and later queues are drained first."""

    def steps(self, machine: int, local: Local, offered: Mapping[int, Message]) -> Iterable[Step]:
        """As with barriers; what was put aside is taken when the call ends."""
        task = local.memory
        assert isinstance(task, Task)
        if not offered and task.marked and task.marked == self.inputs[machine]:
            yield self.copy_state("take the barrier put aside, record", machine, local, task)
        yield from super().steps(machine, local, offered)

    def receive_barrier(self, machine: int, local: Local, task: Task, channel: int) -> Step:
        """The last one is put aside; queues after it are drained now, those before it in the next call."""
        marked = task.marked | {channel}
        if self.fixed or marked != self.inputs[machine]:
            return super().receive_barrier(machine, local, task, channel)
        drained = frozenset(c for c in self.inputs[machine] if c <= channel)
        return Step("accept last barrier, put it aside", local.state, task._replace(marked=marked, blocked=drained))


class LostOperation(Aligned):
    """hazelcast-jet 1435: each source waits for the master's operation, which may be lost."""

    def control_channels(self) -> tuple[tuple[int, int], ...]:
        """The way of the master's operations to each source."""
        return tuple((source, source) for source in self.initiators)

    def control_content(self, channel: int) -> tuple[Message, ...]:
        """The operation is under way."""
        return (OPERATION,)

    def injects(self, machine: int, local: Local, task: Task) -> bool:
        """Never by itself."""
        return False

    def steps(self, machine: int, local: Local, offered: Mapping[int, Message]) -> Iterable[Step]:
        """As with barriers; the operation is carried out, or lost."""
        operations = [c for c, message in offered.items() if message in (OPERATION, RETRIED)]
        if not operations:
            yield from super().steps(machine, local, offered)
        elif len(offered) == 1:
            task, channel = local.memory, operations[0]
            assert isinstance(task, Task)
            yield self.copy_state("accept operation, inject barrier", machine, local, task)
            if offered[channel] == OPERATION:
                again = ((channel, RETRIED),) if self.fixed else ()
                yield Step("the operation is lost", local.state, task, again)


class HalfEmitted(Checkpoint):
    """hazelcast-jet 809; a source's phase: whether an item is half emitted, and then the barrier where it is not."""

    def more(self, machine: int, local: Local, memory: Phased, other: Message | None) -> Iterable[Step]:
        """On the last queue the barrier goes ahead of an item that the offset will count."""
        outputs, pending = self.topology.outputs[machine], list(self.underlying(machine, local, {}))
        free = memory == Phased(None, None) and machine in self.initiators
        if free and not self.fixed and len(outputs) > 1 and pending and other is None:
            sends = ((outputs[-1], BARRIER),)
            yield Step("an item is half emitted", local.state, memory._replace(phase="half"), sends)

    def acts(self, machine: int, memory: Phased, local: Local, step: Step) -> Step | None:
        """The item is emitted, then the offset recorded, and the other barriers go out."""
        if memory.phase == "half":
            return step._replace(memory=Phased(None, "emitted")) if step.action is not None else None
        if memory.phase == "emitted" and step.turns:
            return step._replace(sends=step.sends[:-1])
        return step if memory.phase != "emitted" or memory.recording is not None else None


class LateResponse(Checkpoint):
    """hazelcast-jet 2824; the phase: whether the map of snapshot 1 has been cleared, then what was restored."""

    def more(self, machine: int, local: Local, memory: Phased, other: Message | None) -> Iterable[Step]:
        """Restore from the map; or it is cleared first, and nothing is in it."""
        if other is not None or memory.recording is None or not all(memory.recording.closed):
            return
        if memory.phase is None and not self.fixed:
            yield Step("a late answer clears the map", local.state, memory._replace(phase="cleared"))
        if memory.phase in (None, "cleared"):
            phase = "restored" if memory.phase is None else "empty"
            yield Step(f"restart: {phase}", local.state, memory._replace(phase=phase))

    def kept(self, machine: int, phase: Value, recorded: Recorded) -> Recorded:
        """The initial state, if the map was cleared."""
        initial = self.program.record(machine, self.program.initial(machine))
        return recorded._replace(state=initial) if phase in ("cleared", "empty") else recorded

    def over(self, machine: int, memory: Phased) -> bool:
        """Restored."""
        return memory.phase in ("restored", "empty")
