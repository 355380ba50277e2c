"""Marker algorithms broken where markers are sent; each class says what it forgets of the marker-sending rule.

"p sends one marker along c after p records its state and before p sends further messages along c" (Chandy & Lamport
1985, section 3).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from model.action import Local, Message, Step
from model.errors import InputError
from model.program import Program
from model.protocols.marker import MARKER, Marker
from model.recording import Recording
from model.relabelling import Relabelling
from model.topology import Topology
from model.values import Value


class LateMarker(Marker):
    """Forgets "before p sends further messages": each channel's marker goes out some time after the recording."""

    def begin(self, machine: int, local: Local) -> Recording:
        """No marker has been sent yet."""
        return super().begin(machine, local)._replace(unsent=self.topology.outputs[machine])

    def markers(self, machine: int) -> tuple[tuple[int, Message], ...]:
        """None in the action that turns red."""
        return ()

    def steps(self, machine: int, local: Local, offered: Mapping[int, Message]) -> Iterable[Step]:
        """As the marker algorithm; and put a marker that is still outstanding."""
        yield from super().steps(machine, local, offered)
        recording = local.memory
        if not offered and isinstance(recording, Recording):
            for channel in recording.unsent:
                rest = tuple(c for c in recording.unsent if c != channel)
                yield Step("put marker", local.state, recording._replace(unsent=rest), ((channel, MARKER),))


class LazyMarker(LateMarker):
    """Forgets nothing, a control: the marker goes out later, yet before anything else on its channel."""

    def act(self, machine: int, local: Local, offered: Mapping[int, Message], markers: list[int]) -> Iterator[Step]:
        """A message waits until its channel's marker is out."""
        unsent = local.memory.unsent if isinstance(local.memory, Recording) else ()
        if markers and not local.red:
            unsent = self.topology.outputs[machine]
        for step in super().act(machine, local, offered, markers):
            if not any(channel in unsent for channel, _ in step.sends):
                yield step


class MissingMarker(Marker):
    """Forgets one channel: no marker is ever sent along `channel`."""

    def __init__(
        self,
        topology: Topology,
        program: Program,
        initiators: tuple[int, ...],
        *,
        channel: int = 0,
        mixed: bool = False,
    ) -> None:
        super().__init__(topology, program, initiators, mixed=mixed)
        if not 0 <= channel < len(topology.channels):
            raise InputError(f"channel={channel}: channels are 0..{len(topology.channels) - 1}")
        self.channel = channel

    def markers(self, machine: int) -> tuple[tuple[int, Message], ...]:
        """One marker for each output channel but that one."""
        return tuple(sent for sent in super().markers(machine) if sent[0] != self.channel)


class Marked(NamedTuple):
    """The memory of a machine that has sent its markers and not recorded: which input channels had their marker."""

    closed: tuple[bool, ...]


class LateRecord(Marker):
    """Forgets "after p records its state": the markers go out first, the state is recorded in a later action."""

    def steps(self, machine: int, local: Local, offered: Mapping[int, Message]) -> Iterable[Step]:
        """As the marker algorithm; and record, once the markers are out."""
        if not offered and isinstance(local.memory, Marked):
            state = self.program.record(machine, local.state)
            channels = ((),) * len(local.memory.closed)
            yield Step("record, turn red", local.state, Recording(state, channels, local.memory.closed), turns=1)
        yield from super().steps(machine, local, offered)

    def may_turn_red(self, machine: int, local: Local) -> bool:
        """An initiator may send its markers, once."""
        return local.memory is None and super().may_turn_red(machine, local)

    def turn_red(self, machine: int, local: Local) -> Step:
        """Put a marker on each output channel; the machine stays white."""
        return Step("put markers", local.state, self._none_closed(machine), self.markers(machine))

    def accept_markers(self, machine: int, local: Local, markers: list[int]) -> Step:
        """While not recorded, remember the markers' channels; the first of them sends the markers on."""
        if local.red:
            return super().accept_markers(machine, local, markers)
        before = local.memory if isinstance(local.memory, Marked) else self._none_closed(machine)
        inputs = self.topology.inputs[machine]
        closed = tuple(was or channel in markers for channel, was in zip(inputs, before.closed, strict=True))
        if isinstance(local.memory, Marked):
            return Step("accept marker", local.state, Marked(closed))
        return Step("accept marker, put markers", local.state, Marked(closed), self.markers(machine))

    def closed(self, machine: int, local: Local, channel: int) -> bool:
        """Whether the channel's marker has been accepted, recorded or not."""
        if isinstance(local.memory, Marked):
            return local.memory.closed[self.topology.inputs[machine].index(channel)]
        return super().closed(machine, local, channel)

    def relabelled(self, machine: int, memory: Value, by: Relabelling) -> Value:
        """The channels that had their marker follow the others' order too."""
        if isinstance(memory, Marked):
            return Marked(by.per_input(machine, memory.closed))
        return super().relabelled(machine, memory, by)

    def _none_closed(self, machine: int) -> Marked:
        return Marked((False,) * len(self.topology.inputs[machine]))
