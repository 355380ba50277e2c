"""Expansion in the plainest case, as `expand` does it but quicker: one machine at a time, no faults, one or two words.

There each successor is its source changed by one row of the tables, and each change of a field is the exclusive or with
a constant. These constants are worked out from the tables as they are first needed and kept in a `Plan`; they hold for
one layout and one size of the tables, so `Plans` begins anew where either has changed.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from checker.native.arrays import ACCEPT, NOTHING, PUSH, Arrays, Fields, Int64s, Words
from checker.native.compiled import kernel
from checker.native.expansion import Successors, natural

NUMBER = (1 << 24) - 1


class Plan(NamedTuple):
    """What was worked out so far; 0 where nothing was. One thread's own: its parts are not written all at once.

    nothing, accept, beside those of `Arrays`: 1 + (first row << 24 | how many rows). offer: the change of the channel's
    field. row: per row, the change of the machine's field, then where its sends begin and end. send: per send, where
    in `push` the message's column begins, how far apart its entries are, and the field's shift, mask and word. push:
    1 + the change of the field.
    """

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
                np.zeros(len(t.nothing), np.int64),
                np.zeros(len(t.accept), np.int64),
                np.zeros(len(t.offer_after), np.uint64),
                np.zeros((len(t.row_local), 4), np.uint64),
                np.zeros((len(t.send_channel), 5), np.uint64),
                np.zeros(len(t.push), np.uint64),
            )
        return self._plan


@kernel
def is_plain(t: Arrays, rows: Words) -> Any:
    """Whether `expand_plain` may stand for `expand`."""
    return rows.shape[1] <= 2 and t.flags[0] == 0 and t.flags[1] == 0 and t.flags[2] == 0


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
    def expansion(t: Arrays, layout: Fields, plan: Plan, rows: Words, low: int, high: int, out: Successors) -> Any:
        machines = len(t.input_start) - 1
        capacity = out.rows.shape[0]
        count, missing = 0, 0
        for source in range(low, high):
            begun = count
            own, other = rows[source, 0], rows[source, 1] if two else np.uint64(0)
            if missing + 64 > len(out.misses):
                return source - low, missing, False
            for machine in range(machines):
                local_second = two and layout.word[machine] != 0
                local = natural(((other if local_second else own) >> layout.shift[machine]) & layout.mask[machine])
                base = natural(t.local_base[machine]) + local
                first = natural(t.input_start[machine])
                # One round more than there are inputs: the first is for accepting nothing.
                for at in range(first, natural(t.input_start[machine + 1]) + 1):
                    accepts = at > first
                    channel, field, offer, stop, second = 0, machine, 0, 1, False
                    if accepts:
                        channel = natural(t.inputs[at - 1])
                        field = machines + channel
                        second = two and layout.word[field] != 0
                        content = natural(((other if second else own) >> layout.shift[field]) & layout.mask[field])
                        place = natural(t.content_base[channel]) + content
                        offer, stop = natural(t.offer_start[place]), natural(t.offer_end[place])
                    while offer < stop:
                        taken = np.uint64(0)
                        if accepts:
                            message = natural(t.offer_message[offer])
                            index = natural(t.accept_base[channel] + local * t.messages[channel]) + message
                            span = plan.accept[index]
                            taken = plan.offer[offer]
                            if taken == 0:
                                taken = np.uint64(content ^ t.offer_after[offer]) << layout.shift[field]
                                plan.offer[offer] = taken
                            if span == 0:
                                if t.accept[index] < 0:
                                    if missing < len(out.misses):
                                        out.misses[missing, 0], out.misses[missing, 1] = ACCEPT, channel
                                        out.misses[missing, 2], out.misses[missing, 3] = local, message
                                        missing += 1
                                    offer += 1
                                    continue
                                span = learn(t, layout, plan, machine, local, np.int64(t.accept[index]))
                                plan.accept[index] = span
                        else:
                            span = plan.nothing[base]
                            if span == 0:
                                if t.nothing[base] < 0:
                                    if missing < len(out.misses):
                                        out.misses[missing, 0], out.misses[missing, 1] = NOTHING, machine
                                        out.misses[missing, 2], out.misses[missing, 3] = local, 0
                                        missing += 1
                                    offer += 1
                                    continue
                                span = learn(t, layout, plan, machine, local, np.int64(t.nothing[base]))
                                plan.nothing[base] = span
                        offer += 1
                        row = natural((span - 1) >> 24)
                        end = row + natural((span - 1) & NUMBER)
                        if count + (end - row) > capacity:
                            return source - low, missing, False
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
                                            out.misses[missing, 0] = PUSH
                                            out.misses[missing, 1] = t.send_channel[send]
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
                                count += 1
                            row += 1
            out.quiet[source - low] = 0 if count > begun else 1
            out.ends[source - low] = count
        return high - low, missing, False

    return expansion


expand_one, expand_two = expansion_of(False), expansion_of(True)


@kernel
def expand_plain(t: Arrays, layout: Fields, plan: Plan, rows: Words, low: int, high: int, out: Successors) -> Any:
    """What `expand` gives where `is_plain`, who acts and by which row left out."""
    if rows.shape[1] == 1:
        return expand_one(t, layout, plan, rows, low, high, out)
    return expand_two(t, layout, plan, rows, low, high, out)
