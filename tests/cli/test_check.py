"""`check` and `show` through the command: exit codes, the JSON object, files, many systems, witnesses."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from checker.cli.check import Request
from checker.report.data import read_trace
from checker.report.formats import FORMATS
from model.topology import Topology
from model.verdict import Verdict
from tests.cli.conftest import Command

KEYS = {
    "verdict",
    "coverage",
    "system",
    "engine",
    "states",
    "transitions",
    "depth",
    "underlying_states",
    "snapshots",
    "interleavings",
    "seconds",
    "peak_rss_mb",
    "properties",
    "counterexample",
}


def test_json_of_a_system_that_holds(redwhite: Command) -> None:
    ran = redwhite("check", "ring:3", "--json")
    data = ran.json()
    assert (ran.code, ran.err, data["verdict"], data["counterexample"]) == (0, "", "holds", None)
    assert set(data) >= KEYS
    assert (data["states"], data["transitions"], data["depth"]) == (298, 629, 10)
    assert data["coverage"] == {"kind": "exhaustive"}
    assert data["system"]["topology"]["machines"] == 3
    assert data["system"]["topology"]["channels"] == [[0, 1], [1, 2], [2, 0]]
    assert (data["system"]["initiators"], data["system"]["relax"]) == ("0", "")
    assert int(data["interleavings"]) > 0 and isinstance(data["interleavings"], str)
    assert all(set(p) == {"name", "verdict", "length", "witness"} for p in data["properties"])
    assert {p["verdict"] for p in data["properties"]} == {"holds"}


def test_json_of_a_system_that_does_not(redwhite: Command) -> None:
    ran = redwhite("check", "ring:3", "--program", "free,s=1", "--relax", "fifo", "--json")
    data = ran.json()
    assert (ran.code, data["verdict"]) == (1, "violated")
    found = data["counterexample"]
    assert (found["property"], found["length"], len(found["actions"])) == ("no-red-in-white", 3, 3)
    (message,) = found["explanation"]["messages"]
    assert message["sent"] == {"action": 2, "machine": 0, "colour": "red"}
    assert message["accepted"] == {"action": 3, "machine": 1, "colour": "white"}
    lengths = {p["name"]: p["length"] for p in data["properties"] if p["verdict"] == "violated"}
    assert lengths["no-red-in-white"] == min(lengths.values())


def test_infinitely_many_interleavings_are_null(redwhite: Command) -> None:
    assert redwhite("check", "ring:2", "--program", "token", "--json").json()["interleavings"] is None


@pytest.mark.parametrize("bound", ["--max-states=50", "--max-depth=2", "--timeout=0"])
def test_a_bound_makes_it_unknown(redwhite: Command, bound: str) -> None:
    ran = redwhite("check", "ring:3", bound, "--json")
    data = ran.json()
    assert (ran.code, data["verdict"], data["coverage"]["kind"]) == (3, "unknown", "bounded")
    assert "holds" not in {p["verdict"] for p in data["properties"]}
    text = redwhite("check", "ring:3", bound)
    assert text.code == 3 and "UNKNOWN" in text.out and "HOLDS" not in text.out


def test_vacuous_is_not_success(redwhite: Command) -> None:
    ran = redwhite("check", "line:2", "--protocol", "missing-marker,channel=0", "--property", "channel-exact")
    assert ran.code == 3 and "vacuous" in ran.out


def test_properties_can_be_chosen(redwhite: Command) -> None:
    ran = redwhite("check", "ring:3", "--property", "completes", "--property", "conservation", "--json")
    assert [p["name"] for p in ran.json()["properties"]] == ["conservation", "completes"]


def test_first_stops_at_the_first_violation(redwhite: Command) -> None:
    whole = redwhite("check", "complete:3", "--relax", "fifo", "--first", "--json")
    assert whole.code == 1 and whole.json()["counterexample"]["length"] == 3
    assert whole.json()["coverage"]["kind"] == "bounded"


def test_many_systems(redwhite: Command) -> None:
    data = redwhite("check", "strong:3", "--program", "transfer,b=1,s=0", "--json").json()
    assert data["verdict"] == "holds" and len(data["systems"]) == 5 and data["totals"]["holds"] == 5
    assert data["totals"]["states"] == sum(system["states"] for system in data["systems"])
    ran = redwhite("check", "strong:2", "--relax", "fifo")
    assert ran.code == 1 and "why no-red-in-white fails" in ran.out


def test_many_systems_interrupted(redwhite: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was found so far is shown, and the whole is unknown."""
    judge = Request.judge

    def interrupted(request: Request, topology: Topology) -> Verdict:
        if topology.name == "strong:3#3":
            raise KeyboardInterrupt
        return judge(request, topology)

    monkeypatch.setattr(Request, "judge", interrupted)
    ran = redwhite("check", "strong:3", "--program", "transfer,s=0")
    assert ran.code == 3 and "strong:3#2" in ran.out and "UNKNOWN on 5 systems: 2 hold, 3 not looked at" in ran.out
    data = redwhite("check", "strong:3", "--program", "transfer,s=0", "--json").json()
    assert data["verdict"] == "unknown" and len(data["systems"]) == 2


