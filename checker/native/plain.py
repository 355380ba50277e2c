"""Expansion in the plainest case, as `expand` does it but quicker: one machine at a time, no faults.

There each successor is its source changed by one row of the tables, and each change of a field is the exclusive or with
a constant. These constants are worked out from the tables as they are first needed and kept in a `Plan`; they hold for
one layout and one size of the tables, so `Plans` begins anew where either has changed.

Over FIFO channels most successors need not be made at all: see `checker.native.sleeping`.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from checker.native.arrays import (
    ACCEPT,
    ALL_TOGETHER,
    JOINT,
    KINDS_OF_FAULTS,
    NOTHING,
    PUSH,
    Arrays,
    Fields,
    Int64s,
    Words,
)
from checker.native.compiled import kernel, trailing_zeros
from checker.native.expansion import Successors, natural

NUMBER = (1 << 24) - 1

# A choice is what one machine may accept: nothing, or something from one input channel. The columns of `Plan.choices`:
# the machine; the channel, -1 for nothing; where the fields of both lie in a row; where in the tables what is known of
# the machine's locals, of the channel's contents and of its messages begins, and how many of these there is room for;
# the choices of earlier and of later machines, as bits; where in a tally the machine's number stands.
(
    MACHINE,
    CHANNEL,
    WORD,
    SHIFT,
    MASK,
    FROM,
    FROM_SHIFT,
    FROM_MASK,
    LOCALS,
    CONTENTS,
    TAKES,
    KINDS,
    EARLIER,
    LATER,
    PLACE,
) = range(15)


class Plan(NamedTuple):
    """What was worked out so far; 0 where nothing was. One thread's own: its parts are not written all at once.

    choices: `int64[n, 15]`, machines ascending, of each first nothing, then its inputs: the order of `System.events`.
    bits: of each channel, that of the choice which accepts from it.
    nothing, accept, beside those of `Arrays`: 1 + (first row << 24 | how many rows). offer: the change of the channel's
    field. row: per row, the change of the machine's field, then where its sends begin and end. send: per send, where
    in `push` the message's column begins, how far apart its entries are, and the field's shift, mask and word. push:
    1 + the change of the field.
    """

    choices: Int64s
    bits: Words
    nothing: Int64s
    accept: Int64s
    offer: Words
    row: Words
    send: Words
    push: Words


class Plans:
    """The plan for the tables and the layout as they are now, kept from call to call while they stay where they are."""

    __slots__ = ("_holds_for", "_plan")

    def __init__(self) -> None:
        self._holds_for: tuple[object, ...] = ()
        self._plan: Plan | None = None

    def __call__(self, t: Arrays, layout: Fields) -> Plan:
        key = (t.nothing, t.accept, t.offer_after, t.row_local, t.send_channel, t.push, layout.shift)
        if self._plan is None or any(new is not old for new, old in zip(key, self._holds_for, strict=True)):
            self._holds_for = key
            self._plan = Plan(
                choices := _choices(t, layout),
                _bits(choices, len(t.accept_base)),
                np.zeros(len(t.nothing), np.int64),
                np.zeros(len(t.accept), np.int64),
                np.zeros(len(t.offer_after), np.uint64),
                np.zeros((len(t.row_local), 4), np.uint64),
                np.zeros((len(t.send_channel), 5), np.uint64),
                np.zeros(len(t.push), np.uint64),
            )
        return self._plan


def _choices(t: Arrays, layout: Fields) -> Int64s:
    """`Plan.choices`; none where there are too many for `expand_plain`."""
    machines = len(t.input_start) - 1
    width = tally_width(machines, machines + len(t.inputs))
    if not width:
        return np.zeros((0, 15), np.int64)
    rows = []
    for machine in range(machines):
        first, last = int(t.input_start[machine]) + machine, int(t.input_start[machine + 1]) + machine + 1
        earlier, later = (1 << first) - 1, (1 << machines + len(t.inputs)) - (1 << last)
        own = layout.word[machine], layout.shift[machine], layout.mask[machine]
        place = machines + len(t.inputs) + width * machine
        rows.append([machine, -1, *own, 0, 0, 0, t.local_base[machine], 0, 0, 0, earlier, later, place])
        for channel in t.inputs[t.input_start[machine] : t.input_start[machine + 1]].tolist():
            field = machines + channel
            rows.append(
                [
                    machine, channel, *own, layout.word[field], layout.shift[field], layout.mask[field],
                    t.local_base[machine], t.content_base[channel], t.accept_base[channel], t.messages[channel],
                    earlier, later, place,
                ]
            )  # fmt: skip
    return np.array(rows, np.int64)


def _bits(choices: Int64s, channels: int) -> Words:
    bits = np.zeros(channels if len(choices) else 0, np.uint64)
    for number, channel in enumerate(choices[:, CHANNEL].tolist()):
        if channel >= 0:
            bits[channel] = 1 << number
    return bits


@kernel
def tally_width(machines: Any, choices: Any) -> Any:
    """Bits of a machine's number in a tally, which shares a word with a bit for each choice; 0 if there is no room."""
    return max(0, (63 - choices) // machines)


@kernel
def is_plain(t: Arrays, plan: Plan, rows: Words) -> Any:
    """Whether `expand_plain` may stand for `expand`."""
    return (
        (t.flags[JOINT] == 0 and t.flags[ALL_TOGETHER] == 0 and t.flags[KINDS_OF_FAULTS] == 0)
        and rows.shape[1] <= 2
        and len(plan.choices) > 0
    )


@kernel
def learn(t: Arrays, layout: Fields, plan: Plan, machine: Any, local: Any, situation: Any) -> Any:
    """Work out the rows of a situation; returns what stands for it in `nothing` or `accept`."""
    machines = len(t.input_start) - 1
    first, last = t.row_start[situation], t.row_start[situation + 1]
    for row in range(first, last):
        plan.row[row, 0] = np.uint64(local ^ t.row_local[row]) << layout.shift[machine]
        plan.row[row, 1] = np.uint64(t.send_start[row])
        plan.row[row, 2] = np.uint64(t.send_start[row + 1])
        for send in range(t.send_start[row], t.send_start[row + 1]):
            channel = t.send_channel[send]
            plan.send[send, 0] = np.uint64(t.push_base[channel] + t.send_message[send])
            plan.send[send, 1] = np.uint64(t.messages[channel])
            plan.send[send, 2] = layout.shift[machines + channel]
            plan.send[send, 3] = layout.mask[machines + channel]
            plan.send[send, 4] = np.uint64(layout.word[machines + channel])
    return (np.int64(first) << 24 | (last - first)) + 1


def expansion_of(two: bool) -> Any:
    """The kernel for states of one word or of two; which of them it is the compiler knows."""

    @kernel
    def expansion(
        t: Arrays, layout: Fields, plan: Plan, rows: Words, low: int, high: int, out: Successors, asleep: Words
    ) -> Any:
        machines, capacity = len(t.input_start) - 1, out.rows.shape[0]
        sleeping, choices = len(asleep) > 0, plan.choices
        width = tally_width(machines, len(choices))
        most = (np.uint64(1) << np.uint64(width)) - np.uint64(1)
        always = np.uint64(0)
        for number in range(len(choices)):
            always |= np.uint64(choices[number, CHANNEL] < 0) << np.uint64(number)
        count, missing, sure = 0, 0, 0
        for source in range(low, high):
            if missing + 64 > len(out.misses):
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
                                if missing < len(out.misses):
                                    out.misses[missing, 0], out.misses[missing, 1] = ACCEPT, choices[number, CHANNEL]
                                    out.misses[missing, 2], out.misses[missing, 3] = local, message
                                    missing += 1
                                offer += 1
                                continue
                            situation = np.int64(t.accept[column + message])
                            span = learn(t, layout, plan, choices[number, MACHINE], local, situation)
                            plan.accept[column + message] = span
                    else:
                        span = plan.nothing[base]
                        if span == 0:
                            if t.nothing[base] < 0:
                                if missing < len(out.misses):
                                    out.misses[missing, 0], out.misses[missing, 1] = NOTHING, choices[number, MACHINE]
                                    out.misses[missing, 2], out.misses[missing, 3] = local, 0
                                    missing += 1
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
                                    if missing < len(out.misses):
                                        out.misses[missing, 0], out.misses[missing, 1] = PUSH, t.send_channel[send]
                                        out.misses[missing, 2] = np.int64(old)
                                        out.misses[missing, 3] = t.send_message[send]
                                        missing += 1
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
    be left out of the successors is in `out.asleep`: see `checker.native.sleeping`.
    """
    if rows.shape[1] == 1:
        return expand_one(t, layout, plan, rows, low, high, out, asleep)
    return expand_two(t, layout, plan, rows, low, high, out, asleep)
