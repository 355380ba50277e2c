"""The command line: `redwhite`, one module a verb."""

from __future__ import annotations

import os
import sys
from pathlib import Path


def main() -> None:
    """The console script: run the command and exit with its code."""
    _own_packages_first()
    from checker.cli.app import run

    code = run(sys.argv[1:])
    try:
        sys.stdout.flush()
    except BrokenPipeError:  # the reader, say `head`, has left: Python's own last flush must not complain of it
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    sys.exit(code)


def _own_packages_first() -> None:
    """A user's folder on the path with a model.py or checker.py of its own must not shadow ours: it goes last."""
    ours = Path(__file__).resolve().parents[2]

    def shadows(entry: str) -> bool:
        folder = Path(entry or ".").resolve()
        names = ("model", "checker", "proofs")
        return folder != ours and any((folder / f"{n}.py").exists() or (folder / n).is_dir() for n in names)

    last = [entry for entry in sys.path if shadows(entry)]
    sys.path[:] = [entry for entry in sys.path if entry not in last] + last
