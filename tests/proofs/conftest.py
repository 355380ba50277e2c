"""All theorems are proved once for the whole session, however many processes run it; the tests read what came out."""

from __future__ import annotations

import fcntl
import os
import pickle
from pathlib import Path

import pytest

from proofs import broken_theories, prove, theorems
from proofs.claims import Theorem
from proofs.registry import THEORIES
from proofs.results import TheoremResult

STEPWISE = tuple(name for name, module in THEORIES.items() if module != "t14_sentence")
"""Those whose obligations are taken one by one: witnesses, assumptions dropped. The others are made of the same."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What reads the outcome of all the proofs is for .ci/run: they take both solvers more than a minute."""
    for item in items:
        if "outcomes" in getattr(item, "fixturenames", ()) or item.path.name == "test_certificates.py":
            item.add_marker(pytest.mark.ci)


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the questions were exported to; filled by `outcomes`. One for all the processes that share the tests."""
    base = tmp_path_factory.getbasetemp()
    found = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "smt"
    found.mkdir(exist_ok=True)
    return found


@pytest.fixture(scope="session")
def built() -> dict[str, Theorem]:
    """Every theorem with its obligations, built once."""
    return theorems()


@pytest.fixture(scope="session")
def outcomes(folder: Path) -> dict[str, TheoremResult]:
    """The result of these theorems and of every broken theory, by name: of all processes the first one proves them."""
    done = folder / "outcomes"
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not done.exists():
            done.write_bytes(pickle.dumps(prove((*STEPWISE, *broken_theories()), out=folder, workers=2)))
        found: list[TheoremResult] = pickle.loads(done.read_bytes())
    return {result.name: result for result in found}


@pytest.fixture(scope="session")
def results(outcomes: dict[str, TheoremResult]) -> dict[str, TheoremResult]:
    """The theorems' results, by name."""
    return {name: outcomes[name] for name in STEPWISE}
