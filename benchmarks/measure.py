"""One measurement in a process of its own, so that its memory is its own: `python -m benchmarks.measure MODE SYSTEM`.

Prints one JSON object. Modes: `explore` (the native engine's search alone), `judge` (with all default properties),
`count` (with these and the interleavings counted), `own CLAIM` (with one claim of `benchmarks.own`), all with kernels
loaded beforehand; `cold` (the search alone, nothing loaded beforehand: what the caller times is the whole process);
`reads STATES READS WORDS` (random reads from a table of that size, the limit that memory sets).
"""

from __future__ import annotations

import json
import resource
import sys
import time
from collections.abc import Callable
from functools import partial
from typing import Any

from benchmarks.systems import Measured
from checker.engines.search_options import SearchOptions, StopCondition, silent
from model.properties import chosen
from model.system import System

WARM = "complete:3 b=1,s=2"

Figures = dict[str, Any]


def timed(run: Callable[[], Figures]) -> Figures:
    """The figures of a run with its wall and CPU seconds, all threads included."""
    started, cpu = time.perf_counter(), time.process_time()
    figures = run()
    return {**figures, "seconds": time.perf_counter() - started, "cpu": time.process_time() - cpu}


def resident() -> float:
    """The most memory that this process has held so far, in 10^6 bytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e6


def explore(system: System, workers: int) -> Figures:
    """Counts of the native engine's search alone; `words` is the width of a state in 64-bit words."""
    from checker.engines.native.search.levels import Search
    from checker.judging.local_predicates import LocalPredicates

    search = Search(system, LocalPredicates(system, []), StopCondition(SearchOptions(workers=workers)))
    depth = max(search.explore())
    return {
        "states": search.count,
        "transitions": search.transitions,
        "depth": depth,
        "words": search.words,
    }


def judge(system: System, workers: int, runs: bool = False, claim: str | None = None) -> Figures:
    """Counts and verdict of the native engine on all properties that apply, or on one claim; `runs`: counted too."""
    from benchmarks.own import CLAIMS
    from checker.engines.native.engine import check_run

    options = SearchOptions(workers=workers, interleavings=runs)
    properties = chosen(system, [] if claim is None else [CLAIMS[claim][1](system)])
    verdict = check_run(system, properties, options, silent).verdict()
    counts = verdict.counts
    return {
        "states": counts.states,
        "transitions": counts.transitions,
        "depth": counts.depth,
        "verdict": verdict.outcome.value,
        "properties": len(verdict.properties),
    }


def count(system: System, workers: int) -> Figures:
    """The same, and the runs counted."""
    return judge(system, workers, runs=True)


def main(mode: str, *words: str) -> Figures:
    """The figures of one measurement."""
    if mode == "reads":
        from benchmarks.memory import random_reads

        return random_reads(*map(int, words))
    modes: dict[str, Callable[..., Figures]] = {"explore": explore, "cold": explore, "judge": judge, "count": count}
    run = modes.get(mode) or partial(judge, claim=mode.removeprefix("own "))
    system = Measured.parse(words[0]).build()
    workers = int(words[1]) if len(words) > 1 else 1
    if mode != "cold":
        run(Measured.parse(WARM).build(), workers)
    before = resident()
    figures = timed(lambda: run(system, workers))
    return {**figures, "peak_rss_mb": resident(), "rss_before_mb": before}


if __name__ == "__main__":
    print(json.dumps(main(*sys.argv[1:])))
