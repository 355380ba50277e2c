"""What only a process of its own shows: the console script, interrupts, a pipe that closes, what is imported."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.cli.conftest import ROOT

SCRIPT = Path(sys.executable).with_name("redwhite")

SLOW = """
import time
from model.programs.transfer import Transfer


class Slow(Transfer):
    def actions(self, machine, state, offered):
        {wait}
        return super().actions(machine, state, offered)
"""


def started(*arguments: str, folder: Path = ROOT, **environment: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [SCRIPT, *arguments],
        cwd=folder,
        env={**os.environ, **environment},
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


def slow(tmp_path: Path, wait: str) -> subprocess.Popen[str]:
    """A check that has begun to search, and waits in each of the program's actions."""
    (tmp_path / "slow.py").write_text(SLOW.format(wait=wait))
    process = started("check", "complete:3", "--engine", "reference", "--program", "slow.py:Slow", folder=tmp_path)
    assert process.stdout is not None and process.stdout.readline() == "asked\n"
    return process


def test_an_interrupt_says_what_was_covered(tmp_path: Path) -> None:
    process = slow(tmp_path, "print('asked', flush=True); time.sleep(0.02)")
    time.sleep(0.3)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=30)
    assert process.returncode == 3, err
    assert "interrupted" in out and "states" in out and "UNKNOWN" in out and err == ""


def test_an_interrupt_before_the_search_is_no_crash(tmp_path: Path) -> None:
    (tmp_path / "slow.py").write_text("print('asked', flush=True)\nimport time\ntime.sleep(60)")
    process = started("check", "ring:3", "--program", "slow.py:Slow", folder=tmp_path)
    assert process.stdout is not None and process.stdout.readline() == "asked\n"
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=30)
    assert (process.returncode, out) == (3, "") and err == "redwhite: interrupted before anything was covered\n"


def test_a_second_interrupt_ends_it(tmp_path: Path) -> None:
    wait = "try: print('asked', flush=True); time.sleep(60)\n"
    wait += "        except KeyboardInterrupt: print('asked', flush=True); time.sleep(60)"
    process = slow(tmp_path, wait)
    process.send_signal(signal.SIGINT)
    assert process.stdout is not None and process.stdout.readline() == "asked\n"
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=30)
    assert process.returncode == 130


@pytest.mark.parametrize("path", ["", "."])
def test_a_model_py_in_the_working_folder_is_not_ours(tmp_path: Path, path: str) -> None:
    for name in ("model.py",) if path else ("model.py", "checker.py", "proofs.py"):
        (tmp_path / name).write_text("raise SystemExit('the wrong module')")
    environment = {"PYTHONPATH": path} if path else {}
    process = started("check", "ring:2", "--json", folder=tmp_path, **environment)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (0, "") and '"holds"' in out


def test_a_reader_that_leaves_is_no_error() -> None:
    command = f"{SCRIPT} list | head -1"
    ran = subprocess.run(["sh", "-c", command], cwd=ROOT, text=True, capture_output=True, timeout=60, check=False)
    assert ran.stdout == "TOPOLOGIES\n" and ran.stderr == ""


def test_names_are_listed_without_heavy_imports() -> None:
    code = (
        "import sys; from checker.cli.app import run; run(['list', 'properties']); print(*sys.modules, file=sys.stderr)"
    )
    ran = subprocess.run([sys.executable, "-c", code], cwd=ROOT, text=True, capture_output=True, timeout=60, check=True)
    assert not {"networkx", "numpy", "numba", "z3", "pyspark", "cvc5", "pandas"} & set(ran.stderr.split())


def test_colours_only_where_they_are_wanted() -> None:
    plain = started("check", "ring:2", "--relax", "fifo").communicate(timeout=60)[0]
    assert "\x1b[" not in plain
    assert all(line == line.rstrip() for line in plain.splitlines())
