"""The audit of logs that are large: lines are brought together by run on Spark, and each run is judged where it is.

Spark splits files into blocks. A first, cheap job counts the lines of each block, so that every line has its number in
its file; then the lines of a run come to one task in the order of files and lines, and the task reads and judges run
after run as the local audit does, with one run in memory at a time. Results are rows: a snapshot each, and what was
read; a task that is tried again makes the same rows again.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial, reduce
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import unquote

from checker.audit.events import Place, natural
from checker.audit.log_properties import LogProperties
from checker.audit.long_runs import TWO_WAYS, LongRuns
from checker.audit.reading import PARQUET, READERS, Reading, Unread, logged, read_line, size
from checker.audit.reasons import Places
from checker.audit.remarks import findings, remarks, together
from checker.audit.result import Asked, Audit, Audited, run_audited
from checker.audit.verdict_rows import READ, SCHEMA, SNAPSHOT, Row, audited_of, batch, read_row, snapshot_row
from checker.spark.session import SparkStopped, session
from model.errors import InputError

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame, SparkSession

BLOCK = 32 << 20
"""About how many bytes a task sorts and judges."""
DRAWN = 5
"""How many runs, and snapshots of long runs, are fetched to be drawn."""
LONG = 500_000
"""From how many lines on a run is judged in parts."""


class Numbered(NamedTuple):
    """The lines of logs, each with its run and its place, the files in the order of reading, and how much it is."""

    lines: DataFrame
    files: list[str]
    number: int
    bytes: int


@dataclass(frozen=True, slots=True)
class Job:
    """How it is done: `master` and `settings` are Spark's.

    out: a folder for the results as Parquet, where `redwhite report` finds them; drawn: fetch the runs of the worst
    snapshots, so that they can be drawn; long: from how many lines on a run is judged in parts.
    """

    asked: Asked = field(default_factory=Asked)
    master: str | None = None
    out: str | None = None
    drawn: bool = False
    long: int = LONG
    settings: Mapping[str, str] = field(default_factory=dict)


def audit(paths: Sequence[str], job: Job) -> Audit:
    """The audit of these logs, as the local one has it; files and folders may be on any storage that Spark reads."""
    job.asked.check()
    found = logged(paths)
    for path in found:
        if path.lower().endswith(tuple(READERS)):
            raise InputError(f"log {path!r}: such files are read here, not on Spark, which reads JSON Lines")
    try:
        with session(job.master, job.settings) as spark:
            numbered = _numbered(spark, found)
            rows, in_parts = _rows(numbered, job)
            if job.out is not None:
                folder = job.out if "://" in job.out else str(Path(job.out).resolve())
                rows.write.mode("overwrite").parquet(folder)
                rows = spark.read.schema(SCHEMA).parquet(folder)
            audit = _collected([tuple(row) for row in rows.collect()], numbered.files, job.asked.protocol is not None)
            return _fetched(audit, numbered, in_parts, job) if job.drawn else audit
    except SparkStopped as error:
        raise InputError(f"log {', '.join(map(repr, paths))}: Spark could not read it ({error})") from None


def _rows(numbered: Numbered, job: Job) -> tuple[DataFrame, LongRuns | None]:
    """The rows of all runs: each judged where it is, or if it is long in parts; and the long ones.

    What is asked of the run between the lines of a snapshot needs the whole run in one place.
    """
    from pyspark.sql import functions as f

    asked, lines = job.asked, numbered.lines
    long: list[str] = []
    if numbered.number > job.long and asked.protocol is None and not LogProperties(asked.properties).of_runs:
        counts = lines.groupBy("run").agg(f.count("*").alias("number"))
        long = [row["run"] for row in counts.where(f.col("number") > job.long).collect()]
    whole = lines.where(~f.col("run").isin(long)) if long else lines
    parts = max(2 * lines.sparkSession.sparkContext.defaultParallelism, numbered.bytes // BLOCK)
    ordered = whole.repartition(parts, "run").sortWithinPartitions("run", "rank", "place")
    rows = ordered.mapInArrow(partial(judge, files=numbered.files, asked=asked), SCHEMA)
    if not long:
        return rows, None
    in_parts = LongRuns(lines.where(f.col("run").isin(long)), numbered.files, asked)
    return rows.unionByName(in_parts.rows()), in_parts


def _fetched(audit: Audit, numbered: Numbered, in_parts: LongRuns | None, job: Job) -> Audit:
    """The audit with the worst snapshots judged here once more, each with all that a picture needs.

    Those of long runs from their excerpts alone.
    """
    long = in_parts.runs.keys() if in_parts is not None else set()
    runs = list(dict.fromkeys(audited.run for audited in audit.worst() if audited.run not in long))[:DRAWN]
    lines = numbered.lines.where(numbered.lines["run"].isin(runs)).orderBy("run", "rank", "place").collect()
    reading = Reading()
    for row in lines:
        read_line(reading, Place(numbered.files[row["rank"]], row["place"]), bytes(row["line"]))
    properties = LogProperties(job.asked.properties)
    here = {
        (audited.run, audited.snapshot, audited.data["why"]): audited
        for run in runs
        if run in reading.histories
        for audited in run_audited(reading.histories[run], audit.places, job.asked, properties)
    }
    if in_parts is not None:
        worst = [(audited.run, audited.snapshot) for audited in audit.worst() if audited.run in long][:DRAWN]
        here |= {(own.run, own.snapshot, own.data["why"]): own for own in in_parts.audited(set(worst))}
    found = (here.get((own.run, own.snapshot, own.data["why"]), own) for own in audit.snapshots)
    return replace(audit, snapshots=tuple(found))


def _numbered(spark: SparkSession, paths: list[str]) -> Numbered:
    """The lines with their numbers. A block's lines are numbered by Spark one after the other; from its first number
    and the counts of the blocks before it in the file, each line's own follows."""
    from pyspark.sql import functions as f

    names = {str(Path(path).resolve()): path for path in paths if "://" not in path}
    texts = [path for path in paths if not path.endswith(PARQUET)]
    folders: dict[str, list[str]] = {}
    for path in paths:
        if path.endswith(PARQUET):  # those of one folder are parts of one table
            folders.setdefault(path.rpartition("/")[0], []).append(_escaped(path))
    read = [_text(spark, list(map(_escaped, texts)))] if texts else []
    read += [_parquet(spark, own) for own in folders.values()]
    raw = reduce(lambda one, other: one.unionByName(other), read).select(
        *("file", "block", "number"),
        f.coalesce(f.get_json_object("value", "$.run"), f.lit("")).alias("run"),
        f.col("value").cast("binary").alias("line"),
    )
    counted = raw.groupBy("file", "block").agg(f.count("*").alias("lines"), f.min("number").alias("first")).collect()
    uris = sorted({row["file"] for row in counted}, key=lambda uri: natural(_named(uri, names)))
    blocks, total = [], 0
    for rank, uri in enumerate(uris):
        before = 1
        for row in sorted((row for row in counted if row["file"] == uri), key=lambda row: int(row["block"])):
            blocks.append((uri, row["block"], rank, before - row["first"]))
            before += row["lines"]
        total += before
    if not blocks:
        raise InputError(f"log {', '.join(map(repr, paths))}: none of its 0 lines is an event")
    shifts = spark.createDataFrame(blocks, "file string, block bigint, rank int, shift bigint")
    lines = raw.join(f.broadcast(shifts), ["file", "block"]).select(
        "run", "rank", (f.col("number") + f.col("shift")).alias("place"), "line"
    )
    return Numbered(lines, [_named(uri, names) for uri in uris], sum(row["lines"] for row in counted), size(paths))


