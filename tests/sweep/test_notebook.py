"""The example notebook runs on a sweep's folder."""

import os
from pathlib import Path

import pytest

from checker.sweep.experiment import experiment
from checker.sweep.run import sweep

pytestmark = pytest.mark.ci
NOTEBOOK = Path(__file__).parents[2] / "notebooks" / "sweep.ipynb"


def test_it_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every cell runs, and the counterexample it shows is one of the sweep's."""
    nbformat, nbclient = pytest.importorskip("nbformat"), pytest.importorskip("nbclient")
    systems = {"topologies": ["ring:2"], "protocols": ["marker", "late-marker"], "relax": ["none", "fifo"]}
    sweep(experiment({"name": "x", "systems": [systems]}), tmp_path / "out", "local[1]")
    monkeypatch.setenv("SWEEP", str(tmp_path / "out"))
    assert os.environ["SWEEP"]
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    nbclient.NotebookClient(notebook, timeout=240, kernel_name="python3").execute()
    said = "".join(o.get("text", "") for cell in notebook.cells for o in cell.get("outputs", []))
    assert "on ring:2" in said and "violated" in said
