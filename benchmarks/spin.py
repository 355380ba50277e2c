"""SPIN at its best unreduced setting: generate, compile and run a verifier, measured and with its counts exact.

No reduction and no lossy or compressed storage (-DNOREDUCE -DNOCOMP), no checks that the model does not need, -O3 for
this machine, the hash table sized beforehand for the states that are known to come.
"""

from __future__ import annotations

import os
import re
import resource
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from model.errors import InputError

GENERATE = ("spin", "-o2", "-a", "model.pml")
COMPILE = ("gcc", "-O3", "-march=native", "-w")
FLAGS = ("-DNOREDUCE", "-DSAFETY", "-DNOFAIR", "-DNOBOUNDCHECK", "-DNOCOMP")
FIGURE = "%9.8g transitions (= stored+matched)"
DEEPEST = 100_000
"""Depth-first search: the stack is as deep as the longest path."""


class SpinFailed(RuntimeError):
    """A tool failed, or its answer cannot be read; the message holds what it said."""


@dataclass(frozen=True, slots=True)
class SpinRun:
    """One run: distinct states, generated successors, the search's wall and CPU seconds, peak memory in 10^6 bytes.

    `prepare` is the time taken to generate and compile the verifier, in seconds.
    """

    states: int
    transitions: int
    seconds: float
    cpu: float
    peak_rss_mb: float
    prepare: float


def missing() -> str | None:
    """Why SPIN cannot be run here, if it cannot."""
    for tool, package in (("spin", "spin"), ("gcc", "gcc")):
        if shutil.which(tool) is None:
            return f"{tool} is not installed (Debian package {package})"
    return None


def run(
    promela: str,
    states: int = 1 << 20,
    flags: tuple[str, ...] = (),
    timeout: float = 3600,
    options: tuple[str, ...] = (),
) -> SpinRun:
    """Explore the model; `states`, about how many there are, sizes the hash table.

    `flags` go to the compiler, `options` to the verifier; the time limit is in seconds.
    """
    why = missing()
    if why is not None:
        raise InputError(why)
    with tempfile.TemporaryDirectory(prefix="spin") as name:
        folder = Path(name)
        started = time.monotonic()
        (folder / "model.pml").write_text(promela, encoding="utf-8")
        _tool(folder, *GENERATE)
        _exact(folder / "pan.c")
        _tool(folder, *COMPILE, *FLAGS, *flags, "-o", "pan", "pan.c")
        prepare = time.monotonic() - started
        bits = max(18, states.bit_length())
        return _measure(folder, ("./pan", "-E", "-n", f"-m{DEEPEST}", f"-w{bits}", *options), timeout, prepare)


def _exact(verifier: Path) -> None:
    """Let the verifier print its transitions in full: with %g it rounds them from 10^8 on. Nothing else is changed."""
    text = verifier.read_text(encoding="utf-8")
    if FIGURE not in text:
        raise SpinFailed(f"this SPIN's verifier prints no {FIGURE!r}: another version than 6.5?")
    exact = text.replace(FIGURE, FIGURE.replace("%9.8g", "%9.0f"))
    verifier.write_text(exact.replace("%9.8g states, stored", "%9.0f states, stored"), encoding="utf-8")


def _tool(folder: Path, *command: str) -> None:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, timeout=600)
    if done.returncode or not any(folder.iterdir()):
        raise SpinFailed(f"{' '.join(command)}: {(done.stderr or done.stdout).strip()[-800:]}")


def _measure(folder: Path, command: tuple[str, ...], timeout: float, prepare: float) -> SpinRun:
    """Run the verifier and read its report."""
    return measured(folder, command, _counts, timeout, prepare)


def measured(
    folder: Path,
    command: tuple[str, ...],
    counts: Callable[[str], tuple[int, int]],
    timeout: float = 3600,
    prepare: float = 0,
) -> SpinRun:
    """Run a checker and read its report; CPU and memory are the kernel's figures for that process."""
    report = folder / "report"
    with report.open("wb") as out:
        started = time.monotonic()
        process = subprocess.Popen(command, cwd=folder, stdout=out, stderr=subprocess.STDOUT)
        usage = _wait(process, timeout)
        seconds = time.monotonic() - started
    states, transitions = counts(report.read_text(encoding="utf-8", errors="replace"))
    return SpinRun(
        states=states,
        transitions=transitions,
        seconds=seconds,
        cpu=usage.ru_utime + usage.ru_stime,
        peak_rss_mb=usage.ru_maxrss * 1024 / 1e6,
        prepare=prepare,
    )


def _counts(text: str) -> tuple[int, int]:
    """States and transitions; SPIN counts the arrival in the initial state."""
    if "errors: 0" not in text or "truncated" in text or "max search depth too small" in text:
        raise SpinFailed(text.strip()[-800:])
    return _figure(text, "states, stored"), _figure(text, r"transitions \(= stored\+matched\)") - 1


def _wait(process: subprocess.Popen[bytes], timeout: float) -> resource.struct_rusage:
    deadline = time.monotonic() + timeout
    while True:
        pid, status, usage = os.wait4(process.pid, os.WNOHANG)
        if pid:
            process.returncode = os.waitstatus_to_exitcode(status)
            return usage
        if time.monotonic() > deadline:
            process.kill()
            process.wait()
            raise SpinFailed(f"no end within {timeout:g} s")
        time.sleep(0.005)


def _figure(text: str, label: str) -> int:
    found = re.search(rf"^\s*(\d+) {label}", text, re.MULTILINE)
    if found is None:
        raise SpinFailed(f"no {label!r} in the verifier's report: {text.strip()[-800:]}")
    return int(found[1])
