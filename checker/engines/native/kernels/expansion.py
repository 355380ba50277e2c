"""The expansion kernel: packed states in, packed successors out, in the order of `System.events`, and what is missing.

Nothing here knows of a visited set: single-threaded, threaded and distributed searches all call the same `expand`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from checker.engines.native.kernels.choices import UNKNOWN, is_idle, list_choices
from checker.engines.native.kernels.compiled import inlined, kernel
from checker.engines.native.kernels.successors import (
    ALL,
    FAULT,
    NO_ROOM,
    NO_ROOM_FOR_CHOICES,
    Successors,
    change,
    decode,
    natural,
    note_miss,
    start_successor,
)
from checker.engines.native.tables.arrays import (
    ALL_SYNCHRONOUS,
    CRASH,
    FAULTS,
    KINDS_OF_FAULTS,
    LEFT,
    PUSH,
    SYNCHRONOUS,
    Arrays,
    Fields,
    Words,
)

NONE_LEFT, NOT_ASKED = -1, -2
"""What `left_after` holds where no such fault is left, and where it is not known yet what is left after one more."""


@kernel
def expand(t: Arrays, layout: Fields, states: Words, low: int, high: int, out: Successors, describe: bool) -> Any:
    """Successors of states[low:high] into `out`; returns (sources done, misses, whether room for choices is short).

    `low` up to `low + done` are expanded in full if there are no misses; otherwise all that was written is void, and
    the same states are to be expanded again once the misses are filled in. done = 0 without misses: too little room.
    """
    out.noted[0] = 0
    count = 0
    high = min(high, low + len(out.terminal))
    for source in range(low, high):
        begun = count
        decode(layout, states, source, out.scratch.values)
        if t.flags[ALL_SYNCHRONOUS] != 0:
            count = act_together(t, layout, states, source, out, count, describe)
        for machine in range(len(t.input_start) - 1):
            if count >= 0:
                count = act(t, layout, states, source, machine, out, count, describe)
        terminal = count == begun
        if count >= 0 and t.flags[KINDS_OF_FAULTS] > 0:
            count = fail(t, layout, states, source, out, count, describe)
        if count < 0 or out.noted[0] == len(out.misses):
            return source - low, out.noted[0], count == NO_ROOM_FOR_CHOICES
        out.terminal[source - low] = terminal
        out.enabled[source - low] = count - begun
        out.ends[source - low] = count
    return high - low, out.noted[0], False


@inlined
def act(
    t: Arrays, layout: Fields, states: Words, source: int, machine: int, out: Successors, count: int, describe: bool
) -> Any:
    """Add the successors by one machine's actions: one for each transition of each of its choices."""
    choices = list_choices(t, machine, out)
    if choices < 0:
        return count if choices == UNKNOWN else choices
    for choice in range(choices):
        configuration = natural(out.scratch.configuration[choice])
        start, stop = natural(t.transition_start[configuration]), natural(t.transition_start[configuration + 1])
        for transition in range(start, stop):
            if count >= len(out.states):
                return NO_ROOM
            start_successor(states, source, out, count)
            change_local(t, layout, machine, transition, out, count)
            accept(t, layout, choice, out, count)
            if not send(t, layout, transition, out, count):
                continue
            if describe:
                out.actor[count], out.transition[count] = machine, transition
                out.served[count] = np.uint64(0)
                for i in range(out.scratch.accepted[choice]):
                    out.served[count] |= np.uint64(1) << np.uint64(out.scratch.channel[choice, i])
            count += 1
    return count


@inlined
def change_local(t: Arrays, layout: Fields, machine: int, transition: int, out: Successors, count: int) -> None:
    """The machine moves to its new local state."""
    change(layout, out, count, machine, natural(out.scratch.values[machine]), t.transition_local[transition])


@inlined
def accept(t: Arrays, layout: Fields, choice: int, out: Successors, count: int) -> None:
    """The messages of a choice leave their channels."""
    scratch, machines = out.scratch, len(t.input_start) - 1
    for i in range(scratch.accepted[choice]):
        field = machines + natural(scratch.channel[choice, i])
        change(layout, out, count, field, scratch.values[field], natural(scratch.after[choice, i]))


@inlined
def send(t: Arrays, layout: Fields, transition: int, out: Successors, count: int) -> bool:
    """The messages of a transition enter their channels, in order; False where the contents are not known yet.

    What a channel holds is read from the successor: the same action may have accepted from it or sent on it before.
    """
    machines = len(t.input_start) - 1
    for number in range(natural(t.send_start[transition]), natural(t.send_start[transition + 1])):
        channel, message = natural(t.send_channel[number]), natural(t.send_message[number])
        field = machines + channel
        word = out.states[count, natural(layout.word[field])]
        old = np.int64((word >> layout.shift[field]) & layout.mask[field])
        new = np.int64(t.push[natural(t.push_base[channel] + old * t.messages[channel]) + message])
        if new < 0:
            note_miss(out, PUSH, channel, old, message)
            return False
        change(layout, out, count, field, old, new)
    return True


