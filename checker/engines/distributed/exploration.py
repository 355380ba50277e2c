"""The driver of a distributed search: one Spark job a level, table misses answered here, a note for each level done.

A level's job takes in what was sent to it and expands it. Before, a sample of what was sent is expanded here, so that
most questions to the program are answered beforehand; what a task still misses is answered after it, and only those
batches are expanded in a further round. Nothing of one level's job hangs on another's, so no lineage grows. The driver
reads no states: tasks write and read them, and show it a sample.
"""

from __future__ import annotations

import hashlib
import json
import uuid
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from checker.engines.distributed.kernels import BATCH, owners
from checker.engines.distributed.level_report import LevelReport, merged, read_level
from checker.engines.distributed.published_tables import PublishedTables, layout_of
from checker.engines.distributed.storage import Segment, Store, open_search
from checker.engines.distributed.tasks import Job, TaskReport, Work, take_part
from checker.engines.native.kernels.expansion import expand
from checker.engines.native.kernels.scans import judged
from checker.engines.native.kernels.successors import room
from checker.engines.native.tables.arrays import Int64s, Words, pack, unpack
from checker.engines.native.tables.local_tables import Tables
from checker.engines.search_options import Progress, StopCondition, silent
from checker.judging.local_predicates import LocalPredicates
from model.errors import InputError
from model.system import System

if TYPE_CHECKING:
    from pyspark import SparkContext

VERSION = "search/2"
OnLevel = Callable[[int, LevelReport], None]
"""Called with each level's number and what its tasks reported, in order, also when a search is resumed."""


