"""All theorems are proved once for the whole session; the tests read the results and the exported files."""

from __future__ import annotations

from pathlib import Path

import pytest

from proofs import prove, theorems
from proofs.claims import Theorem
from proofs.results import TheoremResult


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the questions were exported to; filled by `results`."""
    return tmp_path_factory.mktemp("smt")


@pytest.fixture(scope="session")
def built() -> dict[str, Theorem]:
    """Every theorem with its obligations, built once."""
    return theorems()


@pytest.fixture(scope="session")
def results(folder: Path) -> dict[str, TheoremResult]:
    """Every theorem's result, by name."""
    return {result.name: result for result in prove(out=folder, workers=2)}
