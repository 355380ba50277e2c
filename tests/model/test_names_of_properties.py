"""Only the catalogue and the command line call a property by its name: all else knows what it declares."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from model.properties import PROPERTIES

ROOT = Path(__file__).parents[2]
MAY_NAME = ("model/properties", "checker/cli", "checker/playground")
"""The playground is a command line, too: its page is filled in with the same words."""
ORDINARY = {name for name in PROPERTIES if name.isalpha()}
"""Names that are ordinary English words, too: such a one is spelled where it is all that a string says."""
COMPOUND = re.compile(rf"(?<![\w-])({'|'.join(set(PROPERTIES) - ORDINARY)})(?![\w-])")
FIELDS = {("checker/report/explain.py", "equivalent")}
"""Fields of the JSON that happen to be called like a property."""


def strings(path: Path) -> Iterator[str]:
    """The string constants of a file that are not docstrings."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    prose = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in prose:
            yield node.value


def spelled(path: Path) -> set[str]:
    """The names of properties that a file spells."""
    found = set[str]()
    for text in strings(path):
        found.update(COMPOUND.findall(text), {text} & ORDINARY)
    return {name for name in found if (path.relative_to(ROOT).as_posix(), name) not in FIELDS}


@pytest.mark.parametrize("package", ["model", "checker", "redwhite"])
def test_no_module_spells_the_name_of_a_property(package: str) -> None:
    files = sorted((ROOT / package).rglob("*.py"))
    offending = {path.relative_to(ROOT).as_posix(): names for path in files if (names := spelled(path))}
    assert {path: names for path, names in offending.items() if not path.startswith(MAY_NAME)} == {}
    assert package != "model" or any(path.startswith("model/properties") for path in offending)
