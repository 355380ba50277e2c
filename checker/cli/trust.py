"""A trace may name somebody's code: on a terminal it is asked whether to run it, elsewhere `--trust` must say so."""

from __future__ import annotations

import sys

from checker.report.data import Untrusted, read_trace
from model.trace import Counterexample


def trusted_trace(path: str, trust: bool) -> Counterexample:
    """The trace in the file, judged anew; `InputError` if it names code that is not to be run."""
    try:
        return read_trace(path, trust)
    except Untrusted as refusal:
        if not (sys.stdin.isatty() and sys.stderr.isatty()) or not _asked(path, refusal.code):
            raise
    return read_trace(path, True)


def _asked(path: str, code: tuple[str, ...]) -> bool:
    """Whether the person at the terminal says yes."""
    print(f"redwhite: to replay {path!r}, this code has to be run, with all your rights:", file=sys.stderr)
    for file in code:
        print(f"  {file!a}", file=sys.stderr)
    print("Do you trust whoever wrote it? [y/N] ", end="", file=sys.stderr, flush=True)
    return sys.stdin.readline().strip().lower() in ("y", "yes")
