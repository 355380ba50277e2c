"""All theorems are proved once for the whole session; the tests read the results and the exported files."""

from __future__ import annotations

from pathlib import Path

import pytest

from proofs import broken_theories, prove, theorems
from proofs.claims import Theorem
from proofs.registry import THEORIES
from proofs.results import TheoremResult

STEPWISE = tuple(name for name, module in THEORIES.items() if module != "t14_sentence")
"""Those whose obligations are taken one by one: witnesses, assumptions dropped. The others are made of the same."""


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the questions were exported to; filled by `outcomes`."""
    return tmp_path_factory.mktemp("smt")


@pytest.fixture(scope="session")
def built() -> dict[str, Theorem]:
    """Every theorem with its obligations, built once."""
    return theorems()


@pytest.fixture(scope="session")
def outcomes(folder: Path) -> dict[str, TheoremResult]:
    """The result of these theorems and of every broken theory, by name."""
    return {result.name: result for result in prove((*STEPWISE, *broken_theories()), out=folder, workers=2)}


@pytest.fixture(scope="session")
def results(outcomes: dict[str, TheoremResult]) -> dict[str, TheoremResult]:
    """The theorems' results, by name."""
    return {name: outcomes[name] for name in STEPWISE}
