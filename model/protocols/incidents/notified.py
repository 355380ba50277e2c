"""Incidents around the end of a checkpoint: what a task does when it hears that the checkpoint is complete.

- `CommittedOffset` (flink-cdc 2538): on the notification the source confirms to the database the position it has read
  up to by then, not the one in the checkpoint. The database forgets what is confirmed; restored from the checkpoint,
  the source reads on from the confirmed position, and what it read in between is lost. The fix: confirm the position
  that the checkpoint has.
- `Overtaken` (FLINK-10377): notifications of two checkpoints overtake one another. The later one commits the
  transactions of both; when the earlier one comes there is none pending, and a check makes the job fail. The fix: the
  check is removed, a late notification is ignored.
- `EndOfInput` (FLINK-34117): a coordinator of file compaction moves what has come in to what is to be committed when
  its state is recorded, and commits when the message "end of checkpoint" comes. At the end of the input that message
  may come before its state was recorded: what had come in is thrown away. The fix: it is taken in then as well.

Choices: sinks are the tasks that acknowledge, and the only source is coordinator too; acknowledgements and
notifications are messages of their own, each on a way of its own, so that they may overtake one another. Of FLINK-10377
the first checkpoint is complete, its notification under way, and the snapshot judged is the second. How FLINK-34117 was
fixed is not in its description: conjecture.
"""

from __future__ import annotations

from collections.abc import Iterable

from model.action import Local, Message, Step, control
from model.dataflow import sinks
from model.protocol import Recorded
from model.protocols.incidents.phased import Checkpoint, Phased
from model.recording import Recording
from model.values import Value

ACKNOWLEDGED, FIRST, SECOND, END = map(control, ("acknowledged", "first complete", "second complete", "end"))
FAILED = "failed"


class Acknowledging(Checkpoint):
    """Each sink acknowledges to each source, on a way of its own."""

    def control_channels(self) -> tuple[tuple[int, int], ...]:
        """From each sink to each source."""
        return tuple((sink, source) for sink in sinks(self.topology) for source in self.initiators)

    def acts(self, machine: int, memory: Phased, local: Local, step: Step) -> Step | None:
        """Once a sink has recorded, it acknowledges."""
        ways = [c for c, way in enumerate(self.control_channels(), len(self.topology.channels)) if way[0] == machine]
        turned = bool(step.turns) and machine not in self.initiators
        return step._replace(sends=(*step.sends, *((c, ACKNOWLEDGED) for c in ways))) if turned else step


class CommittedOffset(Acknowledging):
    """flink-cdc 2538; the source's phase: how many acknowledgements came, then the offset confirmed."""

    def begins(self, machine: int) -> Value:
        """No acknowledgement, nothing confirmed."""
        return (0, None)

    def more(self, machine: int, local: Local, memory: Phased, other: Message | None) -> Iterable[Step]:
        """With the last acknowledgement the checkpoint is complete: the source confirms an offset."""
        if other is None or memory.recording is None:
            return
        assert isinstance(memory.phase, tuple)
        came, offset = memory.phase[0] + 1, None
        if came == len(sinks(self.topology)):
            offset = memory.recording.state if self.fixed else local.state
        name = "accept acknowledgement" if offset is None else f"checkpoint complete: confirm offset {offset}"
        yield Step(name, local.state, memory._replace(phase=(came, offset)))

    def kept(self, machine: int, phase: Value, recorded: Recorded) -> Recorded:
        """A source can read on only from the offset confirmed."""
        assert isinstance(phase, tuple)
        return recorded if phase[1] is None else recorded._replace(state=phase[1])

    def over(self, machine: int, memory: Phased) -> bool:
        """A source has confirmed an offset."""
        return machine not in self.initiators or (isinstance(memory.phase, tuple) and memory.phase[1] is not None)


