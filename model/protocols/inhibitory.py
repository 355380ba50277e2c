"""Taylor 1989, "The role of inhibition in asynchronous consistent-cut protocols": right on any channels, by waiting.

Taylor shows that where channels keep no order, a protocol that puts nothing on the program's messages must hold
something up. This is a protocol of his kind, with sends inhibited globally. The rules. The initiator records its state
and tells all others to stop. Whoever is told records its state. From when it has recorded until it is told to go on a
machine sends no message of the program; it goes on accepting, and what it accepts was in the channel. It reports how
many messages it has sent less how many it has accepted, and then each message that it accepts. When all have reported,
and what was sent has all been accepted, the initiator tells all to close their records; when all have, to go on.

Choices: the paper has classes of protocols; these are the least rules of this class that were found right. One
initiator. Where messages may overtake, a channel is recorded in the order of arrival: nothing tells the order in which
they were sent. Broken: `inhibits=false`, machines go on sending; `drains=false`, the initiator waits for the reports
alone; `closes=false`, it tells all to go on at once, and who goes on first sends to who has not closed its record yet.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from model.action import Local, Message, Step, control
from model.errors import InputError
from model.program import Program
from model.protocol import payloads
from model.protocols.counting import Counted, Counting
from model.protocols.talking import Talking
from model.topology import Topology

STOP, CLOSE, GO = (control((word,)) for word in ("stop", "close", "go"))
RUNS, CLOSED, GOES = range(3)
Sends = tuple[tuple[int, Message], ...]


class Halt(NamedTuple):
    """Whether the record is closed, and the machine goes on; of the initiator: how many have reported, and the sum."""

    phase: int = RUNS
    reported: int = 0
    total: int = 0


class Inhibitory(Talking, Counting):
    """Stop sending, drain the channels, go on: no tags, no order; the program waits."""

    def __init__(
        self,
        topology: Topology,
        program: Program,
        initiators: tuple[int, ...],
        *,
        inhibits: bool = True,
        drains: bool = True,
        closes: bool = True,
    ) -> None:
        super().__init__(topology, program, initiators)
        if len(initiators) != 1:
            raise InputError(f"protocol inhibitory: initiators {list(initiators)}: accepted is one")
        self.inhibits, self.drains, self.closes = inhibits, drains, closes

    def initial(self, machine: int) -> Counted:
        """Nothing stopped."""
        return super().initial(machine)._replace(more=Halt())

    def steps(self, machine: int, local: Local, offered: Mapping[int, Message]) -> Iterable[Step]:
        """Begin; stop, hear a report, go on; act, but send nothing between stop and go."""
        memory = self.memory(local)
        red = memory.recording is not None
        if not offered and machine in self.initiators and not red and self.program.may_initiate(machine, local.state):
            yield self.stop("record, tell all to stop", machine, local, memory, self.to_all(machine, STOP))
        told = [message for message in offered.values() if message.control]
        if len(told) == len(offered) == 1:
            yield self.hear(machine, local, memory, told[0])
        elif not told:
            stopped = red and halt_of(memory).phase < GOES
            for action in self.underlying(machine, local, offered):
                if not (action.sends and stopped and self.inhibits):
                    after, sends = self.count(machine, memory, len(action.sends), offered)
                    yield Step(action.name, action.state, after, (*payloads(action), *sends), action)

    # Stop, and report.

    def stop(self, name: str, machine: int, local: Local, memory: Counted, sends: Sends = ()) -> Step:
        """The state is recorded, and messages sent less accepted reported."""
        memory = self.begin(machine, local.state, memory)
        memory, report = self.report(machine, memory, memory.balance, first=True)
        return Step(name, local.state, memory, (*sends, *report), turns=1)

    def report(self, machine: int, memory: Counted, number: int, first: bool = False) -> tuple[Counted, Sends]:
        """To the initiator; which, if it is this machine, may find that all is in, or closed."""
        if machine not in self.initiators:
            return memory, self.to_each(machine, [(self.initiators[0], control(("report", number, first)))])
        halt, all_of_them, sends = halt_of(memory), self.topology.machines, Sends()
        halt = halt._replace(reported=halt.reported + first, total=halt.total + number)
        if halt.phase == RUNS and halt.reported == all_of_them and not (halt.total and self.drains):
            halt, sends = Halt(CLOSED, 1), self.to_all(machine, CLOSE)
            if not self.closes:
                halt, sends = Halt(CLOSED, all_of_them), ()
        if halt.phase == CLOSED and halt.reported == all_of_them:
            halt, sends = Halt(GOES), (*sends, *self.to_all(machine, GO))
        return memory._replace(more=halt), sends

    def hear(self, machine: int, local: Local, memory: Counted, message: Message) -> Step:
        """Told to stop or to go on; a report."""
        if message == STOP:
            return self.stop("stop, record", machine, local, memory)
        if message == GO:
            return Step("go on", local.state, memory._replace(more=Halt(GOES)))
        if message == CLOSE:
            memory, sends = self.report(machine, memory._replace(more=Halt(CLOSED)), 0, first=True)
            return Step("close the record", local.state, memory, sends)
        assert isinstance(message.tag, tuple)
        memory, sends = self.report(machine, memory, message.tag[1], message.tag[2])
        return Step("accept report" + ", tell all" * bool(sends), local.state, memory, sends)

    # Drain.

    def count(self, machine: int, memory: Counted, sent: int, offered: Mapping[int, Message]) -> tuple[Counted, Sends]:
        """Before: messages sent and accepted are counted. Until the record is closed: recorded, and reported."""
        if memory.recording is None:
            return memory.counted(sent, len(offered)), ()
        if halt_of(memory).phase != RUNS or not offered:
            return memory, ()
        recording = memory.recording.add_open(self.topology.inputs[machine], offered.items())
        return self.report(machine, memory._replace(recording=recording), -len(offered))

    def done(self, machine: int, local: Local, snapshot: int = 0) -> bool:
        """The record is closed."""
        return halt_of(self.memory(local)).phase > RUNS

    def outstanding(self, machine: int, local: Local, snapshot: int = 0) -> int:
        """Nothing: the initiator knows."""
        return 0


def halt_of(memory: Counted) -> Halt:
    """What the machine knows of stop and go."""
    assert isinstance(memory.more, Halt)
    return memory.more
