"""A sweep: the systems of an experiment as rows of a DataFrame, each checked in an executor by the ordinary `check`.

The table is cut into chunks of about equal estimated cost, costliest first; a chunk is one task, and writes its rows
itself when it is done, so that an interruption loses only the chunks in hand. A task that is tried again, because its
worker died, checks each system in a process of its own: one that kills its process is a row that says so.
"""

from __future__ import annotations

import gc
import json
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from checker.spark.session import SparkStopped, session
from checker.sweep import dataset
from checker.sweep.experiment import Experiment, SystemRow
from checker.sweep.rows import checked, failed

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

FIXED = 20_000
"""What a system costs beside its states, in states."""
CHUNK, CHUNKS = 2_000_000, 64
"""At most about how many states a task has, and about how many tasks a small sweep has: little is lost, none waits."""
POLL = 0.2
SystemsDone = Callable[[int, int, float], None]
"""Called with (systems done, systems in all, share of the estimated cost done)."""


@dataclass(frozen=True, slots=True)
class Summary:
    """What a sweep did: systems in all, done before it, done by it; `checking` sums the tasks' own seconds.

    `failed` counts the systems, of all that are done, that could not be judged; `stopped` says what ended it before all
    were, if anything did.
    """

    systems: int
    before: int
    now: int
    failed: int
    seconds: float
    checking: float
    stopped: str | None

    @property
    def missing(self) -> int:
        """How many systems have no rows yet."""
        return self.systems - self.before - self.now


def sweep(
    experiment: Experiment,
    out: Path,
    master: str | None = None,
    resume: bool = False,
    told: SystemsDone = lambda done, systems, share: None,
    settings: dict[str, str] | None = None,
    starting: Callable[[str], None] = lambda what: None,
) -> Summary:
    """Check what is missing in `out` on Spark; a keyboard interrupt ends it and keeps what is done.

    `starting` is told that Spark starts, where there is something to do.
    """
    started = time.monotonic()
    out = out.resolve()
    finished = dataset.prepare(out, experiment, resume)
    todo = [row for row in experiment.systems if row.id not in finished]
    before, chunks = len(experiment.systems) - len(todo), chunked(todo)
    now, checking, stopped = 0, 0.0, None
    if chunks:
        starting("Spark")
        try:
            with session(master, settings) as spark:
                run = Run(spark, out, chunks)
                try:
                    checking = run.wait(lambda done, share: told(before + done, len(experiment.systems), share))
                except KeyboardInterrupt:
                    spark.sparkContext.cancelAllJobs()
                    raise
        except KeyboardInterrupt:
            stopped = "interrupted"
        except SparkStopped as error:
            stopped = f"Spark stopped ({error})"
        now = sum(len(chunk) for chunk in chunks if dataset.file_of(out, chunk).exists())
    failures = len(dataset.failed(out))
    return Summary(len(experiment.systems), before, now, failures, time.monotonic() - started, checking, stopped)


def chunked(systems: Sequence[SystemRow]) -> list[list[SystemRow]]:
    """The systems in chunks of one protocol and about equal cost each, the costliest first."""
    enough = min(CHUNK, weight(systems) / CHUNKS)
    open_chunks: dict[str, list[SystemRow]] = {}
    chunks: list[list[SystemRow]] = []
    for row in systems:
        own = open_chunks.setdefault(row.protocol, [])
        own.append(row)
        if weight(own) >= enough:
            chunks.append(open_chunks.pop(row.protocol))
    chunks.extend(open_chunks.values())
    return sorted(chunks, key=lambda chunk: -max(row.cost for row in chunk))


def weight(chunk: Sequence[SystemRow]) -> float:
    """What the chunk is thought to cost, in states."""
    return sum(row.cost + FIXED for row in chunk)


class Run:
    """One Spark job in a thread of its own, watched by the files that its tasks leave."""

    def __init__(self, spark: SparkSession, out: Path, chunks: list[list[SystemRow]]) -> None:
        self.spark = spark
        self.out = out
        self.chunks = chunks
        self.paths = [dataset.file_of(out, chunk) for chunk in chunks]
        self.seconds = 0.0
        self.error: Exception | None = None

    def wait(self, told: Callable[[int, float], None]) -> float:
        """The sum of the tasks' seconds, once the job is done."""
        thread = threading.Thread(target=self._job, daemon=True)
        thread.start()
        whole = sum(map(weight, self.chunks))
        while thread.is_alive():
            thread.join(POLL)
            found = self.finished()
            told(sum(len(self.chunks[n]) for n in found), sum(weight(self.chunks[n]) for n in found) / whole)
        if self.error is not None:
            raise self.error
        return self.seconds

    def finished(self) -> list[int]:
        """The chunks whose files are there."""
        return [number for number, path in enumerate(self.paths) if path.exists()]

    def _job(self) -> None:
        try:
            rows = [
                {"chunk": number, "system": to_text(row)} for number, chunk in enumerate(self.chunks) for row in chunk
            ]
            systems = self.spark.createDataFrame(pa.Table.from_pylist(rows, SYSTEMS))
            tasks = systems.repartitionById(len(self.chunks), "chunk")
            done = tasks.mapInArrow(partial(check_chunk, str(self.out)), "seconds double")
            self.seconds = sum(row.seconds for row in done.collect())
        except Exception as error:
            self.error = error


# -- in the executors --------------------------------------------------------------------------------------------

SYSTEMS = pa.schema([("chunk", pa.int32()), ("system", pa.string())])
DONE = pa.schema([("seconds", pa.float64())])


def check_chunk(out: str, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Check the systems of one chunk and write their rows; what is handed back is the time it took."""
    from pyspark import TaskContext

    freeze_garbage_collector()
    systems = [from_text(text) for batch in batches for text in batch.column("system").to_pylist()]
    if not systems:
        return
    started = time.monotonic()
    context = TaskContext.get()
    again = context is not None and context.attemptNumber() > 0
    rows = [found for row in systems for found in (checked_alone(row) if again else checked(row))]
    dataset.write(dataset.file_of(Path(out), systems), rows)
    yield pa.RecordBatch.from_pylist([{"seconds": time.monotonic() - started}], DONE)


@lru_cache(maxsize=1)
def freeze_garbage_collector() -> None:
    """Once in a worker: what has been imported is left out of later collections, which every task begins with."""
    gc.collect()
    gc.freeze()


def checked_alone(row: SystemRow) -> list[dict[str, Any]]:
    """The rows of one system, checked in a process of its own, which may die of it."""
    command = [sys.executable, "-P", "-m", "checker.sweep.run"]
    child = subprocess.run(command, input=to_text(row), capture_output=True, text=True, check=False)
    try:
        found = json.loads(child.stdout) if child.returncode == 0 else None
    except ValueError:
        found = None
    if isinstance(found, list):
        return found
    return [failed(row, f"the process that checked it died (exit code {child.returncode})")]


def to_text(row: SystemRow) -> str:
    """The system as JSON."""
    return json.dumps(asdict(row))


def from_text(text: str) -> SystemRow:
    """The system that `to_text` wrote."""
    data = json.loads(text)
    channels = tuple((source, destination) for source, destination in data.pop("channels"))
    return SystemRow(channels=channels, properties=tuple(data.pop("properties")), **data)


if __name__ == "__main__":
    json.dump(checked(from_text(sys.stdin.read())), sys.stdout)
