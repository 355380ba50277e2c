"""Goals missed by runs that go on for ever: z3's verdicts are the reference engine's, loops and all."""

from __future__ import annotations

from collections.abc import Hashable
from random import Random

import pytest

from checker.cli.app import run
from checker.engines.reference import engine as reference
from checker.engines.search_options import SearchOptions
from checker.engines.symbolic import endless_runs
from checker.engines.symbolic.engine import judge
from checker.topologies import parse
from model.action import Event
from model.catalogue import build_system
from model.monitor import RunMonitor
from model.properties import chosen
from model.property import Property
from model.system import System
from model.verdict import Outcome, Verdict
from tests.engines.native.random_systems import random_system

TOKEN = ("edges:0>1,1>0,0>0", "token", "observer,requests=none", "0", "fifo,crash:1")


def system_of(topology: str, program: str, protocol: str, initiators: str, relax: str) -> System:
    return build_system(parse(topology)[0], program, protocol, initiators, relax)


def shown(verdict: Verdict) -> list[object]:
    return [
        (p.name, p.length, p.counterexample and (p.counterexample.trace.events, p.counterexample.trace.loop))
        for p in verdict.properties
    ]


def test_an_endless_run_is_nearer_than_any_end() -> None:
    system = system_of(*TOKEN)
    properties = chosen(system, ("completes",))
    found = judge(system, properties, SearchOptions(max_depth=4))
    assert shown(found) == shown(reference.judge(system, properties))
    (completes,) = found.properties
    assert completes.length == 1 and completes.counterexample is not None
    assert completes.counterexample.trace.loop == 1


def test_a_goal_that_endless_runs_reach_holds() -> None:
    system = system_of("edges:0>1,1>0", "token", "marker", "0", "")
    found = judge(system, chosen(system, ("completes",)))
    assert [p.outcome for p in found.properties] == [Outcome.HOLDS] and found.reason is None


@pytest.mark.parametrize("seed", range(12))
def test_random_systems(seed: int) -> None:
    draw = Random(seed)
    while True:
        choices = (draw.choice((0, 2)), draw.randrange(1000), draw.randrange(7), draw.randrange(9))
        system = random_system(*choices, draw.random() < 0.3, draw.randrange(1, 8))
        properties = [p for p in chosen(system) if p.goal is not None]
        wanted = reference.judge(system, properties, SearchOptions(max_states=400))
        if wanted.reason is None:
            break
    deepest = max((p.length or 0 for p in wanted.properties), default=0)
    assert shown(judge(system, properties, SearchOptions(max_depth=deepest))) == shown(wanted)


class Returns(RunMonitor):
    """Who has sent receives something later, and no machine turns red twice in a row."""

    def sees(self, system: System, event: Event) -> tuple[bool, bool, bool]:
        sends = any(move.sends for move in event.moves)
        return sends, any(move.accepts for move in event.moves), any(move.step.turns for move in event.moves)

    def start(self, observed: Hashable) -> tuple[bool, int]:
        return False, 0

    def after(self, value: Hashable, seen: Hashable, observed: Hashable) -> tuple[bool, int]:
        assert isinstance(value, tuple) and isinstance(seen, tuple)
        return (value[0] or seen[0]) and not seen[1], value[1] + 1 if seen[2] else 0

    def error(self, value: Hashable) -> dict[str, str] | None:
        assert isinstance(value, tuple)
        return {"kind": "two turned red in a row"} if value[1] == 2 else None

    def hot(self, value: Hashable) -> bool:
        assert isinstance(value, tuple)
        return bool(value[0])


@pytest.mark.parametrize(
    "choices", [TOKEN, ("ring:2", "transfer", "marker", "any", ""), ("ring:2", "token", "none", "0", "loss:1")]
)
def test_any_monitor(choices: tuple[str, str, str, str, str]) -> None:
    system = system_of(*choices)
    claim = Property("returns", "What is sent comes back.", "", monitor=Returns())
    assert shown(judge(system, [claim])) == shown(reference.judge(system, [claim]))


def test_where_not_all_endless_runs_were_followed_nothing_is_called_shortest(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(endless_runs, "MOST_NODES", 2)
    topology, program, protocol, _, relax = TOKEN
    arguments = ["--program", program, "--protocol", protocol, "--relax", relax, "--property", "completes"]
    assert run(["check", topology, *arguments, "--engine", "z3", "--max-depth", "4"]) == 1
    text = capsys.readouterr().out
    assert "counterexample, perhaps not the shortest: completes" in text
    assert "shortest counterexample" not in text and "after 2 actions" not in text
