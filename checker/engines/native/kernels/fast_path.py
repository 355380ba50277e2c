"""Expansion in the commonest case, as `expand` does it but quicker: one machine at a time, one message, no faults.

There each successor is its source changed by one local transition, and each change of a field is the exclusive or with
a constant, which `plan` keeps. A state of at most two words is held in two registers, `first` and `second`. Over FIFO
channels most successors need not be made at all: see `checker.engines.native.search.sleep_sets`.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from checker.engines.native.kernels.compiled import inlined, kernel, trailing_zeros
from checker.engines.native.kernels.expansion import expand
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
from checker.engines.native.kernels.successors import Successors, natural, note_miss
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


class Relation(NamedTuple):
    """The transition relation as kernels read it: the tables, where fields lie in a state, what was worked out."""

    tables: Arrays
    layout: Fields
    plan: Plan


@kernel
def has_fast_path(relation: Relation, words: int) -> Any:
    """Whether `expand_fast` may stand for `expand`."""
    flags = relation.tables.flags
    alone = flags[MULTI_CHANNEL] == 0 and flags[ALL_SYNCHRONOUS] == 0 and flags[KINDS_OF_FAULTS] == 0
    return alone and words <= MOST_WORDS and relation.plan.width > 0


@kernel
def successors_of(relation: Relation, states: Words, low: int, high: int, out: Successors, sleep_sets: Words) -> Any:
    """Successors of states[low:high], not described; returns (sources done, misses, whether room for choices is short).

    What is done is done in full, whatever is missing behind it. Where `sleep_sets` has room, what a state's sleep set
    lists is left out, though counted as enabled, and the successors' own sleep sets are in `out.sleep`.
    """
    if has_fast_path(relation, states.shape[1]):
        if states.shape[1] == 1:
            return expand_one_word(relation, states, low, high, out, sleep_sets)
        return expand_two_words(relation, states, low, high, out, sleep_sets)
    done, missing, short = expand(relation.tables, relation.layout, states, low, high, out, False)
    return 0 if missing > 0 or short else done, missing, short


def expansion_of(two: bool) -> Any:
    """The kernel for states of one word or of two; which of them it is the compiler knows."""

    @kernel
    def expand_fast(relation: Relation, states: Words, low: int, high: int, out: Successors, sleep_sets: Words) -> Any:
        t, layout, plan = relation
        machines, capacity, choices, sleeping = (
            len(t.input_start) - 1,
            len(out.states),
            plan.choices,
            len(sleep_sets) > 0,
        )
        most = (np.uint64(1) << np.uint64(plan.width)) - np.uint64(1)
        spontaneous = spontaneous_choices(plan)
        count, sure = 0, 0
        out.noted[0] = 0
        for source in range(low, min(high, low + len(out.terminal))):
            if out.noted[0] == len(out.misses):
                break
            first, second = states[source, 0], states[source, 1] if two else np.uint64(0)
            sleep_set, events, enabled, crowded = np.uint64(0), np.uint64(0), np.int64(0), False
            if sleeping:
                sleep_set = sleep_sets[source]
                events = sleep_set >> np.uint64(len(choices)) << np.uint64(len(choices))
                enabled = sum_of_events(events, len(choices), plan.width, machines)
            present = spontaneous | waiting_choices(layout, plan, machines, first, second, two)
            awake = present & ~sleep_set
            while awake != 0:
                number = natural(trailing_zeros(awake))
                awake &= awake - np.uint64(1)
                word = second if two and choices[number, WORD] != 0 else first
                local = natural((word >> np.uint64(choices[number, SHIFT])) & np.uint64(choices[number, MASK]))
                sleep = np.uint64(0) if crowded else inherited(plan, number, present, sleep_set, events, most)
                accepts = choices[number, CHANNEL] >= 0
                contents, offer, stop = np.int64(0), np.int64(0), np.int64(1)
                if accepts:
                    contents = contents_of(plan, number, second if two and choices[number, FROM] != 0 else first)
                    place = natural(choices[number, CONTENTS]) + contents
                    offer, stop = natural(t.offer_start[place]), natural(t.offer_end[place])
                for at in range(offer, stop):
                    taken = change_of_offer(t, plan, number, contents, at) if accepts else np.uint64(0)
                    if accepts:
                        span = span_of_message(t, layout, plan, number, local, natural(t.offer_message[at]), out)
                    else:
                        span = span_of_nothing(t, layout, plan, number, local, out)
                    if span == 0:
                        continue
                    start, many = natural((span - 1) >> 24), natural((span - 1) & NUMBER)
                    if count + many > capacity:
                        return sure, out.noted[0], False
                    enabled += many
                    if sleeping:
                        if ((events >> np.uint64(choices[number, PLACE])) & most) + np.uint64(many) > most:
                            crowded = True
                        else:
                            events += np.uint64(many) << np.uint64(choices[number, PLACE])
                    from_second = two and choices[number, FROM] != 0
                    one, other = first if from_second else first ^ taken, second ^ taken if from_second else second
                    own_second = two and choices[number, WORD] != 0
                    for transition in range(start, start + many):
                        changed = plan.transition[transition, 0]
                        made, beyond = one if own_second else one ^ changed, other ^ changed if own_second else other
                        made, beyond, complete = send_all(t, plan, transition, made, beyond, two, out)
                        if complete:
                            out.states[count, 0] = made
                            if two:
                                out.states[count, 1] = beyond
                            if sleeping:
                                out.sleep[count] = sleep
                            count += 1
            out.terminal[source - low] = 0 if enabled > 0 else 1
            out.enabled[source - low] = enabled
            out.ends[source - low] = count
            if out.noted[0] == 0:
                sure += 1
        return sure, out.noted[0], False

    return expand_fast


@inlined
def spontaneous_choices(plan: Plan) -> Any:
    """The choices that accept nothing, as bits: each machine has one in every state."""
    found = np.uint64(0)
    for number in range(len(plan.choices)):
        found |= np.uint64(plan.choices[number, CHANNEL] < 0) << np.uint64(number)
    return found


@inlined
def waiting_choices(layout: Fields, plan: Plan, machines: int, first: Any, second: Any, two: bool) -> Any:
    """The choices that accept from a channel which is not empty, as bits."""
    found = np.uint64(0)
    for channel in range(len(plan.bits)):
        word = second if two and layout.word[machines + channel] != 0 else first
        held = (word >> layout.shift[machines + channel]) & layout.mask[machines + channel]
        found |= plan.bits[channel] if held != 0 else np.uint64(0)
    return found


@inlined
def sum_of_events(events: Any, choices: int, width: int, machines: int) -> Any:
    """How many events of a state its sleep set lists, from the event counts above the bits of the choices."""
    most = (np.uint64(1) << np.uint64(width)) - np.uint64(1)
    total = np.int64(0)
    for machine in range(machines):
        total += np.int64((events >> np.uint64(choices + width * machine)) & most)
    return total


@inlined
def inherited(plan: Plan, number: int, present: Any, sleep_set: Any, events: Any, most: Any) -> Any:
    """The sleep set of what choice `number` leads to: see `checker.engines.native.search.sleep_sets`."""
    sleep = present & np.uint64(plan.choices[number, EARLIER])
    sleep |= sleep_set & np.uint64(plan.choices[number, LATER])
    return sleep | events & ~(most << np.uint64(plan.choices[number, PLACE]))


@inlined
def contents_of(plan: Plan, number: int, word: Any) -> Any:
    """The number of the contents of the channel that a choice accepts from."""
    held = word >> np.uint64(plan.choices[number, FROM_SHIFT])
    return natural(held & np.uint64(plan.choices[number, FROM_MASK]))


@inlined
def change_of_offer(t: Arrays, plan: Plan, number: int, contents: Any, offer: int) -> Any:
    """How the channel's field changes where this offer is accepted."""
    taken = plan.offer[offer]
    if taken == 0:
        taken = np.uint64(contents ^ t.offer_after[offer]) << np.uint64(plan.choices[number, FROM_SHIFT])
        plan.offer[offer] = taken
    return taken


