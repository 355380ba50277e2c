"""What the tasks of one level reported, taken together: what is counted, judged, and kept to resume from."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from checker.engines.distributed.published_tables import layout_of
from checker.engines.distributed.storage import Segment, Store
from checker.engines.distributed.tasks import TaskReport
from checker.engines.native.tables.arrays import Int64s, unpack


@dataclass(frozen=True, slots=True)
class LevelReport:
    """Sums and unions over the tasks' reports (see `TaskReport`), and the files they wrote.

    kept: each partition's states of the level; sent: the files of successors, each as one segment a partition.
    terminal: terminal states as field values, so in no layout; answered: the questions that the driver answered since
    the level before, in order, `fills` of them at a time.
    """

    new: int
    back: int
    transitions: int
    kept: tuple[Segment, ...]
    sent: tuple[tuple[Segment, ...], ...]
    keys: Int64s
    kinds: Int64s
    terminal: Int64s
    terminal_bits: NDArray[np.uint8]
    answered: Int64s
    fills: tuple[int, ...]

    def write(self, store: Store, level: int) -> str:
        """Keep it; the file's digest."""
        told = {"new": self.new, "back": self.back, "transitions": self.transitions, "fills": self.fills}
        files = {"kept": self.kept, "sent": self.sent}
        return store.write_arrays(
            name_of(level),
            {
                "told": np.frombuffer(json.dumps(told | files).encode(), np.uint8),
                "keys": self.keys,
                "kinds": self.kinds,
                "terminal": self.terminal,
                "terminal_bits": self.terminal_bits,
                "answered": self.answered,
            },
        )


def merged(
    reports: Sequence[TaskReport], layouts: Sequence[tuple[int, ...]], answered: Sequence[Int64s]
) -> LevelReport:
    """The reports of one level's tasks, of all its rounds, as one."""
    terminal = [
        unpack(layout_of(layouts[own.layout])[0], own.terminal)
        for own in reports
        if own.terminal is not None and len(own.terminal)
    ]
    bits = [own.terminal_bits for own in reports if own.terminal_bits is not None and len(own.terminal_bits)]
    kept = sorted((own.partition, own.kept) for own in reports if own.kept is not None)
    return LevelReport(
        sum(own.new for own in reports),
        sum(own.back for own in reports),
        sum(own.transitions for own in reports),
        tuple(segment for _, segment in kept),
        tuple(own.sent for own in reports if own.sent),
        _rows([own.keys for own in reports]),
        _rows([own.kinds for own in reports]),
        np.concatenate(terminal) if terminal else np.empty((0, 0), np.int64),
        np.concatenate(bits) if bits else np.empty(0, np.uint8),
        np.concatenate(answered) if answered else np.empty((0, 5), np.int64),
        tuple(map(len, answered)),
    )


def read_level(store: Store, level: int, digest: str) -> LevelReport:
    """The report of a level as `LevelReport.write` kept it."""
    found = store.read_arrays(name_of(level), digest)
    told = json.loads(found["told"].tobytes())
    return LevelReport(
        told["new"],
        told["back"],
        told["transitions"],
        tuple(Segment(*own) for own in told["kept"]),
        tuple(tuple(Segment(*own) for own in sent) for sent in told["sent"]),
        found["keys"],
        found["kinds"],
        found["terminal"],
        found["terminal_bits"],
        found["answered"],
        tuple(told["fills"]),
    )


def name_of(level: int) -> str:
    """The file of a level's report."""
    return f"found/{level}.npz"


def _rows(parts: Sequence[NDArray[Any] | None]) -> NDArray[Any]:
    """The rows of all parts; of no width where there are none."""
    some = [part for part in parts if part is not None and len(part)]
    return np.concatenate(some) if some else np.empty((0, 0), np.int64)
