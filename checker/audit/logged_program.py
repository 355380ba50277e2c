"""The underlying computation that a log tells: each machine does what its next line says, and nothing else."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from checker.audit.events import ACCEPT, START, Channel, Event
from checker.audit.history import History, Point
from model.action import Action
from model.program import Program
from model.topology import Topology
from model.values import Value


class Logged(Program):
    """The computation that a log tells: a machine's state is how many of its actions it has done."""

    def __init__(self, topology: Topology, history: History, names: list[str], channels: Mapping[Channel, int]) -> None:
        super().__init__(topology)
        self._actions: list[list[Action]] = []
        self._states: list[list[str | None]] = []
        for name in names:
            own: list[Action] = []
            states = history.states[name]
            before: list[str | None] = [states[0]]
            for position, event in enumerate(history.machines[name]):
                if acts(history, (name, position)):
                    carried = {}
                    if event.channel is not None and event.message is not None:
                        carried = {channels[event.channel]: payload(event)}
                    accepts, sends = (carried, {}) if event.kind == ACCEPT else ({}, carried)
                    own.append(Action(event.kind, len(own) + 1, accepts, sends))
                    before.append(states[position + 1])
            self._actions.append(own)
            self._states.append(before)

    def initial(self, machine: int) -> Value:
        """Nothing done."""
        return 0

    def actions(self, machine: int, state: Value, offered: Mapping[int, Value]) -> Iterable[Action]:
        """The next one of the log."""
        assert isinstance(state, int)
        return self._actions[machine][state : state + 1]

    def record(self, machine: int, state: Value) -> Value:
        """The state that the log says, None where it says none."""
        assert isinstance(state, int)
        return self._states[machine][state]


def acts(history: History, point: Point) -> bool:
    """Whether the line is an action of the computation: all but those about snapshots that leave the state."""
    event, (machine, position) = history.at(point), point
    if event.snapshot is None:
        return event.kind != START or position > 0
    states = history.states[machine]
    return states[position] != states[position + 1]


def payload(event: Event) -> Value:
    """A message, with what pairs it with its accept."""
    return str(event.message), event.pair
