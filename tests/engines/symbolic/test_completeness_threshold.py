"""Searches over programs without end close where every run comes back to a state, and never before."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import pytest

from checker.cli.app import run
from checker.engines.reference import engine as reference
from checker.engines.search_options import SearchOptions
from checker.engines.symbolic.completeness_threshold import CompletenessThreshold
from checker.engines.symbolic.engine import judge
from checker.engines.symbolic.unrolling import Unrolling
from checker.topologies import parse
from model.action import Local, Message, Step
from model.assumptions import Assumptions
from model.catalogue import build_system
from model.program import Program
from model.programs.token import Token
from model.properties import chosen
from model.protocols.magic import Magic
from model.system import System
from model.topology import Topology
from model.verdict import Outcome

ENDLESS = [
    ("ring:2", "token", "marker", ""),
    ("ring:2", "token", "magic", "fifo"),
    ("ring:2", "token", "no-channel-state", ""),
    ("ring:2", "token", "observer", ""),
    ("ring:2", "token", "overwrite", "crash:1"),
    ("ring:2", "token", "missing-marker,channel=1", ""),
    pytest.param("biring:2", "token", "magic,guard=false", "", marks=pytest.mark.slow),
    pytest.param("ring:3", "token", "marker", "", marks=pytest.mark.slow),
]


@pytest.mark.parametrize(("topology", "program", "protocol", "relax"), ENDLESS)
def test_what_closes_is_what_the_explorer_finds(topology: str, program: str, protocol: str, relax: str) -> None:
    system = build_system(parse(topology)[0], program, protocol, "0", relax)
    properties = [p for p in chosen(system) if p.name != "stable-sound"]
    wanted = reference.judge(system, properties, SearchOptions(max_states=20_000))
    found = judge(system, properties, SearchOptions(max_depth=16 if relax or "=false" in protocol else 20))
    if wanted.reason is None:
        assert found.coverage.kind == "inductive"
        assert found.counts.depth > wanted.counts.depth  # the furthest state, and what can happen there
    else:
        assert found.coverage.kind == "bounded"
    for own, other in zip(found.properties, wanted.properties, strict=True):
        if found.coverage.kind == "inductive":
            assert (own.outcome, own.length) == (other.outcome, other.length), own.name


class Forgetful(Magic):
    """No red is kept from white, and red machines record no message: states come back while cuts do not."""

    def __init__(self, topology: Topology, program: Program, initiators: tuple[int, ...]) -> None:
        super().__init__(topology, program, initiators, guard=False)

    def steps(self, machine: int, local: Local, offered: Mapping[int, Message]) -> Iterator[Step]:
        """Those of the magic snapshot, without what they record of channels."""
        for step in super().steps(machine, local, offered):
            yield step if step.turns else step._replace(memory=local.memory)


def test_a_claim_about_cuts_is_open_while_cuts_differ() -> None:
    # The red machine passes the token to the white one and gets it back, white: another message sent before the cut.
    ring = parse("ring:2")[0]
    program = Token(ring)
    system = System(ring, program, Forgetful(ring, program, (0,)), Assumptions())
    found = judge(system, chosen(system, ("no-new-deadlock",)), SearchOptions(max_depth=14))
    assert (found.outcome, found.coverage.kind) == (Outcome.HOLDS, "inductive")
    found = judge(system, chosen(system, ("no-new-deadlock", "consistent-cut")), SearchOptions(max_depth=14))
    assert (found.outcome, found.coverage.kind) == (Outcome.VIOLATED, "bounded")


def test_an_endless_state_space_does_not_close() -> None:
    # Over bags the marker may wait for ever while the token's rounds are recorded, each a new state.
    system = build_system(parse("ring:2")[0], "token", "marker", "0", "fifo")
    found = judge(system, chosen(system, ("one-marker-per-channel",)), SearchOptions(max_depth=14))
    assert (found.outcome, found.coverage.kind) == (Outcome.UNKNOWN, "bounded")


def test_a_program_that_ends_comes_back_to_nothing() -> None:
    unrolling = Unrolling([[build_system(parse("ring:2")[0])]] * 2)
    for _ in range(6):
        unrolling.extend()
    assert not CompletenessThreshold(unrolling).possible()


def test_the_command_says_that_all_states_were_reached(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["refute", "ring:2", "--program", "token", "--property", "no-red-in-white"]) == 0
    assert "every state: all are reached within 12 actions (inductive)" in capsys.readouterr().out
