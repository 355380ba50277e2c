"""The local tables as the tasks of a distributed search read them: one file of arrays, layouts of packed states."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from checker.engines.distributed.storage import Store
from checker.engines.native.kernels.scans import Judged
from checker.engines.native.tables.arrays import Arrays, Fields, Words, fields, pack, unpack


class PublishedTables(NamedTuple):
    """All that a task needs to know of the system; `layouts` are those so far, as widths of fields, the last in use.

    kinds: numbers that stand for the underlying part of each local state (and whether it crashed) and of each channel's
    contents, parts beginning at `bases`; touched: whether it is red, in the same places. inputs: the most of a machine.
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
        return layout_of(self.layouts[-1])[0]

    @property
    def words(self) -> int:
        """Words of a packed state."""
        return layout_of(self.layouts[-1])[1]

    @property
    def newest(self) -> int:
        """The number of the layout in use."""
        return len(self.layouts) - 1

    def words_in(self, layout: int) -> int:
        """Words of a state packed in this layout."""
        return layout_of(self.layouts[layout])[1]

    def repacked(self, rows: Words, layout: int) -> Words:
        """States packed in an older layout, in the one in use."""
        if layout == self.newest:
            return rows
        return pack(self.layout, self.words, unpack(layout_of(self.layouts[layout])[0], rows))

    def write(self, store: Store, name: str) -> str:
        """Write them; the file's digest."""
        parts: dict[str, NDArray[Any]] = {f"arrays.{key}": own for key, own in self.arrays._asdict().items()}
        parts |= {f"judged.{key}": own for key, own in self.judged._asdict().items()}
        parts |= {"layouts": np.array(self.layouts, np.int64), "inputs": np.array(self.inputs)}
        return store.write_arrays(name, parts | {"kinds": self.kinds, "bases": self.bases, "touched": self.touched})


@lru_cache(maxsize=2)
def read_tables(store: Store, name: str, digest: str) -> PublishedTables:
    """The tables of this file."""
    found = store.read_arrays(name, digest)
    return PublishedTables(
        Arrays(**{key: found[f"arrays.{key}"] for key in Arrays._fields}),
        Judged(**{key: found[f"judged.{key}"] for key in Judged._fields}),
        tuple(map(tuple, found["layouts"].tolist())),
        found["kinds"],
        found["bases"],
        found["touched"],
        int(found["inputs"]),
    )


@lru_cache(maxsize=16)
def layout_of(widths: tuple[int, ...]) -> tuple[Fields, int]:
    """The layout of fields of these widths in bits, and the words of a packed state."""
    return fields(list(widths))
