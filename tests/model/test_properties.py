"""Each property is broken by a protocol made to break it, and by nothing less: no property is a formality."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import pytest

from checker.engines.reference.engine import judge
from checker.engines.search_options import SearchOptions
from model.action import Local, Message, Step
from model.assumptions import Assumptions
from model.catalogue import build_system
from model.errors import InputError
from model.families import parse_family
from model.program import Program
from model.programs.free import Free
from model.programs.transfer import Account, Transfer
from model.properties import PROPERTIES, chosen
from model.protocols.magic import Magic
from model.protocols.marker import Marker
from model.system import System
from model.verdict import Outcome


class Thief(Marker):
    """Turning red costs the machine a unit."""

    def turn_red(self, machine: int, local: Local) -> Step:
        step = super().turn_red(machine, local)
        assert isinstance(local.state, Account)
        return step._replace(state=Account(max(local.state.balance - 1, 0), local.state.sends))


class Frozen(Marker):
    """A machine that has begun recording does nothing until its channels are closed; one never closes."""

    def steps(self, machine: int, local: Local, offered: Mapping[int, Message]) -> Iterable[Step]:
        return () if local.red else super().steps(machine, local, offered)


class NeverWhite(Magic):
    """All is held back until the machine is red, so some underlying states are lost; the magic guard stays."""

    def steps(self, machine: int, local: Local, offered: Mapping[int, Message]) -> Iterable[Step]:
        for step in super().steps(machine, local, offered):
            if local.red or step.turns:
                yield step


class Swallow(Marker):
    """A red machine swallows messages without handing them to the program."""

    def act(self, machine: int, local: Local, offered: Mapping[int, Message], markers: list[int]) -> Iterable[Step]:  # type: ignore[override]
        if local.red and offered:
            yield Step("swallow", local.state, local.memory)
        else:
            yield from super().act(machine, local, offered, markers)


class Twice(Marker):
    """Two markers on each channel."""

    def turn_red(self, machine: int, local: Local) -> Step:
        step = super().turn_red(machine, local)
        return step._replace(sends=step.sends + step.sends)


def broken(protocol: type[Marker] | type[Magic], program: type[Program] = Transfer) -> dict[str, int | None]:
    """The properties that the protocol breaks on two machines, with their lengths."""
    topology = parse_family("biring:2")
    underlying = program(topology)
    system = System(topology, underlying, protocol(topology, underlying, (0,)), Assumptions())
    verdict = judge(system, chosen(system), SearchOptions())
    return {p.name: p.length for p in verdict.properties if p.outcome is Outcome.VIOLATED}


def test_changing_the_computation_s_state_is_interference_and_breaks_conservation() -> None:
    lengths = broken(Thief)
    assert lengths["non-interference"] == 1 and lengths["conservation"] == 1


def test_swallowing_a_message_is_interference() -> None:
    assert broken(Swallow)["non-interference"] == 3


def test_stopping_the_computation_is_a_new_deadlock() -> None:
    lengths = broken(Frozen)
    assert "no-new-deadlock" in lengths and "completes" in lengths


def test_two_markers_on_a_channel_are_seen_at_once() -> None:
    assert broken(Twice)["one-marker-per-channel"] == 1


def test_an_underlying_state_that_becomes_unreachable_is_interference() -> None:
    class Mute(Magic):
        """Machine 1 never sends."""

        def steps(self, machine: int, local: Local, offered: Mapping[int, Message]) -> Iterable[Step]:
            return (step for step in super().steps(machine, local, offered) if not (machine == 1 and step.sends))

    assert broken(Mute, Free)["non-interference"] == 1


def test_holding_everything_back_until_red_loses_no_underlying_state() -> None:
    assert "non-interference" not in broken(NeverWhite, Free)


@pytest.mark.parametrize("name", [name for name, p in PROPERTIES.items() if not p.asked])
def test_every_property_has_a_claim_and_a_source(name: str) -> None:
    assert PROPERTIES[name].claim.endswith(".") and PROPERTIES[name].source


def test_an_unknown_property_and_one_that_says_nothing_are_refused() -> None:
    system = build_system(parse_family("ring:3"), "free", "magic")
    with pytest.raises(InputError, match="unknown property 'nonesuch': choose from no-red-in-white"):
        chosen(system, ("nonesuch",))
    with pytest.raises(InputError, match="'conservation' says nothing about program free"):
        chosen(system, ("conservation",))


def test_a_verdict_s_outcome_has_no_truth_value() -> None:
    with pytest.raises(TypeError, match="no truth value"):
        bool(Outcome.HOLDS)
