"""A state space that grows for ever is told of, with what grows, since when, and what bounds it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping

import pytest

from checker.check import check
from checker.cli.app import run
from checker.engines.search_options import SearchOptions
from model.action import Action
from model.catalogue import build_system
from model.families import parse_family
from model.program import Program
from model.protocol import NoSnapshot
from model.system import System
from model.values import Value


class Endless(Program):
    """Machine 0 sends for ever, or counts, or swaps a token whose way is recorded for ever."""

    def __init__(self, topology: object, grows: str) -> None:
        super().__init__(topology)  # type: ignore[arg-type]
        self.grows = grows

    def initial(self, machine: int) -> Value:
        return 0

    def actions(self, machine: int, state: Value, offered: Mapping[int, Value]) -> Iterator[Action]:
        assert isinstance(state, int)
        if self.grows == "channel" and machine == 0 and not offered:
            yield Action("send", 0, sends={0: "m"})
        if self.grows == "state" and machine == 0 and not offered:
            yield Action("count", state + 1)
        if offered and self.grows == "state":
            yield Action("accept", state, offered)


def told(grows: str, engine: str) -> tuple[str, ...]:
    topology = parse_family("edges:0>1,1>0")
    program = Endless(topology, grows)
    system = System(topology, program, NoSnapshot(topology, program, ()), build_system(topology).assumptions)
    options = SearchOptions(max_states=40)
    return check(system, engine=engine, options=options, properties=["non-interference"]).warnings


@pytest.mark.parametrize("engine", ["reference", "native"])
@pytest.mark.parametrize(
    ("grows", "words"),
    [("channel", ["the channel P0>P1 grows", "since depth 0"]), ("state", ["program's state at P0 grows", "counts"])],
)
def test_what_grows_is_named(grows: str, words: list[str], engine: str) -> None:
    (text,) = told(grows, engine)
    for word in (*words, "--max-depth"):
        assert word in text


@pytest.mark.parametrize("engine", ["reference", "native"])
def test_a_record_that_is_never_closed_is_named(engine: str) -> None:
    # Without its marker the channel is recorded for ever, and the token passes and passes.
    verdict = check(
        "edges:0>1,1>0",
        "token",
        "missing-marker,channel=1",
        engine=engine,
        options=SearchOptions(max_states=500),
        properties="no-red-in-white",
    )
    (text,) = verdict.warnings
    assert "what the protocol remembers at P0 grows" in text and "s=" in text


@pytest.mark.parametrize("engine", ["reference", "native"])
@pytest.mark.parametrize("words", [("transfer,b=2,s=2",), ("token",), ("free,s=2", "marker", "0", "fifo")])
def test_a_finite_state_space_that_is_cut_off_gives_no_evidence(words: tuple[str, ...], engine: str) -> None:
    system = build_system(parse_family("ring:3"), *words)
    verdict = check(system, engine=engine, options=SearchOptions(max_states=300), properties="no-red-in-white")
    assert verdict.warnings == ()


def test_the_command_tells(capsys: pytest.CaptureFixture[str]) -> None:
    words = "check edges:0>1,1>0 --program token --protocol missing-marker,channel=1 --max-states 500 --json"
    assert run(words.split()) == 3
    out, err = capsys.readouterr()
    assert "warning: what the protocol remembers at P0 grows" in err
    assert "grows" in json.loads(out)["warnings"][0]
