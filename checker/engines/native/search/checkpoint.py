"""`--checkpoint FOLDER`: what is explored is kept on disk, level by level, and a search that was killed goes on there.

Kept are the packed rows, the counters, and the questions that filled the tables, in order: the same questions put
again to the same program give the same tables, so nothing of the user's objects is stored. A file is complete or
absent: it is written beside the old one, then takes its place.
"""

from __future__ import annotations

import hashlib
import os
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from checker.engines.native.tables.arrays import Fields
from model.errors import InputError

if TYPE_CHECKING:
    from checker.engines.native.search.levels import Search
    from checker.engines.native.tables.local_tables import Tables

SECONDS = 60.0
"""Between two checkpoints; only the end of a level is one."""

FILE = "search.npz"


class Checkpoint:
    """The folder of one search; taken up again if it holds the same one, refused if it holds another."""

    def __init__(self, folder: str, identity: str) -> None:
        self.path = Path(folder) / FILE
        self.identity = identity
        self.saved = time.monotonic()
        self.questions: list[np.ndarray[Any, np.dtype[np.int64]]] = []
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InputError(f"checkpoint {folder!r}: no folder there can be made ({error.strerror})") from None

    def asked(self, level: int, misses: np.ndarray[Any, np.dtype[np.int64]]) -> None:
        """Note the questions put while this level was expanded."""
        self.questions.append(np.column_stack([np.full(len(misses), level, np.int64), misses]))

    def save(self, search: Search, now: bool = False) -> None:
        """Keep the search as it stands between two levels, if the last time is long enough ago."""
        if not now and time.monotonic() - self.saved < SECONDS:
            return
        kept = self.path.with_suffix(f".{os.getpid()}.npz")
        sizes = np.array([len(part) for part in self.questions], np.int64)
        np.savez(
            kept,
            identity=np.array(self.identity),
            tables=np.array(_digest(search.tables)),
            questions=np.concatenate([np.zeros((0, 6), np.int64), *self.questions]),
            sizes=sizes,
            rows=search.rows[: search.count],
            counters=search.counters,
            levels=np.array(search.levels, np.int64),
            quiet=search.quiet_rows(),
            layout=np.array([part.astype(np.int64) for part in search.layout]),
        )
        os.replace(kept, self.path)
        self.saved = time.monotonic()

    def load(self, search: Search) -> bool:
        """Take the search up again, if the folder holds it."""
        if not self.path.exists():
            return False
        try:
            with np.load(self.path, allow_pickle=False) as kept:
                found = {name: kept[name] for name in kept.files}
        except (OSError, ValueError, KeyError) as error:
            raise InputError(f"checkpoint {str(self.path)!r} cannot be read ({type(error).__name__})") from None
        if str(found["identity"]) != self.identity:
            raise InputError(
                f"checkpoint {str(self.path)!r} is of another system or other properties: name a new folder"
            )
        at = 0
        for size in found["sizes"].tolist():
            part = found["questions"][at : at + size]
            self.questions.append(part)
            search.predicates.level = int(part[0, 0])
            search.tables.fill(part[:, 1:])
            at += size
        if str(found["tables"]) != _digest(search.tables):
            raise InputError(
                f"checkpoint {str(self.path)!r}: the program or protocol has changed since: name a new folder"
            )
        word, shift, mask = found["layout"]
        layout = Fields(word, shift.astype(np.uint64), mask.astype(np.uint64))
        search.take_up(layout, found["rows"], found["counters"], found["levels"].tolist(), found["quiet"])
        return True


def _digest(tables: Tables) -> str:
    """What the program and the protocol answered, as far as rows show it."""
    answers = hashlib.sha256()
    for grown in (tables.row_start, tables.row_local, tables.send_channel, tables.send_message, tables.offer_message):
        answers.update(grown.array[: grown.size].tobytes())
    return answers.hexdigest()
