"""The gallery: each incident fails as told, by a shortest trace of a pinned length, and its fixed rule holds."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from checker.check import check
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
    "flink-10377": 6,
    "flink-34117": 6,
    "flink-cdc-2538": 4,
    "jet-809": 6,
    "jet-1435": 6,
    "jet-2824": 7,
    "hazelcast-22207": 7,
    "risingwave-12654": 7,
    "mana-312": 5,
}
DOUBLED = {"flink-17568": [[0, 0]], "jet-2824": [[0, 0]], "hazelcast-22207": [[1, 0]]}
STUCK = ("flink-21104", "flink-10377", "jet-1435")


@pytest.mark.parametrize("name", INCIDENTS)
def test_each_fails_as_told_and_its_fix_holds(name: str) -> None:
    shown = run(incident(name), engine="reference")
    assert shown.as_told
    (found,) = shown.broken.properties
    assert (found.name, found.length) == (INCIDENTS[name].property, LENGTHS[name])
    assert found.counterexample is not None
    assert shown.fixed.outcome is Outcome.HOLDS
    assert shown.fixed.snapshots


def test_a_record_is_doubled_or_lost_or_nothing_completes_as_it_is_told() -> None:
    for name, told in INCIDENTS.items():
        found = run(told, engine="reference").broken.counterexample
        assert found is not None
        machines = found.explanation.get("machines", [])
        if name in DOUBLED:
            assert [m["doubled"] for m in machines] == [DOUBLED[name]]
        elif name == "mana-312":
            assert (found.explanation["found"], found.explanation["expected"]) == (1, 2)
        else:
            assert (name in STUCK) != any(m["lost"] for m in machines)


@pytest.mark.parametrize("name", ["flink-10377", "flink-34117", "flink-cdc-2538", "jet-809", "jet-2824"])
def test_the_fixes_hold_with_more_sinks_and_records(name: str) -> None:
    for topology, program in (("chain:2", "records=2"), ("edges:0>1,0>2", "records=1,routing=broadcast")):
        assert check(topology, f"dataflow,{program}", f"{name},fixed=true").outcome is Outcome.HOLDS


def test_draining_holds_on_other_networks_too() -> None:
    for topology, program in (("biring:2", "free,s=1"), ("line:3", "transfer,s=1-0-0"), ("0>1", "transfer")):
        topology = topology if ":" in topology else f"edges:{topology}"
        assert check(topology, program, "mana-312,fixed=true").outcome is Outcome.HOLDS


@pytest.mark.parametrize("name", ["flink-10377", "flink-34117", "risingwave-12654"])
def test_what_is_told_of_a_source_and_its_sinks_is_refused_elsewhere(name: str) -> None:
    for topology in ("vee", "chain:3"):
        with pytest.raises(InputError, match="one source"):
            check(topology, "dataflow", name)
    with pytest.raises(InputError, match="accepted is dataflow"):
        check("chain:2", "transfer", name)


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
