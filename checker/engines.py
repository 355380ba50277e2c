"""The engines by name: each judges a system; none imports another. An engine is imported when it is asked for."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module

from checker.bounds import Bounds, Progress
from model.errors import InputError
from model.property import Property
from model.system import System
from model.verdict import Verdict

Engine = Callable[[System, list[Property], Bounds, Progress], Verdict]

ENGINES = {
    "auto": "checker.reference:judge",
    "reference": "checker.reference:judge",
}
"""Engine -> module:function."""


def engine(name: str) -> Engine:
    """The engine of this name; `InputError` for an unknown one."""
    if name not in ENGINES:
        raise InputError(f"unknown engine {name!r}: choose from {', '.join(ENGINES)}")
    module, _, function = ENGINES[name].partition(":")
    found: Engine = getattr(import_module(module), function)
    return found
