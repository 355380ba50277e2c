"""Where the threads of one search wait for each other: a counter that each adds to and all then watch.

Kernels run without the interpreter's lock, so threads can meet within them: a hundred nanoseconds, where handing a
phase to a pool and back takes a hundred thousand. Who waits long lets others run, as there may be fewer cores.
"""

from __future__ import annotations

import os
from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic

from checker.native.arrays import Int64s
from checker.native.compiled import kernel

ARRIVED, BROKEN = 0, 32
"""Places in a meeting's numbers: how often threads have arrived, whether one failed; on cache lines of their own."""

PATIENCE = 1 << 10
"""Looks at the counter before a thread lets others run."""

YIELDS = 64
"""Looks between which it only lets others run."""

NAP = 50
"""Microseconds between looks after that: the thread that is waited for has lost its core to others."""

POSIX = os.name == "posix"


def meeting() -> Int64s:
    """A place to meet; a new one for each run of the kernels."""
    return np.zeros(64, np.int64)


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
def meet(at: Int64s, times: int) -> Any:
    """Wait until threads have arrived `times` times in all, oneself included; whether none has failed."""
    add_one(at, ARRIVED)
    looks = 0
    while look(at, ARRIVED) < times:
        looks += 1
        if looks > PATIENCE:
            if look(at, BROKEN) != 0:
                return False
            if looks < PATIENCE + YIELDS:
                let_others_run()
            else:
                sleep()
    return True


@kernel
def fail(at: Int64s) -> None:
    """Send all who wait away."""
    add_one(at, BROKEN)
