"""What the protocols share whose machines take checkpoints by themselves: histories, forced checkpoints, recovery.

Each machine takes at most `k` basic checkpoints, or as many as a list says (`k=2-0`), at any moment. With `log=true`
senders log what they send, in stable storage, so that what is in transit over the recovery line is sent again; else it
is lost, and the recovery line must have nothing in transit. Which global checkpoint the machines go back to is `line`:
`propagated`, the latest consistent one; `latest`, everyone's last checkpoint, as one might hope (broken).

Choices: a message carries its number on its channel, and a history has all messages since the start: garbage is not
collected. There is no snapshot, so no machine turns red; claims are judged for a failure of all machines in any state.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from model.action import Action, Local, Message, Step
from model.errors import InputError
from model.program import Program
from model.programs.rules import per_machine
from model.protocol import Protocol, Recorded
from model.recovery.line import by_propagation
from model.recovery.pattern import Checkpoint, History, Line, Pattern, pattern_of
from model.relabelling import Relabelling
from model.topology import Topology
from model.values import Value

Tagged = tuple[tuple[int, Message], ...]


class Checkpointing(Protocol):
    """A protocol whose machines remember a `History`."""

    snapshots = 0
    everyone = True
    lines: tuple[str, ...] = ("propagated", "latest")
    """The readings of the option `line`."""

    def __init__(
        self,
        topology: Topology,
        program: Program,
        initiators: tuple[int, ...],
        *,
        k: int | tuple[int, ...] = 1,
        log: bool = True,
        line: str = "propagated",
    ) -> None:
        super().__init__(topology, program, initiators)
        if line not in self.lines:
            raise InputError(f"line={line}: {' or '.join(self.lines)}")
        self.most = per_machine(k, topology, "k")
        self.log, self.line = log, line

    def initial(self, machine: int) -> History:
        """The initial state is everyone's checkpoint 0."""
        state = self.program.record(machine, self.program.initial(machine))
        sent, accepted = ((),) * len(self.topology.outputs[machine]), ((),) * len(self.topology.inputs[machine])
        clock = self.begin(machine)
        return History((Checkpoint(state, self.stamp(clock)),), sent, accepted, clock)

    def steps(self, machine: int, local: Local, offered: Mapping[int, Message]) -> Iterable[Step]:
        """Take a checkpoint; act, taking a forced one before what is offered is accepted if the protocol says so."""
        history = self.history(local)
        if not offered and self.may_checkpoint(machine, local):
            yield Step("take a checkpoint", local.state, self.checkpoint(machine, local.state, history))
        before = history
        for channel, message in sorted(offered.items()):
            assert isinstance(message.tag, tuple)
            history = self.receive(machine, local.state, history, channel, message.tag[1])
            history = self.accepted(machine, history, channel, message.tag[0])
        forced = len(history.checkpoints) > len(before.checkpoints)
        for action in self.underlying(machine, local, offered):
            after, sends = self.send(machine, history, action)
            name = f"take a forced checkpoint, {action.name}" if forced else action.name
            yield Step(name, action.state, after, sends, action)

    def may_checkpoint(self, machine: int, local: Local) -> bool:
        """At any moment, so often."""
        basic = sum(not checkpoint.forced for checkpoint in self.history(local).checkpoints) - 1
        return basic < self.most[machine] and self.program.may_initiate(machine, local.state)

    def checkpoint(self, machine: int, state: Value, history: History, forced: bool = False) -> History:
        """The state written to stable storage."""
        clock = self.tick(machine, history.clock)
        taken = Checkpoint(self.program.record(machine, state), self.stamp(clock), forced)
        return history._replace(checkpoints=(*history.checkpoints, taken), clock=clock)

    def accepted(self, machine: int, history: History, channel: int, number: int) -> History:
        """The history after message `number` of the channel."""
        index = self.topology.inputs[machine].index(channel)
        known = tuple(sorted((*history.accepted[index], (number, history.interval))))
        return history._replace(accepted=(*history.accepted[:index], known, *history.accepted[index + 1 :]))

    def send(self, machine: int, history: History, action: Action) -> tuple[History, Tagged]:
        """What the action sends, numbered and with what the protocol puts on it, and the history after it."""
        sends = []
        for channel, payload in action.sends:
            history = history._replace(clock=self.sending(machine, history.clock, channel))
            index = self.topology.outputs[machine].index(channel)
            known = history.sent[index]
            sends.append((channel, Message(payload, (len(known), self.piggyback(history.clock)))))
            sent = (*history.sent[:index], (*known, (history.interval, payload)), *history.sent[index + 1 :])
            history = history._replace(sent=sent)
        return history, tuple(sends)

    # What a protocol that forces checkpoints adds: a clock, what messages carry of it, and what is done on receipt.

    def begin(self, machine: int) -> Value:
        """The clock at checkpoint 0."""
        return None

    def tick(self, machine: int, clock: Value) -> Value:
        """The clock after a checkpoint."""
        return clock

    def stamp(self, clock: Value) -> Value:
        """What is written with a checkpoint, the clock having ticked."""
        return None

    def sending(self, machine: int, clock: Value, channel: int) -> Value:
        """The clock after a message was sent."""
        return clock

    def piggyback(self, clock: Value) -> Value:
        """What a message carries."""
        return None

    def receive(self, machine: int, state: Value, history: History, channel: int, carried: Value) -> History:
        """The history before the message is delivered: with a forced checkpoint, if there must be one."""
        return history

    # What is recovered.

    def recovery_line(self, histories: Sequence[History]) -> Line:
        """The global checkpoint to which the machines go back if all fail now."""
        pattern = self.pattern(histories)
        return pattern.last if self.line == "latest" else by_propagation(pattern, pattern.last)

    def pattern(self, histories: Sequence[History]) -> Pattern:
        """The checkpoint and communication pattern so far."""
        return pattern_of(self.topology, tuple(histories), self.log)

    def relabelled(self, machine: int, memory: Value, by: Relabelling) -> Value:
        """The history follows its channels."""
        assert isinstance(memory, History)
        taken = tuple(c._replace(state=self.program.relabelled(machine, c.state, by)) for c in memory.checkpoints)
        sent, accepted = by.per_output(machine, memory.sent), by.per_input(machine, memory.accepted)
        return History(taken, sent, accepted, memory.clock)

    def history(self, local: Local) -> History:
        """What the machine remembers."""
        assert isinstance(local.memory, History)
        return local.memory

    def recorded(self, machine: int, local: Local, snapshot: int = 0) -> Recorded | None:
        """There is no snapshot."""
        return None

    def done(self, machine: int, local: Local, snapshot: int = 0) -> bool:
        """Never."""
        return False
