"""What a Spark session leaves, and what is said where none can be had or its Java ends."""

import importlib.util
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from checker.spark import scratch
from checker.spark.session import session
from model.errors import InputError
from tests.engines.distributed.test_cluster import descendants


@pytest.mark.parametrize("missing", ["pyspark", "pandas", "pyarrow"])
def test_a_missing_extra_is_one_line(missing: str, monkeypatch: pytest.MonkeyPatch) -> None:
    found = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == missing else found(name))
    with pytest.raises(InputError, match=rf"{missing} is not installed: pip install 'redwhite\[spark\]'"), session():
        pass


def test_folders_of_killed_processes_are_cleared(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    left, running = tmp_path / f"redwhite-spark-{gone.pid}-ab1", tmp_path / f"redwhite-spark-{os.getpid()}-ab1"
    left.mkdir()
    running.mkdir()
    scratch.clear()
    assert not left.exists() and running.exists()


@pytest.mark.ci
def test_its_java_killed_is_one_line_and_nothing_is_left(tmp_path: Path) -> None:
    """The verdict is unknown, says why, and the search goes on from its checkpoint."""
    (tmp_path / "tmp").mkdir()
    command = [sys.executable, "-m", "checker", "check", "complete:3", "--engine", "spark", "--workers", "2"]
    command += ["--checkpoint", str(tmp_path / "kept")]
    environment = {**os.environ, "TMPDIR": str(tmp_path / "tmp")}
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)
    try:
        while not (tmp_path / "kept" / "found" / "2.npz").exists():
            assert process.poll() is None, process.communicate()
            time.sleep(0.05)
        (java, *_) = [p for p in descendants(process.pid) if Path(f"/proc/{p}/comm").read_text() == "java\n"]
        os.kill(java, signal.SIGKILL)
        said, complaints = process.communicate(timeout=120)
    finally:
        process.kill()
    assert process.returncode == 3
    assert "Spark stopped: its Java ended, exit code -9" in said
    assert all(line.startswith("redwhite: ") for line in complaints.splitlines()), complaints
    assert not list((tmp_path / "tmp").iterdir())