@inlined
def span_of_nothing(t: Arrays, layout: Fields, plan: Plan, number: int, local: int, out: Successors) -> Any:
    """Which transitions a machine has that accepts nothing, as `learn` says it; 0 where that is not known yet."""
    index = natural(plan.choices[number, LOCALS]) + local
    span = plan.nothing[index]
    if span == 0:
        if t.nothing[index] < 0:
            note_miss(out, NOTHING, plan.choices[number, MACHINE], local, 0)
        else:
            span = learn(t, layout, plan, plan.choices[number, MACHINE], local, np.int64(t.nothing[index]))
            plan.nothing[index] = span
    return span


@inlined
def span_of_message(
    t: Arrays, layout: Fields, plan: Plan, number: int, local: int, message: int, out: Successors
) -> Any:
    """Which transitions a machine has that accepts this message, likewise."""
    index = natural(plan.choices[number, TAKES] + local * plan.choices[number, KINDS]) + message
    span = plan.accept[index]
    if span == 0:
        if t.accept[index] < 0:
            note_miss(out, ACCEPT, plan.choices[number, CHANNEL], local, message)
        else:
            span = learn(t, layout, plan, plan.choices[number, MACHINE], local, np.int64(t.accept[index]))
            plan.accept[index] = span
    return span


@inlined
def send_all(t: Arrays, plan: Plan, transition: int, first: Any, second: Any, two: bool, out: Successors) -> Any:
    """The state with what the transition sends in its channels; and whether the contents are known.

    What a channel holds is read from the state so far: the same action may have accepted from it or sent on it before.
    """
    for number in range(natural(plan.transition[transition, 1]), natural(plan.transition[transition, 2])):
        in_second = two and plan.send[number, 4] != 0
        old = ((second if in_second else first) >> plan.send[number, 2]) & plan.send[number, 3]
        index = natural(plan.send[number, 0] + old * plan.send[number, 1])
        change = plan.push[index]
        if change == 0:
            if t.push[index] < 0:
                note_miss(out, PUSH, t.send_channel[number], np.int64(old), t.send_message[number])
                return first, second, False
            change = ((old ^ np.uint64(t.push[index])) << plan.send[number, 2]) + np.uint64(1)
            plan.push[index] = change
        if in_second:
            second ^= change - np.uint64(1)
        else:
            first ^= change - np.uint64(1)
    return first, second, True


expand_one_word, expand_two_words = expansion_of(False), expansion_of(True)
