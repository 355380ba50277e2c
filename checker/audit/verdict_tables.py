"""The report of an audit's kept results (`redwhite audit --out`): by implementation, machine, channel, and in time.

An implementation is what comes before the last slash in the names of runs.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from checker.audit.events import natural
from checker.audit.judging import CONSISTENT, VERDICTS
from checker.audit.verdict_rows import COLUMNS
from checker.sweep.page import write_page
from checker.sweep.result_tables import Report, Table

ROWS, BINS = 30, 60
"""The most rows of a table, and the bars of the time line."""


class Verdict(NamedTuple):
    """One snapshot's row."""

    run: str
    snapshot: str
    verdict: str
    data: dict[str, Any]
    why: list[str]

    @property
    def implementation(self) -> str:
        """Whose run it is."""
        return self.run.rpartition("/")[0] or "-"


def is_audit(folder: Path) -> bool:
    """Whether the folder holds the results of an audit."""
    files = sorted(folder.glob("*.parquet")) if folder.is_dir() else []
    if not files:
        return False
    import pyarrow.parquet as parquet

    return bool(parquet.read_schema(files[0]).names == COLUMNS)


def report(folder: Path) -> Report:
    """Make the report of an audit's folder, and its page."""
    snapshots = sorted(_rows(folder), key=lambda row: (natural(row.run), natural(row.snapshot)))
    wrong = [row for row in snapshots if row.verdict != CONSISTENT]
    made = Report(
        "Snapshots audited",
        (
            _by_verdict("Verdicts by implementation", ((row.implementation, row) for row in snapshots)),
            _by_verdict("Wrong or incomplete, by machine", ((name, row) for row in wrong for name in _machines(row))),
            _by_verdict("Wrong or incomplete, by channel", ((name, row) for row in wrong for name in _channels(row))),
            _by_verdict(
                "The first marker rule broken",
                ((_rule(row.data["rule"]["why"]), row) for row in snapshots if "rule" in row.data),
            ),
            Table(
                f"The first {ROWS} that are not consistent",
                ("run", "snapshot", "verdict", "why"),
                tuple((row.run, row.snapshot, row.verdict, row.why[0] if row.why else "") for row in wrong[:ROWS]),
                keys=3,
            ),
        ),
        (),
        (),
        folder / "report" / "index.html",
        _timeline(snapshots),
    )
    write_page(made)
    return made


def _rows(folder: Path) -> Iterator[Verdict]:
    import pyarrow.parquet as parquet

    for path in sorted(folder.glob("*.parquet")):
        for batch in parquet.ParquetFile(path).iter_batches(columns=COLUMNS):
            for kind, run, snapshot, verdict, data in zip(*(c.to_pylist() for c in batch.columns), strict=True):
                if kind == "snapshot":
                    said = json.loads(data)
                    yield Verdict(run, snapshot, verdict, said["data"], said["why"])


def _by_verdict(title: str, named: Iterable[tuple[str, Verdict]]) -> Table:
    """How many snapshots of each name have which verdict, the worst names first."""
    counts: dict[str, Counter[str]] = {}
    for name, row in named:
        counts.setdefault(name, Counter())[row.verdict] += 1
    shown = [verdict for verdict in VERDICTS if any(count[verdict] for count in counts.values())]
    order = sorted(counts, key=lambda name: (counts[name][CONSISTENT] - counts[name].total(), natural(name)))
    rows = tuple((name, *(counts[name][verdict] for verdict in shown)) for name in order[:ROWS])
    return Table(title, ("", *shown), rows)


def _machines(row: Verdict) -> list[str]:
    """The machines whose state differs, and those that accepted what had not been sent."""
    names = [state["machine"] for state in row.data.get("states", [])]
    names += [orphan["channel"].rpartition(">")[2].partition("#")[0] for orphan in row.data.get("orphans", [])]
    return list(dict.fromkeys(names))


def _channels(row: Verdict) -> list[str]:
    """The channels whose contents differ, and those that a message crosses backwards."""
    differing = [*row.data.get("channels", []), *row.data.get("orphans", [])]
    return list(dict.fromkeys(one["channel"] for one in differing))


def _rule(why: str) -> str:
    """The rule with dots for the names of who broke it, so that it is the same one whoever did."""
    return re.sub(r"[^\s(,;:]*[0-9>\[\]\"'][^\s),;:]*", "...", why)


def _timeline(snapshots: list[Verdict]) -> tuple[tuple[int, str, int], ...]:
    """(bar, verdict, how many), bars of as many snapshots each in the order in which they were claimed."""
    claimed = [row for row in snapshots if row.data.get("claimed")]
    claimed.sort(key=lambda row: (natural(row.data["claimed"]["file"]), row.data["claimed"]["line"]))
    each = max(1, -(-len(claimed) // BINS))
    counts = Counter((number // each, row.verdict) for number, row in enumerate(claimed))
    return tuple((bar, verdict, number) for (bar, verdict), number in sorted(counts.items()))
