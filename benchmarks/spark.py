"""`python -m benchmarks.spark`: distributed exploration beside the native engine, and a sweep beside a plain loop.

    python -m benchmarks.spark explore [TOPOLOGY PROGRAM]    default ring:5 transfer,b=2,s=3 (7,603,757 states)
    python -m benchmarks.spark sweep EXPERIMENT.toml         the same systems in a plain loop and on local[1], local[2]

Both sides are measured in one run; the counts, or the rows, must agree. Prints Markdown, and `--out` appends it.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

from tabulate import tabulate

from benchmarks.report import machine
from checker.check import one
from checker.engines.distributed.exploration import Exploration
from checker.engines.distributed.level_report import LevelReport
from checker.engines.distributed.storage import Store
from checker.engines.native.search.levels import Search
from checker.engines.search_options import SearchOptions, StopCondition
from checker.judging.local_predicates import LocalPredicates
from checker.spark.session import session
from checker.sweep.experiment import read_experiment
from checker.sweep.rows import checked
from checker.sweep.run import sweep
from model.catalogue import build_system
from model.system import System

FEW = 5_000
"""A level with fewer new states than these shows what a level costs by itself."""


def main() -> int:
    """Measure; 1 if the two sides do not agree."""
    options = argparse.ArgumentParser(prog="python -m benchmarks.spark")
    options.add_argument("--out", help="append the Markdown to this file")
    verbs = options.add_subparsers(dest="verb", required=True)
    explore = verbs.add_parser("explore")
    explore.add_argument("topology", nargs="?", default="ring:5")
    explore.add_argument("program", nargs="?", default="transfer,b=2,s=3")
    verbs.add_parser("sweep").add_argument("experiment")
    found = options.parse_args()
    title, table, agree = (
        explored(found.topology, found.program) if found.verb == "explore" else swept(Path(found.experiment))
    )
    load = "; ".join(f"{value:.1f}" for value in os.getloadavg())
    command = " ".join(["python -m benchmarks.spark", *sys.argv[1:]])
    text = f"## {title}\n\n`{command}`; {machine()}, load averages at the end {load}.\n\n{table}\n"
    print(text if agree else f"{text}\nTHE TWO SIDES DIFFER.")
    if found.out and agree:
        with open(found.out, "a", encoding="utf-8") as file:
            file.write(f"\n{text}")
    return 0 if agree else 1


def explored(topology: str, program: str) -> tuple[str, str, bool]:
    """The same state graph by the native engine on one thread, then on local[2] cold and warm."""
    system = build_system(one(topology), program, "marker", "0", "")
    native(build_system(one("ring:2"), "transfer", "marker", "0", ""))  # kernels loaded
    rows = [("native, one thread", *native(system), None, None)]
    with session("local[2]") as spark:
        for name in ("spark, local[2], cold", "spark, local[2], warm"):
            rows.append((name, *distributed(system, spark.sparkContext)))
    table = [
        (name, states, transitions, seconds, cpu, int(states / seconds), int(states / cpu), fixed, few and int(few))
        for name, states, transitions, seconds, cpu, fixed, few in rows
    ]
    headers = ("", "states", "transitions", "s", "CPU s", "states/s", "states/CPU s", "s a small level", "small levels")
    ratio = table[2][5] / table[0][5]
    shown = tabulate(table, headers, tablefmt="github", intfmt=",", floatfmt=",.2f")
    note = (
        f"\n\nspark, warm : native = {ratio:.2f} in states/s, {table[2][6] / table[0][6]:.2f} in states per CPU second."
    )
    return f"Distributed exploration of {topology} {program}", shown + note, len({row[1:3] for row in rows}) == 1


def native(system: System) -> tuple[int, int, float, float]:
    """(states, transitions, seconds, CPU seconds) of the native search alone."""
    search = Search(system, LocalPredicates(system, []), StopCondition(SearchOptions()))
    started, used = time.perf_counter(), time.process_time()
    for _ in search.explore():
        pass
    return search.count, search.transitions, time.perf_counter() - started, time.process_time() - used


def distributed(system: System, context: Any) -> tuple[int, int, float, float, float, int]:
    """The same of the distributed search; then the median time of a small level, and how many there were."""
    times: list[tuple[float, int]] = []

    def tell(level: int, found: LevelReport) -> None:
        times.append((time.perf_counter(), found.new))

    with tempfile.TemporaryDirectory(prefix="redwhite-benchmark-") as folder:
        started, used = time.perf_counter(), cpu()
        store = Store(folder, durable=False)
        exploration = Exploration(system, LocalPredicates(system, []), store, 2, StopCondition(SearchOptions()))
        exploration.explore(context, tell, projected=True)
        seconds, spent = time.perf_counter() - started, cpu() - used
    small = [b - a for (a, n), (b, m) in pairwise(times) if m < FEW and n < FEW]
    return exploration.count, exploration.transitions, seconds, spent, statistics.median(small), len(small)


def cpu() -> float:
    """CPU seconds so far of this process and of pyspark's workers."""
    return time.process_time() + sum(used for name, used in processes().values() if "pyspark.daemon" in name)


