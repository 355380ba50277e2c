"""All theorems are proved once for the whole session; the tests read the results and the exported files."""

from __future__ import annotations

from pathlib import Path

import pytest

from proofs import broken_theories, prove, theorems
from proofs.claims import Theorem
from proofs.registry import THEORIES
from proofs.results import TheoremResult


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
    """The result of every theorem and of every broken theory, by name."""
    return {result.name: result for result in prove((*THEORIES, *broken_theories()), out=folder, workers=2)}


@pytest.fixture(scope="session")
def results(outcomes: dict[str, TheoremResult]) -> dict[str, TheoremResult]:
    """Every theorem's result, by name."""
    return {name: outcomes[name] for name in THEORIES}
