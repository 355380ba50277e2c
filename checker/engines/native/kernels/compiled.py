"""How kernels are compiled: without the interpreter's lock, and kept on disk between runs.

numba does not notice that a function imported from another file has changed, so compiled kernels are kept in a folder
named by a digest of the kernels' sources: new sources, new folder.
"""

from __future__ import annotations

import hashlib
import os
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

import numba
from llvmlite import ir
from numba.core import types
from numba.core.caching import FunctionCache
from numba.extending import intrinsic

CONFIG: Any = numba.config
ENGINE = Path(__file__).parents[1]
COMPILED = "kernel\n", "@inlined", "NamedTuple", "intrinsic("
"""What a file has that compiled code may come from: a kernel, a tuple that kernels take, or machine code of its own."""


def cache_folder() -> Path:
    """Where the compiled kernels of this version are kept: in the user's cache folder, one folder for each version."""
    sources = [path.read_text(encoding="utf-8") for path in sorted(ENGINE.rglob("*.py"))]
    kernels = "".join(source for source in sources if any(mark in source for mark in COMPILED))
    # What another installation has compiled, this one cannot use: numba keeps it by the path of the source.
    version = f"{kernels}{numba.__version__}{ENGINE}{CONFIG.BOUNDSCHECK}"
    digest = hashlib.sha256(version.encode()).hexdigest()[:16]
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return Path(base) / "redwhite" / f"kernels-{digest}"


def compiled_before() -> bool:
    """Whether an earlier run has left compiled kernels: if not, this one waits for the compiler."""
    return any(Path(CONFIG.CACHE_DIR).rglob("*.nbc")) if CONFIG.CACHE_DIR else False


if not os.environ.get("NUMBA_CACHE_DIR"):
    CONFIG.CACHE_DIR = str(cache_folder())


class KernelCache(FunctionCache):
    """numba's own, but that a disk that is full or a damaged file costs time and no search: it is compiled anew."""

    warned = False

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """What was compiled before, if it can be read."""
        try:
            return super().load_overload(sig, target_context)
        except Exception:  # whatever reading damaged pickles and machine code raises
            with suppress(Exception):
                self.flush()
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep what was compiled, if there is room."""
        try:
            super().save_overload(sig, data)
        except Exception as error:
            if not KernelCache.warned:
                why = getattr(error, "strerror", None) or type(error).__name__
                print(f"redwhite: compiled kernels cannot be kept ({why}): the next run waits again", file=sys.stderr)
            KernelCache.warned = True


compiler: Any = numba.njit  # its declared type knows fewer options than it takes
OPTIONS = {"nogil": True, "error_model": "numpy"}


def _kept(function: Any, **options: Any) -> Any:
    made: Any = compiler(**options, **OPTIONS)(function)
    with suppress(RuntimeError):  # nowhere to keep it, which numba finds out here
        made._cache = KernelCache(made.py_func)
    return made


def kernel(function: Any) -> Any:
    """Decorates a kernel: compiled when first called, kept on disk, runs without the interpreter's lock.

    It makes no arrays, so the compiler need not count who holds one: what it would cost to count at the call of a part,
    for each of some thirty arrays, is more than ten times what the kernel does.
    """
    return _kept(function, _nrt=False)


def allocating_kernel(function: Any) -> Any:
    """Decorates a kernel that makes arrays for itself."""
    return _kept(function)


inlined = compiler(forceinline=True, _nrt=False, no_cpython_wrapper=True, no_cfunc_wrapper=True, **OPTIONS)
"""Decorates a part of a kernel: to the reader one thought by itself; the compiler puts its body where it is called."""


def _prefetch(typing_context: Any, array: Any, index: Any) -> Any:
    """Ask the memory for `array[index]` (a one-dimensional array) without waiting for it."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        structure = context.make_array(signature.args[0])(context, builder, arguments[0])
        pointer = builder.gep(structure.data, [arguments[1]])
        byte = ir.IntType(8).as_pointer()
        number = ir.IntType(32)
        declared = ir.FunctionType(ir.VoidType(), [byte, number, number, number])
        function = builder.module.declare_intrinsic("llvm.prefetch", [byte], declared)
        builder.call(function, [builder.bitcast(pointer, byte), number(0), number(3), number(1)])
        return context.get_dummy_value()

    return types.void(array, types.int64), generate


prefetch: Any = intrinsic(_prefetch)


def _trailing_zeros(typing_context: Any, word: Any) -> Any:
    """How many zeros a word that is not 0 ends with: the number of its lowest bit."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.cttz(arguments[0], ir.IntType(1)(1))

    return types.uint64(types.uint64), generate


trailing_zeros: Any = intrinsic(_trailing_zeros)
