"""All theorems, in the order of EWD864a, and the broken theories; each built only when it is asked for."""

from __future__ import annotations

from importlib import import_module

from model.errors import InputError
from proofs.claims import Theorem

THEORIES: dict[str, str] = {
    "commute": "t01_commute",
    "exchange": "t02_exchange",
    "inversions": "t03_inversions",
    "white": "t04_white",
    "red": "t05_red",
    "markers": "t06_markers",
    "record": "t07_record",
    "completion": "t08_completion",
    "sharpness": "t09_sharpness",
    "stability": "t10_stability",
    "colour": "t11_colour",
    "barriers": "t12_barriers",
    "interference": "t13_interference",
}
"""Name of the theorem -> its module."""


def theorem(name: str) -> Theorem:
    """The theorem of that name; `InputError` for an unknown one."""
    (known,) = select((name,))
    found: Theorem = import_module(f"proofs.{THEORIES[known]}").theorem()
    return found


def theorems() -> dict[str, Theorem]:
    """Every theorem, by name, in order."""
    return {name: theorem(name) for name in THEORIES}


def select(names: tuple[str, ...]) -> tuple[str, ...]:
    """Theorem names for what a user may write: a name, a number from 1 to 13, or nothing for all of them."""
    by_number = {str(number): name for number, name in enumerate(THEORIES, start=1)}
    chosen = [by_number.get(name, name) for name in names] or list(THEORIES)
    for name in chosen:
        if name not in THEORIES:
            raise InputError(f"theorem '{name}': there are {', '.join(THEORIES)}, or their numbers 1 to {len(THEORIES)}")
    return tuple(dict.fromkeys(chosen))
