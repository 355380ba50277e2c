"""One folder in the temporary directory for what Spark leaves there: log, blocks, sockets. It goes with the process.

A process that is killed cannot clear its own; the next one does, and tells by the process number in the name.
"""

from __future__ import annotations

import atexit
import os
import re
import select
import shutil
import tempfile
from functools import cache
from pathlib import Path

PREFIX = "redwhite-spark-"
PATIENCE = 10.0
"""Seconds that a Java has to end."""


@cache
def scratch() -> Path:
    """This process's folder."""
    clear()
    made = Path(tempfile.mkdtemp(prefix=f"{PREFIX}{os.getpid()}-"))
    atexit.register(_remove, made, os.getpid())
    return made


def clear() -> None:
    """Remove the folders of processes that have ended."""
    for path in Path(tempfile.gettempdir()).glob(f"{PREFIX}*"):
        named = re.fullmatch(rf"{PREFIX}(\d+)-\w+", path.name)
        if named and not _running(int(named[1])):
            shutil.rmtree(path, ignore_errors=True)


@cache
def lifeline() -> tuple[int, int]:
    """A pipe whose writing end every Java of this process inherits: its reading end closes when the last has ended."""
    return os.pipe()


def _remove(folder: Path, owner: int) -> None:
    """Let this process's Java end, which writes there until then, and remove the folder."""
    if os.getpid() != owner:  # a forked child's exit is not its parent's
        return
    from pyspark import SparkContext

    process = getattr(SparkContext._gateway, "proc", None)
    if process is not None:
        process.stdin.close()
    reading, writing = lifeline()
    os.close(writing)
    select.select([reading], [], [], PATIENCE)
    shutil.rmtree(folder, ignore_errors=True)


def _running(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
