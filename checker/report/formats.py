"""Which formats a trace can be written in, by the file's suffix: the one place where suffixes meet functions."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from model.errors import InputError
from model.trace import Counterexample
from model.verdict import Verdict


def _json(found: Counterexample) -> str:
    from checker.report.data import trace_json

    return json.dumps(trace_json(found), indent=1) + "\n"


def _text(found: Counterexample) -> str:
    from checker.report.text import trace_text

    return trace_text(found)


def _svg(found: Counterexample, bare: bool = False) -> str:
    from checker.draw.svg import svg

    return svg(found, bare)


def _png(found: Counterexample, bare: bool = False) -> bytes:
    from checker.draw.rendered import png

    return png(found, bare)


def _pdf(found: Counterexample) -> bytes:
    from checker.draw.rendered import pdf

    return pdf(found)


def _html(found: Counterexample) -> str:
    from checker.draw.page import html

    return html(found)


def _itf(found: Counterexample) -> str:
    from checker.export.informal import itf

    return itf(found)


def _shiviz(found: Counterexample) -> str:
    from checker.export.clocks import shiviz

    return shiviz(found)


def _mermaid(found: Counterexample) -> str:
    from checker.export.sequence import mermaid

    return mermaid(found)


def _log(found: Counterexample) -> str:
    from checker.export.log import log

    return log(found)


FORMATS: dict[str, Callable[..., str | bytes]] = {
    ".json": _json,
    ".txt": _text,
    ".svg": _svg,
    ".pdf": _pdf,
    ".png": _png,
    ".html": _html,
    ".itf.json": _itf,
    ".shiviz": _shiviz,
    ".mmd": _mermaid,
    ".jsonl": _log,
}
"""Suffix -> what makes the file's content, text or bytes, from a counterexample or witness."""
BARE = (".svg", ".png")
"""Those that can be made without caption and legend."""


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


def write_trace(found: Counterexample, path: str | Path, suffix: str | None = None, bare: bool = False) -> None:
    """The trace in the format of the path's suffix, or of the one given; `InputError` where that cannot be."""
    form = suffix or suffix_of(path)
    write(FORMATS[form](found, bare) if form in BARE else FORMATS[form](found), path)


def write_verdict(verdict: Verdict, path: str | Path) -> None:
    """A page with the whole verdict."""
    from checker.draw.report import verdict_html

    write(verdict_html(verdict), path)


def write_snapshots(verdict: Verdict, path: str | Path) -> None:
    """Every distinct completed SSS, a line of JSON each."""
    from checker.report.data import snapshot_lines

    write("".join(snapshot_lines(verdict.snapshots)), path)


def write(content: str | bytes, path: str | Path) -> None:
    """Write a file; `InputError` where that cannot be."""
    try:
        Path(path).write_bytes(content.encode() if isinstance(content, str) else content)
    except OSError as error:
        with suppress(OSError):
            if Path(path).is_file():
                Path(path).unlink()  # a part of it is no picture and no trace
        raise InputError(f"file {str(path)!r}: {error.strerror or error}") from None
