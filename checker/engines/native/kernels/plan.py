"""What `expand_plain` works out from the tables: which choices there are, and each change as a word to combine with.

Constants are worked out as they are first needed and kept in a `Plan`; they hold for one layout and one size of the
tables, so `Plans` begins anew where either has changed.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from checker.engines.native.kernels.compiled import kernel
from checker.engines.native.tables.arrays import Arrays, Fields, Int64s, Words

NUMBER = (1 << 24) - 1

# A choice is what one machine may accept: nothing, or something from one input channel. The columns of `Plan.choices`:
# the machine; the channel, -1 for nothing; where the fields of both lie in a row; where in the tables what is known of
# the machine's locals, of the channel's contents and of its messages begins, and how many of these there is room for;
# the choices of earlier and of later machines, as bits; where in an event count the machine's number stands.
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

    width: bits of a machine's number in an event count, which shares a word with a bit for each choice; 0 if there is
    no room.
    choices: `int64[n, 15]`, machines ascending, of each first nothing, then its inputs: the order of `System.events`.
    bits: of each channel, that of the choice which accepts from it.
    nothing, accept, beside those of `Arrays`: 1 + (first transition << 24 | how many). offer: the change of the
    channel's field. transition: the change of the machine's field, then where its sends begin and end. send: where in
    `push` the message's column begins, how far apart its entries are, and the field's shift, mask and word. push:
    1 + the change of the field.
    """

    width: int
    choices: Int64s
    bits: Words
    nothing: Int64s
    accept: Int64s
    offer: Words
    transition: Words
    send: Words
    push: Words


class Plans:
    """The plan for the tables and the layout as they are now, kept from call to call while they stay where they are."""

    __slots__ = ("_holds_for", "_plan")

    def __init__(self) -> None:
        self._holds_for: tuple[object, ...] = ()
        self._plan: Plan | None = None

    def __call__(self, t: Arrays, layout: Fields) -> Plan:
        key = (t.nothing, t.accept, t.offer_after, t.transition_local, t.send_channel, t.push, layout.shift)
        if self._plan is None or any(new is not old for new, old in zip(key, self._holds_for, strict=True)):
            self._holds_for = key
            machines = len(t.input_start) - 1
            width = max(0, (63 - machines - len(t.inputs)) // machines)
            self._plan = Plan(
                width,
                choices := _choices(t, layout, width),
                _bits(choices, len(t.accept_base)),
                np.zeros(len(t.nothing), np.int64),
                np.zeros(len(t.accept), np.int64),
                np.zeros(len(t.offer_after), np.uint64),
                np.zeros((len(t.transition_local), 4), np.uint64),
                np.zeros((len(t.send_channel), 5), np.uint64),
                np.zeros(len(t.push), np.uint64),
            )
        return self._plan


def _choices(t: Arrays, layout: Fields, width: int) -> Int64s:
    """`Plan.choices`; none where a word has no room for their bits and an event count."""
    machines = len(t.input_start) - 1
    choices = machines + len(t.inputs)
    rows = []
    for machine in range(machines if width else 0):
        first, last = int(t.input_start[machine]) + machine, int(t.input_start[machine + 1]) + machine + 1
        earlier, later = (1 << first) - 1, (1 << choices) - (1 << last)
        own = layout.word[machine], layout.shift[machine], layout.mask[machine]
        place = choices + width * machine
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
    return np.array(rows, np.int64).reshape(-1, 15)


def _bits(choices: Int64s, channels: int) -> Words:
    bits = np.zeros(channels, np.uint64)
    for number, channel in enumerate(choices[:, CHANNEL].tolist()):
        if channel >= 0:
            bits[channel] = 1 << number
    return bits


@kernel
def learn(t: Arrays, layout: Fields, plan: Plan, machine: Any, local: Any, configuration: Any) -> Any:
    """Work out the transitions of a configuration; returns what stands for it in `nothing` or `accept`."""
    machines = len(t.input_start) - 1
    first, last = t.transition_start[configuration], t.transition_start[configuration + 1]
    for made in range(first, last):
        plan.transition[made, 0] = np.uint64(local ^ t.transition_local[made]) << layout.shift[machine]
        plan.transition[made, 1] = np.uint64(t.send_start[made])
        plan.transition[made, 2] = np.uint64(t.send_start[made + 1])
        for send in range(t.send_start[made], t.send_start[made + 1]):
            channel = t.send_channel[send]
            plan.send[send, 0] = np.uint64(t.push_base[channel] + t.send_message[send])
            plan.send[send, 1] = np.uint64(t.messages[channel])
            plan.send[send, 2] = layout.shift[machines + channel]
            plan.send[send, 3] = layout.mask[machines + channel]
            plan.send[send, 4] = np.uint64(layout.word[machines + channel])
    return (np.int64(first) << 24 | (last - first)) + 1
