"""What a distributed search keeps on storage that all workers share.

    DIR/search.json              what is searched, in how many partitions, and the last level that is complete
    DIR/tables/V.pkl             version V of the tables, as the kernels read them
    DIR/level/D/P.L.npy          the states of partition P at distance D, packed in layout L
    DIR/sent/D/P.R.L.npy         successors of level D - 1 that partition P found in round R, sorted by owner
    DIR/found/D.pkl              what the tasks of level D reported, and the misses answered since the level before

Every file is written whole or not at all, and a task that is run twice writes the same file twice.
"""

from __future__ import annotations

import json
import os
import pickle
import shutil
import tempfile
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from checker.engines.native.kernels.scans import Judged
from checker.engines.native.tables.arrays import Arrays, Fields, Words, fields, pack, unpack
from model.errors import InputError

NOTE = "search.json"


class World(NamedTuple):
    """All that a task needs to know of the system; `layouts` are those so far, as widths of fields, the last in use.

    kinds: numbers that stand for the underlying part of each local state (and whether it crashed) and of each content,
    parts beginning at `bases`; touched: whether it is red, in the same places. inputs: the most of a machine.
    """

    arrays: Arrays
    judged: Judged
    layouts: tuple[tuple[int, ...], ...]
    kinds: NDArray[np.int64]
    bases: NDArray[np.int64]
    touched: NDArray[np.int64]
    inputs: int

    @property
    def layout(self) -> Fields:
        """The layout in use."""
        return laid_out(self.layouts[-1])[0]

    @property
    def words(self) -> int:
        """Words of a row."""
        return laid_out(self.layouts[-1])[1]

    @property
    def newest(self) -> int:
        """The number of the layout in use."""
        return len(self.layouts) - 1

    def packed(self, rows: Words, layout: int) -> Words:
        """Rows of an older layout in the one in use."""
        if layout == self.newest:
            return rows
        return pack(self.layout, self.words, unpack(laid_out(self.layouts[layout])[0], rows))


@lru_cache(maxsize=16)
def laid_out(widths: tuple[int, ...]) -> tuple[Fields, int]:
    """The layout of these widths, and its words."""
    return fields(list(widths))


def write_bytes(path: Path, content: bytes) -> None:
    """Write the file whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=".")
    with os.fdopen(handle, "wb") as file:
        file.write(content)
    os.replace(name, path)


def write_rows(path: Path, rows: Words) -> None:
    """Write the rows whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=".")
    with os.fdopen(handle, "wb") as file:
        np.save(file, rows)
    os.replace(name, path)


def read_rows(path: Path, low: int = 0, high: int | None = None) -> Words:
    """Some of the rows in a file."""
    found: Words = np.load(path, mmap_mode="r")[low:high]
    return found


def write_pickle(path: Path, value: Any) -> None:
    """Write a value whole or not at all."""
    write_bytes(path, pickle.dumps(value, protocol=pickle.HIGHEST_PROTOCOL))


def read_pickle(path: Path) -> Any:
    """A value that `write_pickle` wrote; `InputError` if the file is not whole."""
    try:
        return pickle.loads(path.read_bytes())
    except (OSError, EOFError, pickle.UnpicklingError, AttributeError, ImportError) as error:
        raise InputError(f"checkpoint file {str(path)!r} cannot be read ({type(error).__name__}): start anew") from None


def open_search(folder: Path, asked: dict[str, Any]) -> dict[str, Any]:
    """The note of the search in the folder, a new one if it is empty; `InputError` if it is another search's."""
    path = folder / NOTE
    try:
        if not path.exists():
            if folder.exists() and any(folder.iterdir()):
                raise InputError(f"checkpoint {str(folder)!r} is not empty and holds no search: name a new folder")
            fresh: dict[str, Any] = {**asked, "complete": -1}
            write_bytes(path, json.dumps(fresh, indent=2).encode())
            return fresh
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"checkpoint {str(folder)!r}: {error}") from None
    if not isinstance(found, dict) or any(found.get(key) != asked[key] for key in ("redwhite", "search")):
        raise InputError(f"checkpoint {str(folder)!r} is of another search, or of another version: name a new folder")
    return found


def clear_after(folder: Path, level: int) -> None:
    """Remove what was left of levels beyond the last complete one, but for what was sent to it."""
    for kind, keep in (("level", level), ("sent", level + 1)):
        for path in (folder / kind).glob("*"):
            if path.name.isdigit() and int(path.name) > keep:
                shutil.rmtree(path, ignore_errors=True)