def _escaped(path: str) -> str:
    """The path as Spark wants it, to which some letters are patterns."""
    return path if "://" in path else re.sub(r"([][{}*?\\])", r"\\\1", str(Path(path).resolve()))


def _text(spark: SparkSession, paths: list[str]) -> DataFrame:
    """The lines of text files, which Spark numbers one after the other in each block."""
    from pyspark.sql import functions as f

    file, block = f.col("_metadata.file_path").alias("file"), f.col("_metadata.file_block_start").alias("block")
    lines = spark.read.option("lineSep", "\n").text(paths)
    return lines.select(file, block, f.monotonically_increasing_id().alias("number"), "value")


def _parquet(spark: SparkSession, paths: list[str]) -> DataFrame:
    """The rows of Parquet files: a column `value` that holds the lines, or columns that are the fields of a line."""
    from pyspark.sql import functions as f

    rows = spark.read.parquet(*paths)
    line = f.col("value") if "value" in rows.columns else f.to_json(f.struct(*rows.columns))
    number = f.col("_metadata.row_index").alias("number")
    file, block = f.col("_metadata.file_path").alias("file"), f.lit(0).cast("bigint").alias("block")
    return rows.select(file, block, number, line.alias("value"))


def _named(uri: str, names: Mapping[str, str]) -> str:
    """The file as it was named: Spark writes file:/a%20b or file:///a%20b for /a b."""
    if not uri.startswith("file:"):
        return uri
    path = "/" + unquote(uri.removeprefix("file:")).lstrip("/")
    return names.get(path, path)


