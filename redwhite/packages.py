"""Our packages are found where this one is installed, whatever else is called `model` on the way.

Python looks in the folder of a script, the working folder and PYTHONPATH before it looks among what is installed, so a
model.py beside a user's script would be taken for ours. A finder that is asked first answers for our three names.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from types import ModuleType

NAMES = ("model", "checker", "proofs")
ROOT = Path(__file__).resolve().parents[1]


class Ours:
    """A finder (`importlib.abc.MetaPathFinder`) of our packages, in the folder that holds this one; of nothing else."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Where one of our packages is."""
        return PathFinder.find_spec(fullname, [str(ROOT)]) if fullname in NAMES else None


def find_ours() -> None:
    """From here on our packages are found; `ImportError` where another module has one of their names already."""
    for name in NAMES:
        path = getattr(sys.modules.get(name), "__file__", None)
        if path is not None and not Path(path).resolve().is_relative_to(ROOT):
            raise ImportError(
                f"{path} was imported as {name!r}, which is the name of a package of Redwhite's: rename that file"
            )
    if not any(isinstance(finder, Ours) for finder in sys.meta_path):
        sys.meta_path.insert(0, Ours())
