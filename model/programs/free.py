"""The most general program: anything may be sent at any time, everything that comes is accepted and remembered."""

from __future__ import annotations

from typing import NamedTuple

from model.programs.rules import RuleProgram, per_machine
from model.relabelling import Relabelling
from model.topology import Topology
from model.values import Value


class History(NamedTuple):
    """Number sent per output channel, and the sequence accepted per input channel, in the order of the channels."""

    sent: tuple[int, ...]
    accepted: tuple[tuple[int, ...], ...]


class Free(RuleProgram):
    """Each machine sends at most s messages in all, on any output; a message is its number on its channel, from 0."""

    def __init__(self, topology: Topology, *, s: int | tuple[int, ...] = 1, atomic: str = "single") -> None:
        super().__init__(topology, atomic=atomic)
        self.sends = per_machine(s, topology, "s")

    def initial(self, machine: int) -> History:
        """Nothing sent, nothing accepted."""
        return History((0,) * len(self.topology.outputs[machine]), ((),) * len(self.topology.inputs[machine]))

    def accept(self, machine: int, state: Value, channel: int, payload: Value) -> Value | None:
        """The number goes to the end of its channel's sequence."""
        assert isinstance(state, History) and isinstance(payload, int)
        index = self.topology.inputs[machine].index(channel)
        sequence = (*state.accepted[index], payload)
        return state._replace(accepted=(*state.accepted[:index], sequence, *state.accepted[index + 1 :]))

    def send(self, machine: int, state: Value, channel: int) -> tuple[Value, Value] | None:
        """The next number of the channel, while sends are left."""
        assert isinstance(state, History)
        if sum(state.sent) >= self.sends[machine]:
            return None
        index = self.topology.outputs[machine].index(channel)
        number = state.sent[index]
        return number, state._replace(sent=(*state.sent[:index], number + 1, *state.sent[index + 1 :]))

    def relabelled(self, machine: int, state: Value, by: Relabelling) -> Value:
        """Both tuples follow their channels."""
        assert isinstance(state, History)
        return History(by.per_output(machine, state.sent), by.per_input(machine, state.accepted))
