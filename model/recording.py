"""What a red machine keeps: its recorded state, and per input channel what was recorded and whether it is closed.

Shared by the protocols that record channels; a memory of None means that the machine has not begun.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from model.action import Message
from model.program import Program
from model.protocol import Recorded
from model.relabelling import Relabelling
from model.values import Value


class Recording(NamedTuple):
    """`state` is the machine's recorded state; `channels` and `closed` follow the machine's input channels.

    `unsent` holds the output channels that still lack their marker, where a protocol does not send all at once.
    """

    state: Value
    channels: tuple[tuple[Value, ...], ...]
    closed: tuple[bool, ...]
    unsent: tuple[int, ...] = ()

    @staticmethod
    def begin(state: Value, inputs: int) -> Recording:
        """A recording of `state` with all `inputs` channels open and nothing recorded from them."""
        return Recording(state, ((),) * inputs, (False,) * inputs)

    def close(self, index: int) -> Recording:
        """Input number `index` closed: nothing more is recorded from it."""
        return self._replace(closed=(*self.closed[:index], True, *self.closed[index + 1 :]))

    def add(self, index: int, payload: Value) -> Recording:
        """The payload recorded on input number `index`."""
        content = (*self.channels[index], payload)
        return self._replace(channels=(*self.channels[:index], content, *self.channels[index + 1 :]))

    def add_open(self, inputs: tuple[int, ...], accepted: Iterable[tuple[int, Message]]) -> Recording:
        """The accepted messages recorded on those of their channels that are open."""
        recording = self
        for channel, message in accepted:
            index = inputs.index(channel)
            if not recording.closed[index]:
                recording = recording.add(index, message.payload)
        return recording

    def relabelled(self, program: Program, machine: int, by: Relabelling) -> Recording:
        """The recording at the machine that takes the machine's place, its channels in that one's order."""
        return Recording(
            program.relabelled(machine, self.state, by),
            by.per_input(machine, self.channels),
            by.per_input(machine, self.closed),
            by.ascending(self.unsent),
        )

    def recorded(self) -> Recorded:
        """What counts for SSS."""
        return Recorded(self.state, self.channels)
