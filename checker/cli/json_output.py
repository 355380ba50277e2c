"""`--json`: one object on standard output and nothing else there, whatever a user's own file prints."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from contextvars import ContextVar
from typing import Any, TextIO

_OUT: ContextVar[TextIO | None] = ContextVar("standard output while it is kept for one object", default=None)


@contextmanager
def kept_for_json() -> Iterator[None]:
    """Keep standard output for `print_json`: all else that is printed meanwhile goes to standard error."""
    token = _OUT.set(sys.stdout)
    try:
        with redirect_stdout(sys.stderr):
            yield
    finally:
        _OUT.reset(token)


def nothing_covered(why: str) -> None:
    """Print the object of a command that ended before it covered anything."""
    bounded = {"kind": "bounded", "depth": 0}
    reason = f"{why} before anything was covered"
    print_json({"verdict": "unknown", "reason": reason, "coverage": bounded, "states": 0, "properties": []})


def print_json(data: Any) -> None:
    """Print the one object, on a line."""
    print(json.dumps(data), file=_OUT.get() or sys.stdout)
