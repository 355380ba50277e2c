"""Formats that others read: a trace as ITF, ShiViz log or Mermaid; a system as Promela, TLA+ or Graphviz DOT."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

from model.errors import InputError
from model.system import System
from model.trace import Counterexample


def _promela(system: System) -> str:
    from checker.export.promela import promela

    return promela(system)


def _dot(system: System) -> str:
    from checker.export.graph import dot

    return dot(system)


def _tla(system: System) -> str:
    from checker.export.tla import tla

    return tla(system)


SYSTEM_FORMATS: dict[str, Callable[[System], str]] = {".pml": _promela, ".tla": _tla, ".dot": _dot}
"""Suffix -> what makes the file's text from a system; refused, with `InputError`, where it is too large."""


def itf(found: Counterexample) -> str:
    """The trace in Apalache's Informal Trace Format."""
    from checker.export import informal

    return informal.itf(found)


def shiviz(found: Counterexample) -> str:
    """The trace as a ShiViz log."""
    from checker.export import clocks

    return clocks.shiviz(found)


def mermaid(found: Counterexample) -> str:
    """The trace as a Mermaid sequence diagram."""
    from checker.export import sequence

    return sequence.mermaid(found)


def writable_system(path: str) -> str:
    """The suffix of a file that a system can be written to; `InputError`, before the work, for any other path."""
    found = Path(path)
    if found.suffix not in SYSTEM_FORMATS:
        raise InputError(f"file {path!r}: accepted are the suffixes {', '.join(SYSTEM_FORMATS)}")
    if found.is_dir() or not found.parent.is_dir():
        raise InputError(f"file {path!r}: accepted is a file in a folder that exists")
    if found.suffix == ".tla" and not re.fullmatch(r"[A-Za-z][A-Za-z0-9_]*", found.stem):
        raise InputError(f"file {path!r}: a TLA+ file is named like its module: a letter, then letters, digits, _")
    return found.suffix


def system_text(system: System, suffix: str, path: Path) -> Iterator[tuple[Path, str]]:
    """The files that stand for the system, each with its text: `path` alone, or a TLA+ module and its .cfg."""
    if suffix == ".tla":
        from checker.export.tla import configuration, tla

        yield path, tla(system, path.stem)
        yield path.with_suffix(".cfg"), configuration()
        return
    yield path, SYSTEM_FORMATS[suffix](system)
