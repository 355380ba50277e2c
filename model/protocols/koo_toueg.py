"""Koo & Toueg 1987, "Checkpointing and rollback-recovery for distributed systems": two phases, few machines, blocking.

First phase. The initiator takes a tentative checkpoint and asks each machine from which it has accepted a message since
its last checkpoint (its cohort) to take one too, telling the number of the last message accepted. A machine that is
asked does so if it sent that message after its own last checkpoint, and asks its own cohort; it answers when all that
it asked have. From its tentative checkpoint until the decision a machine sends no message of the program.

Second phase. When all have answered the initiator makes its checkpoint permanent, and tells its cohort; each machine
that hears of it does the same. After a failure all go back to their last permanent checkpoints, of which nobody else's
must be undone: there is no domino effect, and machines that have not heard of the initiator need not checkpoint.

Choices: one initiator, up to `k` times; every machine is willing. Requests, answers and decisions go from machine to
machine on ways of their own. Who has a tentative checkpoint when all fail asks the initiator for the decision.
Broken: `blocking=false`, machines go on sending; `forwards=false`, nobody but the initiator asks its cohort.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from model.action import Local, Message, Step, control
from model.errors import InputError
from model.program import Program
from model.protocols.talking import Talking
from model.recovery.checkpointing import Checkpointing
from model.recovery.pattern import History, Line
from model.topology import Topology
from model.values import Value

Sends = tuple[tuple[int, Message], ...]
ANSWER = control(("answer", 0, ()))


class Round(NamedTuple):
    """The round's number; while tentative also who asked (itself, if initiator), the cohort, how many are to answer."""

    number: int = 0
    asked_by: int | None = None
    cohort: tuple[int, ...] = ()
    waits: int = 0


class KooToueg(Talking, Checkpointing):
    """A tentative checkpoint of those whose messages count, made permanent together; nobody sends in between."""

    everyone = False
    lines = ("permanent",)

    def __init__(
        self,
        topology: Topology,
        program: Program,
        initiators: tuple[int, ...],
        *,
        k: int = 1,
        log: bool = True,
        blocking: bool = True,
        forwards: bool = True,
    ) -> None:
        if len(initiators) != 1:
            raise InputError(f"protocol koo-toueg: initiators {list(initiators)}: accepted is one")
        super().__init__(topology, program, initiators, k=k, log=log, line="permanent")
        self.blocking, self.forwards = blocking, forwards

    def begin(self, machine: int) -> Value:
        """No round."""
        return Round()

    def steps(self, machine: int, local: Local, offered: Mapping[int, Message]) -> Iterable[Step]:
        """Begin a round; be asked, answered, told; act, but send nothing while tentative."""
        history = self.history(local)
        now = round_of(history)
        if not offered and machine in self.initiators and self.may_checkpoint(machine, local) and now.asked_by is None:
            yield self.take("take a tentative checkpoint", machine, local, now.number + 1, machine)
        told = [(c, message) for c, message in offered.items() if message.control]
        if len(told) == len(offered) == 1:
            yield from self.hear(machine, local, self.speaker(told[0][0]), told[0][1])
        elif not told:
            for step in super().steps(machine, local, offered):
                if step.action is not None and not (self.blocking and now.asked_by is not None and step.action.sends):
                    yield step

    # First phase.

    def take(self, name: str, machine: int, local: Local, number: int, asked_by: int) -> Step:
        """A tentative checkpoint; the cohort is asked; without one there is nothing to wait for."""
        history = self.history(local)
        cohort = self.cohort(machine, history) if self.forwards or asked_by == machine else {}
        history = self.checkpoint(machine, local.state, history, forced=asked_by != machine)
        history = history._replace(clock=Round(number, asked_by, tuple(cohort), len(cohort)))
        asked = ((other, control(("asked", number, last))) for other, last in cohort.items())
        return self.go_on(name, machine, local, history, self.to_each(machine, asked))

    def cohort(self, machine: int, history: History) -> dict[int, tuple[tuple[int, int], ...]]:
        """Those from whom it has accepted since its last checkpoint: by channel, the last message's number."""
        found: dict[int, tuple[tuple[int, int], ...]] = {}
        for channel, accepted in zip(self.topology.inputs[machine], history.accepted, strict=True):
            since = [number for number, interval in accepted if interval == history.interval]
            source = self.topology.channels[channel][0]
            if since and source != machine:
                found[source] = (*found.get(source, ()), (channel, max(since)))
        return found

    def hear(self, machine: int, local: Local, source: int, message: Message) -> Iterable[Step]:
        """Asked: a tentative checkpoint, if need be. Answered: one less to wait for. Told: permanent."""
        history = self.history(local)
        now = round_of(history)
        assert isinstance(message.tag, tuple)
        (word, number, last), sent = message.tag, dict(zip(self.topology.outputs[machine], history.sent, strict=True))
        if word == "answer":
            yield self.go_on("answered", machine, local, history._replace(clock=now._replace(waits=now.waits - 1)))
        elif word == "told" and (now.asked_by is None or now.number != number):
            yield Step("told: permanent already", local.state, history)
        elif word == "told":
            yield self.permanent("told: make it permanent", machine, local, history)
        elif now.number == number or not any(sent[channel][n][0] == history.interval for channel, n in last):
            yield Step("asked: no need", local.state, history, ((self.way(machine, source), ANSWER),))
        elif now.asked_by is None:  # else it waits for the decision of the round before
            yield self.take("asked: take a tentative checkpoint", machine, local, number, source)

    def go_on(self, name: str, machine: int, local: Local, history: History, sends: Sends = ()) -> Step:
        """When all have answered: answer too; or, as initiator, decide."""
        now = round_of(history)
        if now.waits or now.asked_by is None:
            return Step(name, local.state, history, sends)
        if now.asked_by != machine:
            return Step(name, local.state, history, (*sends, (self.way(machine, now.asked_by), ANSWER)))
        return self.permanent(f"{name}, make it permanent", machine, local, history)

    # Second phase.

    def permanent(self, name: str, machine: int, local: Local, history: History) -> Step:
        """The checkpoint is permanent; the cohort is told."""
        now = round_of(history)
        told = ((other, control(("told", now.number, ()))) for other in now.cohort)
        return Step(name, local.state, history._replace(clock=Round(now.number)), self.to_each(machine, told))

    def recovery_line(self, histories: Sequence[History]) -> Line:
        """The last checkpoints; a tentative one only if the initiator has decided."""
        rounds = [round_of(history) for history in histories]
        (decided,) = (rounds[m].number - (rounds[m].asked_by is not None) for m in self.initiators)
        undecided = [r.asked_by is not None and r.number > decided for r in rounds]
        return tuple(h.interval - tentative for h, tentative in zip(histories, undecided, strict=True))


def round_of(history: History) -> Round:
    """What the machine knows of the round."""
    assert isinstance(history.clock, Round)
    return history.clock
