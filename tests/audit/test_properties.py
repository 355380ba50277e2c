"""Properties asked of the snapshots in logs: conservation, and a user's own words."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from checker.audit.on_spark import Job
from checker.audit.result import Asked, audit
from checker.cli.app import run as command
from model.errors import InputError
from tests.audit.logs import LOGS, written
from tests.audit.test_command import FINE

OWN = """
from model import on_cut, on_snapshot, always

small = on_snapshot("nobody holds two", lambda sss: max(sss.machines) < 2 and len(sss.channels["A>B"]) < 2)
none = on_snapshot("B has nothing, and the channel neither", lambda sss: sss.machines["B"] == 0 and not sss.channels[0])
grows = on_cut("B only grows", lambda s0, sss, s1: s0.machines["B"] <= sss.machines["B"] < s1.machines[1])
start = on_cut("A has it all at first", lambda s0, sss, s1: s0.machines["A"] == 1)
states = always("of states", lambda view: True)
"""


@pytest.fixture
def files(tmp_path: Path) -> tuple[str, str]:
    (tmp_path / "own.py").write_text(OWN)
    return str(written(tmp_path / "log.jsonl", FINE)), str(tmp_path / "own.py")


def test_ones_own_properties(files: tuple[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    log, own = files
    for name, code in {"small": 0, "none": 1, "grows": 0, "start": 1}.items():
        assert command(["audit", log, "--property", f"{own}:{name}", "--json"]) == code, name
        (snapshot,) = json.loads(capsys.readouterr().out)["snapshots"]
        assert snapshot["verdict"] == "consistent"
        assert [found["name"] for found in snapshot.get("properties", [])] == [f"{own}:{name}"] * code
    assert command(["audit", log, "--property", f"{own}:none"]) == 1
    assert "'B has nothing, and the channel neither' does not hold of it" in " ".join(capsys.readouterr().out.split())
    for wrong in (f"{own}:states", f"{own}:nobody", "reachable", "nowhere.py:x"):
        assert command(["audit", log, "--property", wrong]) == 2
        assert len(capsys.readouterr().err.splitlines()) == 1


def test_conservation() -> None:
    """Where states and messages are tokens, what is announced early or lost is missing in the sum."""
    sound = audit([str(LOGS / "sound.jsonl.gz")], Asked(properties=("conservation",)))
    assert (sound.verdict, sum(len(s.broken) for s in sound.snapshots)) == ("holds", 0)
    early = audit([str(LOGS / "announces-early.jsonl.gz")], Asked(properties=("conservation",)))
    (broken,) = [snapshot for snapshot in early.snapshots if snapshot.broken]
    assert (broken.run, broken.verdict) == ("announces-early/2", "impossible")
    assert broken.why[-1] == "conservation: It holds 10 in all, and the machines began with 13."


def test_conservation_of_what_is_no_number_is_refused(tmp_path: Path) -> None:
    lines = [
        {"machine": "A", "event": "start", "state": "x"},
        {"event": "snapshot", "snapshot": 0, "states": {"A": "x"}},
    ]
    with pytest.raises(InputError, match="no number"):
        audit([str(written(tmp_path / "log.jsonl", lines))], Asked(properties=("conservation",)))


def test_spark_refuses_before_it_starts(files: tuple[str, str]) -> None:
    from checker.audit import on_spark

    with pytest.raises(InputError, match="accepted of a log"):
        on_spark.audit([files[0]], Job(Asked(properties=("nothing",))))
