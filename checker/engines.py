"""The engines by name: each judges a system; none imports another."""

from __future__ import annotations

from collections.abc import Callable

from checker import reference
from checker.bounds import Bounds, Progress
from model.errors import InputError
from model.property import Property
from model.system import System
from model.verdict import Verdict

Engine = Callable[[System, list[Property], Bounds, Progress], Verdict]


def engine(name: str) -> Engine:
    """The engine of this name; `InputError` for an unknown one."""
    engines: dict[str, Engine] = {"reference": reference.judge, "auto": reference.judge}
    if name not in engines:
        raise InputError(f"unknown engine {name!r}: choose from {', '.join(engines)}")
    return engines[name]
