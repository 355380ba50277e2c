"""Standard output and error that decide nothing: what cannot be written there is dropped, and the verdict stands.

A pipe that closed, a disk that is full, a stream that was closed before we began, an encoding without our characters:
none of them ends a search, hides a file that was asked for, or changes an exit code.
"""

from __future__ import annotations

import codecs
import errno
import io
import os
import sys
from typing import TextIO

PLAIN = str.maketrans("○●◆✗│┃─━┏┓┗┛├┤┬┴┼→←↔≤≥×…·∀∃↠", "o*#x||--" + 9 * "+" + "><=<>x..AE>")
ERRORS = "redwhite-plain"


class Unfailing(io.TextIOWrapper):
    """A stream whose writes always succeed: after the first that did not, what is written goes nowhere."""

    failed: OSError | None = None

    def write(self, text: str) -> int:
        """Write, or let it be."""
        try:
            return super().write(text)
        except OSError as error:
            self._give_up(error)
            return len(text)

    def flush(self) -> None:
        """Write what waits, or let it be."""
        try:
            super().flush()
        except OSError as error:
            self._give_up(error)

    def _give_up(self, error: OSError) -> None:
        self.failed = self.failed or error
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, self.fileno())
        os.close(nowhere)


def _plain(error: UnicodeError) -> tuple[str, int]:
    """What stands for characters that an encoding lacks: a likeness in ASCII, else a question mark."""
    assert isinstance(error, UnicodeEncodeError)
    lacking = error.object[error.start : error.end].translate(PLAIN)
    return lacking.encode("ascii", "replace").decode("ascii"), error.end


def guard() -> None:
    """Put such streams in the place of standard output and standard error."""
    codecs.register_error(ERRORS, _plain)
    for number in (0, 1, 2):
        try:
            os.fstat(number)
        except OSError:  # closed: the next file opened would take its place, and get what is printed
            os.open(os.devnull, os.O_RDWR)
    sys.stdout = _guarded(sys.stdout, 1)
    sys.stderr = _guarded(sys.stderr, 2)


def _guarded(stream: TextIO | None, number: int) -> TextIO:
    raw = io.FileIO(number, "wb", closefd=False)
    encoding = getattr(stream, "encoding", None) or "utf-8"
    return Unfailing(io.BufferedWriter(raw), encoding, ERRORS, line_buffering=number == 2 or raw.isatty())


def finish() -> None:
    """Write what is left; a disk that is full is told of, a reader that left is not."""
    sys.stdout.flush()
    error = sys.stdout.failed if isinstance(sys.stdout, Unfailing) else None
    if error is not None and error.errno != errno.EPIPE:
        print(f"redwhite: standard output is not complete ({error.strerror})", file=sys.stderr)
    sys.stderr.flush()
