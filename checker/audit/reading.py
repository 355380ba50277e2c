"""Log files to histories: every line becomes an event, a claim, or is counted as not understood; none is passed over.

Files are read in the natural order of their names, whatever order they are given in, so that the parts of a log that
was rotated follow one another. Memory is that of the events: a line has a bounded length.
"""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from importlib import import_module
from io import BufferedIOBase
from pathlib import Path
from typing import NamedTuple

from checker.audit.events import Claim, Event, NotUnderstood, Place, natural, parsed
from checker.audit.history import History
from model.errors import InputError

LONGEST = 1 << 24
"""The most bytes of a line."""
READERS = {
    ".shiviz": "checker.audit.formats.vector_clocks",
    ".govector": "checker.audit.formats.vector_clocks",
    ".otlp.json": "checker.audit.formats.spans",
    ".otlp.jsonl": "checker.audit.formats.spans",
}
"""Formats that have a reader of their own, by suffix; all else is JSON Lines."""
LARGE = 256 << 20
"""From how many bytes on logs are read on Spark without being asked to."""
PARQUET = ".parquet"
"""A table that is read on Spark."""
SUFFIXES = (".jsonl", ".jsonl.gz", ".ndjson", ".ndjson.gz", PARQUET)


class Unread(NamedTuple):
    """A line that is no event, and why."""

    place: Place
    text: str
    why: str


@dataclass(slots=True)
class Reading:
    """What was read: histories by run, and what was not understood; `files` are in the order of reading."""

    histories: dict[str, History] = field(default_factory=dict)
    unread: list[Unread] = field(default_factory=list)
    files: list[str] = field(default_factory=list)
    events: int = 0

    def add(self, run: str, said: Event | Claim) -> None:
        """One more line."""
        history = self.histories.get(run)
        if history is None:
            history = self.histories[run] = History(run)
        history.add(said)
        self.events += 1


def read(paths: Iterable[str]) -> Reading:
    """The histories in these files and folders; `InputError` where there is nothing to read."""
    files = log_files(paths)
    reading = Reading(files=[str(path) for path in files])
    for path in files:
        if path.name.endswith(PARQUET):
            raise InputError(f"log {str(path)!r}: Parquet is read on Spark (`--master local[2]`)")
        reader = next((where for suffix, where in READERS.items() if path.name.lower().endswith(suffix)), None)
        if reader is not None:
            import_module(reader).read(path, reading)
            continue
        for place, line in numbered(path, reading):
            read_line(reading, place, line)
    if not reading.events:
        first = f"; first: {reading.unread[0].why}" if reading.unread else ""
        raise InputError(
            f"log {', '.join(map(repr, map(str, files)))}: none of its {len(reading.unread)} lines is an event{first}"
        )
    return reading


def read_line(reading: Reading, place: Place, line: bytes | None) -> None:
    """One line of JSON; None: a line that was too long."""
    if line is None:
        reading.unread.append(Unread(place, "", f"longer than {LONGEST} bytes"))
        return
    if not line.strip():
        return
    text = line.decode("utf-8", "backslashreplace").strip().removeprefix("\ufeff")
    try:
        if not line.isascii():
            line.decode()
        run, said = parsed(json.loads(text), place, text)
    except NotUnderstood as error:
        reading.unread.append(Unread(place, text, str(error)))
    except UnicodeDecodeError:
        reading.unread.append(Unread(place, text, "not UTF-8"))
    except (ValueError, RecursionError) as error:
        reading.unread.append(Unread(place, text, f"not JSON ({type(error).__name__})"))
    else:
        reading.add(run, said)


def log_files(paths: Iterable[str]) -> list[Path]:
    """The files, and those in the folders whose names end like a log's; each once, in the natural order of names."""
    found: dict[Path, None] = {}
    for name in paths:
        path = Path(name)
        if not name:
            raise InputError("log '': accepted are files and folders")
        if path.is_dir():
            inside = [p for p in path.rglob("*") if p.is_file() and p.name.lower().endswith((*SUFFIXES, *READERS))]
            if not inside:
                raise InputError(f"log {name!r}: a folder without files {', '.join(SUFFIXES)}")
            found |= dict.fromkeys(inside)
        elif path.is_file():
            found[path] = None
        else:
            kind = "is no file or folder" if path.exists() else "does not exist"
            raise InputError(
                f"log {name!r} {kind}: accepted are files {', '.join((*SUFFIXES, *READERS))} and folders of them"
            )
    return sorted(found, key=lambda path: natural(str(path)))


def logged(paths: Iterable[str]) -> list[str]:
    """The files, and on other storage the paths as they are, which Spark will look at."""
    far = [path for path in paths if "://" in path]
    near = [path for path in paths if "://" not in path]
    return far + [str(path) for path in (log_files(near) if near else [])]


def size(paths: Iterable[str]) -> int:
    """The bytes of these files and folders, as they are stored; what is on other storage counts as large."""
    return sum(LARGE if "://" in path else Path(path).stat().st_size for path in logged(paths))


def numbered(path: Path, reading: Reading) -> Iterator[tuple[Place, bytes | None]]:
    """The lines of a file with their places; None for one that is too long. A file that breaks off is remarked on."""
    number = 0
    try:
        with opened(path) as stream:
            while line := stream.readline(LONGEST + 1):
                number += 1
                whole = line.endswith(b"\n") or len(line) <= LONGEST
                yield Place(str(path), number), line if whole else None
                while not whole:
                    rest = stream.readline(LONGEST)
                    whole = not rest or rest.endswith(b"\n")
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        place = Place(str(path), number + 1)
        reading.unread.append(Unread(place, "", f"the compressed file breaks off here ({error})"))
    except OSError as error:
        raise InputError(f"log {str(path)!r}: cannot be read ({error.strerror or error})") from None


def opened(path: Path) -> BufferedIOBase:
    """The file's bytes, unpacked if it is compressed, whatever its name."""
    stream = path.open("rb")
    if stream.peek(2)[:2] == b"\x1f\x8b":
        stream.close()
        return gzip.open(path, "rb")
    return stream
