"""The command line: `redwhite`, one module a verb."""

from __future__ import annotations

import os
import signal
import sys


def main() -> None:
    """The console script: run the command and exit with its code."""
    from checker.cli.app import run

    code = run(sys.argv[1:])
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # all is said: an interrupt while Python ends changes no exit code
    try:
        sys.stdout.flush()
    except BrokenPipeError:  # the reader, say `head`, has left: Python's own last flush must not complain of it
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    sys.exit(code)
