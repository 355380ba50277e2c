"""Numbers on the command line, refused in one line that shows the value and what is accepted."""

from __future__ import annotations

from collections.abc import Callable
from math import isfinite

import typer


def whole(least: int) -> Callable[[str], int]:
    """A parser for whole numbers from `least`."""

    def parse(given: str | int) -> int:
        text = str(given)  # a default comes as the number that it is
        if not (text.isascii() and text.isdigit() and int(text) >= least):
            raise typer.BadParameter(f"{text!r}: accepted is a whole number from {least}")
        return int(text)

    return parse


def seconds(text: str) -> float:
    """A parser for a number of seconds."""
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not (isfinite(value) and value >= 0):
        raise typer.BadParameter(f"{text!r}: accepted is a number of seconds from 0")
    return value
