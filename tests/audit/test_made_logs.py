"""Logs made with faults by request: each is judged as is known beforehand."""

from __future__ import annotations

from pathlib import Path

import pytest

from checker.audit.made_logs import FAULTS
from checker.audit.result import Asked, audit
from checker.cli.app import run as command


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("joined", [False, True])
def test_a_fault_is_judged_as_expected(tmp_path: Path, fault: str, joined: bool) -> None:
    log = str(tmp_path / "made.jsonl")
    words = ["--make", "complete:3", "--runs", "12", "--fault", fault]
    assert command(["audit", log, *words, *(["--joined"] if joined else [])]) == 0
    found = audit([log], Asked())
    assert {snapshot.verdict for snapshot in found.snapshots} <= FAULTS[fault].verdicts
    assert (found.runs, len(found.snapshots)) == ((1, 12) if joined else (12, 12))
    if fault == "accept-logged-twice":
        assert found.verdict == "violated"
        assert audit([log], Asked(once=True)).verdict == "holds"


def test_without_a_fault_all_is_consistent(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    log = str(tmp_path / "made.jsonl")
    for more in ([], ["--joined"], ["--protocol", "lazy-marker"], ["--protocol", "laiyang", "--relax", "fifo"]):
        assert command(["audit", log, "--make", "ring:3", "--runs", "20", *more]) == 0
        assert audit([log], Asked()).count() == {"consistent": 20}
    assert command(["audit", log, "--make", "ring:3", "--fault", "wrong-stat"]) == 2
    assert "did you mean" in capsys.readouterr().err
    assert command(["audit", log, "--make", "ring:3", "--fault", "short-channel", "--program", "token,hops=0"]) == 2


def test_a_mutants_log_is_caught(tmp_path: Path) -> None:
    log = str(tmp_path / "made.jsonl")
    assert command(["audit", log, "--make", "complete:3", "--runs", "100", "--protocol", "early-complete"]) == 0
    assert audit([log], Asked()).verdict == "violated"
