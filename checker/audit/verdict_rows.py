"""What tasks on Spark find, as rows: a snapshot each, and for each run what was read of it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from checker.audit.events import Place
from checker.audit.remarks import Findings
from checker.audit.result import Audited, Quote

if TYPE_CHECKING:
    import pyarrow as pa

COLUMNS = ["kind", "run", "snapshot", "verdict", "data"]
SCHEMA = ", ".join(f"{name} string" for name in COLUMNS)
SNAPSHOT, READ = "snapshot", "read"
KEPT = 20
"""How many lines that were not understood are told of each run."""
Row = tuple[str, ...]


def snapshot_row(audited: Audited) -> Row:
    """A snapshot's row."""
    data = {"data": audited.data, "why": audited.why, "quote": audited.quote}
    return SNAPSHOT, audited.run, audited.snapshot, audited.verdict, json.dumps(data)


Unreads = tuple[Sequence[tuple[str, int, str]], int]
"""The first lines that were not understood, as file, number and why; and how many there are."""


def read_row(run: str, events: int, machines: Iterable[str], found: Findings, unread: Unreads) -> Row:
    """What was read of a run."""
    first = [list(line) for line in unread[0][:KEPT]]
    read = {"events": events, "machines": list(machines), "findings": found, "unread": unread[1], "first": first}
    return READ, run, "", "", json.dumps(read)


def audited_of(row: Row) -> Audited:
    """The snapshot of a row."""
    said = json.loads(row[4])
    data, quote = said["data"], said["quote"]
    rule = data["rule"]["why"] if "rule" in data else None
    line = Quote(Place(*quote[0]), quote[1]) if quote else None
    return Audited(row[1], row[2], row[3], tuple(said["why"]), rule, line, data, None)


def batch(rows: Sequence[Row]) -> Iterable[pa.RecordBatch]:
    """The rows for Spark; none for none."""
    import pyarrow as pa

    if rows:
        columns = [pa.array(column, pa.string()) for column in zip(*rows, strict=True)]
        yield pa.RecordBatch.from_arrays(columns, names=COLUMNS)
