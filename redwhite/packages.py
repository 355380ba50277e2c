"""Our packages are found where this one is installed, whatever else is called `model` on the way.

Python looks in the folder of a script, the working folder and PYTHONPATH before it looks among what is installed, so a
model.py beside a user's script would be taken for ours. A finder that is asked first answers for our three names. Where
there is such a file the user's own imports of that name get it, under a private name (`model.user_code`).
"""

from __future__ import annotations

import builtins
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
    """From here on our packages are found, and who is neither ours nor a library gets his own of the same name."""
    if not any(isinstance(finder, Ours) for finder in sys.meta_path):
        sys.meta_path.insert(0, Ours())
    theirs = {name: path for name in NAMES if (path := _theirs(name)) is not None}
    imported = {name: sys.modules[name] for name in theirs if name in sys.modules}
    for known in list(sys.modules):
        if known.partition(".")[0] in imported:
            del sys.modules[known]
    if theirs:
        from model.user_code import adopt, importing

        for name, module in imported.items():
            adopt(module, theirs[name])
        builtins.__import__ = importing(theirs)


def _theirs(name: str) -> Path | None:
    """The file of another module of this name, that was imported already or that is found before ours."""
    known = sys.modules.get(name)
    found = PathFinder.find_spec(name) if known is None else None
    file = getattr(known, "__file__", None) if found is None else found.origin
    return None if file is None or Path(file).resolve().is_relative_to(ROOT / name) else Path(file)
