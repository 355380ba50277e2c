"""The driver of a distributed search: one Spark job a level, table misses answered here, a note for each level done.

A level's job takes in what was sent to it and expands it. Before, a sample of what was sent is expanded here, so that
most questions to the program are answered beforehand; what a task still misses is answered after it, and only those
batches are expanded in a further round. Nothing of one level's job hangs on another's, so no lineage grows.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from checker.engines.distributed import storage
from checker.engines.distributed.kernels import BATCH, owners
from checker.engines.distributed.storage import World, read_rows, write_pickle, write_rows
from checker.engines.distributed.tasks import Found, Job, Sent, take_part
from checker.engines.native.kernels.expansion import expand, room
from checker.engines.native.tables.arrays import Int64s, Words, fields, pack, unpack
from checker.engines.native.tables.local_predicates import LocalPredicates
from checker.engines.native.tables.local_tables import Tables
from checker.engines.search_options import Progress, StopCondition, silent
from checker.judging.completed_snapshots import judged
from model.system import System

if TYPE_CHECKING:
    from pyspark import SparkContext

SAMPLE = 1 << 13
"""How many of the states sent to a level are expanded by the driver, to learn what the tables lack."""
VERSION = "search/1"
Tell = Callable[[int, list[Found]], None]
"""Called with each level's number and what its tasks found, in order, also when a search is resumed."""


