"""Every bad input is one line on stderr that names the offending value, nothing on stdout, and exit code 2."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Command

# What is typed after `redwhite` -> what the line must show: the offending value, and something of what is accepted.
BAD = [
    ("", ["command"]),
    ("chekc ring:3", ["chekc"]),
    ("check", ["topology"]),
    ("check ring:3 --nope", ["--nope"]),
    ("check ring", ["ring", "ring:N"]),
    ("check ring:0", ["ring:0", "from 1"]),
    ("check ring:-1", ["ring:-1"]),
    ("check ring:x", ["ring:x"]),
    ("check rng:3", ["rng:3", "ring:N"]),
    ("check edges:0>2", ["no machine 1"]),
    ("check strong:6", ["strong:6", "1 to 5"]),
    ("check strong:3#9", ["#1 to #5"]),
    ("check missing.graphml", ["missing.graphml", "no such file"]),
    ("check ring:3 --program transfr", ["transfr", "transfer"]),
    ("check ring:3 --program transfer,c=1", ["c=1", "b="]),
    ("check ring:3 --program transfer,b=x", ["b=x", "whole number"]),
    ("check ring:3 --program transfer,b=1-2", ["1-2", "3 machines"]),
    ("check ring:3 --program transfer,atomic=both", ["both", "single"]),
    ("check ring:3 --program script", ["file="]),
    ("check ring:3 --program script,file=none.toml", ["none.toml"]),
    ("check ring:3 --program kuper", ["channel"]),
    ("check ring:2 --program kuper", ["3 machines"]),
    ("check ring:3 --program none.py:Program", ["none.py"]),
    ("check ring:3 --program examples/election.py:Electoin", ["Electoin", "Election"]),
    ("check line:3 --program examples/election.py:Election", ["ring"]),
    ("check ring:3 --protocol markers", ["markers", "marker"]),
    ("check ring:3 --program free --protocol iceberg-15846", ["Free", "dataflow"]),
    ("check ring:3 --protocol marker,mixed=perhaps", ["perhaps", "true or false"]),
    ("check ring:3 --protocol missing-marker,channel=7", ["7", "0..2"]),
    ("check ring:3 --protocol concurrent,k=99999999999999999999", ["k=999", "1 to 62"]),
    ("check ring:3 --initiators 3", ["3", "0 to 2"]),
    ("check ring:3 --initiators 0,0", ["0,0", "twice"]),
    ("check ring:3 --initiators none", ["none", "any"]),
    ("check ring:3 --relax filo", ["filo", "fifo"]),
    ("check ring:3 --relax fifo,overtake:1", ["fifo,overtake:1"]),
    ("check ring:3 --relax loss", ["loss", "loss:K"]),
    ("check ring:3 --relax loss:0", ["loss:0"]),
    ("check ring:3 --relax loss:1,loss:2", ["twice"]),
    ("check ring:3 --property exact", ["exact", "channel-exact"]),
    ("check ring:3 --property stable-sound", ["stable-sound", "transfer"]),
    ("check ring:3 --witness exact", ["exact", "channel-exact"]),
    ("check ring:3 --engine warp", ["warp", "reference"]),
    ("check ring:3 --engine reference --symmetry on", ["symmetry"]),
    ("check ring:3 --engine native --symmetry on --workers 2", ["workers 2", "1"]),
    ("check ring:3 --program diffusing --symmetry on --property stability", ["stability", "accepted: no-red-in-white"]),
    ("check ring:3 --engine reference --runs 5", ["runs"]),
    ("check ring:3 --symmetry perhaps", ["perhaps", "on or off"]),
    ("check ring:3 --max-states 0", ["max-states", "1"]),
    ("check ring:3 --max-states many", ["many"]),
    ("check ring:3 --timeout nan", ["nan"]),
    ("check ring:3 --timeout -1", ["timeout"]),
    ("check ring:3 --trace trace.doc", ["trace.doc", ".json"]),
    ("check ring:3 --trace nowhere/trace.json", ["nowhere"]),
    ("check ring:3 --snapshots nowhere/x.jsonl", ["nowhere"]),
    ("check strong:3 --trace trace.json", ["trace.json", "#K"]),
    ("list things", ["things", "topologies"]),
    ("show", ["trace"]),
    ("show missing.json", ["missing.json"]),
    ("show pyproject.toml", ["pyproject.toml", "JSON"]),
]


NEARLY = {
    "chekc ring:3": "check", "check rng:3": "ring", "refute complte:3": "complete", "assumptions rng:2": "ring",
    "check ring:3 --program transfr": "transfer", "check ring:3 --protocol markr": "marker",
    "check ring:3 --protocol marker,mixd=true": "mixed", "check ring:3 --relax lss:1": "loss",
    "check ring:3 --engine natve": "native", "check ring:3 --property reachble": "reachable",
    "check ring:3 --witness reachble": "reachable", "check ring:3 --protocl marker": "--protocol",
    "list markr": "marker", "list relaxtions": "relaxations", "prove inversion": "inversions",
    "gallery flink-20654x": "flink-20654", "matrix ring:2 --property reachble": "reachable",
    "sweep nearly.toml --out x": "protocols", "sweep property.toml --out x": "reachable",
}  # fmt: skip


@pytest.mark.parametrize("words", NEARLY)
def test_what_is_nearly_right_is_offered(
    redwhite: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: str
) -> None:
    (tmp_path / "nearly.toml").write_text('name = "x"\n[[systems]]\ntopologies = ["ring:2"]\nprotcols = ["marker"]\n')
    wrong = 'name = "x"\n[[systems]]\ntopologies = ["ring:2"]\nproperties = ["reachble"]\n'
    (tmp_path / "property.toml").write_text(wrong)
    monkeypatch.chdir(tmp_path)
    ran = redwhite(*words.split())
    assert (ran.code, ran.out, ran.err.count("\n")) == (2, "", 1)
    assert f"did you mean {NEARLY[words]}" in ran.err, ran.err


@pytest.mark.parametrize(("words", "shown"), BAD, ids=[words or "nothing" for words, _ in BAD])
def test_one_line_and_exit_2(redwhite: Command, words: str, shown: list[str]) -> None:
    ran = redwhite(*words.split())
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.count("\n") == 1 and ran.err.startswith("redwhite: ")
    for text in shown:
        assert text.lower() in ran.err.lower()


PROGRAM = """
from model import Action, Program