# -- in a task -------------------------------------------------------------------------------------------------


def judge(batches: Iterator[pa.RecordBatch], files: list[str], asked: Asked) -> Iterator[pa.RecordBatch]:
    """The rows of all runs in a partition, whose lines come run after run."""
    reading, run = Reading(), None
    judging = partial(_judged, places=Places(files), asked=asked, properties=LogProperties(asked.properties))
    for lines in batches:
        rows: list[Row] = []
        columns = (lines.column(number).to_pylist() for number in range(4))
        for name, rank, number, line in zip(*columns, strict=True):
            if name != run:
                rows += judging(reading, run)
                reading, run = Reading(), name
            read_line(reading, Place(files[rank], number), line)
        yield from batch(rows)
    yield from batch(judging(reading, run))


def _judged(reading: Reading, run: str | None, places: Places, asked: Asked, properties: LogProperties) -> list[Row]:
    """The rows of one run. Lines of another, which two readers of JSON take for different runs, are not understood."""
    if run is None:
        return []
    unread = [(*line.place, line.why) for line in reading.unread]
    history = reading.histories.pop(run, None)
    for other in reading.histories.values():
        lines = [claim.place for claim in other.claims]
        lines += [event.place for own in other.machines.values() for event in own]
        unread += [(*place, TWO_WAYS) for place in lines]
    if history is None:
        return [read_row(run, 0, (), {}, (unread, len(unread)))]
    events = len(history.claims) + sum(map(len, history.machines.values()))
    rows = [snapshot_row(audited) for audited in run_audited(history, places, asked, properties)]
    return [*rows, read_row(run, events, history.machines, findings(history, places), (unread, len(unread)))]


# -- and back --------------------------------------------------------------------------------------------------


def _collected(rows: list[Row], files: list[str], ruled: bool) -> Audit:
    """The audit from its rows: runs in the order of their names, snapshots in that of their claims."""
    read = [json.loads(row[4]) for row in sorted(rows, key=lambda row: natural(row[1])) if row[0] == READ]
    if not any(part["events"] for part in read):
        raise InputError(f"log {', '.join(map(repr, files))}: none of its lines is an event")
    machines = {machine for part in read for machine in part["machines"]}
    found = together({words: (n, first) for words, (n, first) in part["findings"].items()} for part in read)
    unread = [Unread(Place(file, line), "", why) for part in read for file, line, why in part["first"]]
    rank = {file: number for number, file in enumerate(files)}

    def order(audited: Audited) -> tuple[Any, ...]:
        claimed = audited.data["claimed"]
        line = (rank[claimed["file"]], claimed["line"]) if claimed else ()
        return natural(audited.run), claimed is None, line, audited.snapshot

    return Audit(
        sum(part["events"] > 0 for part in read),
        len(machines),
        sum(part["events"] for part in read),
        _Counted(sorted(unread, key=lambda u: u.place), sum(part["unread"] for part in read)),
        tuple(remarks(found)),
        tuple(sorted((audited_of(row) for row in rows if row[0] == SNAPSHOT), key=order)),
        ruled,
        Places(files),
    )


class _Counted(list[Unread]):
    """The first of so many lines: all are counted, and not all kept."""

    def __init__(self, first: list[Unread], number: int) -> None:
        super().__init__(first)
        self.number = number

    def __len__(self) -> int:
        return self.number
