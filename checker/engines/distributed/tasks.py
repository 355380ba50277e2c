"""One partition's part of one level: take in what was sent to it, keep what is new, expand that, send it on.

A worker keeps the visited sets of the partitions it had, and loads only the levels it has not seen; a task that is
run again, anywhere, finds the same files and writes the same files.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
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
    QUIET,
    TRANSITIONS,
    WIDER_CHOICES,
    WIDER_ROOM,
    RowSet,
    owners,
    spread,
)
from checker.engines.distributed.storage import World, read_pickle, read_rows, write_rows
from checker.engines.native.kernels.expansion import Successors, room
from checker.engines.native.kernels.scans import classify, completions, project
from checker.engines.native.tables.arrays import Int64s, Words
from checker.sweep.run import settle

KEPT = 8
"""How many partitions' visited sets a worker keeps."""
PORTION = 1 << 15


class Sent(NamedTuple):
    """A file of successors sorted by owner: those of partition p are rows starts[p]..starts[p+1]."""

    path: str
    layout: int
    starts: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Job:
    """What the tasks of one round of a level have in common.

    `levels` are the layouts of the level files so far; `inbox` is what was sent to this level. In round 0 the level is
    taken in; later rounds expand what was left over, `left[p]`, where batches begin in partition p's level.
    """

    folder: str
    version: int
    level: int
    round: int
    partitions: int
    levels: tuple[int, ...]
    inbox: tuple[Sent, ...]
    left: dict[int, tuple[int, ...]] = field(default_factory=dict)
    expand: bool = True
    projected: bool = False


class Found(NamedTuple):
    """What a task reports: of round 0 the states, of every round the transitions.

    back: how many successors led to this level's predecessors or themselves; keys: what machines recorded in complete
    snapshots, distinct, one row (snapshot, with a message, white left, records...); kinds: underlying states in which
    no snapshot has begun, distinct; quiet: for states in which nothing happens, one for each (bits, underlying state),
    packed in `layout`.
    """

    partition: int
    new: int
    back: int
    transitions: int
    sent: Sent | None
    left: tuple[int, ...]
    misses: Int64s
    keys: Int64s
    kinds: Int64s
    quiet: Words
    quiet_bits: NDArray[np.uint8]
    layout: int


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

    def fit(self, world: World) -> None:
        """Bring the rows into the layout in use."""
        if self.layout != world.newest:
            rows = world.packed(self.set.rows[: self.set.count], self.layout)
            self.set.replace(rows.copy() if len(rows) else np.empty((1, world.words), np.uint64))
            self.layout = world.newest


@lru_cache(maxsize=2)
def world_of(folder: str, version: int) -> World:
    """The tables of this version."""
    found: World = read_pickle(Path(folder) / "tables" / f"{version}.pkl")
    return found


@lru_cache(maxsize=KEPT)
def _kept(folder: str, partition: int) -> list[Visited]:
    """The worker's place for a partition's visited set: empty, or with one in it."""
    return []


def level_file(folder: str, level: int, partition: int, layout: int) -> Path:
    """The file of a partition's states at a level."""
    return Path(folder) / "level" / str(level) / f"{partition}.{layout}.npy"


def visited(job: Job, partition: int, world: World, level: int) -> Visited:
    """The partition's visited set up to `level`, from what the worker has kept and the files."""
    kept = _kept(job.folder, partition)
    if not kept or kept[0].level > max(level, job.level):
        kept[:] = [Visited(world.words, world.newest)]
    own = kept[0]
    own.fit(world)
    for missing in range(own.level + 1, level + 1):
        rows = read_rows(level_file(job.folder, missing, partition, job.levels[missing]))
        start = own.set.count
        own.set.add(world.packed(rows, job.levels[missing]))
        own.starts.append(start)
    return own


def take_part(job: Job, partition: int) -> Found:
    """The task of one partition in one round of a level."""
    settle()
    try:
        return _part(job, partition, world_of(job.folder, job.version))
    except BaseException:
        _kept(job.folder, partition).clear()  # it may be half way into a level
        raise


def _part(job: Job, partition: int, world: World) -> Found:
    own = visited(job, partition, world, job.level - 1 if job.round == 0 else job.level)
    if own.level < job.level:
        start = own.set.count
        own.back = sum(
            own.set.add(world.packed(read_rows(Path(s.path), *s.starts[partition : partition + 2]), s.layout), start)
            for s in job.inbox
        )
        own.starts.append(start)
    low, high = own.starts[job.level], own.set.count
    sources = own.set.rows
    if job.round == 0:
        path = level_file(job.folder, job.level, partition, world.newest)
        write_rows(path, sources[low:high])
    batches = [low + at for at in job.left[partition]] if job.round else [low] if high > low else []
    ends = [min(high, at + BATCH) for at in batches] if job.round else [high]
    made = Expansion(world, sources)
    if job.expand:
        for at, end in zip(batches, ends, strict=False):
            made.run(at, end)
    nothing = np.empty((0, 0), np.int64)
    quiet, bits = _quiet(world, sources, made.quiet[: made.counters[QUIET]])
    return Found(
        partition,
        high - low if job.round == 0 else 0,
        own.back if job.round == 0 else 0,
        int(made.counters[TRANSITIONS]),
        made.send(job, partition),
        tuple(at - low for at in made.left),
        np.concatenate(made.misses) if made.misses else np.empty((0, 5), np.int64),
        _completed(world, sources, low, high) if job.round == 0 else nothing,
        _projected(world, sources, low, high) if job.round == 0 and job.projected else nothing,
        quiet,
        bits,
        world.newest,
    )


