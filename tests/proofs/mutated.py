"""Marker algorithms, each with one slip; none may be proved. `kind` says which."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from model.action import Local, Message, Step
from model.program import Program
from model.protocols.marker import MARKER, Marker
from model.recording import Recording
from model.topology import Topology

KINDS = (
    "first message only",
    "all but the first",
    "even payloads only",
    "first output only",
    "second marker turns red",
    "one marker closes all",
    "closes the other",
    "white machines ignore markers",
    "red machines ignore markers",
    "records after closing",
    "turns red but forgets markers when a marker came",
    "two markers",
    "done with one closed",
    "nobody sends to machine 0",
    "late at one machine",
    "empties when it closes",
)


class Mutated(Marker):
    def __init__(self, topology: Topology, program: Program, initiators: tuple[int, ...], *, kind: int = 0) -> None:
        super().__init__(topology, program, initiators)
        self.kind = KINDS[kind]

    def markers(self, machine: int) -> tuple[tuple[int, Message], ...]:
        out = super().markers(machine)
        if self.kind == "first output only":
            return out[:1]
        if self.kind == "nobody sends to machine 0":
            return tuple(sent for sent in out if self.topology.channels[sent[0]][1] != 0)
        return (*out, *out) if self.kind == "two markers" else out

    def steps(self, machine: int, local: Local, offered: Mapping[int, Message]) -> Iterable[Step]:
        markers = [c for c, m in offered.items() if m.control]
        for step in super().steps(machine, local, offered):
            yield self.changed(machine, local, step, markers)
        late = self.kind == "late at one machine" and machine == 0
        if late and not offered and isinstance(local.memory, Recording) and local.memory.unsent:
            rest = local.memory._replace(unsent=())
            yield Step("put markers", local.state, rest, tuple((c, MARKER) for c in local.memory.unsent))

    def changed(self, machine: int, local: Local, step: Step, markers: list[int]) -> Step:
        memory = step.memory
        if self.kind == "white machines ignore markers" and markers and not local.red:
            return replace_(step, local, turns=0, sends=())
        if self.kind == "red machines ignore markers" and markers and local.red:
            return replace_(step, local)
        if (
            self.kind == "second marker turns red"
            and markers
            and not local.red
            and len(self.topology.inputs[machine]) > 1
        ):
            return replace_(step, local, turns=0, sends=())
        if self.kind.startswith("turns red but forgets") and markers and step.turns:
            return step._replace(sends=())
        if self.kind == "late at one machine" and machine == 0 and step.turns:
            assert isinstance(memory, Recording)
            return step._replace(sends=(), memory=memory._replace(unsent=self.topology.outputs[machine]))
        return step

    def close(self, machine: int, recording: Recording, channel: int) -> Recording:
        inputs = self.topology.inputs[machine]
        if self.kind == "one marker closes all":
            return recording._replace(closed=(True,) * len(inputs))
        if self.kind == "closes the other":
            return recording.close((inputs.index(channel) + 1) % len(inputs))
        if self.kind == "empties when it closes":
            index = inputs.index(channel)
            return recording._replace(
                channels=(*recording.channels[:index], (), *recording.channels[index + 1 :])
            ).close(index)
        return super().close(machine, recording, channel)

    def record(self, machine: int, recording: Recording, messages: Mapping[int, Message]) -> Recording:
        inputs = self.topology.inputs[machine]
        for channel, message in messages.items():
            index = inputs.index(channel)
            was = recording.channels[index]
            keep = not recording.closed[index]
            if self.kind == "first message only":
                keep = keep and not was
            if self.kind == "even payloads only":
                keep = keep and message.payload in (0, 2)
            if self.kind == "records after closing":
                keep = not keep
            if keep:
                recording = recording.add(index, message.payload)
        if self.kind == "all but the first":
            recording = recording._replace(channels=tuple(own[1:] for own in recording.channels))
        return recording

    def done(self, machine: int, local: Local, snapshot: int = 0) -> bool:
        if self.kind == "done with one closed":
            closed = local.memory.closed if isinstance(local.memory, Recording) else ()
            return isinstance(local.memory, Recording) and (not closed or any(closed))
        return super().done(machine, local, snapshot)


def replace_(step: Step, local: Local, **more: object) -> Step:
    return step._replace(memory=local.memory, **more)
