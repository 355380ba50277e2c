"""What incidents share in which more happens to a checkpoint than barriers: a notification, a restart, a backfill.

Beside its recording a machine remembers a phase, a value of the incident's own; control messages that are no barriers
belong to the incident. What would be restored of a machine may depend on the phase: that is what is judged.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from model.action import Local, Message, Step
from model.dataflow import sinks
from model.errors import InputError
from model.program import Program
from model.programs.dataflow import Dataflow
from model.protocol import Recorded
from model.protocols.unaligned import BARRIER, Unaligned
from model.recording import Recording
from model.topology import Topology
from model.values import Value


class Phased(NamedTuple):
    """A machine's recording, once it has one, and its phase."""

    recording: Recording | None
    phase: Value


class Checkpoint(Unaligned):
    """Barriers as in `unaligned`; the incident says what else happens (`more`), and what is restored (`kept`)."""

    marks = False
    direct = False
    """Whether the incident is told of one source that feeds its sinks directly."""

    def __init__(
        self, topology: Topology, program: Program, initiators: tuple[int, ...], *, fixed: bool = False
    ) -> None:
        if not isinstance(program, Dataflow):
            raise InputError(f"protocol {type(self).__name__} over {type(program).__name__}: accepted is dataflow")
        super().__init__(topology, program, initiators)
        self.fixed = fixed
        direct = len(self.initiators) == 1 and len(sinks(topology)) == topology.machines - 1 == len(topology.channels)
        if self.direct and not direct:
            raise InputError(
                f"protocol {type(self).__name__}: accepted is one source with a channel to each other machine"
            )

    # What an incident says.

    def begins(self, machine: int) -> Value:
        """The phase at the start."""
        return None

    def more(self, machine: int, local: Local, memory: Phased, other: Message | None) -> Iterable[Step]:
        """The incident's own steps: those that accept nothing, or its own control message `other`."""
        return ()

    def acts(self, machine: int, memory: Phased, local: Local, step: Step) -> Step | None:
        """The step of the program or of the barriers as it is in this phase; None where it is not enabled."""
        return step

    def kept(self, machine: int, phase: Value, recorded: Recorded) -> Recorded:
        """What would be restored."""
        return recorded

    def over(self, machine: int, memory: Phased) -> bool:
        """Whether nothing more will happen to the machine's part of the checkpoint."""
        return True

    # How the two go together.

    def initial(self, machine: int) -> Phased:
        """Nothing recorded."""
        return Phased(None, self.begins(machine))

    def steps(self, machine: int, local: Local, offered: Mapping[int, Message]) -> Iterable[Step]:
        """The incident's own, then those of the barriers and of the program."""
        memory = local.memory
        assert isinstance(memory, Phased)
        others = [message for message in offered.values() if message.control and message.tag != BARRIER.tag]
        if len(offered) <= 1 and len(others) == len(offered):
            yield from self.more(machine, local, memory, others[0] if others else None)
        if not others:
            for step in super().steps(machine, local._replace(memory=memory.recording), offered):
                changed = self.acts(machine, memory, local, step)
                if changed is not None:
                    yield changed if isinstance(changed.memory, Phased) else _kept_with(memory, changed)

    def recorded(self, machine: int, local: Local, snapshot: int = 0) -> Recorded | None:
        """What would be restored of the machine."""
        memory = local.memory
        assert isinstance(memory, Phased)
        found = super().recorded(machine, local._replace(memory=memory.recording), snapshot)
        return None if found is None else self.kept(machine, memory.phase, found)

    def done(self, machine: int, local: Local, snapshot: int = 0) -> bool:
        """All barriers have come, and nothing more will happen."""
        memory = local.memory
        assert isinstance(memory, Phased)
        return super().done(machine, local._replace(memory=memory.recording), snapshot) and self.over(machine, memory)

    def closed(self, machine: int, local: Local, channel: int) -> bool:
        """Whether the channel's barrier has come."""
        assert isinstance(local.memory, Phased)
        return super().closed(machine, local._replace(memory=local.memory.recording), channel)


def _kept_with(memory: Phased, step: Step) -> Step:
    """The step, with its recording in the machine's memory."""
    recording = step.memory
    assert recording is None or isinstance(recording, Recording)
    return step._replace(memory=memory._replace(recording=recording))
