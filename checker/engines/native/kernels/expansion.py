"""The expansion kernel: packed states in, packed successors out, in the order of `System.events`, and what is missing.

Nothing here knows of a visited set: single-threaded, threaded and distributed searches all call the same `expand`.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from checker.engines.native.kernels.compiled import kernel
from checker.engines.native.tables.arrays import (
    ACCEPT,
    ALL_SYNCHRONOUS,
    CHILD,
    CRASH,
    FAULTS,
    KINDS_OF_FAULTS,
    LEFT,
    MULTI_CHANNEL,
    NOTHING,
    PUSH,
    SYNCHRONOUS,
    Arrays,
    Fields,
    Int32s,
    Int64s,
    Words,
)

FAULT, ALL = -1, -2
"""What stands for a row number where the successor is due to a fault, or to all machines acting together."""


class Successors(NamedTuple):
    """Room for successors and for misses; made by `room`.

    rows: `uint64[capacity, words]`; those of source i are ends[i-1]..ends[i]. quiet[i]: nothing but a fault can happen.
    enabled[i]: how many events source i has; more than successors where some are left out; asleep: what may be left out
    of each successor in turn (see `checker.engines.native.search.sleep_sets`).
    actor, row, served: who acts (as in `model.action.Event`), the table row (or FAULT, ALL), and the demands of
    fairness served, as bits (channel c is bit c, machine m's own step is bit channels + m); written if described.
    misses: `int64[n, 5]`, kind and ids. The rest is scratch.
    """

    rows: Words
    ends: Int64s
    quiet: NDArray[np.uint8]
    enabled: Int64s
    asleep: Words
    actor: Int32s
    row: Int64s
    served: Words
    misses: Int64s
    values: Int64s
    choice_configuration: Int64s
    choice_size: Int64s
    choice_channel: Int32s
    choice_after: Int32s
    waiting: Int64s
    picked: Int64s
    offer: Int64s


def room(words: int, field_count: int, inputs: int, capacity: int, batch: int, choices: int = 1024) -> Successors:
    """Room for `capacity` successors of at most `batch` states; `inputs` is the most input channels of a machine."""
    return Successors(
        np.empty((capacity, words), np.uint64),
        np.zeros(batch + 1, np.int64),
        np.zeros(batch, np.uint8),
        np.zeros(batch, np.int64),
        np.empty(capacity, np.uint64),
        np.empty(capacity, np.int32),
        np.empty(capacity, np.int64),
        np.empty(capacity, np.uint64),
        np.empty((1024, 5), np.int64),
        np.empty(2 * field_count, np.int64),
        np.empty(choices, np.int64),
        np.empty(choices, np.int64),
        np.empty((choices, max(1, inputs)), np.int32),
        np.empty((choices, max(1, inputs)), np.int32),
        np.empty(max(1, inputs) + 1, np.int64),
        np.empty(max(1, inputs) + 1, np.int64),
        np.empty(max(1, inputs) + 1, np.int64),
    )


@kernel
def natural(number: Any) -> Any:
    """The number, known to the compiler not to be negative: indexing by it then needs no check for -1 and the like."""
    return np.int64(np.uint32(number))


@kernel
def note_miss(misses: Int64s, missing: int, kind: int, where: Any, first: Any, second: Any) -> Any:
    """Note a question that the tables do not answer yet; returns how many are noted. A full list takes no more."""
    if missing == len(misses):
        return missing
    misses[missing, 0], misses[missing, 1] = kind, where
    misses[missing, 2], misses[missing, 3], misses[missing, 4] = first, second, 0
    return missing + 1


@kernel
def child(t: Arrays, configuration: Any, message: Any) -> Any:
    """The configuration that accepts one message more; -1 if it is not known yet."""
    key = (configuration << 24) | message
    mask = len(t.child_keys) - 1
    slot = (key * 0x2545F4914F6CDD1D >> 20) & mask
    while t.child_keys[slot] != -1:
        if t.child_keys[slot] == key:
            return t.child_values[slot]
        slot = (slot + 1) & mask
    return -1


@kernel
def expand(t: Arrays, layout: Fields, rows: Words, low: int, high: int, out: Successors, describe: bool) -> Any:
    """Successors of rows[low:high] into `out`; returns (sources done, misses, whether the room for choices is short).

    `low` up to `low + done` are expanded in full if there are no misses; otherwise all that was written is void, and
    the same rows are to be expanded again once the misses are filled in. done = 0 without misses: too little room.
    """
    machines, channels = len(t.input_start) - 1, len(t.accept_base)
    joint, together = t.flags[MULTI_CHANNEL] != 0, t.flags[ALL_SYNCHRONOUS] != 0
    kinds, crash_kind = t.flags[KINDS_OF_FAULTS], t.flags[CRASH]
    values, words, capacity = out.values, rows.shape[1], out.rows.shape[0]
    size = len(layout.word)
    count, missing = 0, 0
    high = min(high, low + len(out.quiet))
    for source in range(low, high):
        begun = count
        if missing == len(out.misses):
            break
        for field in range(size):
            word = rows[source, natural(layout.word[field])]
            values[field] = np.int64((word >> layout.shift[field]) & layout.mask[field])
        busy = False
        full = False
        if together:
            enabled = True
            for machine in range(machines):
                configuration = np.int64(t.synchronous[t.local_base[machine] + values[machine]])
                if configuration < 0:
                    missing = note_miss(out.misses, missing, SYNCHRONOUS, machine, values[machine], 0)
                    enabled = False
                elif t.row_start[configuration] == t.row_start[configuration + 1]:
                    enabled = False
            if enabled:
                if count >= capacity:
                    break
                for word_number in range(words):
                    out.rows[count, word_number] = rows[source, word_number]
                for field in range(size):
                    values[size + field] = values[field]
                complete = True
                for machine in range(machines):
                    row = t.row_start[t.synchronous[t.local_base[machine] + values[machine]]]
                    values[size + machine] = t.row_local[row]
                    for send in range(t.send_start[row], t.send_start[row + 1]):
                        channel, message = natural(t.send_channel[send]), natural(t.send_message[send])
                        old = values[size + machines + channel]
                        new = np.int64(t.push[t.push_base[channel] + old * t.messages[channel] + message])
                        if new < 0:
                            missing = note_miss(out.misses, missing, PUSH, channel, old, message)
                            complete = False
                            break
                        values[size + machines + channel] = new
                if complete:
                    busy = True
                    for field in range(size):
                        if values[size + field] != values[field]:
                            change = np.uint64(values[field] ^ values[size + field]) << layout.shift[field]
                            out.rows[count, natural(layout.word[field])] ^= change
                    if describe:
                        out.actor[count], out.row[count], out.served[count] = -1, ALL, 0
                        for machine in range(machines):
                            out.served[count] |= np.uint64(1) << np.uint64(channels + machine)
                    count += 1
        for machine in range(machines):
            local = natural(values[machine])
            base = natural(t.local_base[machine]) + local
            choices = 0
            # What the machine may accept: nothing, one message, and where actions are joint several.
            configuration = np.int64(t.nothing[base])
            if configuration < 0:
                missing = note_miss(out.misses, missing, NOTHING, machine, local, 0)
                continue
            if t.row_start[configuration] != t.row_start[configuration + 1]:
                out.choice_configuration[0] = configuration
                out.choice_size[0] = 0
                choices = 1
            first, last = natural(t.input_start[machine]), natural(t.input_start[machine + 1])
            unknown = False
            for at in range(first, last):
                channel = natural(t.inputs[at])
                content = natural(values[machines + channel])
                if content == 0:
                    continue
                place = natural(t.content_base[channel]) + content
                for offer in range(natural(t.offer_start[place]), natural(t.offer_end[place])):
                    message = natural(t.offer_message[offer])
                    index = natural(t.accept_base[channel] + local * t.messages[channel]) + message
                    configuration = np.int64(t.accept[index])
                    if configuration < 0:
                        missing = note_miss(out.misses, missing, ACCEPT, channel, local, message)
                        unknown = True
                        continue
                    if t.row_start[configuration] == t.row_start[configuration + 1]:
                        continue
                    if choices >= len(out.choice_size):
                        return source - low, 0, True
                    out.choice_configuration[choices] = configuration
                    out.choice_size[choices] = 1
                    out.choice_channel[choices, 0] = channel
                    out.choice_after[choices, 0] = t.offer_after[offer]
                    choices += 1
            if joint and not unknown:
                waiting = 0
                for at in range(first, last):
                    if values[machines + t.inputs[at]] != 0:
                        out.waiting[waiting] = t.inputs[at]
                        waiting += 1
                for take in range(2, waiting + 1):
                    # picked: which of the waiting channels, as in itertools.combinations; offer: as in product.
                    for i in range(take):
                        out.picked[i] = i
                    more = True
                    while more:
                        for i in range(take):
                            out.offer[i] = 0
                        i = 0
                        while i >= 0:
                            if choices >= len(out.choice_size):
                                return source - low, 0, True
                            configuration = np.int64(-1)
                            for i in range(take):
                                channel = out.waiting[out.picked[i]]
                                offer = t.offer_start[t.content_base[channel] + values[machines + channel]]
                                offer += out.offer[i]
                                message = np.int64(t.offer_message[offer])
                                out.choice_channel[choices, i] = channel
                                out.choice_after[choices, i] = t.offer_after[offer]
                                if i == 0:
                                    at = t.accept_base[channel] + local * t.messages[channel] + message
                                    configuration = np.int64(t.accept[at])
                                    continue
                                known = np.int64(child(t, configuration, t.message_base[channel] + message))
                                if known < 0:
                                    missing = note_miss(out.misses, missing, CHILD, channel, configuration, message)
                                    unknown = True
                                    configuration = np.int64(-1)
                                    break
                                configuration = known
                            if configuration >= 0:
                                out.choice_configuration[choices] = configuration
                                out.choice_size[choices] = take
                                choices += 1
                            i = take - 1
                            while i >= 0:
                                place = t.content_base[out.waiting[out.picked[i]]]
                                place += values[machines + out.waiting[out.picked[i]]]
                                out.offer[i] += 1
                                if out.offer[i] < np.int64(t.offer_end[place]) - np.int64(t.offer_start[place]):
                                    break
                                out.offer[i] = 0
                                i -= 1
                        i = take - 1
                        while i >= 0 and out.picked[i] == waiting - take + i:
                            i -= 1
                        more = i >= 0
                        if more:
                            out.picked[i] += 1
                            for j in range(i + 1, take):
                                out.picked[j] = out.picked[j - 1] + 1
            if unknown or missing == len(out.misses):
                continue
            # The successors: one for each row of each choice.
            for choice in range(choices):
                configuration = natural(out.choice_configuration[choice])
                taken = out.choice_size[choice]
                for row in range(natural(t.row_start[configuration]), natural(t.row_start[configuration + 1])):
                    if count >= capacity:
                        full = True
                        break
                    for word_number in range(words):
                        out.rows[count, word_number] = rows[source, word_number]
                    change = np.uint64(local ^ t.row_local[row]) << layout.shift[machine]
                    out.rows[count, natural(layout.word[machine])] ^= change
                    for i in range(taken):
                        field = machines + natural(out.choice_channel[choice, i])
                        new = natural(out.choice_after[choice, i])
                        out.rows[count, natural(layout.word[field])] ^= (
                            np.uint64(values[field] ^ new) << layout.shift[field]
                        )
                    complete = True
                    start, stop = natural(t.send_start[row]), natural(t.send_start[row + 1])
                    for send in range(start, stop):
                        channel, message = natural(t.send_channel[send]), natural(t.send_message[send])
                        field = machines + channel
                        # What the channel holds by now: this row may have accepted from it or sent on it before.
                        word = out.rows[count, natural(layout.word[field])]
                        old = np.int64((word >> layout.shift[field]) & layout.mask[field])
                        index = natural(t.push_base[channel] + old * t.messages[channel]) + message
                        new = np.int64(t.push[index])
                        if new < 0:
                            missing = note_miss(out.misses, missing, PUSH, channel, old, message)
                            complete = False
                            break
                        out.rows[count, natural(layout.word[field])] ^= np.uint64(old ^ new) << layout.shift[field]
                    if complete:
                        busy = True
                        if describe:
                            out.actor[count], out.row[count] = machine, row
                            served = np.uint64(0)
                            for i in range(taken):
                                served |= np.uint64(1) << np.uint64(out.choice_channel[choice, i])
                            out.served[count] = served
                        count += 1
                if full:
                    break
            if full:
                break
        if full:
            count = begun
            if source == low:
                return 0, missing, False
            return source - low, missing, False
        if kinds > 0:
            left = values[size - 1]
            spare = False
            for kind in range(kinds):
                if t.left_after[left * kinds + kind] != -1:
                    spare = True
            if spare:
                field = size - 1
                for channel in range(channels):
                    content = values[machines + channel]
                    if content == 0:
                        continue
                    place = t.content_base[channel] + content
                    if t.fault_start[place] < 0:
                        missing = note_miss(out.misses, missing, FAULTS, channel, content, 0)
                        continue
                    for fault in range(t.fault_start[place], t.fault_end[place]):
                        less = np.int64(t.left_after[left * kinds + t.fault_kind[fault]])
                        if less == -1:
                            continue
                        if less == -2:
                            missing = note_miss(out.misses, missing, LEFT, t.fault_kind[fault], left, 0)
                            continue
                        if count >= capacity:
                            full = True
                            break
                        for word_number in range(words):
                            out.rows[count, word_number] = rows[source, word_number]
                        own = machines + channel
                        new = np.int64(t.fault_after[fault])
                        out.rows[count, natural(layout.word[own])] ^= np.uint64(content ^ new) << layout.shift[own]
                        out.rows[count, natural(layout.word[field])] ^= np.uint64(left ^ less) << layout.shift[field]
                        if describe:
                            out.actor[count], out.row[count], out.served[count] = machines + channel, FAULT, 0
                        count += 1
                    if full:
                        break
                if crash_kind >= 0 and not full:
                    less = np.int64(t.left_after[left * kinds + crash_kind])
                    if less == -2 and missing < len(out.misses):
                        missing = note_miss(out.misses, missing, LEFT, crash_kind, left, 0)
                    for machine in range(machines):
                        if less < 0:
                            break
                        new = np.int64(t.crashed[t.local_base[machine] + values[machine]])
                        if new < 0:
                            continue
                        if count >= capacity:
                            full = True
                            break
                        for word_number in range(words):
                            out.rows[count, word_number] = rows[source, word_number]
                        change = np.uint64(values[machine] ^ new) << layout.shift[machine]
                        out.rows[count, natural(layout.word[machine])] ^= change
                        out.rows[count, natural(layout.word[field])] ^= np.uint64(left ^ less) << layout.shift[field]
                        if describe:
                            out.actor[count], out.row[count], out.served[count] = machine, FAULT, 0
                        count += 1
            if full:
                return source - low, missing, False
        out.quiet[source - low] = 0 if busy else 1
        out.enabled[source - low] = count - begun
        out.ends[source - low] = count
    else:
        return high - low, missing, False
    return source - low, missing, False
