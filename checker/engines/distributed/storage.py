"""Where a distributed search keeps its files: a folder of this machine, or a URI that pyarrow reads (s3://, hdfs://).

    search.json                the note: what is searched, in how many partitions, the digests of found/0, found/1, ...
    found/D.npz                what the tasks of level D reported, and the digests of the files that they wrote
    level/D/P.L                the states of partition P at distance D, packed in layout L
    sent/D/P.R.L               successors of level D - 1 that partition P found in round R, sorted by owner
    tables/V.npz               version V of the tables, as the kernels read them

Every file is whole or absent and is read by its digest (see `checker.engines.kept_files`), rows segment by segment: a
task reads of a file only what its partition owns. A task that is run twice writes the same file twice. Objects of a
remote store appear when they are whole; there nothing keeps two searches from naming one folder.
"""

from __future__ import annotations

import hashlib
import io
import re
import shutil
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from checker.engines import kept_files
from checker.engines.kept_files import damaged
from checker.engines.native.tables.arrays import Words
from model.errors import InputError

NOTE = "search.json"


class Segment(NamedTuple):
    """`size` rows of a file, from row `first` on, packed in this layout; the digest is that of these rows' bytes."""

    name: str
    layout: int
    first: int
    size: int
    digest: str


@dataclass(frozen=True, slots=True)
class Store:
    """A folder of files, named by paths below it. `durable`: a file has reached the disk before it is named."""

    root: str
    durable: bool = True

    @property
    def remote(self) -> bool:
        """Whether it is reached by a URI."""
        return is_uri(self.root)

    @property
    def shown(self) -> str:
        """Its name for people: a URI without its passwords and options."""
        return re.sub(r"//[^/@]*@", "//", self.root).partition("?")[0] if self.remote else self.root

    def lock(self) -> AbstractContextManager[None]:
        """Hold it alone, where that can be had."""
        return nullcontext() if self.remote else kept_files.locked(Path(self.root))

    def names(self) -> list[str]:
        """What is directly in it."""
        if not self.remote:
            return sorted(path.name for path in Path(self.root).iterdir())
        from pyarrow.fs import FileSelector

        system, base = _remote(self.root)
        return sorted(info.base_name for info in system.get_file_info(FileSelector(base, allow_not_found=True)))

    def write(self, name: str, content: bytes | memoryview) -> None:
        """Write a file, whole or not at all."""
        if self.remote:
            system, base = _remote(self.root)
            system.create_dir(f"{base}/{name}".rpartition("/")[0])
            with system.open_output_stream(f"{base}/{name}") as file:
                file.write(content)
        else:
            kept_files.write_whole(Path(self.root) / name, lambda file: file.write(content), self.durable)

    def read(self, name: str, first: int = 0, size: int | None = None) -> bytes:
        """`size` bytes of a file from `first` on, or all that follow; `InputError` where there is no such file."""
        try:
            if self.remote:
                system, base = _remote(self.root)
                with system.open_input_file(f"{base}/{name}") as file:
                    return cast(bytes, file.read_at(file.size() - first if size is None else size, first))
            with (Path(self.root) / name).open("rb") as local:
                local.seek(first)
                return local.read(-1 if size is None else size)
        except FileNotFoundError:
            raise self._damaged(name, "it is missing") from None

    def remove(self, name: str) -> None:
        """Remove a file or a folder with all in it, if it is there."""
        if not self.remote:
            path = Path(self.root) / name
            shutil.rmtree(path, ignore_errors=True) if path.is_dir() else path.unlink(missing_ok=True)
            return
        from pyarrow.fs import FileType

        system, base = _remote(self.root)
        kind = system.get_file_info(f"{base}/{name}").type
        if kind == FileType.Directory:
            system.delete_dir(f"{base}/{name}")
        elif kind == FileType.File:
            system.delete_file(f"{base}/{name}")

    # -- by digest ---------------------------------------------------------------------------------------------------

    def write_rows(self, name: str, layout: int, rows: Words, starts: Sequence[int]) -> tuple[Segment, ...]:
        """Write rows as segments that begin at `starts` (one more, the end, is last)."""
        content = np.ascontiguousarray(rows).reshape(-1).view(np.uint8).data
        width = 8 * rows.shape[1]
        self.write(name, content)
        return tuple(
            Segment(name, layout, low, high - low, _digest(content[width * low : width * high]))
            for low, high in pairwise(starts)
        )

    def read_rows(self, segment: Segment, words: int) -> Words:
        """The rows of a segment, each of so many words."""
        width = 8 * words
        content = self.read(segment.name, width * segment.first, width * segment.size) if segment.size else b""
        if _digest(content) != segment.digest:
            raise self._damaged(segment.name, "its digest is not the one noted")
        rows: Words = np.frombuffer(content, np.uint64).reshape(-1, words).copy()
        return rows

    def write_arrays(self, name: str, arrays: Mapping[str, NDArray[Any]]) -> str:
        """Write named arrays; the digest."""
        content = io.BytesIO()
        np.savez(content, allow_pickle=False, **arrays)
        self.write(name, content.getbuffer())
        return _digest(content.getbuffer())

    def read_arrays(self, name: str, digest: str) -> dict[str, NDArray[Any]]:
        """The named arrays of the file with this digest."""
        content = self.read(name)
        if _digest(content) != digest:
            raise self._damaged(name, "its digest is not the one noted")
        with np.load(io.BytesIO(content), allow_pickle=False) as kept:
            return {key: kept[key] for key in kept.files}

    def write_note(self, note: Mapping[str, Any]) -> None:
        """Write the note: from now on what it names counts."""
        self.write(NOTE, kept_files.note_bytes(note))

    def read_note(self) -> dict[str, Any]:
        """The note as it was written."""
        return kept_files.note_of(self.read(NOTE), f"{self.shown}/{NOTE}")

    def _damaged(self, name: str, why: str) -> InputError:
        return damaged(f"{self.shown}/{name}", why)


def is_uri(root: str) -> bool:
    """Whether it names a folder by a URI."""
    return re.match(r"[a-z][a-z0-9+.-]*://", root) is not None


def open_search(store: Store, asked: Mapping[str, Any]) -> dict[str, Any]:
    """The note of the search in the folder, a new one if it is empty; `InputError` if it is another search's."""
    names = [name for name in store.names() if name != kept_files.LOCK]
    if NOTE not in names:
        if names:
            raise InputError(f"checkpoint {store.shown!r} is not empty and holds no search: name a new folder")
        store.write_note({**asked, "found": []})
    found = store.read_note()
    if any(found.get(key) != asked[key] for key in ("redwhite", "search")):
        raise InputError(f"checkpoint {store.shown!r} is of another search, or of another version: name a new folder")
    return found


@lru_cache(maxsize=4)
def _remote(root: str) -> tuple[Any, str]:
    """The file system of a URI, and the path there."""
    from pyarrow.fs import FileSystem

    try:
        system, path = FileSystem.from_uri(root)
    except (OSError, ValueError) as error:
        raise InputError(f"checkpoint {Store(root).shown!r}: {error}") from None
    return system, path.rstrip("/")


def _digest(content: Any) -> str:
    return hashlib.sha256(content).hexdigest()
