"""Lai & Yang 1987, "On distributed snapshots": colours on the messages, no markers, and channels need not be FIFO.

The rules, in the paper's order. Every machine is white at first. It takes its local snapshot, and turns red, at its
own convenience, but before it accepts a red message, if one comes. Every message has the colour of its sender. The
white messages sent and not accepted by white machines are the channels' states.

Choices: *Who turns red by itself.* The paper needs no control message because every machine takes its snapshot at its
convenience; so here every machine may turn red at any moment, whoever the initiators are. With `convenience=false`
only the initiators do, the others on their first red message: then a machine to which no red message comes never
records, and the snapshot never completes (`completes` fails once the program falls silent).
*What is collected.* The paper sends whole histories of white messages to the initiator, which subtracts accepted from
sent. Here a red machine records the white messages that still come, as in Mattern 1993 ("Efficient Algorithms for
Distributed Snapshots"); each carries its number on its channel, and the record is sorted by it, which gives what the
difference of histories gives. With `numbered=false` the record is in the order of acceptance: where messages may
overtake, SSS can be unreachable for that alone.
*Completion.* Each machine counts white messages sent less white messages accepted; the recorded counts and the later
arrivals add up to the white messages still under way, and the snapshot is complete when that is 0 and all are red.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from model.action import Action, Local, Message, Step
from model.program import Program
from model.protocol import Recorded, payloads
from model.protocols.counting import Counted, Counting
from model.topology import Topology
from model.values import Value, order_key

Sends = tuple[tuple[int, Message], ...]
WHITE, RED = "white", "red"


class LaiYang(Counting):
    """Messages carry their sender's colour; a machine turns red at its convenience, before it accepts a red one."""

    def __init__(
        self,
        topology: Topology,
        program: Program,
        initiators: tuple[int, ...],
        *,
        convenience: bool = True,
        numbered: bool = True,
    ) -> None:
        self.everyone = convenience
        super().__init__(topology, program, initiators)
        self.numbered = numbered

    def initial(self, machine: int) -> Counted:
        """White, nothing sent, nothing accepted."""
        sent = (0,) * len(self.topology.outputs[machine]) if self.numbered else ()
        return super().initial(machine)._replace(sent=sent)

    def steps(self, machine: int, local: Local, offered: Mapping[int, Message]) -> Iterable[Step]:
        """Turn red; act, turning red first if a red message is accepted."""
        memory = self.memory(local)
        if not offered and self.may_turn_red(machine, local):
            yield Step("turn red", local.state, self.begin(machine, local.state, memory), turns=1)
        turns = memory.recording is None and self.must_turn_red(offered)
        if turns:
            memory = self.begin(machine, local.state, memory)
        memory = self.accept(machine, memory, offered)
        for action in self.underlying(machine, local, offered):
            sends, after = self.coloured(machine, memory, action)
            name = f"turn red, {action.name}" if turns else action.name
            yield Step(name, action.state, after, sends, action, int(turns))

    # Every white machine takes its snapshot at its convenience, but before a red message is accepted.

    def may_turn_red(self, machine: int, local: Local) -> bool:
        """While white."""
        white = self.memory(local).recording is None
        return white and machine in self.initiators and self.program.may_initiate(machine, local.state)

    def must_turn_red(self, offered: Mapping[int, Message]) -> bool:
        """On a red message."""
        return any(message.tag == RED for message in offered.values())

    # Every message sent by a white (red) machine is coloured white (red).

    def coloured(self, machine: int, memory: Counted, action: Action) -> tuple[Sends, Counted]:
        """What the action sends, in the machine's colour; white messages are counted."""
        if memory.recording is not None:
            return payloads(action, RED), memory
        memory = memory.counted(sent=len(action.sends))
        if not self.numbered:
            return payloads(action, WHITE), memory
        sends, sent = [], list(memory.sent)
        for channel, payload in action.sends:
            index = self.topology.outputs[machine].index(channel)
            sends.append((channel, Message(payload, (WHITE, sent[index]))))
            sent[index] += 1
        return tuple(sends), memory._replace(sent=tuple(sent))

    # White messages are counted, and those that reach a red machine are what was in the channels.

    def accept(self, machine: int, memory: Counted, offered: Mapping[int, Message]) -> Counted:
        """The memory after these messages were accepted."""
        white = [(channel, message) for channel, message in offered.items() if message.tag != RED]
        recording = memory.recording
        if recording is not None:
            inputs = self.topology.inputs[machine]
            for channel, message in white:
                entry = message.payload
                if isinstance(message.tag, tuple):
                    entry = (message.tag[1], message.payload)
                recording = recording.add(inputs.index(channel), entry)
        return memory._replace(recording=recording).counted(accepted=len(white))

    def recorded(self, machine: int, local: Local, snapshot: int = 0) -> Recorded | None:
        """The recorded state, and the white messages accepted since, in order if they are numbered."""
        recorded = super().recorded(machine, local, snapshot)
        if recorded is None or not self.numbered:
            return recorded
        return recorded._replace(channels=tuple(map(_in_order, recorded.channels)))


def _in_order(numbered: tuple[Value, ...]) -> tuple[Value, ...]:
    return tuple(entry[1] for entry in sorted(numbered, key=order_key) if isinstance(entry, tuple))
