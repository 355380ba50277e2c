"""Kernel for `--reduce on`: of each state's successors, keep those of a closed set of machines (see `reduction`)."""

from __future__ import annotations

from typing import Any

import numpy as np

from checker.engines.native.kernels.compiled import allocating_kernel
from checker.engines.native.kernels.successors import Successors
from checker.engines.native.tables.arrays import Arrays, Fields, Int64s, Words


@allocating_kernel
def select_persistent(
    t: Arrays, layout: Fields, states: Words, low: int, done: int, senders: Int64s, out: Successors, kept: Int64s
) -> Any:
    """Keep, of the described successors of states low..low + done, those of the closed set with the fewest.

    senders[c]: the machine that sends on channel c. kept[i]: which of its state's events successor i is. Returns how
    many are left; `out.ends` is made to fit.
    """
    machines = len(t.input_start) - 1
    enabled, waits_for = np.empty(machines, np.int64), np.empty(machines, np.int64)
    left, start = 0, 0
    for source in range(done):
        stop = out.ends[source]
        enabled[:] = 0
        for i in range(start, stop):
            enabled[out.actor[i]] += 1
        for machine in range(machines):
            waits_for[machine] = np.int64(1) << machine
            for at in range(t.input_start[machine], t.input_start[machine + 1]):
                field = machines + t.inputs[at]
                word = states[low + source, layout.word[field]]
                if (word >> layout.shift[field]) & layout.mask[field] == 0:
                    waits_for[machine] |= np.int64(1) << senders[t.inputs[at]]
        best, fewest = np.int64(0), stop - start + 1
        for seed in range(machines):
            if enabled[seed] == 0:
                continue
            closed, before = waits_for[seed], np.int64(0)
            while closed != before:
                before = closed
                for machine in range(machines):
                    if before >> machine & 1:
                        closed |= waits_for[machine]
            total = 0
            for machine in range(machines):
                if closed >> machine & 1:
                    total += enabled[machine]
            if total < fewest:
                best, fewest = closed, total
        for i in range(start, stop):
            if best >> out.actor[i] & 1:
                for word_number in range(states.shape[1]):
                    out.states[left, word_number] = out.states[i, word_number]
                out.actor[left], out.transition[left], out.served[left] = out.actor[i], out.transition[i], out.served[i]
                kept[left] = i - start
                left += 1
        out.ends[source] = left
        start = stop
    return left
