"""Machines that transfer units (money) to one another; what snapshots are usually explained with."""

from __future__ import annotations

from typing import NamedTuple

from model.programs.rules import RuleProgram, per_machine
from model.topology import Topology
from model.values import Value

UNIT = 1


class Account(NamedTuple):
    """A machine's balance, and how many more units it may send."""

    balance: int
    sends: int


class Transfer(RuleProgram):
    """send(c): one unit less, one unit on c, while balance and sends last. accept(c): one unit more."""

    conserves = "units"

    def __init__(
        self,
        topology: Topology,
        *,
        b: int | tuple[int, ...] = 1,
        s: int | tuple[int, ...] = 1,
        atomic: str = "single",
    ) -> None:
        super().__init__(topology, atomic=atomic)
        self.balances = per_machine(b, topology, "b")
        self.sends = per_machine(s, topology, "s")

    def initial(self, machine: int) -> Account:
        """The balance and the sends it begins with."""
        return Account(self.balances[machine], self.sends[machine])

    def accept(self, machine: int, state: Value, channel: int, payload: Value) -> Value | None:
        """One unit more."""
        assert isinstance(state, Account)
        return Account(state.balance + 1, state.sends)

    def send(self, machine: int, state: Value, channel: int) -> tuple[Value, Value] | None:
        """One unit less, while there is one and sends are left."""
        assert isinstance(state, Account)
        if not (state.balance and state.sends):
            return None
        return UNIT, Account(state.balance - 1, state.sends - 1)

    def record(self, machine: int, state: Value) -> Value:
        """The balance; the sends left bound the exploration and are not the machine's to know."""
        assert isinstance(state, Account)
        return state.balance

    def held(self, machine: int, recorded: Value) -> int:
        """The balance."""
        assert isinstance(recorded, int)
        return recorded

    def carried(self, payload: Value) -> int:
        """One unit a message."""
        return 1
