"""The static folder: the page, Redwhite's own sources packed as they are, and a Python for the browser.

That Python is Pyodide, from its registry, of one version and one digest; nothing is fetched when the page is used.
"""

from __future__ import annotations

import base64
import hashlib
import io
import tarfile
import zipfile
from collections.abc import Iterator
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

from model.errors import InputError

PYODIDE = "314.0.7"
ADDRESS = f"https://registry.npmjs.org/pyodide/-/pyodide-{PYODIDE}.tgz"
DIGEST = "0YvXxEhfEdpLfb/XkM2BFAeMROq0iMUX2bzzH9pOttyMcWkwq+HbE5uyuGD82LN7y2q+SNvi/6V5JEsOlD2R1A=="
"""SHA-512 of the archive, as the registry gives it."""

NEEDED = ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "python_stdlib.zip", "pyodide-lock.json")
"""The files of Pyodide that a page loads."""

PACKED = ("redwhite", "model", "checker", "rich", "tabulate", "jinja2", "markupsafe")
"""Packages that the reference engine, the reports and the drawings import."""

PAGE = ("index.html", "run.html", "playground.css", "playground.js", "worker.js")


def build(folder: Path, archive: Path | None = None) -> None:
    """Write the playground into the folder; archive: Pyodide's, else it is fetched. `InputError` for another one."""
    try:
        content = archive.read_bytes() if archive is not None else _fetched()
    except OSError as error:
        raise InputError(f"--pyodide {str(archive)!r}: {error.strerror}") from None
    if base64.b64encode(hashlib.sha512(content).digest()).decode() != DIGEST:
        raise InputError(f"{archive or ADDRESS}: not the archive of Pyodide {PYODIDE}, by its SHA-512")
    (folder / "pyodide").mkdir(parents=True, exist_ok=True)
    with tarfile.open(fileobj=io.BytesIO(content)) as packed:
        for name in NEEDED:
            member = packed.extractfile(f"package/{name}")
            assert member is not None, "the digest was right"
            (folder / "pyodide" / name).write_bytes(member.read())
    for name in PAGE:
        (folder / name).write_bytes(files("checker.playground").joinpath("page", name).read_bytes())
    (folder / "redwhite.zip").write_bytes(packages())


def _fetched() -> bytes:
    try:
        with urlopen(ADDRESS, timeout=60) as answer:
            content: bytes = answer.read()
            return content
    except (URLError, OSError) as error:
        raise InputError(f"{ADDRESS} cannot be fetched ({error}): give the archive with --pyodide FILE") from None


def packages() -> bytes:
    """A zip file of the packages, the same bytes for the same sources."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in PACKED:
            for place, source in _sources(name):
                archive.writestr(zipfile.ZipInfo(place), source.read_bytes(), zipfile.ZIP_DEFLATED)
    return packed.getvalue()


def _sources(package: str) -> Iterator[tuple[str, Path]]:
    """The package's files, in order, with their places in the zip."""
    found = find_spec(package)
    assert found is not None and found.origin is not None, f"{package} is installed with Redwhite"
    home = Path(found.origin).parent
    for source in sorted(home.rglob("*")):
        inner = source.relative_to(home.parent)
        if source.is_file() and source.suffix not in (".pyc", ".so") and "__pycache__" not in inner.parts:
            yield inner.as_posix(), source
