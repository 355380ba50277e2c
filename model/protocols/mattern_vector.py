"""Mattern 1989, "Virtual time and global states of distributed systems", section 7: a cut at a time in the future.

The rules. The initiator chooses a time that its clock has not reached, its next tick, announces it, and waits until all
have acknowledged. Then it ticks, records its state, and sends everyone a dummy message. Every message carries its
sender's time; whoever is to accept one of the chosen time or later records its state first. What was sent before the
chosen time and comes after it belongs to the channels.

When is it complete? A control message goes round twice. In the first round it sums up, for each machine, how many
messages were sent to it before the cut; in the second it waits at each machine until so many have come.

Choices: of the vector time only the initiator's component is compared, so only that is carried, as the paper remarks:
it is a colour. White messages are numbered, and recorded in order, as in `laiyang`. One initiator. The control message
is of the chosen time, too. Broken: `heeds=false`, nobody records because of a message's time; `rounds=1`, the control
message does not go round again.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from model.action import Local, Message, Step, control
from model.errors import InputError
from model.program import Program
from model.protocols.counting import Counted
from model.protocols.laiyang import LaiYang, Sends
from model.protocols.talking import Talking
from model.topology import Topology

ANNOUNCE, ACKNOWLEDGE, DUMMY = map(control, (("announce",), ("acknowledge",), ("dummy",)))


class Collected(NamedTuple):
    """Of the initiator: how many acknowledgements came, None before it announced; whether the snapshot is complete."""

    acknowledged: int | None = None
    complete: bool = False


class MatternVector(Talking, LaiYang):
    """A time in the future is announced; all record before they pass it; a vector of counts tells when all is in."""

    def __init__(
        self,
        topology: Topology,
        program: Program,
        initiators: tuple[int, ...],
        *,
        heeds: bool = True,
        rounds: int = 2,
    ) -> None:
        if len(initiators) != 1:
            raise InputError(f"protocol mattern: initiators {list(initiators)}: accepted is one")
        super().__init__(topology, program, initiators, convenience=False)
        self.heeds, self.rounds = heeds, rounds

    def initial(self, machine: int) -> Counted:
        """Nothing announced."""
        return super().initial(machine)._replace(more=Collected())

    def may_turn_red(self, machine: int, local: Local) -> bool:
        """Only when all have acknowledged, or on a message of the chosen time."""
        return False

    def must_turn_red(self, offered: Mapping[int, Message]) -> bool:
        """On a message of the chosen time."""
        return self.heeds and super().must_turn_red(offered)

    def steps(self, machine: int, local: Local, offered: Mapping[int, Message]) -> Iterable[Step]:
        """Announce; acknowledge; tick; pass the control message on; act, recording first if the time has come."""
        memory = self.memory(local)
        told = [(channel, message) for channel, message in offered.items() if message.control]
        if not offered and machine in self.initiators and self.collected(memory).acknowledged is None:
            known = memory._replace(more=Collected(0))
            if self.program.may_initiate(machine, local.state):
                yield self.announced("announce the time", machine, local, known, self.to_all(machine, ANNOUNCE))
        elif len(told) == len(offered) == 1:
            yield from self.hear(machine, local, memory, self.speaker(told[0][0]), told[0][1])
        if not told:
            yield from super().steps(machine, local, offered)

    def announced(self, name: str, machine: int, local: Local, memory: Counted, sends: Sends = ()) -> Step:
        """With the last acknowledgement: tick, record, send dummies, and the control message on its way."""
        if self.collected(memory).acknowledged != self.topology.machines - 1:
            return Step(name, local.state, memory, sends)
        memory = self.begin(machine, local.state, memory)
        sends = (*sends, *self.to_all(machine, DUMMY), *self.passed_on(machine, 1, self.added(machine, memory, ())))
        return Step(f"{name}, tick, turn red", local.state, memory, sends, turns=1)

    def hear(self, machine: int, local: Local, memory: Counted, speaker: int, message: Message) -> Iterable[Step]:
        """The announcement, an acknowledgement, a dummy, or the control message."""
        if message == ANNOUNCE:
            yield Step("acknowledge", local.state, memory, ((self.way(machine, speaker), ACKNOWLEDGE),))
        elif message == ACKNOWLEDGE:
            memory = memory._replace(more=Collected((self.collected(memory).acknowledged or 0) + 1))
            yield self.announced("accept acknowledgement", machine, local, memory)
        else:
            turns = memory.recording is None
            memory = self.begin(machine, local.state, memory) if turns else memory
            name, sends = "accept dummy", Sends()
            if message != DUMMY:
                assert isinstance(message.tag, tuple)
                _, number, counts = message.tag
                if self.waits(machine, memory, number, counts):
                    return
                name, (memory, sends) = f"counts, round {number}", self.collect(machine, memory, number, counts)
            yield Step(name + ", turn red" * turns, local.state, memory, sends, turns=int(turns))

    # The vector method.

    def added(self, machine: int, memory: Counted, counts: tuple[int, ...]) -> tuple[int, ...]:
        """The counts with the machine's own: how many white messages were sent to each."""
        sums = list(counts or (0,) * self.topology.machines)
        for channel, sent in zip(self.topology.outputs[machine], memory.sent, strict=True):
            sums[self.topology.channels[channel][1]] += sent
        return tuple(sums)

    def waits(self, machine: int, memory: Counted, number: int, counts: tuple[int, ...]) -> bool:
        """In the second round, until as many have come."""
        return number == 2 and sum(memory.sent) - memory.balance < counts[machine]

    def collect(self, machine: int, memory: Counted, number: int, counts: tuple[int, ...]) -> tuple[Counted, Sends]:
        """Passed on; back at the initiator after the last round, the snapshot is complete."""
        if machine not in self.initiators:
            counts = self.added(machine, memory, counts) if number == 1 else counts
            return memory, self.passed_on(machine, number, counts)
        if number == self.rounds:
            return memory._replace(more=Collected(0, True)), ()
        return memory, self.passed_on(machine, 2, counts)

    def passed_on(self, machine: int, number: int, counts: tuple[int, ...]) -> Sends:
        """The control message on its way to the next machine."""
        after = (machine + 1) % self.topology.machines
        return self.to_each(machine, [(after, control(("counts", number, counts)))] if after != machine else [])

    def collected(self, memory: Counted) -> Collected:
        """What the initiator knows."""
        assert isinstance(memory.more, Collected)
        return memory.more

    def done(self, machine: int, local: Local, snapshot: int = 0) -> bool:
        """Recorded; the initiator knows that all is in."""
        memory, alone = self.memory(local), self.topology.machines == 1
        complete = machine not in self.initiators or self.collected(memory).complete
        return memory.recording is not None and (not memory.balance if alone else complete)

    def outstanding(self, machine: int, local: Local, snapshot: int = 0) -> int:
        """Nothing: the initiator knows."""
        return 0