class Mine(Program):
    def initial(self, machine):
        return {start}

    def actions(self, machine, state, offered):
        {body}
"""

FAULTY = {
    "raises": ("0", "return 1 // 0", ["line 10", "actions", "ZeroDivisionError"]),
    "no action": ("0", "return ['go']", ["go", "model.Action"]),
    "wrong channel": ("0", "return [Action('go', 1, sends={99: 1})]", ["99", "output channels"]),
    "unhashable state": ("[]", "return []", ["unhashable", "tuple"]),
    "unhashable message": ("0", "return [Action('go', 1, sends={machine: [1]})]", ["unhashable", "tuple"]),
}


@pytest.mark.parametrize("fault", FAULTY)
def test_a_fault_in_a_users_program_is_one_line_naming_it(redwhite: Command, tmp_path: Path, fault: str) -> None:
    start, body, shown = FAULTY[fault]
    path = tmp_path / "mine.py"
    path.write_text(PROGRAM.format(start=start, body=body))
    ran = redwhite("check", "ring:2", "--program", f"{path}:Mine")
    assert (ran.code, ran.out, ran.err.count("\n")) == (2, "", 1)
    for text in shown:
        assert text in ran.err


PROTOCOL = """
from model.protocol import Recorded
from model.protocols.marker import Marker


class Mine(Marker):
    def {method}(self, machine, *rest):
        given = super().{method}(machine, *rest)
        return {body}
"""

MISTAKEN = {
    "no step": ("steps", "[None]", ["Mine", "None", "Step"]),
    "no steps": ("steps", "None", ["Mine", "None", "Step"]),
    "nothing recorded": ("recorded", "None", ["Mine", "done", "recorded nothing"]),
    "no record": ("recorded", "given and given.state", ["Mine", "Recorded"]),
    "too few channels": ("recorded", "given and Recorded(given.state, ())", ["Mine", "()", "one tuple for each"]),
    "no state of the program": ("recorded", "given and Recorded('x', given.channels)", ["Mine", "'x'", "Transfer"]),
    "no plain state": ("recorded", "given and Recorded(object(), given.channels)", ["object", "tuple"]),
    "done too soon": ("done", "True", ["Mine", "done", "recorded nothing"]),
    "outstanding nothing": ("outstanding", "None", ["Mine", "outstanding", "None"]),
}


@pytest.mark.parametrize("engine", ["reference", "native"])
@pytest.mark.parametrize("fault", MISTAKEN)
def test_a_fault_in_a_users_protocol_is_one_line_naming_it(
    redwhite: Command, tmp_path: Path, fault: str, engine: str
) -> None:
    method, body, shown = MISTAKEN[fault]
    path = tmp_path / "mine.py"
    path.write_text(PROTOCOL.format(method=method, body=body))
    ran = redwhite("check", "ring:2", "--protocol", f"{path}:Mine", "--engine", engine)
    assert (ran.code, ran.out, ran.err.count("\n")) == (2, "", 1)
    for text in shown:
        assert text in ran.err


def test_a_file_that_is_no_python(redwhite: Command, tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text("class Mine(:")
    ran = redwhite("check", "ring:2", "--program", f"{path}:Mine")
    assert (ran.code, ran.err.count("\n")) == (2, 1)
    assert "SyntaxError" in ran.err


SPOILT = {
    "no object": lambda data: [],
    "other format": lambda data: {**data, "format": "other"},
    "other version": lambda data: {**data, "version": 99},
    "no system": lambda data: {**data, "system": None},
    "no topology": lambda data: {**data, "system": {**data["system"], "topology": {"machines": 2}}},
    "channel to nowhere": lambda data: {
        **data,
        "system": {**data["system"], "topology": {"machines": 2, "channels": [[0, 7]]}},
    },
    "unknown program": lambda data: {**data, "system": {**data["system"], "program": "nothing"}},
    "no actions": lambda data: {**data, "actions": None},
    "an action that cannot happen": lambda data: {**data, "actions": data["actions"][::-1]},
    "loop out of range": lambda data: {**data, "loop": 99},
    "no reason": lambda data: {**data, "explanation": {}},
}


@pytest.mark.parametrize("how", SPOILT)
def test_a_spoilt_trace_is_refused(redwhite: Command, tmp_path: Path, how: str) -> None:
    path = tmp_path / "trace.json"
    redwhite("check", "ring:2", "--relax", "fifo", "--trace", str(path))
    path.write_text(json.dumps(SPOILT[how](json.loads(path.read_text()))))
    ran = redwhite("show", str(path))
    assert (ran.code, ran.out, ran.err.count("\n")) == (2, "", 1)
    assert "trace.json" in ran.err
