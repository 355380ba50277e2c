"""Logged runs replayed against protocols: what a protocol does it allows, and the first line of what it does not."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from checker.audit.judging import CONSISTENT, Judgement, judged
from checker.audit.replay import Broken, Replay
from checker.cli.app import run as command
from checker.export.log import lines
from checker.topologies import parse
from model.catalogue import build_system
from model.errors import InputError
from tests.audit.logs import LOGS, Line, reading, written
from tests.audit.test_command import FINE
from tests.audit.test_traces import SYSTEMS, walked

ANYWHERE = (
    "marker",
    "marker,mixed=true",
    "laiyang",
    "laiyang,numbered=false",
    "magic",
    "magic,guard=false",
    "unaligned",
)
ANYWHERE += ("late-marker", "lazy-marker", "late-record", "no-channel-state", "keep-recording", "overwrite")
ANYWHERE += ("early-complete", "duplicate-log", "missing-marker", "missing-marker,channel=2")
DATAFLOWS = ("barrier", "barrier,align=false", "unaligned,overtake=true")
MARKERS = ("marker", "late-marker", "missing-marker", "late-record", "no-channel-state", "keep-recording")


def replayed(log: list[Line], protocol: str = "marker", relax: str = "") -> Iterator[tuple[Judgement, Broken | None]]:
    """Each snapshot of a log, with the first line of it that the protocol does not allow."""
    for history in reading(log).histories.values():
        replay = Replay(history, protocol, relax)
        for judgement in judged(history):
            yield judgement, replay.first_broken(judgement)


@settings(max_examples=100)
@given(
    st.sampled_from(ANYWHERE),
    st.sampled_from(SYSTEMS),
    st.sampled_from(("", "", "fifo", "overtake:1")),
    st.sampled_from(("0", "any")),
    st.integers(0, 10**6),
)
def test_a_protocol_allows_what_it_does(
    protocol: str, words: tuple[str, str], relax: str, initiators: str, seed: int
) -> None:
    try:
        system = build_system(parse(words[0])[0], words[1], protocol, initiators, relax)
    except InputError:
        assume(False)
    log = list(lines(walked(system, seed, 60)))
    named = [(f"P{a}", f"P{b}") for a, b in system.topology.channels]
    assume("missing-marker" not in protocol or named == sorted(named))
    for _, broken in replayed(log, protocol, relax):
        assert broken is None


def test_a_channel_that_never_carries_anything_is_there() -> None:
    """The lines that begin name the channels: numbers do not shift, and a marker that was never sent is missed."""
    system = build_system(parse("ring:3")[0], "free,s=0", "missing-marker,channel=0", "0")
    log = list(lines(walked(system, 1)))
    assert not any(line["event"] == "send" and line["machine"] == "P0" for line in log)
    assert [broken for _, broken in replayed(log, "missing-marker,channel=0")] == [None]
    ((_, broken),) = replayed(log, "marker")
    assert broken is not None and "never sent on P0>P1" in broken.why


@pytest.mark.parametrize("to", [5, "B", ["B", 5], [["B", "x", "y"]], [[]], {"B": 1}])
def test_channels_that_are_no_names_are_not_understood(to: object) -> None:
    assert [line.why for line in reading([{"machine": "A", "event": "start", "to": to}]).unread] == [
        "to of a start is a list of names"
    ]


@settings(max_examples=60)
@given(st.sampled_from(DATAFLOWS), st.sampled_from(("diamond", "vee", "chain:3")), st.integers(0, 10**6))
def test_dataflow_protocols_allow_what_they_do(protocol: str, topology: str, seed: int) -> None:
    trace = walked(build_system(parse(topology)[0], "dataflow,records=2", protocol), seed, 200)
    for _, broken in replayed(list(lines(trace)), protocol):
        assert broken is None


@settings(max_examples=80)
@given(st.sampled_from(MARKERS), st.sampled_from(SYSTEMS[:4]), st.integers(0, 10**6))
def test_a_wrong_snapshot_breaks_a_rule_of_the_marker_algorithm(
    protocol: str, words: tuple[str, str], seed: int
) -> None:
    system = build_system(parse(words[0])[0], words[1], protocol)
    for judgement, broken in replayed(list(lines(walked(system, seed, 60)))):
        if judgement.claim is not None and judgement.verdict != CONSISTENT:
            assert broken is not None


@pytest.mark.parametrize(
    ("protocol", "by", "topology", "program"),
    [
        ("late-marker", "marker", "complete:3", "transfer,b=1,s=2"),
        ("late-record", "marker", "complete:3", "transfer,b=1,s=2"),
        ("magic,guard=false", "magic", "ring:3", "transfer,b=2,s=2"),
        ("barrier,align=false", "barrier", "diamond", "dataflow,records=2"),
        ("marker", "late-record", "complete:3", "transfer,b=1,s=2"),
    ],
)
def test_a_protocol_does_not_allow_what_another_does(protocol: str, by: str, topology: str, program: str) -> None:
    system = build_system(parse(topology)[0], program, protocol)
    found = [broken for seed in range(30) for _, broken in replayed(list(lines(walked(system, seed, 60))), by)]
    assert any(found)


@pytest.mark.parametrize(
    ("change", "rule"),
    [
        ([0, 1, 2, 3, 5, 6, 7, 9], "its marker is never sent on A>B"),
        ([0, 1, 2, 4, 3], "sends its marker on A>B before it has recorded"),
        ([0, 1, 2, 3, 4, 5, 6, 8, 7, 9], "the marker has overtaken a message"),
        ([0, 1, 2, 3, 4, 4], "sends a second marker"),
        ([0, 1, 3, 2, 4], "which has recorded, sends on A>B before its marker"),
        ([0, 1, 2, 3, 5, 4, 5], "records a second time"),
    ],
)
def test_the_first_event_that_the_marker_algorithm_does_not_allow(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, change: list[int], rule: str
) -> None:
    log = str(written(tmp_path / "log.jsonl", [*(FINE[n] for n in change), FINE[-1]]))
    command(["audit", log, "--protocol", "marker", "--json"])
    found = json.loads(capsys.readouterr().out)
    assert found["verdict"] == "violated"
    (snapshot,) = found["snapshots"]
    assert rule in snapshot["rule"]["why"]


def test_the_state_that_a_record_line_says_is_the_one_recorded() -> None:
    """A line about the snapshot may change the state: `record` before it counts, an accepted marker after it does."""
    start = {"machine": "A", "event": "start", "state": 1}
    claim = {"event": "snapshot", "snapshot": 0, "states": {"A": 2, "B": 5}, "channels": {}}
    log: list[Line] = [
        start,
        {"machine": "B", "event": "start", "state": 5},
        {"machine": "A", "event": "record", "snapshot": 0, "state": 2},
        {"machine": "A", "event": "send", "to": "B", "marker": 0},
        {"machine": "B", "event": "accept", "from": "A", "marker": 0, "state": 6},
    ]
    ((judgement, broken),) = replayed([*log, claim])
    assert (judgement.verdict, broken) == (CONSISTENT, None)


def test_from_the_command_line(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    sound = str(LOGS / "sound.jsonl.gz")
    assert command(["audit", sound, "--protocol", "marker"]) == 0
    assert command(["audit", sound, "--protocol", "laiyang"]) == 1
    capsys.readouterr()
    swapped = [FINE[n] for n in (0, 1, 2, 4, 3, 6, 5, 7, 8, 9, 10)]
    log = str(written(tmp_path / "log.jsonl", swapped))
    assert command(["audit", log, "--protocol", "marker"]) == 1
    out = capsys.readouterr().out
    assert "A sends its marker on A>B before it has recorded" in out
    assert f"line 4: {json.dumps(FINE[4])}"[:60] in out
    assert command(["audit", log, "--protocol", "late-record"]) == 0
