"""What is missing is said in one line, with what to install, in every verb."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

BLOCKED = """
import sys
class Blocked:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {libraries!r}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)
sys.meta_path.insert(0, Blocked())
from checker.cli.app import run
sys.exit(run({words!r}))
"""


@pytest.mark.parametrize(
    ("words", "libraries", "extra"),
    [
        ("check ring:3 --engine spark", ("pyspark",), "redwhite[spark]"),
        ("sweep experiments/strong.toml --out out", ("pyspark", "pyarrow"), "redwhite[spark]"),
        ("report out", ("pyspark", "pyarrow"), "redwhite[spark]"),
        ("explore ring:3", ("starlette", "uvicorn"), "redwhite[view]"),
        ("prove white", ("z3",), "z3"),
        ("refute ring:3", ("z3",), "z3"),
        ("check ring:3 --engine z3", ("z3",), "z3"),
    ],
)
def test_a_library_that_is_not_installed(words: str, libraries: tuple[str, ...], extra: str, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    experiments = Path(__file__).parents[2] / "experiments"
    script = BLOCKED.format(libraries=libraries, words=words.replace("experiments", str(experiments)).split())
    ran = subprocess.run([sys.executable, "-c", script], cwd=tmp_path, text=True, capture_output=True, check=False)
    *before, told = ran.stderr.splitlines()
    assert (ran.returncode, ran.stdout) == (2, "") and f"pip install '{extra}'" in told
    assert all(line.endswith("starting Spark") for line in before)
