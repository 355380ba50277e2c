"""A diffusing computation (Dijkstra & Scholten 1980): work spreads by messages and ends in a stable quiescence."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from model.action import Action
from model.program import Underlying
from model.programs.rules import RuleProgram, per_machine
from model.topology import Topology
from model.values import Value

WORK = "work"


class Worker(NamedTuple):
    """Whether the machine is active, and how many more messages it may send."""

    active: bool
    sends: int


class Diffusing(RuleProgram):
    """Machine 0 is active at first; accepting makes active; an active machine may send, or become passive."""

    def __init__(self, topology: Topology, *, s: int | tuple[int, ...] = 1, atomic: str = "single") -> None:
        super().__init__(topology, atomic=atomic)
        self.sends = per_machine(s, topology, "s")

    def initial(self, machine: int) -> Worker:
        """Machine 0 active, the others passive."""
        return Worker(machine == 0, self.sends[machine])

    def accept(self, machine: int, state: Value, channel: int, payload: Value) -> Value | None:
        """Active from now on."""
        assert isinstance(state, Worker)
        return Worker(True, state.sends)

    def send(self, machine: int, state: Value, channel: int) -> tuple[Value, Value] | None:
        """While active and sends are left."""
        assert isinstance(state, Worker)
        return (WORK, Worker(True, state.sends - 1)) if state.active and state.sends else None

    def internal(self, machine: int, state: Value) -> Iterator[Action]:
        """Become passive."""
        assert isinstance(state, Worker)
        if state.active:
            yield Action("become passive", Worker(False, state.sends))

    def record(self, machine: int, state: Value) -> Value:
        """Active or not; the sends left bound the exploration and are not the machine's to know."""
        assert isinstance(state, Worker)
        return state.active

    def stable_predicates(self) -> Mapping[str, Callable[[Underlying], bool]]:
        """terminated: all machines passive and all channels empty."""
        return {"terminated": lambda state: not any(state.machines) and not any(state.channels)}
