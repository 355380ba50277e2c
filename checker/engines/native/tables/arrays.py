"""What the kernels read: the tables of local configurations as flat arrays, and the layout of a packed state.

Ids are small integers from 0: a local state is numbered at its machine, a message and a content at their channel. The
empty content is 0. `-1` in a table is a miss: the question has not been put to Python yet.

A state is a row of `words` 64-bit words with one field for each machine, each channel, and one for the faults left.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Int32s = NDArray[np.int32]
Int64s = NDArray[np.int64]
Words = NDArray[np.uint64]

# Kinds of misses: (kind, machine or channel, three ids, 0).
NOTHING, ACCEPT, PUSH, CHILD, SYNCHRONOUS, FAULTS, LEFT = range(7)

# `Arrays.flags`: whether actions may be joint, machines act together, how many kinds of faults there are, which of them
# is a crash (-1 for none), whether all channels are FIFO.
MULTI_CHANNEL, ALL_SYNCHRONOUS, KINDS_OF_FAULTS, CRASH, FIFO = range(5)


class Arrays(NamedTuple):
    """The tables. Per-local arrays are indexed by local_base[m] + local id, per-content ones by content_base[c] + id.

    nothing, synchronous: configuration in which the machine accepts nothing, or acts together with all others.
    accept: accept_base[c] + local * messages[c] + message -> configuration in which just that is accepted.
    child_keys, child_values: open addressing; configuration * 2^24 + message number -> the one that accepts it too.
    transition_start: the local transitions of configuration s are transition_start[s]..transition_start[s+1]; each has
    the new local id in transition_local, and sends send_start[r]..send_start[r+1] as (send_channel, send_message).
    offer_start, offer_end: per content, the range of its offers (offer_message, offer_after: the content without it).
    push: push_base[c] + content * messages[c] + message -> content.
    fault_start, fault_end: per content, its range of (fault_kind, fault_after); -1 is a miss.
    left_after: left id * kinds + kind -> left id with one less; -1 where none is left.
    crashed: per local, its id once crashed, -1 if it cannot crash. crash_kind: which of the kinds, -1 for none.
    inputs: machine m's input channels are inputs[input_start[m]..input_start[m+1]].
    message_base: the number of a message among all of all channels is message_base[c] + message.
    flags: see MULTI_CHANNEL and on.
    """

    input_start: Int64s
    inputs: Int64s
    local_base: Int64s
    content_base: Int64s
    accept_base: Int64s
    push_base: Int64s
    messages: Int64s
    message_base: Int64s
    flags: Int64s
    nothing: Int32s
    synchronous: Int32s
    crashed: Int32s
    accept: Int32s
    child_keys: Int64s
    child_values: Int32s
    transition_start: Int64s
    transition_local: Int32s
    send_start: Int64s
    send_channel: Int32s
    send_message: Int32s
    offer_start: Int32s
    offer_end: Int32s
    offer_message: Int32s
    offer_after: Int32s
    push: Int32s
    fault_start: Int32s
    fault_end: Int32s
    fault_kind: Int32s
    fault_after: Int32s
    left_after: Int32s


class Fields(NamedTuple):
    """Where each field of a row lies: in word `word[f]`, `shift[f]` bits up, `mask[f]` wide (unshifted)."""

    word: Int64s
    shift: Words
    mask: Words


def fields(widths: list[int], counts: list[int] | None = None, before: list[int] | None = None) -> tuple[Fields, int]:
    """Fields of these widths in bits, none across two words, and how many words: few, and evenly filled.

    What is left of a word goes to its fields, bit by bit to the one that will be full first if it goes on growing as it
    did from `before` to `counts` ids, so that a new layout is rarely wanted.
    """
    counts = counts or [1 << width for width in widths]
    growth = [now - then for now, then in zip(counts, before or [0] * len(counts), strict=True)]
    words = max(1, -(-sum(widths) // 64))
    while (place := _placed(widths, words)) is None:
        words += 1
    word = np.zeros(len(widths), np.int64)
    shift = np.zeros(len(widths), np.uint64)
    mask = np.zeros(len(widths), np.uint64)
    for number, members in enumerate(place):
        given = {field: 0 for field in members if widths[field]}
        for _ in range(64 - sum(widths[field] for field in members)):
            narrow = [field for field in given if widths[field] + given[field] < 31]
            if narrow:
                first = min(narrow, key=lambda f: ((1 << widths[f] + given[f]) - counts[f]) / (growth[f] + 0.1))
                given[first] += 1
        at = 0
        for field in members:
            if widths[field]:
                width = widths[field] + given[field]
                word[field], shift[field], mask[field] = number, at, (1 << width) - 1
                at += width
    return Fields(word, shift, mask), words


def _placed(widths: list[int], words: int) -> list[list[int]] | None:
    """The fields of each word, the widest placed first, where most is left; None where so many words do not do."""
    place: list[list[int]] = [[] for _ in range(words)]
    free = [64] * words
    for field in sorted(range(len(widths)), key=lambda f: (-widths[f], f)):
        number = max(range(words), key=lambda n: (free[n], -n))
        if free[number] < widths[field]:
            return None
        place[number].append(field)
        free[number] -= widths[field]
    return place


def pack(layout: Fields, words: int, values: NDArray[np.int64]) -> Words:
    """Rows `uint64[n, words]` from field values `int64[n, fields]`."""
    rows = np.zeros((len(values), words), np.uint64)
    for field in range(values.shape[1]):
        rows[:, layout.word[field]] |= values[:, field].astype(np.uint64) << layout.shift[field]
    return rows


FEW = 256
"""So many rows are unpacked all fields at once, more of them field by field: then less memory is gone over."""


def unpack(layout: Fields, rows: Words) -> NDArray[np.int64]:
    """Field values `int64[n, fields]` from rows `uint64[n, words]`."""
    if len(rows) <= FEW:
        return ((rows[:, layout.word] >> layout.shift) & layout.mask).astype(np.int64)
    values = np.empty((len(rows), len(layout.word)), np.int64)
    for field in range(values.shape[1]):
        values[:, field] = (rows[:, layout.word[field]] >> layout.shift[field]) & layout.mask[field]
    return values
