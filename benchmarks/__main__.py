"""`python -m benchmarks [SYSTEM ...]`: the same state graphs explored by SPIN and by Redwhite, side by side in one run.

For each system: SPIN on hand-written Promela at its best unreduced setting, and Redwhite's native engine, in turns,
each measurement in a process of its own. The counts must agree, or the run ends with exit code 1. Writes Markdown.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import shlex
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks import peers, spin
from benchmarks.promela import STYLES, promela
from benchmarks.report import Row, markdown
from benchmarks.systems import LARGE, SMALL, Measured
from model.errors import InputError

RESULTS = Path(__file__).with_name("RESULTS.md")
ONCE = 10_000_000
"""Systems with as many states are run by SPIN once: chance matters less there, and time more."""

FITS_TWICE = 20_000_000
"""States up to which SPIN is run in its two-core modes, which take more memory."""

TWO_CORES = {
    "SPIN, two cores, depth first": (("-DNCORE=2",), ()),
    "SPIN, two cores, breadth first": (("-DBFS_PAR",), ("-u2",)),
}


def main() -> int:
    """Measure and write; 0 if all counts agree, 1 if not, 2 for bad usage."""
    options = parser().parse_args()
    try:
        systems = [Measured.parse(text) for text in options.systems or (SMALL + LARGE if options.all else LARGE)]
        why = spin.missing()
        if why is not None:
            raise InputError(why)
        for measured in systems:
            promela(measured.build())  # what SPIN cannot be given is refused before anything is run
    except InputError as error:
        print(f"benchmarks: {error}", file=sys.stderr)
        return 2
    for name, needed in peers.missing().items():
        print(f"benchmarks: {name} is passed over: it {needed}", file=sys.stderr)
    measured_rows = []
    for measured in systems:
        rows = list(Comparison(measured, options.repeat, options.two_cores).rows())
        measured_rows.append((measured.name, rows))
        text = markdown(measured_rows, shlex.join(["python", "-m", "benchmarks", *sys.argv[1:]]), options.repeat)
        if options.out is not None:
            Path(options.out).write_text(text, encoding="utf-8")
        print(markdown(measured_rows[-1:], None, options.repeat), flush=True)
    agree = all(len({(r.states, r.transitions) for r in rows if r.states}) == 1 for _, rows in measured_rows)
    print("The counts agree." if agree else "THE COUNTS DIFFER.")
    return 0 if agree else 1


def parser() -> argparse.ArgumentParser:
    """The options."""
    found = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__.splitlines()[0])
    found.add_argument("systems", nargs="*", metavar="SYSTEM", help=f"default: {', '.join(map(repr, LARGE))}")
    found.add_argument("--all", action="store_true", help=f"with the smaller ones: {', '.join(map(repr, SMALL))}")
    repeats = f"runs of each, the fastest counts (default 3; of SPIN one from {ONCE:,} states on)"
    found.add_argument("--repeat", type=int, default=3, help=repeats)
    found.add_argument("--two-cores", action="store_true", help="SPIN's two-core modes and Redwhite's two workers too")
    found.add_argument("--out", default=str(RESULTS), help="the Markdown file to write (default benchmarks/RESULTS.md)")
    return found


class Comparison:
    """All measurements of one system; the repetitions of all rows are made in turns, so that none has a calmer hour."""

    def __init__(self, measured: Measured, repeat: int, two_cores: bool) -> None:
        self.measured = measured
        self.repeat = repeat
        self.two_cores = two_cores
        self.states = 1 << 20

    def rows(self) -> Iterator[Row]:
        """SPIN's rows, Redwhite's rows, then the limit that memory sets."""
        system = self.measured.build()
        first = worker("explore", self.measured.name)
        self.states = first["states"]
        kinds: dict[str, Any] = {
            f"SPIN, {style}": lambda style=style: self.spin(promela(system, style)) for style in STYLES
        }
        for name, run_peer in peers.runs(system, self.states).items():
            kinds[name] = lambda run_peer=run_peer: figures(run_peer())
        kinds["Redwhite, exploring"] = lambda: worker("explore", self.measured.name)
        kinds["Redwhite, all properties"] = lambda: worker("judge", self.measured.name)
        kinds["Redwhite, and runs counted"] = lambda: worker("count", self.measured.name)
        kinds["whole process, exploring"] = lambda: whole(
            sys.executable, "-m", "benchmarks.measure", "cold", self.measured.name
        )
        kinds["whole process, `redwhite check`"] = lambda: whole(*self.command())
        if self.two_cores:
            for name, (flags, run) in TWO_CORES.items() if self.states < FITS_TWICE else ():
                kinds[name] = lambda flags=flags, run=run: self.spin(promela(system), flags, run)
            kinds["Redwhite, exploring, two workers"] = lambda: worker("explore", self.measured.name, "2")
        found: dict[str, list[dict[str, Any]]] = {name: [] for name in kinds}
        for name in ("whole process, exploring", "whole process, `redwhite check`") if self.states < ONCE else ():
            kinds[name]()  # so that kernels and bytecode are on disk
        for turn in range(self.repeat):
            for name, kind in kinds.items():
                if turn == 0 or not name.startswith(("TLC", "Rumur", "SPIN" if self.states >= ONCE else "TLC")):
                    found[name].append(kind())
        for name, runs in found.items():
            yield fastest(name, runs)
        reads = worker("reads", str(first["states"]), str(first["transitions"]), str(first["words"]))
        name = f"{first['transitions']:,} random reads of {8 * first['words']} bytes"
        yield Row(name, seconds=reads["seconds"], cpu=reads["cpu"], peak_rss_mb=reads["table_mb"])

    def spin(self, text: str, flags: tuple[str, ...] = (), run: tuple[str, ...] = ()) -> dict[str, Any]:
        """One run of SPIN."""
        return figures(spin.run(text, self.states, flags, options=run))

    def command(self) -> tuple[str, ...]:
        """What a user types."""
        start = (sys.executable, "-c", "from checker.cli import main; main()")
        return (*start, "check", self.measured.topology, "--program", self.measured.program, "--engine", "native",
                "--json")  # fmt: skip


def figures(done: spin.SpinRun) -> dict[str, Any]:
    """A run of another checker as a worker would give it."""
    return {name: getattr(done, name) for name in done.__slots__}


def worker(*words: str) -> dict[str, Any]:
    """One measurement by `benchmarks.measure`, in a process of its own."""
    command = [sys.executable, "-m", "benchmarks.measure", *words]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{' '.join(words)}: {done.stderr.strip()[-2000:]}")
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def whole(*command: str) -> dict[str, Any]:
    """A process from its start to its end: wall and CPU seconds, peak memory, and the counts that it printed.

    Python keeps its bytecode on disk, as it does unless told otherwise.
    """
    usual = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    started = time.perf_counter()
    with tempfile.TemporaryFile() as errors:
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=errors, env=usual)
        assert process.stdout is not None
        output = process.stdout.read()
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - started
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            errors.seek(0)
            said = errors.read()[-2000:].decode(errors="replace")
            raise RuntimeError(f"{' '.join(command)}: exit code {process.returncode}: {said}")
    counts = json.loads(output)
    return {
        "states": counts["states"],
        "transitions": counts["transitions"],
        "seconds": seconds,
        "cpu": usage.ru_utime + usage.ru_stime,
        "peak_rss_mb": memory(usage),
    }


def memory(usage: resource.struct_rusage) -> float:
    """Peak memory in 10^6 bytes."""
    return usage.ru_maxrss * 1024 / 1e6


def fastest(name: str, runs: list[dict[str, Any]]) -> Row:
    """The run with the least CPU time, and the least wall time of all."""
    best = min(runs, key=lambda run: run["cpu"])
    assert len({(run["states"], run["transitions"]) for run in runs}) == 1
    return Row(
        name,
        states=best["states"],
        transitions=best["transitions"],
        seconds=min(run["seconds"] for run in runs),
        cpu=best["cpu"],
        peak_rss_mb=best["peak_rss_mb"],
        prepare=best.get("prepare"),
    )


if __name__ == "__main__":
    sys.exit(main())
