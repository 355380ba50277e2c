"""The gallery: each incident fails as told, by a shortest trace of a pinned length, and its fixed rule holds."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from checker.cli.app import run as command
from checker.gallery import INCIDENTS, incident, run
from model.errors import InputError
from model.verdict import Outcome

LENGTHS = {
    "flink-17568": 5,
    "flink-18139": 4,
    "flink-20645": 6,
    "flink-20654": 6,
    "flink-21104": 7,
    "iceberg-15846": 8,
}


@pytest.mark.parametrize("name", INCIDENTS)
def test_each_fails_as_told_and_its_fix_holds(name: str) -> None:
    shown = run(incident(name), engine="reference")
    assert shown.as_told
    (found,) = shown.broken.properties
    assert (found.name, found.length) == (INCIDENTS[name].property, LENGTHS[name])
    assert found.counterexample is not None
    assert shown.fixed.outcome is Outcome.HOLDS
    assert shown.fixed.snapshots


def test_a_record_is_doubled_in_the_first_and_lost_in_the_others() -> None:
    for name, told in INCIDENTS.items():
        found = run(told, engine="reference").broken.counterexample
        assert found is not None
        machines = found.explanation.get("machines", [])
        if name == "flink-17568":
            assert [m["doubled"] for m in machines] == [[[0, 0]]]
        elif name != "flink-21104":
            assert any(m["lost"] for m in machines)


def test_an_unknown_incident_is_refused() -> None:
    assert incident("FLINK-17568").name == "flink-17568"
    with pytest.raises(InputError, match="flink-1'"):
        incident("flink-1")


def test_the_command_lists_them_all(capsys: pytest.CaptureFixture[str]) -> None:
    assert command(["gallery"]) == 0
    out = capsys.readouterr().out
    for name, length in LENGTHS.items():
        (line,) = (row for row in out.splitlines() if row.startswith(name))
        assert f"violated after {length} actions" in line and line.endswith("holds")


def test_the_command_tells_one_and_writes_its_trace(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "trace.json"
    assert command(["gallery", "flink-17568", "--trace", str(file)]) == 0
    out = capsys.readouterr().out
    assert "record 0.0 is doubled" in out and "HOLDS" in out
    assert command(["show", str(file)]) == 0  # it replays
    assert "exactly-once" in capsys.readouterr().out


def test_the_commands_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert command(["gallery", "flink-18139", "--json"]) == 0
    (told,) = json.loads(capsys.readouterr().out)["incidents"]
    assert (told["broken"]["verdict"], told["fixed"]["verdict"]) == ("violated", "holds")
    assert told["broken"]["counterexample"]["length"] == 4


@pytest.mark.parametrize("arguments", [["gallery", "flink-1"], ["gallery", "--trace", "t.json"]])
def test_bad_input_is_one_line(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert command(arguments) == 2
    assert capsys.readouterr().err.count("\n") == 1