class Exploration:
    """The search of one system over partitions in a store that all workers reach."""

    def __init__(
        self, system: System, predicates: LocalPredicates, store: Store, partitions: int, stop_condition: StopCondition
    ) -> None:
        self.system = system
        self.predicates = predicates
        self.stop_condition = stop_condition
        self.tables = Tables(system, predicates)
        self.store = store
        self.layouts: list[tuple[int, ...]] = [tuple(self.tables.widths())]
        self.levels: list[tuple[Segment, ...]] = []
        self.inbox: tuple[tuple[Segment, ...], ...] = ()
        self.count = self.transitions = self.back = 0
        self.depth = 0
        self._search = uuid.uuid4().hex
        self._answered: list[Int64s] = []
        self._samples: list[tuple[int, Words]] = []
        self._published = ("", "")
        self._version = -1
        self._last = 0
        self._stale = True
        names = [p.name for p in predicates.moving]
        words = json.dumps(
            [system.description, system.topology.channels, names, bool(predicates.amounts)], sort_keys=True
        )
        asked = {"redwhite": VERSION, "search": hashlib.sha256(words.encode()).hexdigest(), "partitions": partitions}
        self.note = open_search(self.store, asked)
        self.partitions = int(self.note["partitions"])

    # -- level by level ----------------------------------------------------------------------------------------------

    def explore(
        self, context: SparkContext, on_level: OnLevel, progress: Progress = silent, projected: bool = False
    ) -> None:
        """Explore what is left, from the last complete level on; a keyboard interrupt ends it where it is."""
        level = 0
        try:
            level = self._resume(on_level)
            while self.inbox:
                stop = self.stop_condition.stop(self.count + (level == 0), level)
                self._level(context, level, on_level, projected, not stop, self.stop_condition.deep)
                if stop:
                    if not self._last:  # nothing was left: it ended just there
                        self.stop_condition.why = self.stop_condition.limit = None
                    return
                progress(self.count, self._last, self.depth)
                level += 1
        except KeyboardInterrupt:
            context.cancelAllJobs()
            self.stop_condition.interrupt(self.depth)

    def _level(
        self, context: SparkContext, level: int, on_level: OnLevel, projected: bool, expand: bool, look: bool
    ) -> None:
        """A level; with `look`, states that are not to be expanded are asked all the same whether they are final."""
        self.predicates.level = level
        if expand:
            self._learn()
        reports: list[TaskReport] = []
        kept: dict[int, tuple[Segment, ...]] = {}
        left: dict[int, tuple[int, ...]] = dict.fromkeys(range(self.partitions), ())
        number = 0
        while left:
            self._publish()
            asked = expand or look
            job = Job(self.store, self._search, self._published, level, number, self.partitions, asked, projected)
            work = [self._work(p, kept.get(p, ()), left[p]) for p in sorted(left)]
            found = context.parallelize(work, len(work)).map(partial(take_part, job)).collect()
            for own in found:
                if own.damaged is not None:
                    raise InputError(own.damaged)
                if own.kept is not None:
                    kept[own.partition] = (own.kept,)
            reports += found if expand else [replace(own, transitions=0, back=0, sent=()) for own in found]
            left = {own.partition: own.left for own in found if own.left}
            if left:
                self._fill(np.unique(np.concatenate([own.misses for own in found if own.misses is not None]), axis=0))
            number += 1
        self._take(level, reports, expand, on_level)

    def _work(self, partition: int, kept: tuple[Segment, ...], left: tuple[int, ...]) -> Work:
        levels = (*(own[partition] for own in self.levels), *kept)
        return Work(partition, levels, () if kept else tuple(sent[partition] for sent in self.inbox), left)

    def _take(self, level: int, reports: list[TaskReport], expand: bool, on_level: OnLevel) -> None:
        """Put the level on record, then count it; a search cut off there will be resumed from it."""
        report = merged(reports, self.layouts, self._answered)
        self._samples = [(own.layout, own.sample) for own in reports if own.sample is not None]
        if expand:
            digest = report.write(self.store, level)
            self.note["found"].append(digest)
            self.store.write_note(self.note)
            self.store.remove(f"sent/{level}")
        self._absorb(level, report, on_level)

    def _absorb(self, level: int, report: LevelReport, on_level: OnLevel) -> None:
        self._last = report.new
        self.count += report.new
        self.transitions += report.transitions
        self.back += report.back
        self.inbox = report.sent
        self.levels.append(report.kept)
        self._answered = []
        if self._last:
            self.depth = level
            on_level(level, report)

    def _resume(self, on_level: OnLevel) -> int:
        """Read the levels that are complete, answering the same questions again; the number of the next level."""
        for level, digest in enumerate(self.note["found"]):
            self.predicates.level = level
            report = read_level(self.store, level, digest)
            start = 0
            for size in report.fills:
                self._fill(report.answered[start : start + size])
                start += size
            self._absorb(level, report, on_level)
        if not self.levels:
            self._begin()
        return len(self.levels)

    def _begin(self) -> None:
        """Send the initial state to its owner."""
        layout, words = layout_of(self.layouts[-1])
        start = pack(layout, words, self.tables.start)
        owner = np.zeros(1, np.uint16)
        owners(layout, start, 1, self.partitions, owner)
        starts = [int(p > owner[0]) for p in range(self.partitions + 1)]
        self.inbox = (self.store.write_rows("sent/0/start", len(self.layouts) - 1, start, starts),)
        self._samples = [(len(self.layouts) - 1, start)]

    # -- the tables --------------------------------------------------------------------------------------------------

    def _fill(self, misses: Int64s) -> None:
        """Answer these questions, and remember that they were asked; a new layout where ids outgrow the one in use."""
        self._answered.append(misses)
        self.tables.fill(misses)
        self._stale = True
        widths = self.tables.widths()
        layout, _ = layout_of(self.layouts[-1])
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
        layout, words = layout_of(self.layouts[-1])
        return pack(layout, words, values), layout, words

    def _sample(self) -> Int64s:
        """Field values of states sent to the level, as far as the tasks showed some."""
        values = [unpack(layout_of(self.layouts[layout])[0], rows) for layout, rows in self._samples if len(rows)]
        return np.concatenate(values) if values else np.empty((0, len(self.layouts[-1])), np.int64)

    def _publish(self) -> None:
        """Write the tables where the tasks find them, if they changed."""
        if not self._stale:
            return
        self._stale = False
        if self._version >= 0:
            self.store.remove(self._published[0])
        self._version += 1
        name = f"tables/{self._version}.npz"
        self._published = (name, self._public().write(self.store, name))

    def _public(self) -> PublishedTables:
        predicates, channels = self.predicates, len(self.system.topology.channels)
        machines = [
            [2 * number + local.crashed for number, local in zip(numbers, locals_, strict=True)]
            for numbers, locals_ in zip(predicates.state.parts, self.tables.locals, strict=True)
        ]
        parts = [*machines, *predicates.payloads.parts[:channels]]
        touched = [*predicates.red.parts, *([0] * len(part) for part in predicates.payloads.parts[:channels])]
        return PublishedTables(
            self.tables.arrays(),
            judged(predicates),
            tuple(self.layouts),
            np.concatenate([np.array(part, np.int64) for part in parts]),
            np.cumsum([0, *map(len, parts)], dtype=np.int64)[:-1],
            np.concatenate([np.array(part, np.int64) for part in touched]),
            max(map(len, self.system.inputs), default=1),
        )
