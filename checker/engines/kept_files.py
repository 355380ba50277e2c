"""Files that a search is resumed from: whole or absent, known by their digests, written by one process at a time.

A kept search is a folder of array files and one *note*, a JSON object that names them with their digests. The note is
written last, and bears a digest of itself; so whoever trusts nothing on the disk reads the note, then each file by the
digest that the note gives, and has either exactly what was written or an `InputError` of one line. A damaged file is
never interpreted: its digest is compared first. No file holds pickled objects, so reading one runs no code.

    with locked(folder):                                      # refused while another process holds it
        digest = write_arrays(folder / "rows.npz", {"rows": rows})
        write_note(folder / "search.json", {"rows": digest})  # from here on the new state counts
        ...
        note = read_note(folder / "search.json")
        rows = read_arrays(folder / "rows.npz", note["rows"])["rows"]

A file that replaces another takes its place at once and after its bytes have reached the disk (write, fsync, rename,
fsync of the folder): a process killed at any moment, or a machine that loses power, leaves the old file or the new one.
A digest tells damage and stray edits; it is no signature, and whoever may write the folder can forge one.
"""

from __future__ import annotations

import fcntl
import hashlib
import io
import json
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO, cast

import numpy as np
from numpy.typing import NDArray

from model.errors import InputError

LOCK = "lock"
PART = ".part"
"""The suffix of a file that is not whole yet."""
DIGEST = "digest"
"""The key of a note under which its own digest stands."""


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Hold the folder (made if absent) alone; `InputError` if another search does, or if there can be no folder.

    The kernel gives the lock back when the process ends, however it ends. What a killed process left half written is
    removed.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        handle = os.open(folder / LOCK, os.O_RDWR | os.O_CREAT, 0o666)
    except OSError as error:
        raise InputError(f"checkpoint {str(folder)!r}: no folder can be made there ({error.strerror})") from None
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise InputError(f"checkpoint {str(folder)!r} is in use by another search: name another folder") from None
        for part in folder.rglob(f"*{PART}"):
            part.unlink(missing_ok=True)
        yield
    finally:
        os.close(handle)


def write_whole(path: Path, fill: Callable[[BinaryIO], Any], durable: bool = True) -> None:
    """Write what `fill` writes, whole or not at all. `OSError` where the disk refuses.

    Not `durable`: a killed process leaves the old file or the new one, a machine that loses power perhaps neither.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f"{path.name}.{os.getpid()}{PART}")
    try:
        with part.open("wb") as file:
            fill(file)
            file.flush()
            if durable:
                os.fsync(file.fileno())
        os.replace(part, path)
        if durable:
            _sync_folder(path.parent)
    except BaseException:
        with suppress(OSError):
            part.unlink(missing_ok=True)
        raise


def write_arrays(path: Path, arrays: Mapping[str, NDArray[Any]]) -> str:
    """Write named arrays (of numbers; objects are refused) as one `.npz` file; its digest."""
    digests: list[str] = []

    def fill(file: BinaryIO) -> None:
        hashing = _Hashing(file)
        np.savez(cast(BinaryIO, hashing), allow_pickle=False, **arrays)
        digests.append(hashing.digest.hexdigest())

    write_whole(path, fill)
    return digests[0]


def read_arrays(path: Path, digest: str) -> dict[str, NDArray[Any]]:
    """The arrays of the file that has this digest; `InputError` where it is missing or is not what was written."""
    try:
        with path.open("rb") as file:
            if hashlib.file_digest(file, "sha256").hexdigest() != digest:
                raise damaged(path, "its digest is not the one noted")
            file.seek(0)
            with np.load(file, allow_pickle=False) as kept:
                return {name: kept[name] for name in kept.files}
    except OSError as error:
        raise damaged(path, error.strerror or type(error).__name__) from None


def write_note(path: Path, note: Mapping[str, Any]) -> None:
    """Write a JSON object with its own digest."""
    write_whole(path, lambda file: file.write(note_bytes(note)))


def read_note(path: Path) -> dict[str, Any]:
    """The object that `write_note` wrote; `InputError` where it is missing or is not what was written."""
    try:
        return note_of(path.read_bytes(), path)
    except OSError as error:
        raise damaged(path, error.strerror or type(error).__name__) from None


def note_bytes(note: Mapping[str, Any]) -> bytes:
    """The object as JSON, with its own digest."""
    return json.dumps({**note, DIGEST: _digest(note)}, indent=1).encode()


def note_of(content: bytes, path: Path | str) -> dict[str, Any]:
    """The object that these bytes, read from `path`, are; `InputError` if they are not what was written."""
    try:
        note = json.loads(content.decode())
    except (ValueError, RecursionError):
        raise damaged(path, "it is no JSON") from None
    if not isinstance(note, dict) or note.pop(DIGEST, None) != _digest(note):
        raise damaged(path, "its digest is not its own")
    return note


def damaged(path: Path | str, why: str) -> InputError:
    """The refusal of a file."""
    return InputError(f"checkpoint file {str(path)!r} is damaged ({why}): name a new folder and start anew")


def _digest(note: Mapping[str, Any]) -> str:
    return hashlib.sha256(json.dumps(note, sort_keys=True).encode()).hexdigest()


def _sync_folder(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


class _Hashing(io.RawIOBase):
    """A file that is only written on, and hashed on the way."""

    def __init__(self, file: BinaryIO) -> None:
        self.file = file
        self.digest = hashlib.sha256()

    def writable(self) -> bool:
        return True

    def write(self, content: Any) -> int:
        self.digest.update(content)
        return self.file.write(content)
