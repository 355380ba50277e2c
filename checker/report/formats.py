"""Which formats a trace can be written in, by the file's suffix: the one place where suffixes meet functions."""

from __future__ import annotations

import json
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

from model.errors import InputError
from model.trace import Counterexample
from model.verdict import Verdict

FORMATS = {
    ".json": "checker.report.formats:_json",
    ".txt": "checker.report.text:trace_text",
    ".svg": "checker.draw:svg",
    ".png": "checker.draw:png",
    ".html": "checker.draw:html",
    ".itf.json": "checker.export:itf",
    ".shiviz": "checker.export:shiviz",
    ".mmd": "checker.export:mermaid",
    ".jsonl": "checker.export.log:log",
}
"""Suffix -> module:function; a function makes the file's content, text or bytes, from a counterexample or witness."""

VERDICT_PAGE = "checker.draw:verdict_html"
"""The same for the page of one verdict (`check --html`)."""


def suffix_of(path: str | Path) -> str:
    """The format's suffix of a path, the longest that fits; `InputError` for a path of no known format."""
    fitting = [suffix for suffix in FORMATS if str(path).lower().endswith(suffix)]
    if not fitting:
        raise InputError(f"file {str(path)!r}: accepted are the suffixes {', '.join(FORMATS)}")
    return max(fitting, key=len)


def writable(path: str | Path) -> None:
    """Refuse, before a long search, a file that could not be written after it."""
    folder = Path(path).parent
    if not folder.is_dir():
        raise InputError(f"file {str(path)!r}: there is no folder {str(folder)!r}")
    if Path(path).is_dir():
        raise InputError(f"file {str(path)!r} is a folder")


def write_trace(found: Counterexample, path: str | Path, suffix: str | None = None) -> None:
    """The trace in the format of the path's suffix, or of the one given; `InputError` where that cannot be."""
    write(_made(FORMATS[suffix or suffix_of(path)], found, str(path)), path)


def write_verdict(verdict: Verdict, path: str | Path) -> None:
    """A page with the whole verdict."""
    write(_made(VERDICT_PAGE, verdict, str(path)), path)


def write_snapshots(verdict: Verdict, path: str | Path) -> None:
    """Every distinct completed SSS, a line of JSON each."""
    from checker.report.data import snapshot_lines

    write("".join(snapshot_lines(verdict.snapshots)), path)


def _made(where: str, found: Counterexample | Verdict, path: str) -> str | bytes:
    module, _, function = where.partition(":")
    try:
        make: Callable[[object], str | bytes] = getattr(import_module(module), function)
    except (ImportError, AttributeError) as error:
        raise InputError(f"file {path!r}: this installation cannot make it ({error})") from None
    return make(found)


def write(content: str | bytes, path: str | Path) -> None:
    """Write a file; `InputError` where that cannot be."""
    try:
        Path(path).write_bytes(content.encode() if isinstance(content, str) else content)
    except OSError as error:
        raise InputError(f"file {str(path)!r}: {error.strerror or error}") from None


def _json(found: Counterexample) -> str:
    from checker.report.data import trace_json

    return json.dumps(trace_json(found), indent=1) + "\n"
