"""Our packages are found before a user's modules of the same names: a folder with a model.py must not break us.

Imported first, since Python puts the working folder of a script or notebook, and those of PYTHONPATH, ahead of what is
installed; entries with a module called like one of ours go last.
"""

from __future__ import annotations

import sys
from pathlib import Path

NAMES = ("model", "checker", "proofs")
ROOT = Path(__file__).resolve().parents[1]


def shadows(entry: str) -> bool:
    """Whether this entry of the path has a module of its own under one of our names."""
    folder = Path(entry or ".").resolve()
    return folder != ROOT and any((folder / f"{n}.py").exists() or (folder / n / "__init__.py").exists() for n in NAMES)


if last := [entry for entry in sys.path if shadows(entry)]:
    sys.path[:] = [entry for entry in sys.path if entry not in last] + last
