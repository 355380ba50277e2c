"""The bank over real sockets: sound though its branches are killed, and each mutant caught, from its logs alone."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from checker.audit.result import Asked, Audit, audit

ROOT = Path(__file__).parents[2]


def worked(folder: Path, seconds: float, mutant: str = "") -> Audit:
    """The audit of a bank that worked for so long."""
    words = [sys.executable, "-m", "examples.bank", str(folder), "--seconds", str(seconds)]
    words += ["--mutant", mutant] if mutant else []
    ran = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, timeout=60, check=False)
    assert (ran.returncode, ran.stderr) == (0, "")
    return audit([str(folder)], Asked(protocol="marker"))


def test_its_snapshots_are_cuts_though_branches_are_killed(tmp_path: Path) -> None:
    found = worked(tmp_path, 1.5)
    assert found.verdict == "holds"
    assert len(found.snapshots) >= 3


def test_announcing_early_is_caught(tmp_path: Path) -> None:
    found = worked(tmp_path, 1.0, "early-complete")
    assert found.count()["impossible"]


@pytest.mark.slow
@pytest.mark.parametrize(
    "mutant", ["late-marker", "late-record", "missing-marker", "no-channel-state", "keep-recording"]
)
def test_mutants_are_caught(tmp_path: Path, mutant: str) -> None:
    found = worked(tmp_path, 2.0, mutant)
    assert found.verdict == "violated"
    assert any(snapshot.rule for snapshot in found.snapshots)
