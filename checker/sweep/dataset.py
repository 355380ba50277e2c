"""A sweep's folder: what was asked, and the results as a Parquet dataset that grows file by file.

    DIR/experiment.json                      name, title, digest and size of the experiment
    DIR/results/protocol=P/DIGEST.parquet    the rows of some systems, written whole or not at all

A file is named by the systems in it, so a task that is run twice writes the same file twice. Reading keeps one copy of
each (system, property), should two runs have done the same system.
"""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pyarrow as pa
import pyarrow.parquet as pq

from checker.sweep.experiment import Experiment, SystemRow
from checker.sweep.rows import FAILED, FORMAT, SCHEMA
from model.errors import InputError

EXPERIMENT = "experiment.json"
RESULTS = "results"


def prepare(out: Path, experiment: Experiment, resume: bool) -> set[str]:
    """The ids of the systems already done in the folder, which is made; `InputError` if it is not this experiment's.

    Without `resume` the folder must hold no results.
    """
    note = out / EXPERIMENT
    if not note.exists():
        if out.exists() and (not out.is_dir() or any(out.iterdir())):
            raise InputError(f"{str(out)!r} is not empty and holds no sweep: name a new folder")
        asked = {"name": experiment.name, "title": experiment.title, "digest": experiment.digest}
        try:
            (out / RESULTS).mkdir(parents=True, exist_ok=True)
            written(note, json.dumps({**FORMAT, **asked, "systems": len(experiment.systems)}, indent=2) + "\n")
        except OSError as error:
            raise InputError(f"{str(out)!r}: {error.strerror or error}") from None
        return set()
    if not resume:
        raise InputError(f"{str(out)!r} holds a sweep already: --resume does what is missing, or name a new folder")
    found = read_note(out)
    if found.get("digest") != experiment.digest:
        raise InputError(f"{str(out)!r} holds another experiment ({found.get('name')!r}): name a new folder")
    return done(out)


def read_note(out: Path) -> dict[str, Any]:
    """What `experiment.json` says; `InputError` if the folder is not a sweep's."""
    try:
        found = json.loads((out / EXPERIMENT).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        found = None
    if not isinstance(found, dict) or any(found.get(key) != value for key, value in FORMAT.items()):
        raise InputError(f"{str(out)!r} is no folder of `redwhite sweep`: it has no {EXPERIMENT} of this format")
    return found


def files(out: Path) -> list[Path]:
    """The dataset's files, each of them readable and of this schema; `InputError` names one that is not.

    All of each is read, and its pages' checksums are compared: Spark would meet the damage in the middle of a query.
    """
    found = sorted((out / RESULTS).glob("*/*.parquet"))
    for path in found:
        try:
            with pq.ParquetFile(path, page_checksum_verification=True) as file:
                schema = file.read().schema
        except (OSError, pa.ArrowException):
            raise InputError(f"{str(path)!r} is no Parquet file, or a broken one: remove it and use --resume") from None
        if not schema.equals(SCHEMA) or (schema.metadata or {}).get(b"redwhite") != FORMAT["redwhite"].encode():
            raise InputError(f"{str(path)!r} is not a result of this version's sweep: remove it, or sweep anew")
    return found


def done(out: Path) -> set[str]:
    """The ids of the systems whose rows are there."""
    return {str(name) for path in files(out) for name in pq.read_table(path, columns=["system"])["system"].to_pylist()}


def failed(out: Path) -> set[str]:
    """The ids of the systems that could not be judged."""
    wanted = [("verdict", "=", FAILED)]
    tables = [pq.read_table(path, columns=["system"], filters=wanted) for path in files(out)]
    return {str(name) for table in tables for name in table["system"].to_pylist()}


def file_of(out: Path, systems: Sequence[SystemRow]) -> Path:
    """The file of these systems, which are all of one protocol."""
    digest = hashlib.sha256(" ".join(sorted(s.id for s in systems)).encode()).hexdigest()[:16]
    return out / RESULTS / f"protocol={quote(systems[0].protocol, safe='')}" / f"{digest}.parquet"


def write(path: Path, rows: Iterable[dict[str, Any]]) -> None:
    """Write the file whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=".")
    os.close(handle)
    try:
        pq.write_table(pa.Table.from_pylist(list(rows), SCHEMA), name, compression="zstd", write_page_checksum=True)
        os.replace(name, path)
    except BaseException:
        with suppress(OSError):  # pyarrow may have removed it, and what it says is what went wrong
            os.unlink(name)
        raise


def written(path: Path, text: str) -> None:
    """Write the text whole or not at all."""
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=".")
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        file.write(text)
    os.replace(name, path)
