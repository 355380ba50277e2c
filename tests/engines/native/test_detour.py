"""A program's messages on the protocol's own channels are outside the computation, for native as for the reference."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from checker.engines.native import engine
from checker.engines.reference import engine as reference
from model.action import Local, Message, Step
from model.assumptions import Assumptions
from model.families import parse_family
from model.programs.transfer import Transfer
from model.properties import chosen
from model.protocol import NoSnapshot, payloads
from model.system import System
from model.verdict import Outcome


class Detour(NoSnapshot):
    """What machine 0 sends to 1 takes a channel of the protocol's own, where no one counts it."""

    def control_channels(self) -> tuple[tuple[int, int], ...]:
        return ((0, 1),)

    def steps(self, machine: int, local: Local, offered: Mapping[int, Message]) -> Iterable[Step]:
        at = {0 if channel == 2 else channel: message for channel, message in offered.items()}
        for action in self.underlying(machine, local, at):
            sends = tuple((2 if channel == 0 else channel, message) for channel, message in payloads(action))
            yield Step(action.name, action.state, None, sends, action)


def test_a_unit_on_a_channel_of_the_protocols_own_is_missing() -> None:
    topology = parse_family("edges:0>1,1>0")
    program = Transfer(topology, b=1, s=1)
    system = System(topology, program, Detour(topology, program, ()), Assumptions())
    asked = chosen(system, ("conservation",))
    verdicts = [judge(system, asked).properties[0] for judge in (reference.judge, engine.judge)]
    assert [v.outcome for v in verdicts] == [Outcome.VIOLATED] * 2
    assert [v.length for v in verdicts] == [1, 1]
