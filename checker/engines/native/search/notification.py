"""How the threads of one search wait for each other: numbers that one counts up and another watches.

Kernels run without the interpreter's lock, so threads can wait within them: a hundred nanoseconds, where handing work
to a pool and back takes a hundred thousand. Who waits long lets others run, as there may be fewer cores.
"""

from __future__ import annotations

import os
from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic

from checker.engines.native.kernels.compiled import kernel
from checker.engines.native.tables.arrays import Int64s

APART = 16
"""Signals lie so many numbers apart, each on cache lines of its own."""

PATIENCE = 1 << 10
"""Looks at the counter before a thread lets others run."""

YIELDS = 64
"""Looks between which it only lets others run."""

NAP = 50
"""Microseconds between looks after that: the thread that is waited for has lost its core to others."""

POSIX = os.name == "posix"


def signals(count: int) -> Int64s:
    """So many signals, all 0."""
    return np.zeros(count * APART, np.int64)


def _pointer(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    structure = context.make_array(signature.args[0])(context, builder, arguments[0])
    return builder.gep(structure.data, [arguments[1]])


def _add_one(typing_context: Any, array: Any, index: Any) -> Any:
    """Add 1 to `array[index]` at once for all threads; what was written before is seen by who sees the sum."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        pointer = _pointer(context, builder, signature, arguments)
        builder.atomic_rmw("add", pointer, ir.IntType(64)(1), "seq_cst")
        return context.get_dummy_value()

    return types.void(array, types.int64), generate


def _look(typing_context: Any, array: Any, index: Any) -> Any:
    """`array[index]` as other threads have written it; what is read after it is no older."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.load_atomic(_pointer(context, builder, signature, arguments), "acquire", 8)

    return types.int64(array, types.int64), generate


def _let_others_run(typing_context: Any) -> Any:
    """Give the processor up for this moment."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        if POSIX:
            insert: Any = cgutils.get_or_insert_function
            builder.call(insert(builder.module, ir.FunctionType(ir.IntType(32), []), "sched_yield"), [])
        return context.get_dummy_value()

    return types.void(), generate


def _sleep(typing_context: Any) -> Any:
    """Sleep for `NAP` microseconds."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        if POSIX:
            insert: Any = cgutils.get_or_insert_function
            number = ir.IntType(32)
            builder.call(insert(builder.module, ir.FunctionType(number, [number]), "usleep"), [number(NAP)])
        return context.get_dummy_value()

    return types.void(), generate


add_one: Any = intrinsic(_add_one)
look: Any = intrinsic(_look)
let_others_run: Any = intrinsic(_let_others_run)
sleep: Any = intrinsic(_sleep)


@kernel
def spin_wait(signals: Int64s, signal: int, least: int, stop: int) -> Any:
    """Wait until a signal is more than `least`; False if all are to stop instead."""
    looks = 0
    while look(signals, signal * APART) <= least:
        looks += 1
        if looks & 63 == 0 and look(signals, stop * APART) != 0:
            return False
        if looks > PATIENCE:
            if looks < PATIENCE + YIELDS:
                let_others_run()
            else:
                sleep()
    return True


@kernel
def notify(signals: Int64s, signal: int) -> None:
    """Count a signal up."""
    add_one(signals, signal * APART)
