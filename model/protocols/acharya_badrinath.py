"""Acharya & Badrinath 1992, "Recording distributed snapshots based on causal order of message delivery".

The rules. The initiator sends a token to all. Whoever gets it records its state, and how many messages it has sent to
and accepted from each. By causal delivery the states are consistent. Channel contents are computed: of each channel
the messages whose numbers are higher than what its receiver had accepted and not higher than what its sender had sent.

Choices: machines tell the counts to one another, since it is the receiver that has the messages: it records those it
accepts after the token, by their numbers on the channel. The program's messages carry nothing but this number.
Without `causal` (broken) tokens may be overtaken. Delivery: `model.protocols.causal`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from model.action import Local, Message, Step, control
from model.protocol import Recorded
from model.protocols.causal import Causal, CausalDelivery, memory_of
from model.values import Value

Counts = tuple[int, ...]


class Numbers(NamedTuple):
    """sent: per output channel, how many messages. ends: per input channel, how many its sender had sent at its token.

    came: per input channel the numbered messages accepted since the token.
    """

    sent: Counts
    ends: tuple[int | None, ...]
    accepted: Counts
    came: tuple[tuple[tuple[int, Value], ...], ...]


class AcharyaBadrinath(CausalDelivery):
    """A token to all, and counts: the messages in the channels are known by their numbers."""

    def begins(self, machine: int) -> Value:
        """Nothing sent."""
        inputs = len(self.topology.inputs[machine])
        return Numbers((0,) * len(self.topology.outputs[machine]), (None,) * inputs, (0,) * inputs, ((),) * inputs)

    def alone(self, machine: int, local: Local, memory: Causal) -> Iterable[Step]:
        """The initiator sends the token to all, and records."""
        if machine in self.initiators and memory.recording is None and self.program.may_initiate(machine, local.state):
            yield self.record("record, send the token", machine, local, memory, self.to_all(machine, control("token")))

    def hear(self, machine: int, local: Local, memory: Causal, speaker: int, tag: Value) -> Iterable[Step]:
        """The token; or another's counts."""
        if tag == "token":
            yield self.record("accept the token, record", machine, local, memory)
        else:
            assert isinstance(tag, tuple)
            yield Step("accept counts", local.state, self.told(machine, memory, dict(tag)))

    def record(
        self, name: str, machine: int, local: Local, memory: Causal, sends: tuple[tuple[int, Message], ...] = ()
    ) -> Step:
        """State and counts; the receivers are told them."""
        memory = self.begun(machine, local, memory)
        counts = tuple(zip(self.topology.outputs[machine], numbers_of(memory).sent, strict=True))
        memory = self.told(machine, memory, dict(counts))
        return Step(name, local.state, memory, (*sends, *self.to_all(machine, control(counts))), turns=1)

    def told(self, machine: int, memory: Causal, counts: Mapping[int, int]) -> Causal:
        """Where the channels from that machine end."""
        numbers = numbers_of(memory)
        ends = zip(self.topology.inputs[machine], numbers.ends, strict=True)
        return memory._replace(more=numbers._replace(ends=tuple(counts.get(c, end) for c, end in ends)))

    def act(self, machine: int, local: Local, memory: Causal, offered: Mapping[int, Message]) -> Iterable[Step]:
        """The program's messages are numbered on their channels."""
        for step in super().act(machine, local, memory, offered):
            numbers, outputs = numbers_of(memory), self.topology.outputs[machine]
            carried = [(c, message._replace(tag=numbers.sent[outputs.index(c)])) for c, message in step.sends]
            used = [c for c, _ in carried]
            counts = tuple(n + (c in used) for c, n in zip(outputs, numbers.sent, strict=True))
            yield step._replace(memory=memory._replace(more=numbers._replace(sent=counts)), sends=tuple(carried))

    def keeps(self, machine: int, memory: Causal, channel: int, payload: Value, mark: Value) -> Causal:
        """Before the token it is counted, after it kept by its number."""
        numbers, index = numbers_of(memory), self.topology.inputs[machine].index(channel)
        if memory.recording is None:
            accepted = tuple(n + (i == index) for i, n in enumerate(numbers.accepted))
            return memory._replace(more=numbers._replace(accepted=accepted))
        assert isinstance(mark, int)
        came = tuple((*own, (mark, payload)) if i == index else own for i, own in enumerate(numbers.came))
        return memory._replace(more=numbers._replace(came=came))

    def recorded(self, machine: int, local: Local, snapshot: int = 0) -> Recorded | None:
        """The state, and of each channel the messages numbered below where it ends, in order."""
        memory = memory_of(local)
        found, numbers = super().recorded(machine, local, snapshot), numbers_of(memory)
        if found is None:
            return None
        pairs = zip(numbers.came, numbers.ends, strict=True)
        contents = (sorted((n for n in own if n[0] < (end or 0)), key=lambda n: n[0]) for own, end in pairs)
        return found._replace(channels=tuple(tuple(payload for _, payload in own) for own in contents))

    def done(self, machine: int, local: Local, snapshot: int = 0) -> bool:
        """The state is recorded, and of each channel as many are accepted as were sent before its end."""
        numbers, found = numbers_of(memory_of(local)), self.recorded(machine, local)
        if found is None:
            return False
        counts = zip(numbers.accepted, found.channels, numbers.ends, strict=True)
        return all(end is not None and before + len(came) >= end for before, came, end in counts)


def numbers_of(memory: Causal) -> Numbers:
    """What the machine has counted."""
    assert isinstance(memory.more, Numbers)
    return memory.more
