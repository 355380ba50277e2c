"""Random local automata and random, mostly broken, snapshot protocols: what engines are compared on."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from random import Random
from typing import NamedTuple

from model.action import Action, Local, Message, Step
from model.assumptions import parse_relaxations
from model.program import Program, Underlying
from model.protocols.marker import Marker
from model.recording import Recording
from model.system import System
from model.topology import Topology
from model.values import Value


class Place(NamedTuple):
    """A state of the automaton, and how many messages it may still send."""

    state: int
    sends: int


class Automaton(Program):
    """Three states, two payloads; what is allowed where is drawn from the seed. Sends are bounded, so runs are not."""

    conserves = "sums"

    def __init__(self, topology: Topology, seed: int, joint: bool) -> None:
        super().__init__(topology)
        self.seed, self.multi_channel = seed, joint

    def draw(self, *key: object) -> Random:
        return Random(repr((self.seed, *key)))

    def initial(self, machine: int) -> Value:
        return Place(self.draw("start", machine).randrange(3), self.draw("sends", machine).randrange(3))

    def actions(self, machine: int, state: Value, offered: Mapping[int, Value]) -> Iterator[Action]:
        assert isinstance(state, Place)
        draw = self.draw(machine, state.state, sorted(offered.items()))
        for number in range(1 if offered else 2):
            sends: dict[int, Value] = {}
            outputs = self.topology.outputs[machine]
            if state.sends and outputs and draw.random() < (0.3 if offered else 0.8):
                sends[draw.choice(outputs)] = draw.randrange(2)
            after = Place(draw.randrange(3), state.sends - len(sends))
            if draw.random() < 0.75 and (offered or sends or after != state):
                yield Action(f"act {number}", after, dict(offered), sends)

    def record(self, machine: int, state: Value) -> Value:
        assert isinstance(state, Place)
        return state.state

    def held(self, machine: int, recorded: Value) -> int:
        assert isinstance(recorded, int)
        return recorded if self.seed % 2 else 0

    def carried(self, payload: Value) -> int:
        assert isinstance(payload, int)
        return payload if self.seed % 3 else 0

    def stable_predicates(self) -> Mapping[str, Callable[[Underlying], bool]]:
        return {"first-is-2": lambda state: state.machines[0] == 2}


FAULTS = ("nothing", "state", "channel", "marker", "meddle", "refuse", "again")


class Wild(Marker):
    """The marker algorithm with one kind of mistake, made where the seed says."""

    def __init__(
        self, topology: Topology, program: Program, initiators: tuple[int, ...], seed: int, fault: str
    ) -> None:
        super().__init__(topology, program, initiators, mixed=bool(seed % 2) and program.multi_channel)
        self.seed, self.fault = seed, fault

    def strikes(self, fault: str, *key: object) -> bool:
        return self.fault == fault and Random(repr((self.seed, *key))).random() < 0.5

    def steps(self, machine: int, local: Local, offered: Mapping[int, Message]) -> Iterator[Step]:
        if not (offered and self.strikes("refuse", machine, local.state, sorted(offered))):
            yield from super().steps(machine, local, offered)

    def turn_red(self, machine: int, local: Local) -> Step:
        step = super().turn_red(machine, local)
        if self.strikes("meddle", machine) and isinstance(local.state, Place):
            return Step(step.name, local.state._replace(state=0), step.memory, step.sends, turns=1)
        return step

    def begin(self, machine: int, local: Local) -> Recording:
        begun = super().begin(machine, local)
        return begun._replace(state=0) if self.strikes("state", machine, local.state) else begun

    def markers(self, machine: int) -> tuple[tuple[int, Message], ...]:
        return tuple(m for m in super().markers(machine) if not self.strikes("marker", m[0]))

    def record(self, machine: int, recording: Recording, messages: Mapping[int, Message]) -> Recording:
        return recording if self.strikes("channel", machine) else super().record(machine, recording, messages)

    def close(self, machine: int, recording: Recording, channel: int) -> Recording:
        return recording if self.strikes("again", channel) else super().close(machine, recording, channel)


TOPOLOGIES = (
    Topology(2, ((0, 1), (1, 0))),
    Topology(2, ((0, 1), (0, 1), (1, 0))),
    Topology(1, ((0, 0),)),
    Topology(3, ((0, 1), (1, 2), (2, 0))),
    Topology(3, ((0, 1), (1, 0), (1, 2), (2, 1))),
    Topology(3, ((0, 1), (0, 2), (1, 2))),
)
RELAXATIONS = (
    "",
    "",
    "fifo",
    "overtake:1",
    "loss:1",
    "duplication:1",
    "marker-loss:1",
    "marker-duplication:1",
    "crash:1",
)


def random_system(topology: int, seed: int, fault: int, relax: int, joint: bool, initiators: int) -> System:
    """The system with these choices."""
    network = TOPOLOGIES[topology]
    program = Automaton(network, seed, joint)
    chosen = tuple(m for m in range(network.machines) if initiators >> m & 1) or (0,)
    protocol = Wild(network, program, chosen, seed, FAULTS[fault])
    return System(network, program, protocol, parse_relaxations(RELAXATIONS[relax]))
