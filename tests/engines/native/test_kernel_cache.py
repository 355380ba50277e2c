"""Compiled kernels that cannot be kept, or that were damaged on disk, cost time and neither search nor verdict."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

SMALL = """
import sys, resource
from checker.engines.native.kernels.compiled import CONFIG, kernel
CONFIG.CACHE_DIR = sys.argv[1]

@kernel
def twice(number):
    return 2 * number

if "full" in sys.argv:
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
print(twice(21), sum(twice.stats.cache_hits.values()))
"""


def ran(folder: Path, *words: str) -> tuple[str, str]:
    program = folder / "small.py"
    program.write_text(SMALL)
    command = [sys.executable, str(program), str(folder / "cache"), *words]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
    return done.stdout, done.stderr


def test_a_disk_that_is_full(tmp_path: Path) -> None:
    out, err = ran(tmp_path, "full")
    assert out == "42 0\n" and err.count("\n") == 1 and "cannot be kept (File too large)" in err


def test_a_damaged_file(tmp_path: Path) -> None:
    assert ran(tmp_path) == ("42 0\n", "")
    for number, path in enumerate(sorted((tmp_path / "cache").rglob("*.nb?"))):
        path.write_bytes((b"garbage", b"")[number % 2])
    assert ran(tmp_path) == ("42 0\n", "")
    assert ran(tmp_path) == ("42 1\n", "")
