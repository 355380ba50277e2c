"""Kshemkalyani 2010, "Fast and message-efficient global snapshot algorithms for large-scale distributed systems".

Machines record as in `laiyang`: messages carry a colour, and whoever is to accept a red one records first. How many
white messages each must wait for is summed up over an overlay, in few messages and little time. The rules.

*Tree* (`overlay=tree`). The initiator is the root. A request goes down the tree; each machine records, if it has not,
and passes it on. Each adds up, for every machine, the white messages sent to it by itself and by those below, and sends
the sums up. The root sends the totals down. Whoever has accepted as many as the total says is done.

*Hypercube* (`overlay=hypercube`, of 1, 2, 4, ... machines). Who records starts to exchange sums: in round r with the
machine whose number differs in bit r, adding what it gets. After the last round everyone has the totals. A machine that
has not recorded when it gets sums records first, and starts.

Choices: the tree is binary, in the order of the machines from the initiator on; one initiator. White messages are
numbered, as in `laiyang`. Broken: `waits=false`, nobody waits for the white messages that the totals tell of.
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

Sums = tuple[int, ...]


class Summing(NamedTuple):
    """sums: those so far, None before they are begun. heard: how many have added to them (below, or rounds).

    early: sums that came for later rounds. expected: how many white messages are sent to the machine, once known.
    """

    sums: Sums | None = None
    heard: int = 0
    early: tuple[tuple[int, Sums], ...] = ()
    expected: int | None = None


class Kshemkalyani(Talking, LaiYang):
    """Colours on the messages, and sums over a tree or a hypercube."""

    def __init__(
        self,
        topology: Topology,
        program: Program,
        initiators: tuple[int, ...],
        *,
        overlay: str = "tree",
        waits: bool = True,
    ) -> None:
        if len(initiators) != 1 or overlay not in ("tree", "hypercube"):
            raise InputError(
                f"{len(initiators)} initiators, overlay={overlay}: tree or hypercube; of initiators accepted is one"
            )
        if overlay == "hypercube" and topology.machines & (topology.machines - 1):
            raise InputError(f"overlay=hypercube of {topology.machines} machines: accepted are 1, 2, 4, ...")
        super().__init__(topology, program, initiators, convenience=False)
        self.tree, self.waits = overlay == "tree", waits
        order = [(initiators[0] + place) % topology.machines for place in range(topology.machines)]
        self.below = {m: [order[c] for c in (2 * p + 1, 2 * p + 2) if c < len(order)] for p, m in enumerate(order)}
        self.above = {child: machine for machine, children in self.below.items() for child in children}
        self.rounds = (topology.machines - 1).bit_length()

    def initial(self, machine: int) -> Counted:
        """Nothing summed."""
        return super().initial(machine)._replace(more=Summing())

    def steps(self, machine: int, local: Local, offered: Mapping[int, Message]) -> Iterable[Step]:
        """Begin; a request, sums, totals; act, recording first before a red message."""
        told = [(c, message) for c, message in offered.items() if message.control]
        if len(told) == len(offered) == 1:
            yield self.hear(machine, local, self.memory(local), self.speaker(told[0][0]), told[0][1])
        elif not told:
            for step in super().steps(machine, local, offered):
                if step.name == "turn red":
                    assert isinstance(step.memory, Counted)
                    memory, sends = self.start(machine, step.memory)
                    yield step._replace(memory=memory, sends=sends)
                else:
                    yield step

    def hear(self, machine: int, local: Local, memory: Counted, speaker: int, message: Message) -> Step:
        """Record and start, if that has not been; then what was said."""
        assert isinstance(message.tag, tuple)
        word, sums = message.tag
        turns = memory.recording is None
        if turns:
            memory = self.begin(machine, local.state, memory)
        memory, sends = self.start(machine, memory) if summing(memory).sums is None else (memory, Sends())
        now = summing(memory)
        if word == "totals":
            more = now._replace(expected=sums[machine])
            memory = memory._replace(more=more)
            sends = (*sends, *self.to_each(machine, [(m, control(("totals", sums))) for m in self.below[machine]]))
        elif word == "sums":
            early = (*now.early, (0 if self.tree else (machine ^ speaker).bit_length() - 1, sums))
            memory, answers = self.add(machine, memory._replace(more=now._replace(early=tuple(sorted(early)))))
            sends = (*sends, *answers)
        return Step(f"accept {word}" + ", turn red" * turns, local.state, memory, sends, turns=int(turns))

    # Summing up.

    def start(self, machine: int, memory: Counted) -> tuple[Counted, Sends]:
        """The own sums; down the tree goes the request, to the first partner the sums."""
        sums = [0] * self.topology.machines
        for channel, sent in zip(self.topology.outputs[machine], memory.sent, strict=True):
            sums[self.topology.channels[channel][1]] += sent
        memory = memory._replace(more=summing(memory)._replace(sums=tuple(sums)))
        said = [(m, control(("request", ()))) for m in self.below[machine]] if self.tree else []
        if not self.tree and self.rounds:
            said = [(machine ^ 1, control(("sums", tuple(sums))))]
        memory, sends = self.add(machine, memory)
        return memory, (*self.to_each(machine, said), *sends)

    def add(self, machine: int, memory: Counted) -> tuple[Counted, Sends]:
        """What has come is added; when all below have been heard, up or (root) down; after each round, to the next."""
        now, said = summing(memory), list[tuple[int, Message]]()
        while now.sums is not None and now.early and (self.tree or now.early[0][0] == now.heard):
            sums = tuple(a + b for a, b in zip(now.sums, now.early[0][1], strict=True))
            now = now._replace(sums=sums, heard=now.heard + 1, early=now.early[1:])
            if not self.tree and now.heard < self.rounds:
                said.append((machine ^ 1 << now.heard, control(("sums", sums))))
        if now.sums is not None and now.heard == (len(self.below[machine]) if self.tree else self.rounds):
            if self.tree and machine in self.above:
                said.append((self.above[machine], control(("sums", now.sums))))
            else:
                now = now._replace(expected=now.sums[machine])
                said += [(m, control(("totals", now.sums))) for m in self.below[machine]] if self.tree else []
        return memory._replace(more=now), self.to_each(machine, said)

    def done(self, machine: int, local: Local, snapshot: int = 0) -> bool:
        """As many white messages are accepted as were sent."""
        memory, expected = self.memory(local), summing(self.memory(local)).expected
        return expected is not None and (not self.waits or sum(memory.sent) - memory.balance >= expected)

    def outstanding(self, machine: int, local: Local, snapshot: int = 0) -> int:
        """Nothing: each knows what to wait for."""
        return 0


def summing(memory: Counted) -> Summing:
    """What the machine has summed up."""
    assert isinstance(memory.more, Summing)
    return memory.more
