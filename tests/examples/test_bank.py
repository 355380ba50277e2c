"""The bank over real sockets: sound though its branches are killed, and each mutant caught, from its logs alone."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from checker.audit.result import Asked, Audit, audit
from examples.bank.mutants import CONTROLS, MUTANTS
from model.catalogue import PROTOCOLS

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


def test_the_control_is_sound(tmp_path: Path) -> None:
    found = worked(tmp_path, 1.5, "lazy-marker")
    assert found.verdict != "violated"  # a busy machine may leave one unannounced
    assert found.count()["consistent"]


@pytest.mark.slow
@pytest.mark.parametrize("mutant", sorted(MUTANTS.keys() - {*CONTROLS}))
def test_mutants_are_caught(tmp_path: Path, mutant: str) -> None:
    found = worked(tmp_path, 2.0, mutant)
    assert found.verdict == "violated"
    assert any(snapshot.rule for snapshot in found.snapshots)


def test_every_mutant_of_the_marker_algorithm_has_its_switch() -> None:
    classes = [name for name, found in PROTOCOLS.items() if ".mutants." in found.__module__]
    assert set(classes) == MUTANTS.keys()
