"""The engines by name: each judges a system; none imports another. An engine is imported when it is asked for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module

from checker.engines.search_options import Progress, SearchOptions
from model.errors import InputError, like, missing
from model.property import Property
from model.system import System
from model.verdict import Verdict

Engine = Callable[[System, list[Property], SearchOptions, Progress], Verdict]


@dataclass(frozen=True, slots=True)
class Entry:
    """Where an engine is (module:function), what it does in a line, the `SearchOptions` that not every engine has."""

    where: str
    does: str
    extras: frozenset[str] = frozenset()


ENGINES = {
    "auto": Entry(
        "checker.engines.auto:judge",
        "reference while the search stays tiny, else native",
        frozenset({"workers", "symmetry", "reduce", "checkpoint"}),
    ),
    "reference": Entry("checker.engines.reference.engine:judge", "plain Python, the oracle for all others"),
    "native": Entry(
        "checker.engines.native.engine:judge",
        "compiled kernels over tables, for large systems",
        frozenset({"workers", "symmetry", "reduce", "checkpoint"}),
    ),
    "simulate": Entry(
        "checker.engines.native.walk.engine:judge",
        "random runs of systems too large to exhaust",
        frozenset({"runs", "seed"}),
    ),
    "z3": Entry("checker.engines.symbolic.engine:judge", "looks for counterexamples of growing length, symbolically"),
    "spark": Entry(
        "checker.engines.distributed.engine:judge",
        "the same kernels over partitions on Spark, for state spaces beyond one machine",
        frozenset({"workers", "master", "checkpoint", "remote checkpoint"}),
    ),
}
"""Register an engine here; `extras` among workers, symmetry, reduce, runs, seed, master, checkpoint (remote: a URI)."""


def engine(name: str) -> Engine:
    """The engine of this name; `InputError` for an unknown one."""
    found: Engine = _load(_entry(name).where)
    return found


def suited(name: str, options: SearchOptions) -> None:
    """Refuse, with `InputError`, what the engine of this name cannot do."""
    asked = {
        "workers": options.workers is not None,
        "symmetry": options.symmetry,
        "reduce": options.reduce,
        "runs": options.runs is not None,
        "seed": options.seed is not None,
        "master": options.master is not None,
        "checkpoint": options.checkpoint is not None,
        "remote checkpoint": options.checkpoint is not None and "://" in options.checkpoint,
    }
    for extra, wanted in asked.items():
        if wanted and extra not in _entry(name).extras:
            able = ", ".join(n for n, entry in ENGINES.items() if extra in entry.extras) or "no engine here"
            raise InputError(f"engine {name} takes no {extra}: that is for {able}")


def _entry(name: str) -> Entry:
    if name not in ENGINES:
        raise InputError(f"unknown engine {name!r}: {like(name, ENGINES)}choose from {', '.join(ENGINES)}")
    return ENGINES[name]


def _load(where: str) -> Engine:
    module, _, function = where.partition(":")
    try:
        found: Engine = getattr(import_module(module), function)
    except ModuleNotFoundError as error:
        raise missing(error) from None
    return found
