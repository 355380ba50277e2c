"""All theorems, in the order of EWD864a, and the broken theories; each is built only when it is asked for."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from model.errors import InputError, like

if TYPE_CHECKING:
    from proofs.broken import Broken
    from proofs.claims import Theorem

THEORIES: dict[str, str] = {
    "commute": "t01_commute",
    "exchange": "t02_exchange",
    "inversions": "t03_inversions",
    "white": "t04_white",
    "red": "t05_red",
    "markers": "t06_markers",
    "record": "t07_record",
    "completion": "t08_completion",
    "sharpness": "t09_sharpness",
    "stability": "t10_stability",
    "colour": "t11_colour",
    "barriers": "t12_barriers",
    "interference": "t13_interference",
    "marker-sentence": "t14_sentence",
    "colour-sentence": "t14_sentence",
    "aligned-sentence": "t14_sentence",
    "unaligned-sentence": "t14_sentence",
    "overtaking-sentence": "t14_sentence",
    "cyclic-sentence": "t14_sentence",
    "conservation": "t20_conservation",
    "exactly-once": "t21_exactly_once",
    "exchanges": "t22_exchanges",
    "obtainable": "t23_obtainable",
}
"""Name of the theorem -> its module; its place in the list is its number. One module may state several, by name."""


def theorem(name: str) -> Theorem:
    """The theorem of that name; `InputError` for an unknown one."""
    if name not in THEORIES:
        raise _unknown(name)
    module = import_module(f"proofs.{THEORIES[name]}")
    several = list(THEORIES.values()).count(THEORIES[name]) > 1
    found: Theorem = module.theorem(name, list(THEORIES).index(name) + 1) if several else module.theorem()
    return found


def theorems() -> dict[str, Theorem]:
    """Every theorem, by name, in order."""
    return {name: theorem(name) for name in THEORIES}


def broken_theories() -> dict[str, Broken]:
    """Every broken theory and control, by name."""
    found: Sequence[Broken] = import_module("proofs.broken").BROKEN
    return {theory.name: theory for theory in found}


def sentences() -> dict[str, str]:
    """Name -> first sentence of the theory's docstring, read from the file: no solver is loaded."""
    folder = Path(__file__).parent
    found = {}
    for name, module in THEORIES.items():
        docstring = ast.get_docstring(ast.parse((folder / f"{module}.py").read_text(encoding="utf-8"))) or ""
        sentence = " ".join(docstring.split("\n\n")[0].split())
        number = list(THEORIES).index(name) + 1
        found[name] = sentence.replace("Theorems 14 to 19:", f"Theorem {number}, {name}:")
    return found


def select(names: Sequence[str]) -> tuple[str, ...]:
    """The names meant: theorems by name or number, broken theories by name; all theorems if none is given."""
    by_number = {str(number): name for number, name in enumerate(THEORIES, start=1)}
    chosen = [by_number.get(name, name) for name in names] or list(THEORIES)
    others = [name for name in chosen if name not in THEORIES]
    known = broken_theories() if others else {}
    for name in others:
        if name not in known:
            raise _unknown(name)
    return tuple(dict.fromkeys(chosen))


def _unknown(name: str) -> InputError:
    theories, broken = f"{', '.join(THEORIES)}, or 1 to {len(THEORIES)}", "; ".join(broken_theories())
    near = like(name, [*THEORIES, *broken_theories()])
    return InputError(f"theorem '{name}': {near}choose from {theories}; or a broken theory: {broken}")
