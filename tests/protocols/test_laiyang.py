"""Lai & Yang's snapshot is right whatever the order of messages; what it would lose if it forgot one of its rules."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from checker.check import check
from model.action import Action, Message
from model.protocols.counting import Counted
from model.protocols.laiyang import LaiYang, Sends
from tests.protocols.found import holds, judged, violated


@pytest.mark.parametrize("relax", ["", "fifo", "overtake:1", "overtake:2"])
@pytest.mark.parametrize("topology", ["biring:2", "edges:0>1,0>1,1>0", "line:3"])
def test_right_in_every_order(topology: str, relax: str) -> None:
    program = "free,s=1-1-0" if topology == "line:3" else "free,s=2-1"
    assert holds(judged(topology, program, "laiyang", relax=relax))


def test_right_for_units_and_under_joint_actions() -> None:
    assert holds(judged("ring:3", protocol="laiyang", relax="fifo"))
    assert holds(judged("biring:2", "transfer,atomic=joint", "laiyang", relax="fifo"))


def test_without_numbers_a_record_is_in_the_order_of_acceptance() -> None:
    found = violated(judged("biring:2", "free,s=2", "laiyang,numbered=false", relax="fifo"))
    assert found == {}  # bags have no order that a record could miss
    found = violated(judged("biring:2", "free,s=2", "laiyang,numbered=false", relax="overtake:1"))
    assert found == {"channel-exact": 6, "reachable": 6, "equivalent": 6}
    assert holds(judged("biring:2", "free,s=2", "laiyang,numbered=false"))


def test_without_convenience_a_machine_may_never_hear_of_the_snapshot() -> None:
    assert violated(judged("ring:3", protocol="laiyang,convenience=false")) == {"all-red": 7, "completes": 7}


def test_counting_waits_for_a_lost_message_and_is_misled_by_a_doubled_one() -> None:
    assert violated(judged("biring:2", protocol="laiyang", relax="loss:1")) == {"conservation": 2, "completes": 5}
    doubled = violated(judged("biring:2", protocol="laiyang", relax="duplication:1"))
    assert {"channel-exact", "reachable", "completes"} <= set(doubled)


class ForgetsColour(LaiYang):
    """A mutant: red machines go on sending white."""

    def coloured(self, machine: int, memory: Counted, action: Action) -> tuple[Sends, Counted]:
        sends, after = super().coloured(machine, memory._replace(recording=None), action)
        return sends, after._replace(recording=memory.recording)


class TurnsRedTooLate(LaiYang):
    """A mutant: a white machine accepts red messages and stays white."""

    def must_turn_red(self, offered: Mapping[int, Message]) -> bool:
        return False


class ForgetsArrivals(LaiYang):
    """A mutant: white messages that reach a red machine are counted, but not recorded."""

    def accept(self, machine: int, memory: Counted, offered: Mapping[int, Message]) -> Counted:
        return memory.counted(accepted=sum(message.tag != "red" for message in offered.values()))


class CountsNothing(LaiYang):
    """A mutant: complete as soon as every machine is red."""

    def outstanding(self, machine: int, local: object, snapshot: int = 0) -> int:
        return 0


@pytest.mark.parametrize(
    ("mutant", "expected"),
    [
        (ForgetsColour, {"no-red-in-white": 3, "consistent-cut": 4, "channel-exact": 4}),
        (TurnsRedTooLate, {"no-red-in-white": 3, "consistent-cut": 4}),
        (ForgetsArrivals, {"channel-exact": 4, "reachable": 4, "equivalent": 4}),
        (CountsNothing, {"channel-exact": 3, "reachable": 3, "equivalent": 3}),
    ],
)
def test_each_mutant_is_caught(mutant: type[LaiYang], expected: dict[str, int]) -> None:
    found = violated(check("biring:2", "free,s=1", mutant, engine="reference"))
    assert {name: found.get(name) for name in expected} == expected
