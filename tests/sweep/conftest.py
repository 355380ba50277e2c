"""What the Spark tests share: no test starts a second Java, so sessions after the first cost little."""

from pathlib import Path

import pytest

pytest.importorskip("pyspark", reason="pyspark is an optional extra (uv sync --extra spark)")

SMALL = """
name = "small"
[bounds]
max_states = 2000
[[systems]]
topologies = ["strong:1", "strong:2", "ring:3"]
programs = ["transfer"]
protocols = ["marker", "late-marker"]
relax = ["none", "fifo"]
initiators = ["orbits"]
"""


@pytest.fixture
def small(tmp_path: Path) -> Path:
    """A small experiment's file."""
    path = tmp_path / "small.toml"
    path.write_text(SMALL)
    return path
