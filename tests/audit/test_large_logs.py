"""A log of a gigabyte, audited on Spark: the wrong snapshot is found, in memory that does not grow with the log.

It does grow with the number of snapshots: what is told of each is brought together in one process.
"""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from checker.cli.app import run as command

pytest.importorskip("pyspark", reason="pyspark is an optional extra (uv sync --extra spark)")
psutil = pytest.importorskip("psutil", reason="psutil, which tells the memory of processes, is not installed")

MAKE = ["--make", "complete:3", "--program", "transfer,b=90,s=90"]
RUN = 30_000
"""About how many bytes of a log a run of it is."""
MOST = 700 << 20
"""The most memory of the Python processes together; what Java has is set."""


@pytest.mark.slow
@pytest.mark.timeout(1200)
@pytest.mark.parametrize("size", [100_000_000, 1_000_000_000])
def test_a_large_log(size: int, tmp_path: Path) -> None:
    sound, wrong = tmp_path / "sound.jsonl", tmp_path / "wrong.jsonl"
    runs = size // RUN
    assert command(["audit", str(sound), *MAKE, "--runs", str(runs)]) == 0
    assert command(["audit", str(wrong), *MAKE, "--runs", "1", "--fault", "wrong-state"]) == 0
    text = wrong.read_text().replace('"run": "0"', '"run": "wrong"')
    wrong.write_text(text)
    assert sound.stat().st_size >= 0.9 * size
    words = [sys.executable, "-m", "redwhite", "audit", str(sound), str(wrong), "--master", "local[2]"]
    audit = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
    most = 0
    while audit.poll() is None:
        most = max(most, _python(psutil.Process(audit.pid)))
        time.sleep(0.5)
    assert audit.stdout is not None
    told = audit.stdout.read()
    print(f"{sound.stat().st_size:,} bytes: {most >> 20} MiB")
    assert audit.returncode == 1, told
    assert f"{runs:,} consistent, 1 impossible" in told
    assert "run wrong, snapshot 0: impossible" in told
    assert most < MOST


def _python(process: Any) -> int:
    """The bytes of a process and those below it that are not Java's; what several share is counted once."""
    found = 0
    for one in (process, *process.children(recursive=True)):
        try:
            found += 0 if "java" in one.name() else one.memory_full_info().pss
        except psutil.NoSuchProcess:
            continue
    return found
