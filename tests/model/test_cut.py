"""The white projection is what white actions sent and have not accepted, message by message, equal payloads or not."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from random import Random

import pytest

from checker.engines.reference.engine import judge
from model.action import Action, Message
from model.assumptions import parse_relaxations
from model.cut import begin, extend
from model.families import parse_family
from model.program import Program
from model.properties import chosen
from model.protocol import Protocol
from model.protocols.concurrent import Concurrent
from model.protocols.marker import Marker
from model.protocols.recorded_cut import RecordedCut
from model.system import System
from model.topology import Topology
from model.values import Value
from model.verdict import Outcome


class Writer(Program):
    """Machine 0 sends the letters of `word` in order; whoever accepts a letter keeps a count of them."""

    def __init__(self, topology: Topology, word: str, numbered: bool = False) -> None:
        super().__init__(topology)
        self.word, self.numbered = word, numbered

    def initial(self, machine: int) -> Value:
        return 0

    def actions(self, machine: int, state: Value, offered: Mapping[int, Value]) -> Iterator[Action]:
        assert isinstance(state, int)
        if offered:
            yield Action("keep", state + (machine != 0), offered)
        elif machine == 0 and state < len(self.word):
            letter = self.word[state]
            yield Action("write", state + 1, sends={0: (letter, state) if self.numbered else letter})


def writing(word: str, relax: str, snapshots: int = 1, numbered: bool = False) -> System:
    topology = parse_family("edges:0>1,1>0")
    program = Writer(topology, word, numbered)
    protocol = Concurrent(topology, program, (1,), k=snapshots) if snapshots > 1 else Marker(topology, program, (1,))
    return System(topology, program, protocol, parse_relaxations(relax))


def test_a_loss_between_equal_payloads_leaves_the_run_equivalent() -> None:
    system = writing("aba", "loss:1")
    (found,) = judge(system, chosen(system, ("equivalent",))).properties
    assert found.outcome is Outcome.HOLDS


@pytest.mark.parametrize("relax", ["", "loss:1", "overtake:1", "overtake:2", "overtake:1,loss:1", "overtake:2,loss:2"])
@pytest.mark.parametrize("snapshots", [1, 3])
def test_equal_payloads_are_told_apart(relax: str, snapshots: int) -> None:
    system = writing("abaab", relax, snapshots, numbered=True)
    rich = 0
    for seed in range(300):
        random = Random(seed)
        (state,) = system.initial_states()
        cuts = [{begin(system, state)}] * snapshots
        white: list[list[Value]] = [[] for _ in range(snapshots)]
        for _ in range(60):
            events = list(system.events(state))
            if not events:
                break
            event = random.choice(events)
            plain, contents = _without_numbers((event, state.channels))
            for snapshot in range(snapshots):
                cuts[snapshot] = {
                    after for cut in cuts[snapshot] for after in extend(system, snapshot, cut, plain, contents)
                }
                follow(white[snapshot], snapshot, event)
                expected = tuple(letter for letter, _ in white[snapshot])  # type: ignore[misc]
                assert expected in {cut.channels[0] for cut in cuts[snapshot]}, (seed, snapshot, event)
                rich += len(expected) > len(set(expected))
            state = system.step(state, event)
    assert rich > 100


def follow(white: list[Value], snapshot: int, event) -> None:  # type: ignore[no-untyped-def]
    """The white projection of channel 0 by the numbers that the messages bear."""
    for move in event.moves:
        if not move.acting >> snapshot & 1:
            for accepted in move.accepts:
                if accepted.channel == 0 and not accepted.message.control and not accepted.message.red >> snapshot & 1:
                    white.remove(accepted.message.payload)
            white.extend(m.payload for channel, m in move.sends if channel == 0 and not m.control)
    fault = event.fault
    if fault is not None and fault.channel == 0 and not fault.message.control and not fault.message.red >> snapshot & 1:
        white.remove(fault.message.payload)


def _without_numbers(value):  # type: ignore[no-untyped-def]
    """The same, every program message bearing its letter only."""
    if isinstance(value, Message):
        return value if value.control else value._replace(payload=value.payload[0])
    if isinstance(value, tuple):
        parts = [_without_numbers(part) for part in value]
        return type(value)(*parts) if hasattr(value, "_fields") else tuple(parts)
    return value


def test_the_recorded_cut_asks_the_other_protocol_for_everything() -> None:
    """A protocol's method that this one does not hand on would be answered by the default."""
    own = {name for name in vars(RecordedCut) if not name.startswith("_")}
    asked = {name for name, value in vars(Protocol).items() if callable(value) and not name.startswith("_")}
    assert asked - own == {
        "outstanding",
        "underlying",
    }  # nothing is outstanding; what the program does is asked the same way
