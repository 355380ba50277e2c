"""Expansion in the plainest case, as `expand` does it but quicker: one machine at a time, no faults.

There each successor is its source changed by one row of the tables, and each change of a field is the exclusive or with
a constant, which `plan` keeps. Over FIFO channels most successors need not be made at all: see `sleeping`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from checker.engines.native.kernels.compiled import kernel, trailing_zeros
from checker.engines.native.kernels.expansion import Successors, natural, note_miss
from checker.engines.native.kernels.plan import (
    CHANNEL,
    CONTENTS,
    EARLIER,
    FROM,
    FROM_MASK,
    FROM_SHIFT,
    KINDS,
    LATER,
    LOCALS,
    MACHINE,
    MASK,
    NUMBER,
    PLACE,
    SHIFT,
    TAKES,
    WORD,
    Plan,
    learn,
)
from checker.engines.native.tables.arrays import (
    ACCEPT,
    ALL_SYNCHRONOUS,
    KINDS_OF_FAULTS,
    MULTI_CHANNEL,
    NOTHING,
    PUSH,
    Arrays,
    Fields,
    Words,
)

MOST_WORDS = 2
"""Words of a state for which there is a kernel here."""


@kernel
def is_plain(t: Arrays, plan: Plan, rows: Words) -> Any:
    """Whether `expand_plain` may stand for `expand`."""
    return (
        (t.flags[MULTI_CHANNEL] == 0 and t.flags[ALL_SYNCHRONOUS] == 0 and t.flags[KINDS_OF_FAULTS] == 0)
        and rows.shape[1] <= MOST_WORDS
        and plan.width > 0
    )


def expansion_of(two: bool) -> Any:
    """The kernel for states of one word or of two; which of them it is the compiler knows."""

    @kernel
    def expansion(
        t: Arrays, layout: Fields, plan: Plan, rows: Words, low: int, high: int, out: Successors, asleep: Words
    ) -> Any:
        machines, capacity = len(t.input_start) - 1, out.rows.shape[0]
        sleeping, choices = len(asleep) > 0, plan.choices
        width = plan.width
        most = (np.uint64(1) << np.uint64(width)) - np.uint64(1)
        always = np.uint64(0)
        for number in range(len(choices)):
            always |= np.uint64(choices[number, CHANNEL] < 0) << np.uint64(number)
        count, missing, sure = 0, 0, 0
        high = min(high, low + len(out.quiet))
        for source in range(low, high):
            if missing == len(out.misses):
                return sure, missing, False
            own, other = rows[source, 0], rows[source, 1] if two else np.uint64(0)
            left_out, tally, enabled, crowded = np.uint64(0), np.uint64(0), np.int64(0), False
            if sleeping:
                left_out = asleep[source & (len(asleep) - 1)]
                tally = left_out >> np.uint64(len(choices)) << np.uint64(len(choices))
                for machine in range(machines):
                    enabled += np.int64((tally >> np.uint64(len(choices) + width * machine)) & most)
            # Which choices there are: nothing, always, and each channel that is not empty.
            present = always
            for channel in range(len(plan.bits)):
                word = other if two and layout.word[machines + channel] != 0 else own
                held = (word >> layout.shift[machines + channel]) & layout.mask[machines + channel]
                present |= plan.bits[channel] if held != 0 else np.uint64(0)
            awake = present & ~left_out
            while awake != 0:
                number = natural(trailing_zeros(awake))
                awake &= awake - np.uint64(1)
                local_second, second = two and choices[number, WORD] != 0, two and choices[number, FROM] != 0
                local = (other if local_second else own) >> np.uint64(choices[number, SHIFT])
                local = natural(local & np.uint64(choices[number, MASK]))
                base = natural(choices[number, LOCALS]) + local
                accepts = choices[number, CHANNEL] >= 0
                content, offer, stop, column = 0, 0, 1, 0
                if accepts:
                    held = (other if second else own) >> np.uint64(choices[number, FROM_SHIFT])
                    content = natural(held & np.uint64(choices[number, FROM_MASK]))
                    place = natural(choices[number, CONTENTS]) + content
                    offer, stop = natural(t.offer_start[place]), natural(t.offer_end[place])
                    column = natural(choices[number, TAKES] + local * choices[number, KINDS])
                may_sleep = np.uint64(0)
                if not crowded:
                    may_sleep = present & np.uint64(choices[number, EARLIER])
                    may_sleep |= left_out & np.uint64(choices[number, LATER])
                    may_sleep |= tally & ~(most << np.uint64(choices[number, PLACE]))
                while offer < stop:
                    taken = np.uint64(0)
                    if accepts:
                        message = natural(t.offer_message[offer])
                        span = plan.accept[column + message]
                        taken = plan.offer[offer]
                        if taken == 0:
                            taken = np.uint64(content ^ t.offer_after[offer]) << np.uint64(choices[number, FROM_SHIFT])
                            plan.offer[offer] = taken
                        if span == 0:
                            if t.accept[column + message] < 0:
                                channel = choices[number, CHANNEL]
                                missing = note_miss(out.misses, missing, ACCEPT, channel, local, message)
                                offer += 1
                                continue
                            configuration = np.int64(t.accept[column + message])
                            span = learn(t, layout, plan, choices[number, MACHINE], local, configuration)
                            plan.accept[column + message] = span
                    else:
                        span = plan.nothing[base]
                        if span == 0:
                            if t.nothing[base] < 0:
                                missing = note_miss(out.misses, missing, NOTHING, choices[number, MACHINE], local, 0)
                                offer += 1
                                continue
                            span = learn(t, layout, plan, choices[number, MACHINE], local, np.int64(t.nothing[base]))
                            plan.nothing[base] = span
                    offer += 1
                    row = natural((span - 1) >> 24)
                    end = row + natural((span - 1) & NUMBER)
                    if count + (end - row) > capacity:
                        return sure, missing, False
                    enabled += end - row
                    if sleeping:
                        if ((tally >> np.uint64(choices[number, PLACE])) & most) + np.uint64(end - row) > most:
                            crowded = True
                        else:
                            tally += np.uint64(end - row) << np.uint64(choices[number, PLACE])
                    while row < end:
                        made = own if local_second else own ^ plan.row[row, 0]
                        made = made if second else made ^ taken
                        more = other ^ plan.row[row, 0] if local_second else other
                        more = more ^ taken if second else more
                        complete = True
                        for send in range(natural(plan.row[row, 1]), natural(plan.row[row, 2])):
                            # What the channel holds by now: the row may have accepted from it or sent on it.
                            beyond = two and plan.send[send, 4] != 0
                            old = ((more if beyond else made) >> plan.send[send, 2]) & plan.send[send, 3]
                            index = natural(plan.send[send, 0] + old * plan.send[send, 1])
                            change = plan.push[index]
                            if change == 0:
                                if t.push[index] < 0:
                                    sent = t.send_channel[send], t.send_message[send]
                                    missing = note_miss(out.misses, missing, PUSH, sent[0], np.int64(old), sent[1])
                                    complete = False
                                    break
                                change = ((old ^ np.uint64(t.push[index])) << plan.send[send, 2]) + np.uint64(1)
                                plan.push[index] = change
                            if beyond:
                                more ^= change - np.uint64(1)
                            else:
                                made ^= change - np.uint64(1)
                        if complete:
                            out.rows[count, 0] = made
                            if two:
                                out.rows[count, 1] = more
                            if sleeping:
                                out.asleep[count] = may_sleep
                            count += 1
                        row += 1
            out.quiet[source - low] = 0 if enabled > 0 else 1
            out.enabled[source - low] = enabled
            out.ends[source - low] = count
            if missing == 0:
                sure += 1
        return sure, missing, False

    return expansion


expand_one, expand_two = expansion_of(False), expansion_of(True)


@kernel
def expand_plain(
    t: Arrays, layout: Fields, plan: Plan, rows: Words, low: int, high: int, out: Successors, asleep: Words
) -> Any:
    """What `expand` gives where `is_plain`, who acts and by which row left out; the sources before a miss are done.

    Where `asleep` has room, the choices that it lists for a row are left out, though counted as enabled, and what may
    be left out of the successors is in `out.asleep`: see `checker.engines.native.search.sleep_sets`.
    """
    if rows.shape[1] == 1:
        return expand_one(t, layout, plan, rows, low, high, out, asleep)
    return expand_two(t, layout, plan, rows, low, high, out, asleep)