def processes() -> dict[str, tuple[str, float]]:
    """(command line, CPU seconds so far) of all processes that this one started, or that those did, by their ids."""
    found: dict[str, tuple[str, str, float]] = {}
    for entry in Path("/proc").iterdir():
        try:
            if entry.name.isdigit():
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
                used = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
                found[entry.name] = (fields[1], (entry / "cmdline").read_text(), used)
        except OSError:
            continue
    ours, grown = {str(os.getpid())}, True
    while grown:
        more = {own for own, (parent, _, _) in found.items() if parent in ours} - ours
        ours, grown = ours | more, bool(more)
    return {own: found[own][1:] for own in ours if own in found and own != str(os.getpid())}


class Watch:
    """Looks now and then at the processes that this one started; `used` is their CPU seconds, also of those gone."""

    def __init__(self) -> None:
        self._over = threading.Event()
        self._before = processes()
        self._seen: dict[str, float] = {}
        self._thread = threading.Thread(target=self._look, daemon=True)

    def __enter__(self) -> Watch:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()

    def _look(self) -> None:
        while not self._over.wait(0.2):
            for own, (_, used) in processes().items():
                self._seen[own] = used - self._before.get(own, ("", 0.0))[1]

    @property
    def used(self) -> float:
        """CPU seconds since it began."""
        return sum(self._seen.values())


def swept(path: Path) -> tuple[str, str, bool]:
    """The systems of an experiment in a plain loop, then as sweeps; CPU seconds count Java and its workers."""
    plan = read_experiment(path)
    checked(plan.systems[-1])  # kernels loaded
    table, counts = [], set()

    def measured(name: str, run: Callable[[], int]) -> None:
        started, used = time.perf_counter(), time.process_time()
        with Watch() as watch:
            counts.add(run())
        seconds, spent = time.perf_counter() - started, time.process_time() - used + watch.used
        table.append((name, len(plan.systems), seconds, spent))

    measured("plain loop", lambda: sum(rows[0]["states"] or 0 for rows in map(checked, plan.systems)))
    for cores in (1, 2):
        with tempfile.TemporaryDirectory(prefix="redwhite-benchmark-") as folder:

            def run(cores: int = cores, folder: str = folder) -> int:
                return states_of(Path(folder) / "out", sweep(plan, Path(folder) / "out", f"local[{cores}]").missing)

            measured(f"sweep, local[{cores}]", run)
    shown = tabulate(table, ("", "systems", "s", "CPU s"), tablefmt="github", intfmt=",", floatfmt=",.1f")
    wall, spent = (100 * (table[1][column] / table[0][column] - 1) for column in (2, 3))
    note = (
        f"\n\nOverhead of the pipeline on one core, Spark's start included: {wall:.0f} % in s, {spent:.0f} % in CPU s."
    )
    return f"The sweep `{plan.name}`", shown + note, len(counts) == 1


def states_of(out: Path, missing: int) -> int:
    """The sum of all systems' states in a sweep's folder."""
    import pyarrow.parquet as pq

    from checker.sweep import dataset

    assert not missing
    states: dict[str, int] = {}
    for file in dataset.files(out):
        for row in pq.read_table(file, columns=["system", "states"]).to_pylist():
            states[row["system"]] = row["states"] or 0
    return sum(states.values())


if __name__ == "__main__":
    sys.exit(main())
