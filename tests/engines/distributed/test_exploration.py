"""Distributed exploration: the native engine's counts, verdicts and traces, whoever was killed in between."""

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from checker.check import check
from checker.engines.search_options import SearchOptions
from model.errors import InputError
from model.verdict import Verdict

TWO = SearchOptions(workers=2)
System = tuple[str, str, str, str, str]

SYSTEMS: list[System] = [
    ("ring:3", "transfer", "late-marker", "0", ""),
    ("biring:2", "free,s=1", "marker", "any", "fifo"),
    ("ring:3", "transfer", "no-channel-state", "0", ""),
    ("ring:2", "transfer,b=2,s=2", "marker", "0", "overtake:1"),
    ("ring:3", "transfer", "marker", "0", "loss:1"),
    ("ring:3", "transfer", "marker", "0", "marker-loss:1"),
    ("complete:3", "transfer", "marker", "any", ""),
    ("ring:3", "token", "marker", "0", ""),
    ("ring:3", "transfer", "magic", "0", ""),
    ("ring:3", "transfer", "simultaneous", "0", ""),
    ("ring:3", "diffusing,s=1", "marker", "0", "crash:1"),
    ("biring:3", "transfer,atomic=joint", "marker", "0", ""),
]


def judged(system: System, engine: str, options: SearchOptions | None = None, **more: Any) -> Verdict:
    topology, program, protocol, initiators, relax = system
    return check(
        topology, program, protocol, initiators=initiators, relax=relax, engine=engine, options=options, **more
    )


def told(verdict: Verdict) -> dict[str, Any]:
    """All that engines must agree on."""
    counts = verdict.counts
    return {
        "counts": (counts.states, counts.transitions, counts.depth, counts.underlying_states, counts.snapshots),
        "snapshots": set(verdict.snapshots),
        "coverage": verdict.coverage,
        "reason": verdict.reason,
        "properties": [
            (p.name, p.outcome, p.length, p.witness, p.counterexample and p.counterexample.trace.events)
            for p in verdict.properties
        ],
        "witnesses": [w.trace.events for w in verdict.witnesses],
    }


def test_the_reference_engines_verdict() -> None:
    """On the smallest example all three engines agree."""
    system = ("ring:3", "transfer", "marker", "0", "")
    spark = told(judged(system, "spark", TWO))
    assert spark == told(judged(system, "reference")) == told(judged(system, "native"))
    assert spark["counts"] == (298, 629, 10, 27, 11)


@pytest.mark.ci
@pytest.mark.parametrize("system", SYSTEMS, ids=" ".join)
def test_the_native_engines_verdict(system: System) -> None:
    """Counts, verdicts, lengths, traces event by event, snapshots and witnesses."""
    assert told(judged(system, "spark", TWO)) == told(judged(system, "native"))


@pytest.mark.ci
@pytest.mark.parametrize("depth", [0, 1, 5, 10, 11])
def test_depth_bound(depth: int) -> None:
    """A search cut off at a depth covers what the reference engine covers; one that just ends there is exhaustive."""
    system = ("ring:3", "transfer", "late-marker", "0", "")
    spark = told(judged(system, "spark", SearchOptions(max_depth=depth, workers=2)))
    reference = told(judged(system, "reference", SearchOptions(max_depth=depth)))
    for key in ("counts", "coverage", "reason"):
        assert spark[key] == reference[key]
    assert [p[:3] for p in spark["properties"]] == [p[:3] for p in reference["properties"]]


@pytest.mark.ci
@pytest.mark.parametrize("workers", [1, 3])
def test_any_number_of_partitions(workers: int) -> None:
    """How many partitions there are changes nothing."""
    system = ("biring:3", "transfer", "marker", "any", "")
    assert told(judged(system, "spark", SearchOptions(workers=workers))) == told(judged(system, "native"))


# -- whoever is killed ---------------------------------------------------------------------------------------------


def python_workers() -> list[int]:
    """The process ids of the Python workers below this process: pyspark's daemon and what it forked."""
    parents: dict[int, int] = {}
    names: dict[int, str] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                parents[int(entry.name)] = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
                names[int(entry.name)] = (entry / "cmdline").read_text()
            except (OSError, IndexError):
                continue

    def ours(process: int) -> bool:
        while process in parents:
            if process == os.getpid():
                return True
            process = parents[process]
        return False

    return [
        p
        for p, name in names.items()
        if "pyspark.daemon" in name and "pyspark.daemon" in names.get(parents[p], "") and ours(p)
    ]


@pytest.mark.ci
def test_workers_killed() -> None:
    """Workers killed between levels and within them: the verdict is that of a run undisturbed."""
    killed: list[int] = []

    def kill(states: int, queue: int, depth: int) -> None:
        if depth not in (3, 6, 9):
            return

        def strike() -> None:
            for process in python_workers()[:1]:
                os.kill(process, signal.SIGKILL)
                killed.append(process)

        if depth == 6:
            strike()
        else:
            threading.Timer(0.03, strike).start()

    system = ("complete:3", "transfer", "marker", "any", "")
    found = told(judged(system, "spark", TWO, progress=kill))
    assert killed
    assert found == told(judged(system, "native"))


DRIVER = """
import sys
from checker.engines.search_options import SearchOptions
from checker.check import check
check("complete:3", engine="spark", options=SearchOptions(workers=2, checkpoint=sys.argv[1]))
"""


@pytest.mark.ci
def test_driver_killed(tmp_path: Path) -> None:
    """A search whose driver was killed is taken up at the level where it was, and gives the same verdict."""
    folder = tmp_path / "search"
    driver = subprocess.Popen([sys.executable, "-P", "-c", DRIVER, str(folder)], start_new_session=True)
    try:
        while not (folder / "found" / "5.npz").exists():
            assert driver.poll() is None, "it ended before it could be killed"
            time.sleep(0.01)
    finally:
        os.killpg(driver.pid, signal.SIGKILL)
        driver.wait()
    done = sorted((folder / "found").iterdir())
    assert not (folder / "found" / "14.npz").exists(), "it was done before it was killed"
    written = [path.stat().st_mtime_ns for path in done]
    system = ("complete:3", "transfer", "marker", "0", "")
    resumed = judged(system, "spark", SearchOptions(workers=2, checkpoint=str(folder)))
    assert told(resumed) == told(judged(system, "native"))
    assert [path.stat().st_mtime_ns for path in done] == written, "a level that was done was done again"
    with pytest.raises(InputError, match="another search"):
        judged(("ring:3", "transfer", "marker", "0", ""), "spark", SearchOptions(workers=2, checkpoint=str(folder)))


def test_bad_checkpoints(tmp_path: Path) -> None:
    """A folder with other things in it, a file instead of a folder, one that is broken: refused in one line."""
    system = ("ring:3", "transfer", "marker", "0", "")
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "notes.txt").write_text("mine")
    with pytest.raises(InputError, match="not empty and holds no search"):
        judged(system, "spark", SearchOptions(workers=2, checkpoint=str(tmp_path / "mine")))
    with pytest.raises(InputError, match="notes"):
        judged(system, "spark", SearchOptions(workers=2, checkpoint=str(tmp_path / "mine" / "notes.txt")))
    (tmp_path / "mine" / "search.json").write_text("{")
    with pytest.raises(InputError, match="checkpoint"):
        judged(system, "spark", SearchOptions(workers=2, checkpoint=str(tmp_path / "mine")))
