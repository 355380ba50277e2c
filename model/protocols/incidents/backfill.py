"""RisingWave 12654: updates dropped by a backfill that spans several barriers.

A new view is filled from a snapshot of its table while updates go on coming. At a barrier, an update of a row that the
backfill has already read is passed on; one of a row not read yet was dropped, since the snapshot will have it when it
is read. But a snapshot is read over several barriers, and is of the table as it was at the first of them: so an update
between two of them is dropped, and read in its old version after. The fix: updates are kept until the snapshot is done.

Choices: the table is a source with one row, its version the number of records emitted; a sink holds the view. The first
barrier carries the version in which the row will be read, at any moment after; the second is the snapshot judged.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from model.action import Local, Message, Step, control
from model.programs.dataflow import Record, Records
from model.protocol import Recorded
from model.protocols.incidents.phased import Checkpoint, Phased
from model.recording import Recording
from model.values import Value


class View(NamedTuple):
    """What of the row the view has, what is kept of later updates, and whether the snapshot was read."""

    has: Records
    kept: Records = ()
    read: bool = False


class Backfill(Checkpoint):
    """A backfill over two barriers; at the second one updates of what is not read yet are dropped."""

    direct = True

    def more(self, machine: int, local: Local, memory: Phased, other: Message | None) -> Iterable[Step]:
        """The first barrier; reading the row from the snapshot that it began."""
        view = memory.phase
        if machine in self.initiators:
            if other is None and memory.phase is None:
                sends = tuple((c, control(("first", local.state))) for c in self.topology.outputs[machine])
                yield Step("first barrier", local.state, memory._replace(phase="first"), sends)
        elif other is not None:
            yield Step("accept first barrier", local.state, memory._replace(phase=View(old_version(local.state))))
        elif isinstance(view, View) and not view.read:
            filled = View(tuple(sorted((*view.has, *view.kept))), (), True)
            yield Step("read the row", local.state, memory._replace(phase=filled))

    def acts(self, machine: int, memory: Phased, local: Local, step: Step) -> Step | None:
        """A source's second barrier comes after its first. Updates before the second one are passed on or kept."""
        view = memory.phase
        if machine in self.initiators:
            return None if step.turns and memory.phase is None else step
        if not isinstance(view, View) or memory.recording is not None:
            return step
        if step.turns:
            assert isinstance(step.memory, Recording)
            return (
                step if self.fixed or view.read else step._replace(memory=Phased(step.memory, view._replace(kept=())))
            )
        update = next(iter(set(old_version(step.state)) - set(old_version(local.state))))
        view = view._replace(has=(*view.has, update)) if view.read else view._replace(kept=(*view.kept, update))
        return step._replace(memory=memory._replace(phase=view))

    def kept(self, machine: int, phase: Value, recorded: Recorded) -> Recorded:
        """The view as it is filled."""
        return (
            recorded._replace(state=tuple(sorted((*phase.has, *phase.kept)))) if isinstance(phase, View) else recorded
        )

    def over(self, machine: int, memory: Phased) -> bool:
        """The snapshot has been read."""
        return machine in self.initiators or (isinstance(memory.phase, View) and memory.phase.read)


def old_version(state: Value) -> tuple[Record, ...]:
    """The updates that a version of the row has had."""
    assert isinstance(state, tuple)
    return state