@kernel
def act_together(
    t: Arrays, layout: Fields, states: Words, source: int, out: Successors, count: int, describe: bool
) -> Any:
    """Add the successor by the action of all machines at once, if each of them can take part."""
    machines, channels, enabled = len(t.input_start) - 1, len(t.accept_base), True
    for machine in range(machines):
        local = out.scratch.values[machine]
        configuration = np.int64(t.synchronous[t.local_base[machine] + local])
        if configuration < 0:
            note_miss(out, SYNCHRONOUS, machine, local, 0)
            enabled = False
        elif is_idle(t, configuration):
            enabled = False
    if not enabled:
        return count
    if count >= len(out.states):
        return NO_ROOM
    start_successor(states, source, out, count)
    complete = True
    for machine in range(machines):
        configuration = t.synchronous[t.local_base[machine] + out.scratch.values[machine]]
        transition = t.transition_start[configuration]
        change_local(t, layout, machine, transition, out, count)
        complete = send(t, layout, transition, out, count) and complete
    if describe:
        out.actor[count], out.transition[count], out.served[count] = -1, ALL, 0
        for machine in range(machines):
            out.served[count] |= np.uint64(1) << np.uint64(channels + machine)
    return count + 1 if complete else count


@kernel
def fail(t: Arrays, layout: Fields, states: Words, source: int, out: Successors, count: int, describe: bool) -> Any:
    """Add the successors by faults, while there are some left: first of the channels, then crashes of machines."""
    kinds, left = t.flags[KINDS_OF_FAULTS], out.scratch.values[len(layout.word) - 1]
    any_left = False
    for kind in range(kinds):
        any_left = any_left or t.left_after[left * kinds + kind] != NONE_LEFT
    if not any_left:
        return count
    for channel in range(len(t.accept_base)):
        if count >= 0 and out.scratch.values[len(t.input_start) - 1 + channel] != 0:
            count = fail_channel(t, layout, states, source, channel, out, count, describe)
    if count >= 0 and t.flags[CRASH] >= 0:
        count = crash(t, layout, states, source, out, count, describe)
    return count


@inlined
def fail_channel(
    t: Arrays, layout: Fields, states: Words, source: int, channel: int, out: Successors, count: int, describe: bool
) -> Any:
    """Add the successors by faults of one channel."""
    field = len(t.input_start) - 1 + channel
    contents, left = out.scratch.values[field], out.scratch.values[len(layout.word) - 1]
    place = t.content_base[channel] + contents
    if t.fault_start[place] < 0:
        note_miss(out, FAULTS, channel, contents, 0)
        return count
    for fault in range(t.fault_start[place], t.fault_end[place]):
        less = left_after(t, left, t.fault_kind[fault], out)
        if less < 0:
            continue
        if count >= len(out.states):
            return NO_ROOM
        start_successor(states, source, out, count)
        change(layout, out, count, field, contents, np.int64(t.fault_after[fault]))
        count = end_fault(layout, field, left, less, out, count, describe)
    return count


@inlined
def crash(t: Arrays, layout: Fields, states: Words, source: int, out: Successors, count: int, describe: bool) -> Any:
    """Add the successors by a machine's crash."""
    left = out.scratch.values[len(layout.word) - 1]
    less = left_after(t, left, t.flags[CRASH], out)
    if less < 0:
        return count
    for machine in range(len(t.input_start) - 1):
        local = out.scratch.values[machine]
        crashed = np.int64(t.crashed[t.local_base[machine] + local])
        if crashed < 0:
            continue
        if count >= len(out.states):
            return NO_ROOM
        start_successor(states, source, out, count)
        change(layout, out, count, machine, local, crashed)
        count = end_fault(layout, machine, left, less, out, count, describe)
    return count


@inlined
def left_after(t: Arrays, left: Any, kind: Any, out: Successors) -> Any:
    """The number of what faults are left after one of this kind; negative if none is left, or that is not known yet."""
    less = np.int64(t.left_after[left * t.flags[KINDS_OF_FAULTS] + kind])
    if less == NOT_ASKED:
        note_miss(out, LEFT, kind, left, 0)
    return less


@inlined
def end_fault(layout: Fields, actor: int, left: Any, less: Any, out: Successors, count: int, describe: bool) -> Any:
    """One fault less is left; returns the number of successors with this one."""
    change(layout, out, count, len(layout.word) - 1, left, less)
    if describe:
        out.actor[count], out.transition[count], out.served[count] = actor, FAULT, 0
    return count + 1
