"""The benchmark command measures a small system, states that the counts agree, and refuses what it cannot compare."""

import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks import spin
from benchmarks.report import Row, best, markdown
from benchmarks.systems import LARGE, SMALL, Measured
from model.errors import InputError


def bench(*words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "benchmarks", *words]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=280)


@pytest.mark.slow
@pytest.mark.skipif(spin.missing() is not None, reason=str(spin.missing()))
def test_one_small_system_from_end_to_end(tmp_path: Path) -> None:
    out = tmp_path / "results.md"
    done = bench("--repeat", "1", "--out", str(out), "ring:3 b=1,s=1")
    assert done.returncode == 0, done.stderr
    text = out.read_text()
    assert "The counts agree." in text
    assert all("298" in line and "629" in line for line in text.splitlines() if line.startswith(("| SPIN", "| Redw")))


@pytest.mark.parametrize("word", ["ring:x", "ring:3 b=1 s=1", "ring:3 b=1,c=1", "ring:3 b=1,s=1,atomic=joint"])
def test_what_cannot_be_compared_is_refused_in_a_line(word: str, tmp_path: Path) -> None:
    done = bench("--out", str(tmp_path / "none.md"), word)
    assert done.returncode == 2
    assert done.stderr.startswith("benchmarks: ") and done.stderr.count("\n") == 1


def test_the_systems_are_systems() -> None:
    for text in SMALL + LARGE:
        assert Measured.parse(text).name == text
        Measured.parse(text).build()
    with pytest.raises(InputError, match="write TOPOLOGY"):
        Measured.parse("a b c")


def test_counts_that_differ_are_said_to() -> None:
    rows = [Row("SPIN, counters", 2.0, 1.0, 10.0, 100, 200, 1.5), Row("SPIN, chan", 1.0, 2.0, 10.0, 100, 200, 1.0)]
    assert best(rows).name == "SPIN, counters"
    assert "The counts agree." in markdown([("x", rows)], None, 1)
    rows.append(Row("Redwhite, exploring", 1.0, 0.5, 10.0, 101, 200))
    text = markdown([("x", rows)], None, 1)
    assert "THE COUNTS DIFFER" in text and "| Redwhite, exploring" in text
