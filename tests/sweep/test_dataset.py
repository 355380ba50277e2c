"""The dataset's files on a disk that is full."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from checker.sweep import dataset


def test_a_full_disk_is_what_is_told_of(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(table: object, name: str, **_: object) -> None:
        os.unlink(name)  # as pyarrow does
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(pq, "write_table", full)
    with pytest.raises(OSError, match="No space left"):
        dataset.write(tmp_path / "results" / "x.parquet", [])
    assert list((tmp_path / "results").iterdir()) == []
