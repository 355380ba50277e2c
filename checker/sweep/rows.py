"""The dataset's schema, and a system's verdict as its rows: one for each property, or a single one that says it failed.

A row says what was checked, what was found and within which bounds, so that it can be read with no other file.
"""

from __future__ import annotations

import json
import platform
import traceback
from functools import lru_cache
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import pyarrow as pa

from checker.check import check
from checker.engines.time_limit import TimeLimit, time_limit
from checker.report.data import trace_json
from checker.sweep.experiment import SystemRow
from model.errors import InputError
from model.verdict import Outcome, Verdict

FORMAT = {"redwhite": "sweep/1"}
FAILED = "failed"
OWN_CUT = "the property's own search was cut off by the bounds"

# Column -> (type, what it says). `protocol` is the partition: it is in the folder's name, not in the files.
COLUMNS: dict[str, tuple[pa.DataType, str]] = {
    "system": (pa.string(), "digest of all that was asked: the same system has it in every run"),
    "topology": (pa.string(), "name of the topology"),
    "machines": (pa.int32(), "number of machines"),
    "channels": (pa.int32(), "number of channels"),
    "edges": (pa.string(), "the channels in order, as in edges:0>1,1>0"),
    "program": (pa.string(), "program, as in --program"),
    "relax": (pa.string(), "relaxations, as in --relax; none for none"),
    "initiators": (pa.string(), "initiators, as in --initiators"),
    "property": (pa.string(), "name of the property; null in the one row of a system that failed"),
    "verdict": (pa.string(), "holds, violated, vacuous, unknown, or failed"),
    "reason": (pa.string(), "why the search was cut off, or how the system failed"),
    "coverage": (pa.string(), "exhaustive, bounded or sampled"),
    "coverage_details": (pa.string(), "the rest of the coverage, as JSON"),
    "states": (pa.int64(), "distinct states"),
    "transitions": (pa.int64(), "generated successors"),
    "depth": (pa.int32(), "longest shortest distance from the initial state, in actions"),
    "underlying_states": (pa.int64(), "distinct states of the underlying computation alone"),
    "snapshots": (pa.int64(), "distinct completed SSS"),
    "interleavings": (pa.string(), "maximal runs, a decimal number; null if infinitely many or not counted"),
    "length": (pa.int32(), "actions to the property's first violation"),
    "witness": (pa.bool_(), "for a property over snapshots, whether one completed"),
    "trace": (pa.string(), "the counterexample as a trace file's JSON, for `redwhite show`"),
    "engine": (pa.string(), "engine that judged"),
    "seed": (pa.int64(), "seed of a sampling engine"),
    "max_states": (pa.int64(), "bound asked for"),
    "max_depth": (pa.int64(), "bound asked for"),
    "timeout": (pa.float64(), "bound asked for, in seconds"),
    "seconds": (pa.float64(), "time of the system's check, the same in all its rows"),
    "peak_rss_mb": (pa.float64(), "largest memory of the worker's process so far"),
    "versions": (pa.string(), "redwhite, Python and engine libraries, as JSON"),
}
SCHEMA = pa.schema([pa.field(name, kind) for name, (kind, _) in COLUMNS.items()], metadata=FORMAT)
UNTIMED = tuple(name for name in COLUMNS if name not in ("seconds", "peak_rss_mb"))
"""The columns that are the same in every run of the same version."""


def checked(row: SystemRow) -> list[dict[str, Any]]:
    """The rows of one system, whatever happens while it is checked; only running out of memory is raised."""
    try:
        with time_limit(row.timeout):
            verdict = check(
                row.build(),
                row.program,
                row.protocol,
                initiators=row.initiators,
                relax=row.relax,
                properties=row.properties,
                engine=row.engine,
                options=row.bounds,
            )
            return verdict_rows(row, verdict)
    except (InputError, TimeLimit) as error:
        return [failed(row, str(error))]
    except Exception as error:
        where = traceback.extract_tb(error.__traceback__)[-1]
        return [failed(row, f"{type(error).__name__}: {error} ({where.filename.rpartition('/')[2]}:{where.lineno})")]


def verdict_rows(row: SystemRow, verdict: Verdict) -> list[dict[str, Any]]:
    """One row for each property judged; one with no property where none applies."""
    counts = verdict.counts
    common = {
        **asked(row),
        "coverage": verdict.coverage.kind,
        "coverage_details": json.dumps(dict(verdict.coverage.details), sort_keys=True),
        "states": counts.states,
        "transitions": counts.transitions,
        "depth": counts.depth,
        "underlying_states": counts.underlying_states,
        "snapshots": counts.snapshots,
        "interleavings": None if counts.interleavings is None else str(counts.interleavings),
        "engine": verdict.engine,
        "reason": verdict.reason,
        "seconds": verdict.seconds,
        "peak_rss_mb": verdict.peak_rss_mb,
    }
    if not verdict.properties:
        return [{**common, "property": None, "verdict": verdict.outcome.value}]
    return [
        {
            **common,
            "property": judged.name,
            "verdict": judged.outcome.value,
            "reason": verdict.reason or (OWN_CUT if judged.outcome is Outcome.UNKNOWN else None),
            "length": judged.length,
            "witness": judged.witness,
            "trace": json.dumps(trace_json(judged.counterexample), separators=(",", ":"))
            if row.traces and judged.counterexample is not None
            else None,
        }
        for judged in verdict.properties
    ]


def failed(row: SystemRow, why: str) -> dict[str, Any]:
    """The one row of a system that could not be judged."""
    return {**asked(row), "verdict": FAILED, "reason": why, "engine": row.engine}


def asked(row: SystemRow) -> dict[str, Any]:
    """What was asked, which every row says."""
    return {
        **dict.fromkeys(COLUMNS),
        "system": row.id,
        "topology": row.topology,
        "machines": row.machines,
        "channels": len(row.channels),
        "edges": ",".join(f"{a}>{b}" for a, b in row.channels),
        "program": row.program,
        "relax": row.relax or "none",
        "initiators": row.initiators,
        "max_states": row.max_states,
        "max_depth": row.max_depth,
        "timeout": row.timeout,
        "versions": versions(),
    }


@lru_cache(maxsize=1)
def versions() -> str:
    """The versions that a verdict may depend on, as JSON."""
    found = {"python": platform.python_version()}
    for name in ("redwhite", "numpy", "numba"):
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = "none"
    return json.dumps(found, sort_keys=True)
