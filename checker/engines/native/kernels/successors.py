"""Room for the successors of some states, and for the questions that the tables did not answer."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from checker.engines.native.kernels.compiled import inlined
from checker.engines.native.tables.arrays import Fields, Int32s, Int64s, Words
from checker.judging.exploration import ALL as ALL
from checker.judging.exploration import FAULT as FAULT

"""What stands for a local transition's number where a fault leads to the successor, or all machines acting together."""

NO_ROOM, NO_ROOM_FOR_CHOICES = -1, -2
"""What stands for the number of successors where there is no room for one more, or for one more choice of a machine."""

MOST_MISSES = 1024


class Scratch(NamedTuple):
    """What the expansion of one state works with.

    values: the state's fields. Of each choice of the machine whose turn it is: its local configuration, how many
    messages it accepts, from which channels, and the number of each channel's contents afterwards. waiting, picked and
    offer: the channels that hold a message, which of them are combined, and which of its messages each offers.
    """

    values: Int64s
    configuration: Int64s
    accepted: Int64s
    channel: Int32s
    after: Int32s
    waiting: Int64s
    picked: Int64s
    offer: Int64s


class Successors(NamedTuple):
    """The successors of a batch of states; made by `room`.

    states: `uint64[capacity, words]`; those of source i are ends[i-1]..ends[i]. terminal[i]: nothing but a fault can
    happen in source i. enabled[i]: how many events source i has; more than successors where some are in its sleep set;
    sleep: the sleep set of each successor (see `checker.engines.native.search.sleep_sets`).
    actor, transition, served: who acts (as in `model.action.Event`), the local transition (or FAULT, ALL), and the
    demands of fairness served, as bits (channel c is bit c, machine m's own step is bit channels + m); written if the
    expansion is to describe them. misses: `int64[n, 5]`, kind and ids; noted[0]: how many there are.
    """

    states: Words
    ends: Int64s
    terminal: NDArray[np.uint8]
    enabled: Int64s
    sleep: Words
    actor: Int32s
    transition: Int64s
    served: Words
    misses: Int64s
    noted: Int64s
    scratch: Scratch


def room(words: int, field_count: int, inputs: int, capacity: int, batch: int, choices: int = 1024) -> Successors:
    """Room for `capacity` successors of at most `batch` states; `inputs` is the most input channels of a machine."""
    inputs = max(1, inputs)
    return Successors(
        states=np.empty((capacity, words), np.uint64),
        ends=np.zeros(batch, np.int64),
        terminal=np.zeros(batch, np.uint8),
        enabled=np.zeros(batch, np.int64),
        sleep=np.empty(capacity, np.uint64),
        actor=np.empty(capacity, np.int32),
        transition=np.empty(capacity, np.int64),
        served=np.empty(capacity, np.uint64),
        misses=np.empty((MOST_MISSES, 5), np.int64),
        noted=np.zeros(1, np.int64),
        scratch=Scratch(
            values=np.empty(field_count, np.int64),
            configuration=np.empty(choices, np.int64),
            accepted=np.empty(choices, np.int64),
            channel=np.empty((choices, inputs), np.int32),
            after=np.empty((choices, inputs), np.int32),
            waiting=np.empty(inputs, np.int64),
            picked=np.empty(inputs, np.int64),
            offer=np.empty(inputs, np.int64),
        ),
    )


@inlined
def natural(number: Any) -> Any:
    """The number, known to the compiler not to be negative: indexing by it then needs no check for -1 and the like."""
    return np.int64(np.uint32(number))


@inlined
def note_miss(out: Successors, kind: int, where: Any, first: Any, second: Any) -> None:
    """Note a question that the tables do not answer yet; a full list takes no more."""
    missing = out.noted[0]
    if missing < len(out.misses):
        out.misses[missing, 0], out.misses[missing, 1] = kind, where
        out.misses[missing, 2], out.misses[missing, 3], out.misses[missing, 4] = first, second, 0
        out.noted[0] = missing + 1


@inlined
def decode(layout: Fields, states: Words, number: int, values: Int64s) -> None:
    """The fields of a packed state."""
    for field in range(len(layout.word)):
        word = states[number, natural(layout.word[field])]
        values[field] = np.int64((word >> layout.shift[field]) & layout.mask[field])


@inlined
def start_successor(states: Words, source: int, out: Successors, count: int) -> None:
    """Successor number `count` is the source, until its fields are changed."""
    for word in range(states.shape[1]):
        out.states[count, word] = states[source, word]


@inlined
def change(layout: Fields, out: Successors, count: int, field: int, old: Any, new: Any) -> None:
    """A field of successor number `count` goes from one number to another."""
    out.states[count, natural(layout.word[field])] ^= np.uint64(old ^ new) << layout.shift[field]
