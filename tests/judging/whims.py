"""Random small protocols that begin, forget and discard as a seed says; and a judge of runs that shares no code."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from random import Random
from typing import NamedTuple

from model.action import Action, Local, Message, Step, control
from model.assumptions import parse_relaxations
from model.program import Program
from model.programs.free import Free
from model.protocol import Protocol, Recorded, payloads
from model.system import State, System
from model.topology import Topology
from model.values import Value

NETWORKS = (
    Topology(2, ((0, 1),)),
    Topology(2, ((0, 1), (1, 0))),
    Topology(2, ((0, 1), (0, 1))),
    Topology(1, ((0, 0),)),
    Topology(3, ((0, 1), (1, 2))),
)
RELAXATIONS = ("", "", "", "fifo", "loss:1", "marker-duplication:1", "crash:1")


class Whim(Protocol):
    """Memory is (phase, acts left): what a machine does in a phase, and which phases count as done, the seed says."""

    def __init__(self, topology: Topology, program: Program, initiators: tuple[int, ...], seed: int = 0) -> None:
        super().__init__(topology, program, initiators)
        self.seed = seed

    def draw(self, *key: object) -> Random:
        return Random(repr((self.seed, *key)))

    def initial(self, machine: int) -> tuple[int, int]:
        return 0, 0 if self.draw("idle").random() < 0.15 else 1 + self.draw("left", machine).randrange(2)

    def steps(self, machine: int, local: Local, offered: Mapping[int, Message]) -> Iterable[Step]:
        if not any(m.control for m in offered.values()):
            for action in self.underlying(machine, local, offered):
                yield Step(action.name, action.state, local.memory, payloads(action), action)
        assert isinstance(local.memory, tuple)
        phase, left = local.memory
        marked = bool(offered) and all(m.control for m in offered.values())
        if marked or (not offered and left):
            draw = self.draw(machine, phase, left, sorted(offered), local.red)
            outputs = [c for c in self.topology.outputs[machine] if left and draw.random() < 0.6]
            turns = int(not local.red and draw.random() < 0.85)
            sends = tuple((c, control(draw.randrange(2))) for c in outputs)
            memory = (draw.randrange(3), max(0, left - 1))
            yield Step("whim", local.state, memory, sends, turns=turns)

    def recorded(self, machine: int, local: Local, snapshot: int = 0) -> Recorded | None:
        return Recorded(local.state, ((),) * len(self.topology.inputs[machine])) if local.red else None

    def done(self, machine: int, local: Local, snapshot: int = 0) -> bool:
        assert isinstance(local.memory, tuple)
        return bool(local.red) and self.draw("done", machine, local.memory[0]).random() < 0.85

    def outstanding(self, machine: int, local: Local, snapshot: int = 0) -> int:
        assert isinstance(local.memory, tuple)
        return self.draw("owed", local.memory[0]).choice((0, 0, 0, 0, 0, 0, 1, -1))


class Mood(NamedTuple):
    """What a machine of a random program knows: which phase it is in, how much it sent, and what it accepted."""

    phase: int
    sent: tuple[int, ...]
    accepted: tuple[tuple[int, ...], ...]


class Moody(Program):
    """A random program: what a machine does in a phase or makes of a message, the seed says; each acts once."""

    def __init__(self, topology: Topology, seed: int = 0) -> None:
        super().__init__(topology)
        self.seed = seed

    def initial(self, machine: int) -> Mood:
        return Mood(machine % 2, (0,), ((),))

    def actions(self, machine: int, state: Value, offered: Mapping[int, Value]) -> Iterable[Action]:
        assert isinstance(state, Mood)
        draw = Random(repr((self.seed, machine, state.phase, sorted(offered.items()))))
        outputs, (sent,) = self.topology.outputs[machine], state.sent
        for channel, payload in offered.items():
            if draw.random() < 0.9:
                taken = ((*state.accepted[0], draw.randrange(2))[-2:],)
                yield Action("take", Mood(draw.randrange(3), state.sent, taken), {channel: payload})
        if not offered and not sent and draw.random() < 0.8:
            chosen = [c for c in outputs if draw.random() < 0.7]
            sends = {c: draw.randrange(2) for c in chosen[:1]}
            yield Action("act", Mood(draw.randrange(3), (sent + 1,), state.accepted), sends=sends)


def whim(seed: int, moody: bool = False) -> System:
    """The system of this seed; all its runs end."""
    draw = Random(seed)
    network = NETWORKS[draw.randrange(len(NETWORKS))]
    program: Program = Free(network, s=draw.randrange(2))
    if moody:
        program = Moody(network, seed)
    relax = parse_relaxations(RELAXATIONS[draw.randrange(len(RELAXATIONS))])
    return System(network, program, Whim(network, program, (0,), seed), relax)


Phase = tuple[bool, bool, bool]
"""Of a run so far: whether a snapshot has begun; since then, whether all machines were red, and one was complete."""


def ends(system: System) -> Iterator[tuple[int, Phase]]:
    """For each way in which a run can end: the fewest actions to it, and what has been."""
    (start,) = system.initial_states()
    here: set[tuple[State, Phase]] = {(start, (False, False, False))}
    seen, length = set(here), 0
    while here:
        following: set[tuple[State, Phase]] = set()
        for state, phase in here:
            events = list(system.events(state))
            if all(event.fault is not None for event in events):
                yield length, phase
            for event in events:
                after = system.step(state, event)
                following.add((after, _next(system, phase, event.moves, after)))
        here = following - seen
        seen |= here
        length += 1


def _next(system: System, phase: Phase, moves: Iterable[object], after: State) -> Phase:
    begun, red, complete = phase
    for move in moves:
        begun = begun or move.step.turns != 0 or any(m.control for _, m in move.sends)  # type: ignore[attr-defined]
    if begun:
        red = red or all(local.red for local in after.machines)
        complete = complete or system.complete(after)
    return begun, red, complete


def verdicts(system: System) -> dict[str, int | None]:
    """The length of the shortest violation of each claim about goals; None where none is violated."""
    missed: dict[str, int | None] = {"all-red": None, "completes": None, "completes-unfair": None}
    for length, (begun, red, complete) in ends(system):
        for name, reached in (("all-red", red), ("completes", complete), ("completes-unfair", complete)):
            if begun and not reached and missed[name] is None:
                missed[name] = length
    return missed


def begins(system: System) -> bool:
    """Whether some run begins a snapshot."""
    return any(begun for _, (begun, _, _) in ends(system))
