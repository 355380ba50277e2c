"""`redwhite sweep`: check every system of an experiment on Spark."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Annotated

from checker.cli.arguments import Argument, Option

if TYPE_CHECKING:
    from rich.progress import Progress

UNKNOWN = 3
LOGGED = 10.0
"""Seconds between two progress lines where there is no terminal."""


def sweep(
    experiment: Annotated[str, Argument(metavar="EXPERIMENT.toml", help="what to check: see experiments/")],
    out: Annotated[str, Option(help="folder of the results, on storage that all workers share")],
    master: Annotated[str | None, Option(help="Spark master; default: all cores of this machine")] = None,
    resume: Annotated[bool, Option("--resume", help="do only what is missing in the folder")] = False,
) -> int:
    """Check every system of an experiment on Spark; the results are a Parquet dataset."""
    from checker.sweep.experiment import read_experiment
    from checker.sweep.run import sweep as run

    plan = read_experiment(experiment)
    with SweepProgress() as progress:
        summary = run(plan, Path(out), master, resume, progress, starting=progress.starting)
    rate = summary.now / summary.seconds if summary.seconds else 0.0
    print(f"{plan.name}: {summary.systems:,} systems; {summary.before:,} were done before, {summary.now:,} now", end="")
    print(f" in {summary.seconds:.1f} s ({rate:.1f} systems/s)")
    if summary.failed:
        print(f"{summary.failed:,} systems could not be judged: redwhite report {out} tells why")
    if summary.missing:
        print(f"{summary.stopped}: {summary.missing:,} systems are missing; --resume does them")
        return UNKNOWN
    print(f"results: {out} (redwhite report {out})")
    return 0


class SweepProgress:
    """A bar with rate and remaining time on a terminal, a line now and then elsewhere; on stderr."""

    def __init__(self) -> None:
        self.started = self.shown = time.monotonic()
        self.bar: Progress | None = None
        self.first: int | None = None

    def __enter__(self) -> SweepProgress:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        if self.bar is not None:
            self.bar.stop()

    def starting(self, what: str) -> None:
        """Show at once that something slow is being started."""
        if sys.stderr.isatty():
            self._draw(0.0, f"starting {what}")
        else:
            print(f"redwhite: starting {what}", file=sys.stderr, flush=True)

    def __call__(self, done: int, systems: int, share: float) -> None:
        """Show how far it is: systems done, and the share of the estimated cost."""
        now = time.monotonic()
        self.first = done if self.first is None else self.first
        rate = (done - self.first) / (now - self.started) if now > self.started else 0.0
        if sys.stderr.isatty():
            self._draw(share, f"{done:,}/{systems:,} systems  {rate:.1f}/s")
        elif now - self.shown > LOGGED:
            self.shown = now
            left = f"{(now - self.started) * (1 - share) / share:.0f} s left" if share else "no estimate yet"
            print(f"redwhite: {done:,}/{systems:,} systems, {rate:.1f}/s, {left}", file=sys.stderr, flush=True)

    def _draw(self, share: float, text: str) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

        if self.bar is None:
            columns = (TextColumn("sweep"), BarColumn(), TextColumn("{task.description}"), TimeRemainingColumn())
            self.bar = Progress(*columns, console=Console(stderr=True))
            self.bar.add_task(text, total=1.0)
            self.bar.start()
        self.bar.update(self.bar.task_ids[0], completed=share, description=text)
