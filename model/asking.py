"""Calling a user's own code: within a time, and with whatever it raises told as one line that names file and line."""

from __future__ import annotations

import inspect
import os
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from model.errors import InputError

T = TypeVar("T")

LIMIT = 10.0
"""Seconds that one call of a user's function may take; it is asked about one machine, so it should take none."""


class TooLong(BaseException):
    """Raised within a call that is not back in time; no `except Exception` of the user's stops it."""

    def __str__(self) -> str:
        return f"it did not come back within {LIMIT:g} s: is it an endless loop?"


def asked(function: Callable[..., T], *arguments: Any, owner: Any = None) -> T:
    """What the function answers; `InputError`, with file and line, for whatever it raises and if it takes too long.

    `owner`: what to blame where no frame of the user's is found; the function, if None is given.
    """
    try:
        return _watch.call(function, *arguments)
    except (InputError, KeyboardInterrupt, MemoryError):
        raise
    except BaseException as error:  # a sys.exit in a program is a slip of its author's like any other
        place = _raised_at(error) or at(function if owner is None else owner)
        raise InputError(f"{place}: {_named(error)}") from error


def at(user: Any) -> str:
    """Where a user's function or class is written: `file.py, line 3, in Mine.actions`; of ours, its name alone."""
    function = inspect.unwrap(getattr(user, "__func__", user))
    try:
        filename, line = inspect.getsourcefile(function) or "", inspect.getsourcelines(function)[1]
    except (OSError, TypeError):  # typed at a prompt
        filename, line = "", 0
    name = str(getattr(function, "__qualname__", function))
    return f"{shorter(filename)}, line {line}, in {name}" if filename and not ours(filename) else name


def shorter(path: str) -> str:
    """The path as one would type it here: from the working folder if it is below that."""
    try:
        return os.path.relpath(path) if Path(path).resolve().is_relative_to(Path.cwd()) else path
    except OSError:  # the working folder is gone
        return path


def _named(error: BaseException) -> str:
    return str(error) if isinstance(error, TooLong) else f"{type(error).__name__}: {error}".removesuffix(": ")


def _raised_at(error: BaseException) -> str | None:
    """The innermost line of the user's that was being run."""
    import traceback  # loaded where something went wrong, and not with the definitions

    if isinstance(error, SyntaxError) and error.filename and not ours(error.filename):
        return f"{shorter(error.filename)}, line {error.lineno}"
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if not ours(frame.filename)]
    own = [frame for frame in frames if not library(frame.filename)] or frames
    return f"{shorter(own[-1].filename)}, line {own[-1].lineno}, in {own[-1].name}" if own else None


OURS = ("model", "checker", "proofs")
ROOT = Path(__file__).resolve().parents[1]
LIBRARY = Path(os.__file__).resolve().parent


def ours(filename: str) -> bool:
    """Whether the file is one of our packages'."""
    return Path(filename).is_relative_to(ROOT) and Path(filename).relative_to(ROOT).parts[0] in (*OURS, "redwhite")


def library(filename: str) -> bool:
    """Whether the file is Python's, or was installed."""
    return filename.startswith("<frozen") or Path(filename).is_relative_to(LIBRARY) or "site-packages" in filename


class _Watch:
    """A thread beside those that ask: it raises `TooLong` in one that has been in the same call for too long."""

    def __init__(self) -> None:
        self.began: dict[int, float] = {}
        self.lock = threading.Lock()
        self.process: int | None = None

    def call(self, function: Callable[..., T], *arguments: Any) -> T:
        thread = threading.get_ident()
        outer = self.began.get(thread)
        self.began[thread] = time.monotonic()
        if self.process != os.getpid():
            self._start()
        try:
            return function(*arguments)
        finally:
            with self.lock:
                if outer is None:
                    self.began.pop(thread, None)
                else:
                    self.began[thread] = outer

    def _start(self) -> None:
        """Start watching, once a process (a fork has no threads but its own)."""
        import ctypes

        self.process, self.lock = os.getpid(), threading.Lock()
        try:
            threading.Thread(target=self._watch, args=(ctypes,), daemon=True, name="redwhite: user's functions").start()
        except RuntimeError:  # no threads here (a browser): then there is no limit
            return

    def _watch(self, ctypes: Any) -> None:
        while True:
            time.sleep(LIMIT / 40)
            late = time.monotonic() - LIMIT
            with self.lock:
                for thread, began in list(self.began.items()):
                    if began < late:
                        self.began[thread] = float("inf")  # once is enough
                        ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), ctypes.py_object(TooLong))


_watch = _Watch()