def test_a_file_of_many_graphs(redwhite: Command, tmp_path: Path) -> None:
    path = tmp_path / "two.d6"
    path.write_text("&AO\n&BP_\n")
    ran = redwhite("check", str(path), "--json")
    data = ran.json()
    assert [system["system"]["topology"]["machines"] for system in data["systems"]] == [2, 3]


TRACED = {
    "a violation by a transition": ["ring:3", "--relax", "fifo"],
    "by a snapshot": ["ring:3", "--protocol", "no-channel-state"],
    "a fault": ["ring:2", "--relax", "marker-loss:1"],
    "a run for ever": ["ring:2", "--program", "token", "--protocol", "no-channel-state", "--relax", "fifo"],
    "a user's program": ["ring:3", "--program", "examples/election.py:Election", "--relax", "overtake:1"],
    "a user's protocol": ["ring:3", "--protocol", "examples/colours.py:Colours,careful=false"],
    "parallel channels": ["edges:0>1,0>1,1>0", "--relax", "fifo"],
    "a script": ["complete:3", "--program", "kuper", "--relax", "fifo"],
    "all machines at once": ["ring:2", "--protocol", "simultaneous", "--witness", "reachable"],
    "a witness": ["ring:3", "--witness", "channel-exact"],
}


@pytest.mark.parametrize("case", TRACED)
def test_traces_go_round(redwhite: Command, tmp_path: Path, case: str) -> None:
    """A trace that is written, read, replayed and written again is the same, and is shown as before."""
    path, again = tmp_path / "trace.json", tmp_path / "again.json"
    checked = redwhite("check", *TRACED[case], "--trace", str(path))
    assert path.exists(), checked.err
    own = ["--trust"] if ".py:" in path.read_text() else []
    shown = redwhite("show", str(path), *own, "-o", str(again), "-o", str(tmp_path / "trace.txt"))
    assert (shown.code, shown.out) == (0, "") and shown.err.count("redwhite: wrote ") == shown.err.count("\n") == 2
    assert json.loads(path.read_text()) == json.loads(again.read_text())
    text = redwhite("show", str(path), *own).out
    body = (tmp_path / "trace.txt").read_text()
    assert body.strip() in text and body.strip() in checked.out
    data = redwhite("show", str(path), *own, "--json").json()
    assert data["format"] == "redwhite-trace" and len(data["actions"]) == len(read_trace(path, bool(own)).trace)


