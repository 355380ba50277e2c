"""Classes in a user's Python files: found by `path/to/file.py:Class`, and named so that they are found again."""

from __future__ import annotations

import builtins
import importlib.util
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

from model.asking import OURS, asked, library, ours, shorter
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
    return _loaded(path, lambda run, module: asked(run, module, owner=module))


def _loaded(path: Path, asking: Callable[[Callable[[ModuleType], None], ModuleType], None]) -> ModuleType:
    name, version = private_name(path), _version(path)
    known = sys.modules.get(name)
    if known is not None and getattr(known, VERSION, version) == version:  # while it is run, it has none
        return known
    inside = [str(path.parent)] if path.name == PACKAGE else None
    specification = importlib.util.spec_from_file_location(name, path, submodule_search_locations=inside)
    assert specification is not None and specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    beside = {own: found for own in OURS if (found := _beside(path.parent, own)) is not None}
    if beside:
        vars(module)["__builtins__"] = {**vars(builtins), "__import__": importing(beside)}
    sys.modules[name] = module
    try:
        asking(specification.loader.exec_module, module)
    except BaseException:
        sys.modules.pop(name, None)
        raise
    vars(module)[VERSION] = version
    return module


# -- a model.py of the user's own ----------------------------------------------------------------------------------

PACKAGE = "__init__.py"
VERSION = "__redwhite_version__"


def private_name(path: Path) -> str:
    """The name under which a file of the user's is loaded: it may be called as our packages are."""
    stem = path.parent.name if path.name == PACKAGE else path.stem
    return f"redwhite_user_{stem}_{abs(hash(path.resolve()))}"


def importing(theirs: Mapping[str, Path]) -> Callable[..., ModuleType]:
    """An `__import__` by which the user's code gets these files where it names one, and ours goes on getting ours."""
    usual = builtins.__import__

    def find(
        name: str,
        globals: Mapping[str, object] | None = None,
        locals: Mapping[str, object] | None = None,
        fromlist: Sequence[str] | None = (),
        level: int = 0,
    ) -> ModuleType:
        top = name.partition(".")[0]
        if level or top not in theirs or not _of_the_user(globals or {}):
            return usual(name, globals, locals, fromlist or (), level)
        module = _loaded(theirs[top], lambda run, module: run(module))
        return usual(module.__name__ + name[len(top) :], globals, locals, fromlist or (), 0)

    return find


def adopt(module: ModuleType, path: Path) -> None:
    """A module that was imported under a name of ours, or is just being run, is the user's under a private one."""
    name = private_name(path)
    if module.__spec__ is not None:
        module.__spec__.name = name
    vars(module).update({"__name__": name, VERSION: _version(path)})
    if path.name == PACKAGE:
        vars(module)["__package__"] = name
    sys.modules[name] = module


def _version(path: Path) -> tuple[int, int]:
    about = path.stat()
    return about.st_mtime_ns, about.st_size


def _beside(folder: Path, name: str) -> Path | None:
    """A module of the user's that is called so, in this folder."""
    found = (path for path in (folder / f"{name}.py", folder / name / PACKAGE) if path.is_file())
    return next((path for path in found if not ours(str(path.resolve()))), None)


def _of_the_user(names: Mapping[str, object]) -> bool:
    """Whether a module with these globals is the user's: no library's, and none of ours."""
    file = names.get("__file__")
    return not (ours(file) or library(file)) if isinstance(file, str) else names.get("__name__") == "__main__"
