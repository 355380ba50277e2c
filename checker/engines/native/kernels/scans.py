"""Kernels that read rows already found: which are complete and what they recorded, what they project to."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from checker.engines.native.kernels.compiled import kernel
from checker.engines.native.tables.arrays import Fields, Int64s, Words
from checker.judging.exploration import ALL_RED, BEGUN, COMPLETE
from checker.judging.local_predicates import LocalPredicates


class Judged(NamedTuple):
    """Local predicates as the kernels read them: flat columns, machines' and channels' parts beginning at the bases.

    done, red, white: bit sets over snapshots; outstanding, recorded, with_message: one row a snapshot. flags: how many
    snapshots, whether they complete on empty channels.
    """

    local_bases: Int64s
    content_bases: Int64s
    done: Int64s
    red: Int64s
    white: Int64s
    outstanding: NDArray[np.int64]
    recorded: NDArray[np.int64]
    with_message: Int64s
    flags: Int64s


def judged(predicates: LocalPredicates) -> Judged:
    """The predicates as kernels read them, as far as they are known now."""
    protocol = predicates.system.protocol
    shape = (protocol.snapshots, len(predicates.red.flat()))
    return Judged(
        predicates.local_bases(),
        predicates.content_bases(),
        predicates.done.flat(),
        predicates.red.flat(),
        predicates.white.flat(),
        np.array([column.flat() for column in predicates.outstanding], np.int64).reshape(shape),
        np.array([column.flat() for column in predicates.recorded], np.int64).reshape(shape),
        predicates.with_message.flat(),
        np.array([protocol.snapshots, protocol.completes_on_empty_channels], np.int64),
    )


@kernel
def field_of(layout: Fields, rows: Words, number: int, field: int) -> Any:
    """One field of a row."""
    return np.int64((rows[number, layout.word[field]] >> layout.shift[field]) & layout.mask[field])


@kernel
def is_complete(j: Judged, layout: Fields, rows: Words, number: int, snapshot: int) -> bool:
    """Whether a snapshot is complete, but for white messages that must have drained."""
    machines = len(j.local_bases)
    outstanding = 0
    for machine in range(machines):
        at = j.local_bases[machine] + field_of(layout, rows, number, machine)
        if not j.done[at] >> snapshot & 1:
            return False
        outstanding += j.outstanding[snapshot, at]
    return outstanding == 0


@kernel
def has_white(j: Judged, layout: Fields, rows: Words, number: int, snapshot: int) -> bool:
    """Whether a channel holds a message that is white for the snapshot."""
    machines = len(j.local_bases)
    for channel in range(len(j.content_bases)):
        at = j.content_bases[channel] + field_of(layout, rows, number, machines + channel)
        if j.white[at] >> snapshot & 1:
            return True
    return False


@kernel
def completions(
    j: Judged, layout: Fields, rows: Words, low: int, high: int, keys: NDArray[np.int64], found: NDArray[np.int64]
) -> Any:
    """The completed snapshots of rows low..high; returns (how many, how far it read).

    found[i] = (row, snapshot, whether a channel's record has a message, whether a white message is left); keys[i] is
    what each machine recorded. It stops early where they are full.
    """
    machines, snapshots, completes_on_empty_channels = len(j.local_bases), j.flags[0], j.flags[1] != 0
    n = 0
    for number in range(low, high):
        if n + snapshots > len(found):
            return n, number
        for snapshot in range(snapshots):
            if not is_complete(j, layout, rows, number, snapshot):
                continue
            white = has_white(j, layout, rows, number, snapshot)
            if completes_on_empty_channels and white:
                continue
            message = 0
            for machine in range(machines):
                at = j.local_bases[machine] + field_of(layout, rows, number, machine)
                keys[n, machine] = j.recorded[snapshot, at]
                message |= j.with_message[at] >> snapshot & 1
            found[n, 0], found[n, 1], found[n, 2], found[n, 3] = number, snapshot, message, white
            n += 1
    return n, high


@kernel
def classify(j: Judged, layout: Fields, rows: Words, low: int, high: int, bits: NDArray[np.uint8]) -> None:
    """bits[i] of row low + i: whether a machine is red, all machines are red, all snapshots are complete."""
    machines, snapshots, completes_on_empty_channels = len(j.local_bases), j.flags[0], j.flags[1] != 0
    every = (1 << snapshots) - 1
    for number in range(low, high):
        some, common = np.int64(0), np.int64(every)
        for machine in range(machines):
            red = j.red[j.local_bases[machine] + field_of(layout, rows, number, machine)]
            some |= red
            common &= red
        complete = True
        for snapshot in range(snapshots):
            complete = complete and is_complete(j, layout, rows, number, snapshot)
            complete = complete and not (completes_on_empty_channels and has_white(j, layout, rows, number, snapshot))
        bits[number - low] = (
            (BEGUN if some != 0 else 0) | (ALL_RED if common == every else 0) | (COMPLETE if complete else 0)
        )


@kernel
def combine(
    chosen: Fields, rows: Words, low: int, bases: Int64s, numbers: Int64s, group: Int64s, keys: NDArray[np.int64]
) -> None:
    """Add to keys[i, group[f]], for each field f and row low + i, numbers[bases[f] + what the field holds there].

    One field after another: so the compiler does several rows at once.
    """
    for f in range(len(bases)):
        word, shift, mask, base, column = chosen.word[f], chosen.shift[f], chosen.mask[f], bases[f], group[f]
        for i in range(len(keys)):
            keys[i, column] += numbers[np.uint64(base) + ((rows[low + i, word] >> shift) & mask)]


@kernel
def project(
    layout: Fields,
    rows: Words,
    low: int,
    high: int,
    bases: Int64s,
    numbers: Int64s,
    untouched: bool,
    red: Int64s,
    keys: NDArray[np.int64],
) -> Any:
    """Rows low..high with each field replaced by numbers[bases[field] + id]; returns (how many, how far it read).

    With `untouched` only those in which no machine is red.
    """
    count, machines = len(bases), 0
    n = 0
    for number in range(low, high):
        if n == len(keys):
            return n, number
        skip = False
        if untouched:
            machines = len(bases)
            for field in range(machines):
                if red[bases[field] + field_of(layout, rows, number, field)] != 0:
                    skip = True
                    break
        if skip:
            continue
        for field in range(count):
            keys[n, field] = numbers[bases[field] + field_of(layout, rows, number, field)]
        n += 1
    return n, high
