"""The command line: `redwhite`, one module a verb."""

from __future__ import annotations

import sys


def main() -> None:
    """The console script: run the command and exit with its code."""
    from checker.cli.interrupts import heed, ignore
    from checker.cli.streams import finish, guard

    try:
        heed()
        guard()
        from checker.cli.app import run

        code = run(sys.argv[1:])
    except KeyboardInterrupt:  # while the command itself was loaded
        print("redwhite: interrupted before anything was covered", file=sys.stderr)
        code = 3
    ignore()
    finish()
    sys.exit(code)
