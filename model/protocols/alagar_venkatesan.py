"""Alagar & Venkatesan 1994, "An optimal algorithm for distributed snapshots with causal message ordering".

The rules. The initiator sends a token to all. Whoever gets it records its state and says that it is done. When all are
done the initiator sends all a message to terminate. Messages sent before the sender had the token are old, others new.
Between token and termination a machine records the old messages that it accepts: by causal delivery no old one can
come after the termination, and no new one before the token.

Choices: the initiator is its own receiver at once; so channels from a machine to itself are refused. With one bit on
every message, 3(n - 1) messages of the algorithm. Without `causal` (broken) tokens may be overtaken. Delivery:
`model.protocols.causal`.
"""

from __future__ import annotations

from collections.abc import Iterable

from model.action import Local, Step, control
from model.errors import InputError
from model.program import Program
from model.protocols.causal import Causal, CausalDelivery, memory_of
from model.topology import Topology
from model.values import Value

TOKEN, DONE, TERMINATE = "token", "done", "terminate"


class AlagarVenkatesan(CausalDelivery):
    """A token, an answer from each, and an end: causal delivery does the rest."""

    def __init__(
        self,
        topology: Topology,
        program: Program,
        initiators: tuple[int, ...],
        *,
        causal: bool = True,
        multicast: bool = True,
    ) -> None:
        super().__init__(topology, program, initiators, causal=causal, multicast=multicast)
        for source, destination in topology.channels:
            if source == destination:
                raise InputError(f"protocol alagar-venkatesan: channel {source}>{destination} of a machine to itself")

    def begins(self, machine: int) -> Value:
        """How many are done, of the initiator; and whether it was terminated."""
        return (0, False)

    def alone(self, machine: int, local: Local, memory: Causal) -> Iterable[Step]:
        """The initiator records its state and sends the token to all."""
        if machine in self.initiators and memory.recording is None and self.program.may_initiate(machine, local.state):
            begun = self.begun(machine, local, memory)._replace(more=(1, self.topology.machines == 1))
            yield Step("record, send the token", local.state, begun, self.to_all(machine, control(TOKEN)), turns=1)

    def hear(self, machine: int, local: Local, memory: Causal, speaker: int, tag: Value) -> Iterable[Step]:
        """The token: record, and say so. All done: terminate. Terminated: the channels' records are closed."""
        assert isinstance(memory.more, tuple)
        if tag == TOKEN:
            done = self.to_each(machine, [(speaker, control(DONE))])
            yield Step("accept the token, record", local.state, self.begun(machine, local, memory), done, turns=1)
        elif tag == DONE:
            done_by = memory.more[0] + 1
            last = done_by == self.topology.machines
            sends = self.to_all(machine, control(TERMINATE)) if last else ()
            yield Step("accept done" + ", terminate" * last, local.state, memory._replace(more=(done_by, last)), sends)
        else:
            yield Step("terminate", local.state, memory._replace(more=(0, True)))

    def marked(self, memory: Causal) -> Value:
        """Old or new."""
        return "old" if memory.recording is None else "new"

    def keeps(self, machine: int, memory: Causal, channel: int, payload: Value, mark: Value) -> Causal:
        """Old ones are recorded after the token."""
        if memory.recording is None or mark != "old":
            return memory
        index = self.topology.inputs[machine].index(channel)
        return memory._replace(recording=memory.recording.add(index, payload))

    def done(self, machine: int, local: Local, snapshot: int = 0) -> bool:
        """Terminated."""
        memory = memory_of(local)
        return isinstance(memory.more, tuple) and bool(memory.more[1])
