"""Kernel for random runs: each step takes one of the enabled events, all equally likely."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from checker.engines.native.kernels.compiled import kernel
from checker.engines.native.kernels.expansion import expand
from checker.engines.native.kernels.successors import ALL, Successors
from checker.engines.native.search.visited_set import copy
from checker.engines.native.tables.arrays import Arrays, Fields, Int64s, Words

LOOK = 1 << 62
"""Set where all machines acted together: what that breaks is not in the tables' transitions."""


class Runs(NamedTuple):
    """Random runs under way: of run r, its random number; whether it has ended; the index of the event at each step,
    taken[r, :lengths[r]]; the claims that a step broke, as bits; whether it ended in a terminal state. Of all runs
    together: how often each local transition was taken."""

    randoms: Words
    ended: NDArray[np.uint8]
    taken: NDArray[np.int32]
    lengths: Int64s
    flags: Int64s
    terminal: NDArray[np.uint8]
    often: Int64s


@kernel
def scramble(x: Any) -> Any:
    """The next of a sequence of 64-bit numbers that look random (splitmix64)."""
    z = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


@kernel
def begin(first: int, seed: int, randoms: Words) -> None:
    """The random numbers of runs number first, first + 1, ...: each depends on the seed and its run's number only."""
    golden = np.uint64(0x9E3779B97F4A7C15)
    for run in range(len(randoms)):
        randoms[run] = scramble(np.uint64(seed) * golden + np.uint64(first + run) + golden)


@kernel
def walk(t: Arrays, layout: Fields, breaks: Int64s, out: Successors, current: Words, runs: Runs, misses: Int64s) -> Any:
    """Walk each run on from its current state until it ends or meets a miss; returns (misses, whether room is short).

    After misses all are to be called again: those that met one go on where they stood.
    """
    randoms, ended, taken, lengths, flags, terminal, often = runs
    golden = np.uint64(0x9E3779B97F4A7C15)
    n = 0
    for run in range(len(lengths)):
        if ended[run]:
            continue
        random, step = randoms[run], lengths[run]
        while True:
            done, missing, choices = expand(t, layout, current, run, run + 1, out, True)
            if missing > 0 or choices or done == 0:
                break
            if out.ends[0] == 0 or step == taken.shape[1]:
                terminal[run], ended[run] = out.terminal[0], 1
                break
            random += golden
            pick = np.int64(scramble(random) % np.uint64(out.ends[0]))
            transition = out.transition[pick]
            if transition >= 0:
                flags[run] |= breaks[transition]
                often[transition] += 1
            elif transition == ALL:
                flags[run] |= LOOK
            copy(current, run, out.states, pick)
            taken[run, step] = pick
            step += 1
        randoms[run], lengths[run] = random, step
        if missing > 0:
            if n + missing > len(misses):
                break
            for number in range(missing):
                for part in range(misses.shape[1]):
                    misses[n, part] = out.misses[number, part]
                n += 1
        elif not ended[run]:
            return n, True
    return n, False
