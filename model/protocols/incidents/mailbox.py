"""FLINK-17568: data after the barrier was consumed before the unaligned snapshot was taken.

The first barrier only puts a letter into the task's mailbox ("take the checkpoint"); the task thread, in its loop over
the input, goes on reading until it happens to look into the mailbox. The fix: after a barrier the task returns to the
mailbox at once, so that nothing is processed between the barrier and the snapshot.

Choices: looking into the mailbox is an action of its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from model.action import Local, Message, Step
from model.program import Program
from model.protocols.unaligned import Unaligned
from model.topology import Topology


class Letter(NamedTuple):
    """A checkpoint to be taken: the inputs whose barrier has come."""

    barriers: tuple[int, ...]


class Mailbox(Unaligned):
    """Unaligned checkpoints taken when the task looks into its mailbox."""

    def __init__(
        self, topology: Topology, program: Program, initiators: tuple[int, ...], *, fixed: bool = False
    ) -> None:
        super().__init__(topology, program, initiators)
        self.fixed = fixed

    def steps(self, machine: int, local: Local, offered: Mapping[int, Message]) -> Iterable[Step]:
        """As unaligned; but a first barrier is only noted, and the snapshot is a step of its own."""
        barriers = {channel for channel, message in offered.items() if message.control}
        letter = local.memory
        if isinstance(letter, Letter):
            if not offered:
                recording = self.begin(machine, local)
                for channel in letter.barriers:
                    recording = recording.close(self.topology.inputs[machine].index(channel))
                yield self.turn_red("look into the mailbox, record", machine, local, recording)
            if self.fixed:
                return
        if barriers and not local.red:
            known = set(letter.barriers) if isinstance(letter, Letter) else set()
            if len(offered) == 1:
                yield Step("accept barrier, post a letter", local.state, Letter(tuple(sorted(known | barriers))))
            return
        yield from super().steps(machine, local, offered)
