"""Imported before all else: where redwhite is the command, an interrupt while it loads is one line, no traceback.

The interrupts of `checker.cli.interrupts` take over once they are loaded. Where redwhite is a library of somebody's,
nothing is done. So that hardly anything comes before it, nothing is imported that takes time: `signal` itself makes
enumerations, `_signal` is what is built into Python.
"""

import _signal
import os
import sys


def _interrupted(number: int, frame: object) -> None:
    try:
        os.write(2, b"redwhite: interrupted before anything was covered\n")
    finally:
        os._exit(3)


if sys.argv[:1] == ["-m"] or os.path.basename((sys.argv or [""])[0]) == "redwhite":  # -m: its module is looked up yet
    for _number in (_signal.SIGINT, _signal.SIGTERM):
        _signal.signal(_number, _interrupted)
