"""Files that a user names: read whole, or refused in one line; never a device, a pipe, or more than can be meant."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from model.errors import InputError

LARGEST = 64 << 20
"""Bytes of the largest file that is read whole."""


def read_input(path: str | Path, what: str = "file", most: int = LARGEST) -> bytes:
    """The file's content; `InputError` for one that is missing, no file, or larger than `most` bytes.

    Pipes and devices are refused by their kind, before they are opened for reading: they may have no end.
    """
    name = repr(str(path) if len(str(path)) <= 200 else f"{str(path)[:197]}...")
    try:
        handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
        with os.fdopen(handle, "rb") as file:
            if not stat.S_ISREG(os.fstat(handle).st_mode):
                raise InputError(f"{what} {name} is no file")
            content = file.read(most + 1)
    except (OSError, ValueError) as error:  # ValueError: a NUL character in the path
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise InputError(f"{what} {name}: {reason[:1].lower()}{reason[1:]}") from None
    if len(content) > most:
        raise InputError(f"{what} {name}: larger than {most >> 20} MB")
    return content


def read_text(path: str | Path, what: str = "file", most: int = LARGEST) -> str:
    """The same as UTF-8 text; `InputError` for bytes that are none."""
    try:
        return read_input(path, what, most).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"{what} {str(path)!r}: not UTF-8 text (byte {error.start})") from None