@pytest.mark.parametrize("suffix", FORMATS)
def test_a_trace_in_every_format(redwhite: Command, tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"trace{suffix}"
    ran = redwhite("check", "ring:3", "--relax", "fifo", "--trace", str(path))
    assert ran.code == 1 and ran.err == f"redwhite: wrote {path}\n" and path.stat().st_size > 100


def test_a_page_with_the_verdict(redwhite: Command, tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    assert redwhite("check", "ring:2", "--relax", "fifo", "--html", str(path)).code == 1
    assert "no-red-in-white" in path.read_text()


def test_a_file_that_cannot_be_written_costs_no_verdict(redwhite: Command) -> None:
    ran = redwhite("check", "ring:2", "--snapshots", "/dev/full")
    assert ran.code == 2 and "HOLDS" in ran.out and ran.err.count("\n") == 1
    ran = redwhite("check", "ring:2", "--relax", "fifo", "--html", "/dev/full")
    assert ran.code == 1 and "VIOLATED" in ran.out and ran.err.count("\n") == 1


DEAF = """
from model.protocols.marker import Marker


class Deaf(Marker):
    def act(self, machine, local, offered, markers):
        return () if offered else super().act(machine, local, offered, markers)
"""


def test_a_trace_of_the_computation_alone_goes_round(redwhite: Command, tmp_path: Path) -> None:
    """What a protocol makes unreachable is shown on a run without it; that run is saved and read as such."""
    (tmp_path / "deaf.py").write_text(DEAF)
    path = tmp_path / "trace.json"
    words = ["ring:2", "--protocol", f"{tmp_path}/deaf.py:Deaf", "--property", "non-interference"]
    ran = redwhite("check", *words, "--trace", str(path))
    assert ran.code == 1 and json.loads(path.read_text())["system"]["protocol"] == "none"
    assert "Alone the computation reaches this state" in redwhite("show", str(path)).out


def test_a_witness_has_a_message_in_a_channel(redwhite: Command, tmp_path: Path) -> None:
    path = tmp_path / "witness.json"
    ran = redwhite("check", "ring:3", "--witness", "channel-exact", "--trace", str(path))
    assert ran.code == 0
    assert any(json.loads(path.read_text())["explanation"]["SSS"]["channels"])
    data = redwhite("check", "ring:3", "--witness", "channel-exact", "--json").json()
    assert data["witness"]["actions"] == json.loads(path.read_text())["actions"]


def test_no_counterexample_no_file(redwhite: Command, tmp_path: Path) -> None:
    path = tmp_path / "trace.json"
    ran = redwhite("check", "ring:2", "--trace", str(path))
    assert ran.code == 0 and not path.exists() and "no counterexample" in ran.err


def test_snapshots_are_lines_of_json(redwhite: Command, tmp_path: Path) -> None:
    path = tmp_path / "snapshots.jsonl"
    data = redwhite("check", "ring:3", "--snapshots", str(path), "--json").json()
    found = [json.loads(line) for line in path.read_text().splitlines()]
    assert len(found) == data["snapshots"]
    assert all(set(line) == {"machines", "channels"} for line in found)
    assert all(sum(line["machines"]) + sum(map(sum, line["channels"])) == 3 for line in found)


def test_kupers_snapshot_is_among_those_found(redwhite: Command, tmp_path: Path) -> None:
    """SSS as in the source of the example: P1 {A,B}, P2 {F,G,H}, P3 {I}, H's message on its way from P2 to P1."""
    path = tmp_path / "snapshots.jsonl"
    redwhite("check", "complete:3", "--program", "kuper", "--snapshots", str(path))
    found = [json.loads(line) for line in path.read_text().splitlines()]
    channels = [["H"] if ends == (1, 0) else [] for ends in [(0, 1), (0, 2), (1, 0), (1, 2), (2, 0), (2, 1)]]
    assert {"machines": [["A", "B"], ["F", "G", "H"], ["I"]], "channels": channels} in found


@pytest.mark.parametrize(
    "what", ["topologies", "programs", "protocols", "properties", "relaxations", "engines", "theorems"]
)
def test_list(redwhite: Command, what: str) -> None:
    ran = redwhite("list", what)
    assert ran.code == 0 and len(ran.out.splitlines()) > 1
    assert what.upper() in redwhite("list").out


def test_list_names_the_open_topologies_of_refute(redwhite: Command) -> None:
    assert "any:N" in redwhite("list", "topologies").out
