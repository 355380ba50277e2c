"""A task: one partition of one level takes in what was sent to it, keeps what is new, expands that and sends it on.

A worker keeps the visited sets of the partitions it had, and loads only the levels it has not seen; a task that is
run again, anywhere, finds the same files and writes the same files.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from checker.engines.distributed.kernels import (
    BATCH,
    COUNT,
    DONE,
    GROW,
    LEFT,
    MISSES,
    MISSING,
    NEXT,
    TERMINAL,
    TRANSITIONS,
    WIDER_CHOICES,
    WIDER_ROOM,
    RowSet,
    owners,
    spread,
)
from checker.engines.distributed.level_scans import completed, projected, terminal_kinds
from checker.engines.distributed.published_tables import PublishedTables, read_tables
from checker.engines.distributed.storage import Segment, Store
from checker.engines.native.kernels.successors import Successors, room
from checker.engines.native.tables.arrays import Int64s, Words
from checker.sweep.run import freeze_garbage_collector
from model.errors import InputError

KEPT = 8
"""How many partitions' visited sets a worker keeps."""
SAMPLE = 1 << 14
"""About how many of the states that they sent the tasks of a level show to the driver, which learns from them."""


@dataclass(frozen=True, slots=True)
class Job:
    """What the tasks of one round of a level have in common; `tables` names their file and its digest.

    search: a name that no other search has, not even an earlier one in the same folder. In round 0 the level is taken
    in; later rounds expand what was left over.
    """

    store: Store
    search: str
    tables: tuple[str, str]
    level: int
    round: int
    partitions: int
    expand: bool = True
    projected: bool = False


class Work(NamedTuple):
    """What one task of a job has to itself: its partition's files of all levels so far, and what was sent to it.

    left: where batches begin in the partition's level that wait to be expanded (in rounds after 0).
    """

    partition: int
    levels: tuple[Segment, ...]
    inbox: tuple[Segment, ...]
    left: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class TaskReport:
    """What a task reports: of round 0 the states, of every round the transitions.

    kept: the partition's level as a file; sent: the successors, one segment for each partition, none if there are none.
    back: how many successors led to this level's predecessors or themselves; keys: what machines recorded in complete
    snapshots, distinct, one row (snapshot, with a message, white left, records...); kinds: underlying states in which
    no snapshot has begun, distinct; terminal: of the terminal states one for each (bits, underlying state), and sample:
    some of the states sent, both packed in `layout`. damaged: why a file that the task needed cannot be used.
    """

    partition: int
    layout: int = 0
    new: int = 0
    back: int = 0
    transitions: int = 0
    kept: Segment | None = None
    sent: tuple[Segment, ...] = ()
    left: tuple[int, ...] = ()
    misses: Int64s | None = None
    keys: Int64s | None = None
    kinds: Int64s | None = None
    terminal: Words | None = None
    terminal_bits: NDArray[np.uint8] | None = None
    sample: Words | None = None
    damaged: str | None = None


class Visited:
    """A partition's visited set up to some level, in one layout."""

    def __init__(self, words: int, layout: int) -> None:
        self.set = RowSet(words)
        self.layout = layout
        self.starts: list[int] = []
        self.back = 0

    @property
    def level(self) -> int:
        """The last level in it."""
        return len(self.starts) - 1

    def repack(self, tables: PublishedTables) -> None:
        """Bring the rows into the layout in use."""
        if self.layout != tables.newest:
            rows = tables.repacked(self.set.rows[: self.set.count], self.layout)
            self.set.replace(rows.copy() if len(rows) else np.empty((1, tables.words), np.uint64))
            self.layout = tables.newest


@lru_cache(maxsize=KEPT)
def _kept(search: str, partition: int) -> list[Visited]:
    """The worker's place for a partition's visited set: empty, or with one in it."""
    return []


def visited(job: Job, work: Work, tables: PublishedTables, level: int) -> Visited:
    """The partition's visited set up to `level`, from what the worker has kept and the files."""
    kept = _kept(job.search, work.partition)
    if not kept or kept[0].level > max(level, job.level):
        kept[:] = [Visited(tables.words, tables.newest)]
    own = kept[0]
    own.repack(tables)
    for missing in range(own.level + 1, level + 1):
        start = own.set.count
        own.set.add(_rows(job, work.levels[missing], tables))
        own.starts.append(start)
    return own


def _rows(job: Job, segment: Segment, tables: PublishedTables) -> Words:
    return tables.repacked(job.store.read_rows(segment, tables.words_in(segment.layout)), segment.layout)


def take_part(job: Job, work: Work) -> TaskReport:
    """The task of one partition in one round of a level."""
    freeze_garbage_collector()
    try:
        return _part(job, work, read_tables(job.store, *job.tables))
    except BaseException as error:
        _kept(job.search, work.partition).clear()  # it may be half way into a level
        if isinstance(error, InputError):
            return TaskReport(work.partition, damaged=str(error))
        raise


