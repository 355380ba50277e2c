"""The magic snapshot (EWD864a, first part): every machine turns red at any moment, yet no red meets white.

"No red message is accepted in a white action" is all that is asked; how to see to it is left to the marker algorithm.
Messages carry their colour, and a white machine's accepting of a red one is what is held back.

Choices: `guard=false` holds nothing back, and so shows that the condition is needed. A snapshot is complete when all
machines are red and no white message is in any channel, as an outside observer sees it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from model.action import Local, Message, Step
from model.program import Program
from model.protocol import Protocol, Recorded, payloads
from model.recording import Recording
from model.relabelling import Relabelling
from model.topology import Topology
from model.values import Value

WHITE, RED = "white", "red"


class Coloured(Protocol):
    """Messages carry their colour; a red machine records the white ones it accepts."""

    completes_on_empty_channels = True

    def steps(self, machine: int, local: Local, offered: Mapping[int, Message]) -> Iterable[Step]:
        """The program's actions on coloured messages."""
        memory, colour = local.memory, WHITE
        if isinstance(memory, Recording):
            white = [(channel, message) for channel, message in offered.items() if message.tag == WHITE]
            memory, colour = memory.add_open(self.topology.inputs[machine], white), RED
        for action in self.underlying(machine, local, offered):
            yield Step(action.name, action.state, memory, payloads(action, colour), action)

    def turn_red(self, machine: int, local: Local) -> Step:
        """Record the state."""
        state = self.program.record(machine, local.state)
        recording = Recording.begin(state, len(self.topology.inputs[machine]))
        return Step("turn red", local.state, recording, turns=1)

    def relabelled(self, machine: int, memory: Value, by: Relabelling) -> Value:
        """The recording follows its channels."""
        return memory.relabelled(self.program, machine, by) if isinstance(memory, Recording) else memory

    def recorded(self, machine: int, local: Local, snapshot: int = 0) -> Recorded | None:
        """The recorded state, and the white messages accepted since."""
        return local.memory.recorded() if isinstance(local.memory, Recording) else None

    def done(self, machine: int, local: Local, snapshot: int = 0) -> bool:
        """Red."""
        return local.memory is not None


class Magic(Coloured):
    """Each machine may turn red at any moment; a white machine does not accept a red message."""

    everyone = True

    def __init__(
        self, topology: Topology, program: Program, initiators: tuple[int, ...], *, guard: bool = True
    ) -> None:
        super().__init__(topology, program, initiators)
        self.guard = guard

    def steps(self, machine: int, local: Local, offered: Mapping[int, Message]) -> Iterable[Step]:
        """Turn red, once; act, but not white on red."""
        white = local.memory is None
        if white and not offered and self.program.may_initiate(machine, local.state):
            yield self.turn_red(machine, local)
        if not (self.guard and white and any(message.tag == RED for message in offered.values())):
            yield from super().steps(machine, local, offered)