class Expansion:
    """The successors of one task, as a set."""

    def __init__(self, world: World, sources: Words) -> None:
        self.world = world
        self.sources = sources
        self.set = RowSet(world.words)
        self.counters = np.zeros(6, np.int64)
        self.quiet = np.empty(1 << 12, np.int64)
        self.left: list[int] = []
        self.misses: list[Int64s] = []
        self._waiting = np.empty(1 << 10, np.int64)
        self._asked = np.empty((1 << 14, 5), np.int64)
        self._capacity, self._choices = 1 << 13, 1024
        self._room()

    def run(self, low: int, high: int) -> None:
        """Expand sources low..high; batches with misses are left over."""
        world, counters = self.world, self.counters
        counters[NEXT] = low
        why = -1
        while why != DONE:
            counters[COUNT] = self.set.count
            why = spread(
                world.arrays,
                world.layout,
                self.sources,
                high,
                counters,
                self.set.table,
                self.set.rows,
                self.out,
                self._hashes,
                self.quiet,
                self._waiting,
                self._asked,
            )
            self.set.count = int(counters[COUNT])
            if why == GROW:
                self.set.reserve(self._capacity)
                if counters[QUIET] + BATCH > len(self.quiet):
                    self.quiet = np.concatenate([self.quiet, np.empty_like(self.quiet)])
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
        world = self.world
        fields = len(world.layout.word)
        self.out: Successors = room(world.words, fields, world.inputs, self._capacity, BATCH, self._choices)
        self._hashes: Words = np.empty(max(self._capacity, 1 << 14), np.uint64)

    def send(self, job: Job, partition: int) -> Sent | None:
        """Write the successors sorted by owner; nothing where there are none."""
        count = self.set.count
        if not count:
            return None
        owner = np.empty(count, np.uint16)
        owners(self.world.layout, self.set.rows, count, job.partitions, owner)
        starts = np.concatenate([[0], np.cumsum(np.bincount(owner, minlength=job.partitions))])
        layout = self.world.newest
        path = Path(job.folder) / "sent" / str(job.level + 1) / f"{partition}.{job.round}.{layout}.npy"
        write_rows(path, self.set.rows[np.argsort(owner, kind="stable")])
        return Sent(str(path), layout, tuple(starts.tolist()))


# -- what the states of a level tell -------------------------------------------------------------------------------


def _completed(world: World, rows: Words, low: int, high: int) -> Int64s:
    machines, snapshots = len(world.judged.local_bases), int(world.judged.flags[0])
    keys = np.empty((PORTION * snapshots, machines), np.int64)
    found = np.empty((PORTION * snapshots, 4), np.int64)
    distinct: list[Int64s] = []
    while low < high:
        n, low = completions(world.judged, world.layout, rows, low, min(high, low + PORTION), keys, found)
        if n:
            distinct.append(np.unique(np.concatenate([found[:n, 1:], keys[:n]], axis=1), axis=0))
    return np.unique(np.concatenate(distinct), axis=0) if distinct else np.empty((0, machines + 3), np.int64)


def _projected(world: World, rows: Words, low: int, high: int) -> Int64s:
    """The distinct underlying states of those in which no machine is red."""
    width = len(world.bases)
    distinct: list[Int64s] = []
    keys = np.empty((PORTION, width), np.int64)
    while low < high:
        n, low = project(
            world.layout, rows, low, min(high, low + PORTION), world.bases, world.kinds, True, world.touched, keys
        )
        if n:
            distinct.append(np.unique(keys[:n], axis=0))
    return np.unique(np.concatenate(distinct), axis=0) if distinct else np.empty((0, width), np.int64)


def _quiet(world: World, rows: Words, numbers: Int64s) -> tuple[Words, NDArray[np.uint8]]:
    """One row for each kind of state in which nothing happens: its bits, and what of it is underlying."""
    chosen = rows[numbers]
    bits = np.zeros(len(chosen), np.uint8)
    if not len(chosen):
        return chosen, bits
    classify(world.judged, world.layout, chosen, 0, len(chosen), bits)
    keys = np.empty((len(chosen), len(world.bases)), np.int64)
    project(world.layout, chosen, 0, len(chosen), world.bases, world.kinds, False, world.touched, keys)
    _, first = np.unique(np.concatenate([bits[:, None], keys], axis=1), axis=0, return_index=True)
    return chosen[first], bits[first]
