"""Kernels that list what one machine may accept: nothing, one message, and where the system allows it several at once.

Each such choice whose local configuration has a transition is noted in `Scratch`, in the order of `System.events`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from checker.engines.native.kernels.compiled import inlined, kernel
from checker.engines.native.kernels.successors import NO_ROOM_FOR_CHOICES, Successors, natural, note_miss
from checker.engines.native.tables.arrays import ACCEPT, CHILD, MULTI_CHANNEL, NOTHING, Arrays

UNKNOWN = -1
"""What stands for the number of choices where a question is open."""


@inlined
def is_idle(t: Arrays, configuration: Any) -> Any:
    """Whether the machine can do nothing in this local configuration."""
    return t.transition_start[configuration] == t.transition_start[configuration + 1]


@inlined
def list_choices(t: Arrays, machine: int, out: Successors) -> Any:
    """How many choices the machine has in the state that is decoded; UNKNOWN, or NO_ROOM_FOR_CHOICES."""
    local = natural(out.scratch.values[machine])
    configuration = np.int64(t.nothing[natural(t.local_base[machine]) + local])
    if configuration < 0:
        note_miss(out, NOTHING, machine, local, 0)
        return UNKNOWN
    choices = 0
    if not is_idle(t, configuration):
        out.scratch.configuration[0], out.scratch.accepted[0] = configuration, 0
        choices = 1
    choices = single_messages(t, machine, local, out, choices)
    if choices >= 0 and t.flags[MULTI_CHANNEL] != 0:
        choices = combinations(t, machine, local, out, choices)
    return choices


@inlined
def single_messages(t: Arrays, machine: int, local: int, out: Successors, choices: int) -> Any:
    """Add the choices that accept one message."""
    scratch, machines, unknown = out.scratch, len(t.input_start) - 1, False
    for at in range(natural(t.input_start[machine]), natural(t.input_start[machine + 1])):
        channel = natural(t.inputs[at])
        contents = natural(scratch.values[machines + channel])
        if contents == 0:
            continue
        place = natural(t.content_base[channel]) + contents
        for offer in range(natural(t.offer_start[place]), natural(t.offer_end[place])):
            message = natural(t.offer_message[offer])
            index = natural(t.accept_base[channel] + local * t.messages[channel]) + message
            configuration = np.int64(t.accept[index])
            if configuration < 0:
                note_miss(out, ACCEPT, channel, local, message)
                unknown = True
                continue
            if is_idle(t, configuration):
                continue
            if choices >= len(scratch.accepted):
                return NO_ROOM_FOR_CHOICES
            scratch.configuration[choices], scratch.accepted[choices] = configuration, 1
            scratch.channel[choices, 0], scratch.after[choices, 0] = channel, t.offer_after[offer]
            choices += 1
    return UNKNOWN if unknown else choices


@kernel
def combinations(t: Arrays, machine: int, local: int, out: Successors, choices: int) -> Any:
    """Add the choices that accept messages from several channels, ordered as by itertools (combinations, product)."""
    scratch, machines = out.scratch, len(t.input_start) - 1
    waiting, unknown = 0, False
    for at in range(natural(t.input_start[machine]), natural(t.input_start[machine + 1])):
        if scratch.values[machines + t.inputs[at]] != 0:
            scratch.waiting[waiting] = t.inputs[at]
            waiting += 1
    for take in range(2, waiting + 1):
        for i in range(take):
            scratch.picked[i] = i
        another_pick = True
        while another_pick:
            scratch.offer[:take] = 0
            another_offer = True
            while another_offer:
                if choices >= len(scratch.accepted):
                    return NO_ROOM_FOR_CHOICES
                configuration = accept_several(t, local, take, out, choices)
                if configuration < 0:
                    unknown = True
                else:
                    scratch.configuration[choices], scratch.accepted[choices] = configuration, take
                    choices += 1
                another_offer = next_offers(t, take, out)
            another_pick = next_pick(take, waiting, out)
    return UNKNOWN if unknown else choices


@inlined
def accept_several(t: Arrays, local: int, take: int, out: Successors, choice: int) -> Any:
    """The local configuration that accepts the offers of the channels picked; -1 where it is not known yet."""
    scratch, machines, configuration = out.scratch, len(t.input_start) - 1, np.int64(-1)
    for i in range(take):
        channel = scratch.waiting[scratch.picked[i]]
        offer = t.offer_start[t.content_base[channel] + scratch.values[machines + channel]] + scratch.offer[i]
        message = np.int64(t.offer_message[offer])
        scratch.channel[choice, i], scratch.after[choice, i] = channel, t.offer_after[offer]
        if i == 0:
            configuration = np.int64(t.accept[t.accept_base[channel] + local * t.messages[channel] + message])
            continue
        with_it = np.int64(child(t, configuration, t.message_base[channel] + message))
        if with_it < 0:
            note_miss(out, CHILD, channel, configuration, message)
            return np.int64(-1)
        configuration = with_it
    return configuration


@inlined
def next_offers(t: Arrays, take: int, out: Successors) -> bool:
    """Go on to the next message offered, the last channel's first; whether there is one."""
    scratch, machines = out.scratch, len(t.input_start) - 1
    for i in range(take - 1, -1, -1):
        channel = scratch.waiting[scratch.picked[i]]
        place = t.content_base[channel] + scratch.values[machines + channel]
        scratch.offer[i] += 1
        if scratch.offer[i] < np.int64(t.offer_end[place]) - np.int64(t.offer_start[place]):
            return True
        scratch.offer[i] = 0
    return False


@inlined
def next_pick(take: int, waiting: int, out: Successors) -> bool:
    """Go on to the next channels of those waiting; whether there are such."""
    picked = out.scratch.picked
    for i in range(take - 1, -1, -1):
        if picked[i] != waiting - take + i:
            picked[i] += 1
            for j in range(i + 1, take):
                picked[j] = picked[j - 1] + 1
            return True
    return False


@inlined
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