def _part(job: Job, work: Work, tables: PublishedTables) -> TaskReport:
    first = job.round == 0
    own = visited(job, work, tables, job.level - 1 if first else job.level)
    if own.level < job.level:
        start = own.set.count
        own.back = sum(own.set.add(_rows(job, segment, tables), start) for segment in work.inbox)
        own.starts.append(start)
    low, high = own.starts[job.level], own.set.count
    sources = own.set.rows
    expansion = Expansion(tables, sources)
    if job.expand:
        for at in [low] if first else [low + left for left in work.left]:
            expansion.run(at, high if first else min(high, at + BATCH))
    terminal, bits = terminal_kinds(tables, sources, expansion.terminal[: expansion.counters[TERMINAL]])
    report = TaskReport(
        work.partition,
        tables.newest,
        transitions=int(expansion.counters[TRANSITIONS]),
        sent=expansion.send(job, work.partition),
        left=tuple(at - low for at in expansion.left),
        misses=np.concatenate(expansion.misses) if expansion.misses else None,
        terminal=terminal,
        terminal_bits=bits,
        sample=expansion.sample(max(1, SAMPLE // job.partitions)),
    )
    if not first:
        return report
    name = f"level/{job.level}/{work.partition}.{tables.newest}"
    return replace(
        report,
        new=high - low,
        back=own.back,
        kept=job.store.write_rows(name, tables.newest, sources[low:high], (0, high - low))[0],
        keys=completed(tables, sources, low, high),
        kinds=projected(tables, sources, low, high) if job.projected else None,
    )


class Expansion:
    """The successors of one task, as a set."""

    def __init__(self, tables: PublishedTables, sources: Words) -> None:
        self.tables = tables
        self.sources = sources
        self.set = RowSet(tables.words)
        self.counters = np.zeros(6, np.int64)
        self.terminal = np.empty(1 << 12, np.int64)
        self.left: list[int] = []
        self.misses: list[Int64s] = []
        self._waiting = np.empty(1 << 10, np.int64)
        self._asked = np.empty((1 << 14, 5), np.int64)
        self._capacity, self._choices = 1 << 13, 1024
        self._room()

    def run(self, low: int, high: int) -> None:
        """Expand sources low..high; batches with misses are left over."""
        tables, counters = self.tables, self.counters
        counters[NEXT] = low
        why = -1
        while why != DONE:
            counters[COUNT] = self.set.count
            why = spread(
                tables.arrays,
                tables.layout,
                self.sources,
                high,
                counters,
                self.set.table,
                self.set.rows,
                self.out,
                self._hashes,
                self.terminal,
                self._waiting,
                self._asked,
            )
            self.set.count = int(counters[COUNT])
            if why == GROW:
                self.set.reserve(self._capacity)
                if counters[TERMINAL] + BATCH > len(self.terminal):
                    self.terminal = np.concatenate([self.terminal, np.empty_like(self.terminal)])
            elif why in (WIDER_ROOM, WIDER_CHOICES):
                self._capacity *= 1 + (why == WIDER_ROOM)
                self._choices *= 1 + (why == WIDER_CHOICES)
                self._room()
            if why in (MISSES, DONE):
                self._note()

    def _note(self) -> None:
        self.left += self._waiting[: self.counters[LEFT]].tolist()
        if self.counters[MISSING]:
            self.misses.append(np.unique(self._asked[: self.counters[MISSING]], axis=0))
        self.counters[LEFT] = self.counters[MISSING] = 0

    def _room(self) -> None:
        tables = self.tables
        fields = len(tables.layout.word)
        self.out: Successors = room(tables.words, fields, tables.inputs, self._capacity, BATCH, self._choices)
        self._hashes: Words = np.empty(max(self._capacity, 1 << 14), np.uint64)

    def sample(self, most: int) -> Words:
        """Some of the successors, spread evenly."""
        return self.set.rows[: self.set.count : max(1, self.set.count // most)].copy()

    def send(self, job: Job, partition: int) -> tuple[Segment, ...]:
        """Write the successors sorted by owner; nothing where there are none."""
        count = self.set.count
        if not count:
            return ()
        owner = np.empty(count, np.uint16)
        owners(self.tables.layout, self.set.rows, count, job.partitions, owner)
        starts = np.concatenate([[0], np.cumsum(np.bincount(owner, minlength=job.partitions))])
        layout = self.tables.newest
        name = f"sent/{job.level + 1}/{partition}.{job.round}.{layout}"
        return job.store.write_rows(name, layout, self.set.rows[np.argsort(owner, kind="stable")], starts.tolist())
