"""Causal delivery (Raynal, Schiper & Toueg 1991): channels without order made causally ordered, by holding back.

Every message carries how many messages each machine has sent to each, as far as its sender knew before sending it. A
machine accepts a message only once it has accepted all that were sent to it before, according to that matrix.

It is a layer under a snapshot algorithm that assumes causal delivery, and under the program as well: a discipline of
channels sees one channel at a time, and cannot say what depends on several. Use it over channels without order
(`--relax fifo`); what is out of causal order then no longer happens, which `non-interference` tells. Choices: one
message is accepted at a time. What is sent to several in one action is a multicast: each of its messages knows of all.
With `multicast=false` (broken) they are sent one after another, and who gets the first can overtake the last; with
`causal=false` (broken) there is no matrix, and so no order.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from model.action import Local, Message, Step
from model.errors import InputError
from model.program import Program
from model.protocol import Recorded
from model.protocols.talking import Talking
from model.recording import Recording
from model.topology import Topology
from model.values import Value

Matrix = tuple[tuple[int, ...], ...]


class Causal(NamedTuple):
    """sent[a][b]: how many messages from a to b it knows of. accepted[a]: how many it has accepted from a.

    recording: what it has recorded; more: what the algorithm remembers besides.
    """

    sent: Matrix
    accepted: tuple[int, ...]
    recording: Recording | None = None
    more: Value = None


class CausalDelivery(Talking):
    """What is said is `tell`, what is heard `hear`, what the program does `act`; tags are put on and taken off here."""

    def __init__(
        self,
        topology: Topology,
        program: Program,
        initiators: tuple[int, ...],
        *,
        causal: bool = True,
        multicast: bool = True,
    ) -> None:
        if len(initiators) != 1:
            raise InputError(f"protocol {type(self).__name__}: initiators {list(initiators)}: accepted is one")
        super().__init__(topology, program, initiators)
        self.causal, self.multicast = causal, multicast
        self.multi_channel = False

    # What the algorithm says; the messages in steps carry tags of its own.

    def begins(self, machine: int) -> Value:
        """What it remembers at the start."""
        return None

    def alone(self, machine: int, local: Local, memory: Causal) -> Iterable[Step]:
        """Steps that accept nothing and are none of the program's."""
        return ()

    def hear(self, machine: int, local: Local, memory: Causal, speaker: int, tag: Value) -> Iterable[Step]:
        """Steps that accept a message of the algorithm's."""
        return ()

    def marked(self, memory: Causal) -> Value:
        """What the program's messages carry for the algorithm."""
        return None

    def keeps(self, machine: int, memory: Causal, channel: int, payload: Value, mark: Value) -> Causal:
        """The memory after a message of the program was accepted."""
        return memory

    # Sending and accepting.

    def initial(self, machine: int) -> Causal:
        """Nothing sent or accepted."""
        none = (0,) * self.topology.machines
        return Causal((none,) * self.topology.machines, none, None, self.begins(machine))

    def steps(self, machine: int, local: Local, offered: Mapping[int, Message]) -> Iterable[Step]:
        """The algorithm's and the program's, of messages that may be delivered."""
        memory = memory_of(local)
        if not offered:
            steps = [*self.alone(machine, local, memory), *self.act(machine, local, memory, {})]
        else:
            ((channel, message),) = offered.items()
            assert isinstance(message.tag, tuple)
            mark, known = message.tag
            source = (self.topology.channels + self.pairs)[channel][0]
            if not self.deliverable(machine, memory, known):
                return
            memory = self.delivered(machine, memory, source, known)
            if message.control:
                steps = list(self.hear(machine, local, memory, source, mark))
            else:
                memory = self.keeps(machine, memory, channel, message.payload, mark)
                steps = list(self.act(machine, local, memory, offered))
        yield from (self.sent(machine, step) for step in steps)

    def act(self, machine: int, local: Local, memory: Causal, offered: Mapping[int, Message]) -> Iterable[Step]:
        """The program's own actions."""
        mark = self.marked(memory)
        for action in self.underlying(machine, local, offered):
            sends = tuple((channel, Message(payload, mark)) for channel, payload in action.sends)
            yield Step(action.name, action.state, memory, sends, action)

    def deliverable(self, machine: int, memory: Causal, known: Matrix) -> bool:
        """Whether all that were sent to the machine before it have been accepted."""
        return not self.causal or all(row[machine] <= n for row, n in zip(known, memory.accepted, strict=True))

    def delivered(self, machine: int, memory: Causal, source: int, known: Matrix) -> Causal:
        """What the machine knows after the message."""
        accepted = tuple(n + (m == source) for m, n in enumerate(memory.accepted))
        if not self.causal:
            return memory._replace(accepted=accepted)
        sent = _more(known, source, [machine])
        both = tuple(tuple(map(max, a, b)) for a, b in zip(memory.sent, sent, strict=True))
        return memory._replace(sent=both, accepted=accepted)

    def sent(self, machine: int, step: Step) -> Step:
        """The step, its messages bearing what the machine knows with it, themselves left out."""
        memory, sends = step.memory, []
        assert isinstance(memory, Causal)
        if not self.causal:
            return step._replace(sends=tuple((c, m._replace(tag=(m.tag, ()))) for c, m in step.sends))
        ends = [(self.topology.channels + self.pairs)[channel][1] for channel, _ in step.sends]
        for place, (channel, message) in enumerate(step.sends):
            others = [e for p, e in enumerate(ends) if p < place or (self.multicast and e != ends[place])]
            sends.append((channel, message._replace(tag=(message.tag, _more(memory.sent, machine, others)))))
        return step._replace(memory=memory._replace(sent=_more(memory.sent, machine, ends)), sends=tuple(sends))

    def begun(self, machine: int, local: Local, memory: Causal) -> Causal:
        """The state recorded, every channel open."""
        recording = Recording.begin(self.program.record(machine, local.state), len(self.topology.inputs[machine]))
        return memory._replace(recording=recording)

    def recorded(self, machine: int, local: Local, snapshot: int = 0) -> Recorded | None:
        """What was recorded."""
        recording = memory_of(local).recording
        return None if recording is None else recording.recorded()


def memory_of(local: Local) -> Causal:
    """What the machine remembers."""
    assert isinstance(local.memory, Causal)
    return local.memory


def _more(matrix: Matrix, source: int, ends: list[int]) -> Matrix:
    """The matrix with one more message from the source to each of these."""
    row = tuple(n + ends.count(machine) for machine, n in enumerate(matrix[source]))
    return (*matrix[:source], row, *matrix[source + 1 :])
