"""The arrows of the architecture: who may import whom, and which library stays in which room."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGES = ("redwhite", "model", "checker", "proofs")
FILES = sorted(path for package in PACKAGES for path in (ROOT / package).rglob("*.py"))

ROOMS = {
    "z3": ("checker/engines/symbolic", "checker/synthesis", "proofs"),
    "cvc5": ("checker/engines/symbolic", "proofs"),
    "numba": ("checker/engines/native", "checker/engines/distributed/kernels.py"),
    "pyspark": ("checker/spark", "checker/engines/distributed", "checker/sweep", "checker/audit"),
    "tabulate": ("proofs",),
    "matplotlib": ("checker/sweep", "checker/draw", "checker/report"),
    "argcomplete": ("checker/cli",),
    "jinja2": ("checker/draw",),
    "markupsafe": ("checker/draw",),
}
ENGINES = tuple(f"checker.engines.{name}" for name in ("reference", "native", "distributed", "symbolic"))
# The distributed engine is the native kernels on partitions of the state space.
MAY_USE = {"checker.engines.distributed": {"checker.engines.native"}}


MADE = re.compile(rf"({'|'.join(PACKAGES)})\.(\w+\.)*")


def imports(path: Path) -> Iterator[str]:
    """The modules that a file imports, anywhere in it, also by strings that name them."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value in MODULES:
            yield node.value
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def dotted(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


MODULES = frozenset(map(dotted, FILES)) - set(PACKAGES)


@pytest.mark.parametrize("path", [f for f in FILES if f.is_relative_to(ROOT / "model")], ids=dotted)
def test_model_imports_itself_and_the_standard_library_only(path: Path) -> None:
    for name in imports(path):
        top = name.split(".")[0]
        assert top == "model" or top in sys.stdlib_module_names, f"{path} imports {name}"


def test_what_is_imported_by_a_string_is_spelled_out_or_lies_beside() -> None:
    """So that the other tests see it: a module's whole name in a string, or a part of it after its own package's."""
    beside = {"checker/cli/app.py": "checker.cli.", "proofs/registry.py": "proofs."}
    for path in FILES:
        place = path.relative_to(ROOT).as_posix()
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.JoinedStr):
                start = node.values[0].value if isinstance(node.values[0], ast.Constant) else ""
                if MADE.fullmatch(str(start)):
                    assert start == beside.get(place), f"{place} makes the name of a module"
        if path.is_relative_to(ROOT / "model") and "import_module" in path.read_text(encoding="utf-8"):
            assert path == ROOT / "model/implementation/freezing.py"  # a module of the user's, whose names it restores


def test_checker_and_proofs_do_not_import_each_other_but_on_the_command_line() -> None:
    for path in FILES:
        for name in imports(path):
            if name.split(".")[0] == "proofs" and path.is_relative_to(ROOT / "checker"):
                assert path.is_relative_to(ROOT / "checker" / "cli"), f"{path} imports {name}"
            if name.split(".")[0] == "checker":
                assert not path.is_relative_to(ROOT / "proofs"), f"{path} imports {name}"


def test_nothing_imports_the_public_face_but_to_have_our_packages_found_first() -> None:
    for path in FILES:
        if not path.is_relative_to(ROOT / "redwhite") and "redwhite" in {name.split(".")[0] for name in imports(path)}:
            assert path == ROOT / "checker/__init__.py"


def test_no_engine_imports_another() -> None:
    for path in FILES:
        own = next((engine for engine in ENGINES if dotted(path).startswith(engine)), None)
        if own is None:
            continue
        for name in imports(path):
            other = next((engine for engine in ENGINES if name == engine or name.startswith(engine + ".")), own)
            assert other == own or other in MAY_USE.get(own, ()), f"{path} imports {name}"


def test_engines_import_judging_and_judging_imports_no_engine() -> None:
    """What it is given is an `Exploration`; of the engines' folder it knows what all of them share."""
    judging = [path for path in FILES if path.is_relative_to(ROOT / "checker/judging")]
    assert len(judging) > 10
    for path in judging:
        for name in imports(path):
            assert not name.startswith(ENGINES), f"{path} imports {name}"


@pytest.mark.parametrize("library", ROOMS)
def test_each_library_stays_in_its_rooms(library: str) -> None:
    for path in FILES:
        if library in {name.split(".")[0] for name in imports(path)}:
            place = path.relative_to(ROOT).as_posix()
            assert place.startswith(ROOMS[library]), f"{place} imports {library}"


@pytest.mark.parametrize(
    ("module", "absent"),
    [
        ("model", "networkx"),
        ("model", "checker"),
        ("checker", "pyspark"),
        ("checker", "numba"),
        ("checker", "networkx"),
        ("checker", "model"),
    ],
)
def test_importing_a_package_does_not_pull_in_what_only_some_need(module: str, absent: str) -> None:
    script = f"import sys, {module}; sys.exit({absent!r} in sys.modules)"
    assert subprocess.run([sys.executable, "-c", script], cwd=ROOT, check=False).returncode == 0
