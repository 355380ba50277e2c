"""Classes in a user's Python files: found by `path/to/file.py:Class`, and named so that they are found again."""

from __future__ import annotations

import importlib.util
import re
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

from model.asking import asked, shorter
from model.errors import InputError

FILE = re.compile(r"(?![\w-]+,)(?P<path>.*?\.py)(:(?P<name>[^,]*))?(?=,|$)")
"""A path may have commas, but not after a word that could be the name of a program with its options."""


def file_of(word: str) -> str | None:
    """The Python file that a word of the command line names, and that is run if it is read; None if it names none."""
    found = FILE.match(word)
    return found["path"] if found else None


def split(word: str) -> tuple[str, list[str]]:
    """The name that a word begins with, and the options after it; a file's path may itself have commas."""
    found = FILE.match(word)
    name = found.group() if found else word.partition(",")[0]
    options = word[len(name) + 1 :]
    return name, options.split(",") if word[len(name) :] else []


def named(found: type[Any]) -> str:
    """`path/to/file.py:Class` if the class can be found there again, else its bare name."""
    module = sys.modules.get(found.__module__)
    path = getattr(module, "__file__", None) or ""
    if not path.endswith(".py") or getattr(module, found.__qualname__, None) is not found:
        return found.__name__
    path = shorter(path) if FILE.fullmatch(shorter(path)) else str(Path(path).resolve())
    return f"{path}:{found.__qualname__}"


def load_class(name: str, base: type[Any]) -> type[Any]:
    """The class that `path/to/file.py:Class` names, or the only one of its kind in `path/to/file.py`."""
    found = FILE.match(name)
    if found is None or found.group() != name:
        raise InputError(f"{name!r}: accepted is path/to/file.py:Class")
    path, class_name = found["path"], found["name"]
    module = load_file(path)
    classes = {n: c for n, c in vars(module).items() if isinstance(c, type) and issubclass(c, base) and c is not base}
    own = [n for n, c in classes.items() if c.__module__ == module.__name__]
    if not class_name and len(own) == 1:
        return classes[own[0]]
    if class_name not in classes:
        asked_for = f"no {base.__name__} {class_name!r}" if class_name else f"no one {base.__name__} of its own"
        raise InputError(f"{path} has {asked_for}; it has: {', '.join(own or classes) or 'none'}")
    return classes[class_name]


def load_file(path_text: str) -> ModuleType:
    """The module in this file of the user's, run under a name of its own, and once as long as the file stays as it is.

    So a program and a property that are read from one file mean the same classes.
    """
    path = Path(path_text)
    if not path.is_file():
        raise InputError(f"there is no file {path_text}")
    module_name = f"redwhite_user_{path.stem}_{abs(hash(path.resolve()))}"
    about = path.stat()
    version = (about.st_mtime_ns, about.st_size)
    known = sys.modules.get(module_name)
    if known is not None and getattr(known, "__redwhite_version__", None) == version:
        return known
    specification = importlib.util.spec_from_file_location(module_name, path)
    assert specification is not None and specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    sys.modules[module_name] = module
    asked(specification.loader.exec_module, module, owner=module)
    vars(module)["__redwhite_version__"] = version
    return module