class Overtaken(Acknowledging):
    """FLINK-10377; a sink's phase: the transactions pending, and what it has heard."""

    direct = True

    def control_channels(self) -> tuple[tuple[int, int], ...]:
        """Besides acknowledgements: a way for each of the two notifications from each source to each sink."""
        back = super().control_channels()
        return (*back, *((source, sink) for sink, source in back for _ in (FIRST, SECOND)))

    def control_content(self, channel: int) -> tuple[Message, ...]:
        """The first checkpoint's notification is under way."""
        later = channel - len(super().control_channels())
        return (FIRST,) if later >= 0 and later % 2 == 0 else ()

    def begins(self, machine: int) -> Value:
        """The first checkpoint's transaction is pending; a source has heard no acknowledgement."""
        return ((1,), 0)

    def more(self, machine: int, local: Local, memory: Phased, other: Message | None) -> Iterable[Step]:
        """A source notifies; a sink commits what is pending up to that checkpoint."""
        if memory.phase == FAILED or other is None:
            return
        assert isinstance(memory.phase, tuple)
        pending, heard = memory.phase
        if other == ACKNOWLEDGED:
            yield self.notify(machine, local, memory._replace(phase=(pending, heard + 1)), heard + 1)
            return
        number = 1 if other == FIRST else 2
        committed = [n for n in pending if n <= number]
        phase: Value = (tuple(n for n in pending if n > number), heard + 1)
        if not committed and not self.fixed:
            phase = FAILED
        name = f"notified of checkpoint {number}: " + (f"commit {committed}" if committed else "nothing pending")
        yield Step(name, local.state, memory._replace(phase=phase))

    def notify(self, machine: int, local: Local, memory: Phased, heard: int) -> Step:
        """With the last acknowledgement the second checkpoint is complete: the source notifies all sinks."""
        ways = enumerate(self.control_channels(), len(self.topology.channels))
        own = [channel for channel, way in ways if way[0] == machine]
        complete = heard == len(sinks(self.topology))
        sends = tuple((channel, SECOND) for channel in own[1::2]) if complete else ()
        return Step("accept acknowledgement" + ", notify" * complete, local.state, memory, sends)

    def acts(self, machine: int, memory: Phased, local: Local, step: Step) -> Step | None:
        """A failed task does nothing more; with the barrier the second transaction is pending."""
        changed = super().acts(machine, memory, local, step)
        if memory.phase == FAILED or changed is None or not step.turns or machine in self.initiators:
            return None if memory.phase == FAILED else changed
        assert isinstance(memory.phase, tuple) and isinstance(step.memory, Recording)
        return changed._replace(memory=Phased(step.memory, ((*memory.phase[0], 2), memory.phase[1])))

    def over(self, machine: int, memory: Phased) -> bool:
        """A sink has heard both notifications."""
        return machine in self.initiators or (isinstance(memory.phase, tuple) and memory.phase[1] == 2)


class EndOfInput(Checkpoint):
    """FLINK-34117; the phase: of the source, whether it has sent the end; of a sink, what it has committed."""

    direct = True

    def more(self, machine: int, local: Local, memory: Phased, other: Message | None) -> Iterable[Step]:
        """The source sends the end once its state is recorded, or once no input is left; a sink commits."""
        if machine in self.initiators:
            ends = memory.recording is not None or not list(self.underlying(machine, local, {}))
            if other is None and memory.phase is None and ends:
                sends = tuple((channel, END) for channel in self.topology.outputs[machine])
                yield Step("send end of checkpoint", local.state, memory._replace(phase=END.tag), sends)
        elif other is not None:
            taken_in = memory.recording.state if memory.recording is not None else local.state if self.fixed else ()
            yield Step("accept end of checkpoint, commit", local.state, memory._replace(phase=(taken_in,)))

    def kept(self, machine: int, phase: Value, recorded: Recorded) -> Recorded:
        """Of a sink, what it has committed."""
        return recorded._replace(state=phase[0]) if isinstance(phase, tuple) else recorded

    def over(self, machine: int, memory: Phased) -> bool:
        """The end has been sent, and accepted."""
        return memory.phase is not None
