"""MANA 312: a message that is just being made is invisible to the draining of the network.

MANA checkpoints MPI programs: all ranks stop, tell one another how many messages they have sent, and each takes what is
still under way out of the network into a buffer that the checkpoint has. Ranks were stopped with all their threads. A
thread of the MPI library can then be in the middle of making a message that the program has sent: it is not counted as
sent, nobody waits for it, and it is in no checkpoint. The fix: messages are drained while the threads still run, so
that what was begun is made first.

Choices: a rank makes one message at a time. Ranks stop in any order; each tells all others, outside the network, what
it has sent to them, and goes on when it has heard from all. A message being made is in its channel like any other.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from model.action import Local, Message, Step, control
from model.program import Program
from model.protocol import Recorded, payloads
from model.protocols.talking import Talking
from model.recording import Recording
from model.topology import Topology

Counts = tuple[int, ...]


class Rank(NamedTuple):
    """sent, accepted: messages per output and input until it stopped. making: the output whose last one is being made.

    heard: per input, how many messages its sender says it has sent. others: of how many other ranks it has heard.
    """

    sent: Counts
    accepted: Counts
    making: int | None = None
    recording: Recording | None = None
    heard: Counts = ()
    others: int = 0


class Draining(Talking):
    """Stop, count, drain, go on."""

    everyone = True

    def __init__(
        self, topology: Topology, program: Program, initiators: tuple[int, ...], *, fixed: bool = False
    ) -> None:
        super().__init__(topology, program, initiators)
        self.fixed = fixed

    def initial(self, machine: int) -> Rank:
        """Nothing sent, nothing heard."""
        inputs = len(self.topology.inputs[machine])
        return Rank((0,) * len(self.topology.outputs[machine]), (0,) * inputs, heard=(0,) * inputs)

    def steps(self, machine: int, local: Local, offered: Mapping[int, Message]) -> Iterable[Step]:
        """Stop; hear of another; make a message; act, unless stopped."""
        rank = rank_of(local)
        if not offered:
            if rank.making is not None and rank.recording is None:
                yield Step("the message is made", local.state, rank._replace(making=None))
            if rank.recording is None and not (self.fixed and rank.making is not None):
                yield self.stop(machine, local, rank)
        counts = [(c, message) for c, message in offered.items() if message.control]
        if len(counts) == len(offered) == 1:
            yield self.hear(machine, local, rank, *counts[0])
        elif not counts:
            for action in self.underlying(machine, local, offered):
                if not (action.sends and self.sends_nothing(rank)):
                    after = self.counted(machine, rank, offered, tuple(c for c, _ in action.sends))
                    yield Step(action.name, action.state, after, payloads(action), action)

    def stop(self, machine: int, local: Local, rank: Rank) -> Step:
        """Record the state; tell every rank how much was sent to it, without the message being made."""
        outputs = self.topology.outputs[machine]
        visible = [n - (c == rank.making) for c, n in zip(outputs, rank.sent, strict=True)]
        counts = list(zip(outputs, visible, strict=True))
        others = (other for other in range(self.topology.machines) if other != machine)
        told = ((to, control(tuple(own for own in counts if self.topology.channels[own[0]][1] == to))) for to in others)
        recording = Recording.begin(self.program.record(machine, local.state), len(rank.accepted))
        rank = rank._replace(recording=recording)
        return Step("stop, record", local.state, rank, self.to_each(machine, told), turns=1)

    def hear(self, machine: int, local: Local, rank: Rank, channel: int, message: Message) -> Step:
        """How much another rank has sent."""
        heard, inputs = list(rank.heard), self.topology.inputs[machine]
        assert isinstance(message.tag, tuple)
        for own, count in message.tag:
            heard[inputs.index(own)] = count
        return Step("hear how many were sent", local.state, rank._replace(heard=tuple(heard), others=rank.others + 1))

    def counted(self, machine: int, rank: Rank, offered: Mapping[int, Message], sent: Counts) -> Rank:
        """The rank after these messages; a stopped one keeps what it accepts in its buffer."""
        inputs, outputs = self.topology.inputs[machine], self.topology.outputs[machine]
        if rank.recording is not None:
            return rank._replace(recording=rank.recording.add_open(inputs, offered.items()))
        accepted = tuple(n + (c in offered) for c, n in zip(inputs, rank.accepted, strict=True))
        counts = tuple(n + (c in sent) for c, n in zip(outputs, rank.sent, strict=True))
        return rank._replace(sent=counts, accepted=accepted, making=sent[0] if sent else rank.making)

    def sends_nothing(self, rank: Rank) -> bool:
        """While it makes a message, and from when it stops until it has heard of all others, so that all have."""
        if rank.recording is None:
            return rank.making is not None
        return rank.others < self.topology.machines - 1

    def waited_for(self, rank: Rank) -> list[int]:
        """Per input, how many messages are to be drained."""
        return [max(0, heard - accepted) for heard, accepted in zip(rank.heard, rank.accepted, strict=True)]

    def recorded(self, machine: int, local: Local, snapshot: int = 0) -> Recorded | None:
        """The state, and of each channel's buffer as many as were waited for."""
        rank = rank_of(local)
        if rank.recording is None:
            return None
        taken = zip(rank.recording.channels, self.waited_for(rank), strict=True)
        return Recorded(rank.recording.state, tuple(content[:most] for content, most in taken))

    def done(self, machine: int, local: Local, snapshot: int = 0) -> bool:
        """All is heard and drained."""
        rank = rank_of(local)
        if rank.recording is None or self.sends_nothing(rank):
            return False
        return all(len(c) >= n for c, n in zip(rank.recording.channels, self.waited_for(rank), strict=True))


def rank_of(local: Local) -> Rank:
    """What the rank remembers."""
    assert isinstance(local.memory, Rank)
    return local.memory
