"""Asynchronous barrier snapshotting (Carbone et al. 2015, section 4, Algorithms 1 and 2; Flink's aligned checkpoints).

Barriers are injected at the sources. A task that receives a barrier on an input blocks it; when it has come on all
regular inputs the task copies its state, sends the barrier to all outputs and unblocks. It then logs what comes over
loop inputs (back-edges) until the barrier has come round; copy and log are its snapshot. Without loop inputs this is
Algorithm 1: copy and snapshot coincide, and no channel is recorded.

Choices: a source injects each barrier at a moment of its own, in one action that records its offset (Algorithm 2, line
9, read literally marks Nil, and no source ever records). A task's last barrier, its copy, its barriers out and the
unblocking are one action. Barriers beyond the last expected one are ignored. `cyclic=false`: all inputs are regular.
`align=false`: no input is blocked (Flink's at-least-once mode).

`variant=printed` is Algorithm 2 as printed. It logs every loop input until the last barrier, also one whose own barrier
has come, so what was sent after the snapshot; and a second barrier on a regular input, before the first snapshot is
complete, is lost in the set of marked inputs while the input stays blocked. `variant=repaired`: a loop input is logged
until its own barrier, and gives out its next barrier, as every input does, only after the snapshot is complete.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from model.action import Local, Message, Step, control
from model.dataflow import back_edges, sources
from model.errors import InputError
from model.program import Program
from model.protocol import Protocol, Recorded, payloads
from model.topology import Topology


class Task(NamedTuple):
    """marked, blocked: inputs. copy: state_copy and, per input, backup_log, while logging. snapshots: those taken."""

    marked: frozenset[int] = frozenset()
    blocked: frozenset[int] = frozenset()
    copy: Recorded | None = None
    snapshots: tuple[Recorded, ...] = ()


class Barrier(Protocol):
    """Exactly-once on FIFO channels; at-least-once if not aligned. Blocks for ever if a barrier is lost."""

    marks = True

    def __init__(
        self,
        topology: Topology,
        program: Program,
        initiators: tuple[int, ...],
        *,
        align: bool = True,
        cyclic: bool = False,
        variant: str = "repaired",
        barriers: int = 1,
    ) -> None:
        super().__init__(topology, program, sources(topology))
        if variant not in ("printed", "repaired") or (variant == "printed" and not cyclic):
            raise InputError(f"protocol barrier: variant={variant}: repaired, or with cyclic=true printed")
        if barriers < 1 or (barriers > 1 and not align):
            raise InputError(f"protocol barrier: barriers={barriers}: from 1, and with align=false just 1")
        self.align, self.cyclic, self.printed, self.snapshots = align, cyclic, variant == "printed", barriers
        self.loop_inputs = back_edges(topology) if cyclic else frozenset()
        self.inputs = tuple(map(frozenset, topology.inputs))

    def initial(self, machine: int) -> Task:
        """Nothing marked, no copy, no log."""
        return Task()

    def steps(self, machine: int, local: Local, offered: Mapping[int, Message]) -> Iterable[Step]:
        """Inject a barrier; receive one; receive records, but nothing from a blocked input."""
        task = local.memory
        assert isinstance(task, Task)
        barriers = [channel for channel, message in offered.items() if message.control]
        if not offered and machine in self.initiators and self.injects(machine, local, task):
            yield self.copy_state("inject barrier", machine, local, task)
        if any(channel in task.blocked for channel in offered):
            return
        if not barriers:
            for action in self.underlying(machine, local, offered):
                yield Step(action.name, action.state, self.log(machine, task, offered), payloads(action), action)
        elif len(offered) == 1 and (self.printed or barriers[0] not in task.marked or self.ended(machine, task)):
            yield self.receive_barrier(machine, local, task, barriers[0])

    def injects(self, machine: int, local: Local, task: Task) -> bool:
        """Whether a barrier is left, and the source is not logging for the one before."""
        free = task.copy is None and len(task.snapshots) < self.snapshots
        return free and self.program.may_initiate(machine, local.state)

    def ended(self, machine: int, task: Task) -> bool:
        """Whether no barrier is expected any more; a source expects none but over loop inputs."""
        return len(task.snapshots) == self.snapshots or (machine in self.initiators and not self.cyclic)

    def receive_barrier(self, machine: int, local: Local, task: Task, channel: int) -> Step:
        """receive <barrier>: mark the input, block it if regular; all regular ones marked: copy; all: snapshot."""
        if self.ended(machine, task):
            return Step("ignore barrier", local.state, task)
        task = task._replace(marked=task.marked | {channel})
        if channel not in self.loop_inputs and self.align:
            task = task._replace(blocked=task.blocked | {channel})
        if task.copy is None and task.marked == self.inputs[machine] - self.loop_inputs:
            return self.copy_state("accept last barrier, record", machine, local, task)
        if task.copy is not None and task.marked == self.inputs[machine]:
            return Step("accept the loop's last barrier", local.state, self.snapshot(task, task.copy))
        return Step("accept barrier, block" if task.blocked else "accept barrier", local.state, task)

    def copy_state(self, name: str, machine: int, local: Local, task: Task) -> Step:
        """state_copy := state; broadcast the barrier; unblock all; without loop inputs: the snapshot at once."""
        number = len(task.snapshots)
        barrier = control(number if self.snapshots > 1 else "barrier")
        sends = tuple((channel, barrier) for channel in self.topology.outputs[machine])
        copy = Recorded(self.program.record(machine, local.state), ((),) * len(self.inputs[machine]))
        task = task._replace(copy=copy, blocked=frozenset())
        task = task if self.inputs[machine] & self.loop_inputs else self.snapshot(task, copy)
        return Step(name, local.state, task, sends, turns=1 << number)

    def snapshot(self, task: Task, copy: Recorded) -> Task:
        """The copy and the log taken as a snapshot; marked, copy and log emptied."""
        return task._replace(marked=frozenset(), copy=None, snapshots=(*task.snapshots, copy))

    def log(self, machine: int, task: Task, offered: Mapping[int, Message]) -> Task:
        """receive msg, while logging: log it if it comes over a loop input (repaired: one without its barrier)."""
        if task.copy is None:
            return task
        logs = list(task.copy.channels)
        for index, channel in enumerate(self.topology.inputs[machine]):
            if channel in offered and channel in self.loop_inputs and (self.printed or channel not in task.marked):
                logs[index] = (*logs[index], offered[channel].payload)
        return task._replace(copy=task.copy._replace(channels=tuple(logs)))

    def recorded(self, machine: int, local: Local, snapshot: int = 0) -> Recorded | None:
        """The snapshot taken, or the copy and log so far."""
        assert isinstance(local.memory, Task)
        taken = local.memory.snapshots
        return (*taken, local.memory.copy, None)[min(snapshot, len(taken) + 1)]

    def done(self, machine: int, local: Local, snapshot: int = 0) -> bool:
        """The snapshot is taken."""
        assert isinstance(local.memory, Task)
        return snapshot < len(local.memory.snapshots)

    def closed(self, machine: int, local: Local, channel: int) -> bool:
        """Whether the last snapshot's barrier has come along the channel."""
        return self.had_marker(machine, local, channel, control(self.snapshots - 1))

    def had_marker(self, machine: int, local: Local, channel: int, marker: Message) -> bool:
        """Whether that snapshot's barrier has already come along the channel."""
        assert isinstance(local.memory, Task)
        number, taken = marker.tag if isinstance(marker.tag, int) else 0, len(local.memory.snapshots)
        return number < taken or (number == taken and channel in local.memory.marked)