class Exploration:
    """The search of one system over partitions in a folder that all workers share."""

    def __init__(
        self, system: System, predicates: LocalPredicates, folder: Path, partitions: int, stop_condition: StopCondition
    ) -> None:
        self.system = system
        self.predicates = predicates
        self.stop_condition = stop_condition
        self.tables = Tables(system, predicates)
        self.folder = folder.resolve()
        self.layouts: list[tuple[int, ...]] = [tuple(self.tables.widths())]
        self.levels: list[int] = []
        self.inbox: list[Sent] = []
        self.count = self.transitions = self.back = 0
        self.depth = 0
        self.expanded = True
        self._answered: list[Int64s] = []
        self._version = -1
        self._last = 0
        self._stale = True
        names = [p.name for p in predicates.moving]
        words = json.dumps([system.description, system.topology.channels, names, predicates.conserving], sort_keys=True)
        asked = {"redwhite": VERSION, "search": hashlib.sha256(words.encode()).hexdigest(), "partitions": partitions}
        self.note = storage.open_search(self.folder, asked)
        self.partitions = int(self.note["partitions"])

    # -- level by level ----------------------------------------------------------------------------------------------

    def explore(self, context: SparkContext, tell: Tell, progress: Progress = silent, projected: bool = False) -> None:
        """Explore what is left, from the last complete level on; a keyboard interrupt stops the stop_condition."""
        level = 0
        try:
            level = self._resume(tell)
            while self.inbox:
                stop = self.stop_condition.stop(self.count + (level == 0), level)
                self._level(context, level, tell, projected, expand=not stop)
                if stop:
                    if not self._last:  # nothing was left: it ended just there
                        self.stop_condition.why = self.stop_condition.limit = None
                    return
                progress(self.count, self._last, self.depth)
                level += 1
        except KeyboardInterrupt:
            context.cancelAllJobs()
            self.stop_condition.interrupt(self.depth)

    def _level(self, context: SparkContext, level: int, tell: Tell, projected: bool, expand: bool) -> None:
        self.predicates.level = level
        if expand:
            self._learn()
        found: list[Found] = []
        left: dict[int, tuple[int, ...]] = {}
        misses: list[Int64s] = []
        number = 0
        layout = -1
        while number == 0 or left:
            self._publish()
            layout = len(self.layouts) - 1 if number == 0 else layout
            job = Job(
                str(self.folder),
                self._version,
                level,
                number,
                self.partitions,
                (*self.levels, layout),
                tuple(self.inbox),
                left,
                expand,
                projected,
            )
            chosen = sorted(left) if number else list(range(self.partitions))
            part = context.parallelize(chosen, len(chosen)).map(partial(take_part, job)).collect()
            found += part
            left = {own.partition: own.left for own in part if own.left}
            misses = [own.misses for own in part if len(own.misses)]
            if left:
                self._fill(np.unique(np.concatenate(misses), axis=0))
            number += 1
        self._take(level, layout, found, expand, tell)

    def _take(self, level: int, layout: int, found: list[Found], expand: bool, tell: Tell) -> None:
        """Put the level on record, then count it; a search cut off there will take it up again."""
        answered = np.concatenate(self._answered) if self._answered else np.empty((0, 5), np.int64)
        sizes = [len(part) for part in self._answered]
        if expand:
            write_pickle(self.folder / "found" / f"{level}.pkl", (layout, found, answered, sizes))
            self.note["complete"] = level
            storage.write_bytes(self.folder / storage.NOTE, json.dumps(self.note, indent=2).encode())
        self._absorb(level, layout, found, tell)
        self.expanded = expand or not self._last

    def _absorb(self, level: int, layout: int, found: list[Found], tell: Tell) -> None:
        self._last = sum(own.new for own in found)
        self.count += self._last
        self.transitions += sum(own.transitions for own in found)
        self.back += sum(own.back for own in found)
        self.inbox = [own.sent for own in found if own.sent is not None]
        self.levels.append(layout)
        self._answered = []
        if self._last:
            self.depth = level
            tell(level, found)

    def _resume(self, tell: Tell) -> int:
        """Read the levels that are complete, answering the same questions again; the number of the next level."""
        complete = int(self.note["complete"])
        storage.clear_after(self.folder, complete)
        for level in range(complete + 1):
            self.predicates.level = level
            layout, found, answered, sizes = storage.read_pickle(self.folder / "found" / f"{level}.pkl")
            start = 0
            for size in sizes:
                self._fill(answered[start : start + size])
                start += size
            self._absorb(level, layout, found, tell)
        if complete < 0:
            self._begin()
        return complete + 1

    def _begin(self) -> None:
        """Send the initial state to its owner."""
        layout, words = fields(list(self.layouts[-1]))
        start = pack(layout, words, self.tables.start)
        owner = np.zeros(1, np.uint16)
        owners(layout, start, 1, self.partitions, owner)
        path = self.folder / "sent" / "0" / "start.0.0.npy"
        write_rows(path, start)
        starts = tuple(int(p > owner[0]) for p in range(self.partitions + 1))
        self.inbox = [Sent(str(path), len(self.layouts) - 1, starts)]

    # -- the tables --------------------------------------------------------------------------------------------------

    def _fill(self, misses: Int64s) -> None:
        """Answer these questions, and remember that they were asked; a new layout where ids outgrow the one in use."""
        self._answered.append(misses)
        self.tables.fill(misses)
        self._stale = True
        widths = self.tables.widths()
        layout, _ = storage.laid_out(self.layouts[-1])
        if any((1 << width) - 1 > mask for width, mask in zip(widths, layout.mask.tolist(), strict=True)):
            self.layouts.append(tuple(widths))

    def _learn(self) -> None:
        """Expand a sample of what was sent to the level until the tables lack nothing for it."""
        sample = self._sample()
        inputs = max(map(len, self.system.inputs), default=1)
        capacity, choices, low = 1 << 13, 1024, 0
        rows, layout, words = self._packed(sample)
        arrays = self.tables.arrays()
        out = room(words, len(layout.word), inputs, capacity, BATCH, choices)
        while low < len(rows):
            done, misses, short = expand(arrays, layout, rows, low, min(len(rows), low + BATCH), out, False)
            if misses:
                known = len(self.layouts)
                self._fill(out.misses[:misses].copy())
                arrays = self.tables.arrays()
                if len(self.layouts) > known:
                    rows, layout, words = self._packed(sample)
                    out = room(words, len(layout.word), inputs, capacity, BATCH, choices)
            elif short or not done:
                choices, capacity = choices * (1 + short), capacity * (2 - short)
                out = room(words, len(layout.word), inputs, capacity, BATCH, choices)
            else:
                low += done

    def _packed(self, values: Int64s) -> tuple[Words, Any, int]:
        layout, words = storage.laid_out(self.layouts[-1])
        return pack(layout, words, values), layout, words

    def _sample(self) -> Int64s:
        """Field values of states sent to the level, spread evenly over the files."""
        parts = []
        whole = sum(sent.starts[-1] for sent in self.inbox)
        step = max(1, whole // SAMPLE)
        for sent in self.inbox:
            rows = np.ascontiguousarray(read_rows(Path(sent.path))[::step])
            parts.append(unpack(storage.laid_out(self.layouts[sent.layout])[0], rows))
        return np.concatenate(parts)

    def _publish(self) -> None:
        """Write the tables where the tasks find them, if they changed."""
        if not self._stale:
            return
        self._version += 1
        self._stale = False
        path = self.folder / "tables" / f"{self._version}.pkl"
        while path.exists():  # of a search that was cut off: workers may have read it
            self._version += 1
            path = self.folder / "tables" / f"{self._version}.pkl"
        write_pickle(path, self._world())

    def _world(self) -> World:
        predicates, channels = self.predicates, len(self.system.topology.channels)
        machines = [
            [2 * number + local.crashed for number, local in zip(numbers, locals_, strict=True)]
            for numbers, locals_ in zip(predicates.state.parts, self.tables.locals, strict=True)
        ]
        parts = [*machines, *predicates.payloads.parts[:channels]]
        touched = [*predicates.red.parts, *([0] * len(part) for part in predicates.payloads.parts[:channels])]
        return World(
            self.tables.arrays(),
            judged(predicates),
            tuple(self.layouts),
            np.concatenate([np.array(part, np.int64) for part in parts]),
            np.cumsum([0, *map(len, parts)], dtype=np.int64)[:-1],
            np.concatenate([np.array(part, np.int64) for part in touched]),
            max(map(len, self.system.inputs), default=1),
        )
