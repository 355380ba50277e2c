"""`--checkpoint FOLDER`: what is explored is kept on disk, now and then and at every orderly stop, and gone on with.

Kept are the packed rows, the counters, and the questions that filled the tables, in order: the same questions put
again to the same program give the same tables, so nothing of the user's objects is stored. The files are those of
`checker.engines.kept_files`: whole or absent, known by their digests, one search a folder.

A search may be interrupted while a question is answered. What is kept is then what was there before the question: the
tables only grow, so their sizes after the last answer tell how much of them belongs to the rows.
"""

from __future__ import annotations

import hashlib
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from checker.engines.kept_files import locked, read_arrays, read_note, write_arrays, write_note
from checker.engines.native.tables.arrays import Fields
from checker.engines.native.tables.local_tables import Tables
from model.errors import InputError

if TYPE_CHECKING:
    from checker.engines.native.search.levels import Search

SECONDS = 60.0
"""Between two checkpoints of a search that goes on."""

NOTE = "search.json"
FORMAT = "redwhite-search 3"


class Checkpoint:
    """The folder of one search; resumed if it holds the same one, refused if it holds another."""

    def __init__(self, folder: str, identity: str) -> None:
        self.folder = Path(folder)
        self.identity = identity
        self.saved = time.monotonic()
        self.questions: list[np.ndarray[Any, np.dtype[np.int64]]] = []
        self.sizes: list[int] = []
        self._turn = 0
        self._warned = False
        self._loaded = False
        self._lock = ExitStack()
        self._lock.enter_context(locked(self.folder))
        for stale in self.folder.glob("search.*.npz"):  # half-written files of versions before this one
            stale.unlink(missing_ok=True)

    def asked(self, level: int, misses: np.ndarray[Any, np.dtype[np.int64]], tables: Tables) -> None:
        """Note the questions answered while this level was expanded, and what the tables hold now."""
        if len(misses):
            self.questions.append(np.column_stack([np.full(len(misses), level, np.int64), misses]))
        self.sizes = _sizes(tables)

    def save(self, search: Search, now: bool = False) -> None:
        """Keep the search as it stands, if the last time is long enough ago; a full disk costs a warning."""
        if not now and time.monotonic() - self.saved < SECONDS:
            return
        name = f"states-{self._turn}.npz"
        try:
            with _unhurried():
                digest = write_arrays(self.folder / name, self._arrays(search))
                tables = _digest(search.tables, self.sizes)
                write_note(
                    self.folder / NOTE,
                    {"format": FORMAT, "identity": self.identity, "tables": tables, "file": name, "sha256": digest},
                )
            self._turn = 1 - self._turn
            (self.folder / f"states-{self._turn}.npz").unlink(missing_ok=True)
        except (OSError, MemoryError) as error:
            if not self._warned:
                why = getattr(error, "strerror", None) or "out of memory"
                words = f"checkpoint {str(self.folder)!r} could not be written ({why})"
                print(f"redwhite: {words}; the search goes on without", file=sys.stderr, flush=True)
            self._warned = True
        self.saved = time.monotonic()

    def close(self, search: Search) -> None:
        """The search is over: keep what it would be a loss to explore again, and give the folder back."""
        try:
            cut_off = search.expanded < search.count
            if self._loaded and search.packed and (cut_off or time.monotonic() - self.saved >= SECONDS):
                self.save(search, now=True)
        finally:
            self._lock.close()

    def _arrays(self, search: Search) -> dict[str, np.ndarray[Any, Any]]:
        return {
            "questions": np.concatenate([np.zeros((0, 6), np.int64), *self.questions]),
            "portions": np.array([len(part) for part in self.questions], np.int64),
            "sizes": np.array(self.sizes, np.int64),
            "rows": search.rows[: search.count],
            "counters": search.counters,
            "levels": np.array([*search.levels, search.level_end], np.int64),
            "quiet": search.terminal_states(),
            "common": search.kept(),
            "layout": np.array([part.astype(np.int64) for part in search.layout]),
        }

    def load(self, search: Search) -> bool:
        """Resume the search, if the folder holds it."""
        self.sizes = _sizes(search.tables)
        path = self.folder / NOTE
        if not path.exists():
            self._loaded = True
            return False
        note = read_note(path)
        if note.get("format") != FORMAT:
            raise InputError(f"checkpoint {str(self.folder)!r} is of another version or engine: name a new folder")
        if note["identity"] != self.identity:
            raise InputError(
                f"checkpoint {str(self.folder)!r} is of another system, other properties or another reduction: "
                "name a new folder"
            )
        found = read_arrays(self.folder / note["file"], note["sha256"])
        self._turn = 1 - int(note["file"] == "states-1.npz")
        if not search.accepts(found["common"]):
            self._loaded = True
            return False
        at = 0
        for size in found["portions"].tolist():
            part = found["questions"][at : at + size]
            search.predicates.level = int(part[0, 0])
            search.tables.fill(part[:, 1:])
            search.answered(part[:, 1:])
            at += size
        if note["tables"] != _digest(search.tables, found["sizes"].tolist()):
            raise InputError(
                f"checkpoint {str(self.folder)!r}: the program or protocol has changed since: name a new folder"
            )
        word, shift, mask = found["layout"]
        layout = Fields(word, shift.astype(np.uint64), mask.astype(np.uint64))
        search.restore(layout, found["rows"], found["counters"], found["levels"].tolist(), found["quiet"])
        self._loaded = True
        return True


@contextmanager
def _unhurried() -> Iterator[None]:
    """No time limit interrupts keeping: what is lost then is the whole search."""
    if not hasattr(signal, "setitimer"):
        yield
        return
    left, every = signal.setitimer(signal.ITIMER_REAL, 0)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, left, every)


def _answers(tables: Tables) -> tuple[Any, ...]:
    flat = tables.flat
    return flat.transition_start, flat.transition_local, flat.send_channel, flat.send_message, flat.offer_message


def _sizes(tables: Tables) -> list[int]:
    return [grown.size for grown in _answers(tables)]


def _digest(tables: Tables, sizes: list[int]) -> str:
    """What the program and the protocol answered, as far as rows show it."""
    answers = hashlib.sha256()
    for grown, size in zip(_answers(tables), sizes, strict=True):
        answers.update(grown.array[: min(size, grown.size)].tobytes())
    return answers.hexdigest()
