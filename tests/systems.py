"""Hypothesis strategies for small topologies, programs, protocols and relaxations."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from random import Random

from hypothesis import strategies as st

from model.action import Action
from model.assumptions import parse_relaxations
from model.catalogue import PROTOCOLS, build_system
from model.program import Program
from model.system import System
from model.topology import Topology
from model.values import Value

PROTOCOL_NAMES = (
    "marker",
    "magic",
    "magic,guard=false",
    "simultaneous",
    "late-marker",
    "lazy-marker",
    "late-record",
    "missing-marker",
    "no-channel-state",
    "keep-recording",
    "overwrite",
    "early-complete",
    "duplicate-log",
)
RELAXATIONS = ("", "fifo", "overtake:1", "loss:1", "duplication:1", "marker-loss:1", "marker-duplication:1", "crash:1")


class Automaton(Program):
    """A random program: states 0..2 of a machine that move, send and accept as a seed says, with bounded sends."""

    def __init__(self, topology: Topology, seed: int, sends: int = 2, joint: bool = False) -> None:
        super().__init__(topology)
        self.seed, self.sends, self.multi_channel = seed, sends, joint

    def initial(self, machine: int) -> Value:
        return (0, self.sends)

    def actions(self, machine: int, state: Value, offered: Mapping[int, Value]) -> Iterator[Action]:
        assert isinstance(state, tuple)
        at, left = state
        random = Random(f"{self.seed} {machine} {at} {sorted(offered.items())}")
        for number in range(random.randint(0, 2)):
            after = random.randint(0, 2)
            outputs = self.topology.outputs[machine]
            most = min(left, len(outputs), 2 if self.multi_channel else (0 if offered else 1))
            channels = random.sample(outputs, random.randint(0, most)) if most else []
            if not offered and not channels and after == at:
                continue
            sends = {channel: random.randint(0, 1) for channel in channels}
            yield Action(f"a{number}", (after, left - len(sends)), dict(offered), sends)


@st.composite
def topologies(draw: st.DrawFn, most: int = 3) -> Topology:
    """Up to `most` machines, up to 3 channels: parallel and self-channels too, not always connected."""
    machines = draw(st.integers(1, most))
    ends = st.tuples(st.integers(0, machines - 1), st.integers(0, machines - 1))
    return Topology(machines, tuple(draw(st.lists(ends, min_size=1, max_size=3))))


@st.composite
def systems(draw: st.DrawFn) -> System:
    """A small system: a random automaton or a program of the catalogue under a protocol and a relaxation."""
    topology = draw(topologies())
    protocol = draw(st.sampled_from(PROTOCOL_NAMES))
    relax = draw(st.sampled_from(RELAXATIONS))
    initiators = draw(st.sampled_from(("0", "0", "any")))
    name = draw(st.sampled_from(("transfer", "free", "token,hops=2", "diffusing", "automaton", "automaton")))
    if name != "automaton":
        return build_system(topology, name, protocol, initiators, relax)
    program = Automaton(topology, draw(st.integers(0, 10**6)), draw(st.integers(0, 1)), draw(st.booleans()))
    options = {"guard": False} if "guard=false" in protocol else {}
    machines = tuple(range(topology.machines)) if initiators == "any" else (0,)
    superposed = PROTOCOLS[protocol.split(",")[0]](topology, program, machines, **options)  # type: ignore[arg-type]
    return System(topology, program, superposed, parse_relaxations(relax))
