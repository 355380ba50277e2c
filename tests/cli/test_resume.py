"""`--resume FOLDER` goes on with what `--checkpoint` kept there, and refuses a folder that holds nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from checker.check import check
from checker.cli.check import _resumed
from checker.engines.native.search import checkpoint
from checker.engines.search_options import SearchOptions
from model.errors import InputError


def test_a_kept_search_is_taken_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checkpoint, "SECONDS", 0.0)
    check("ring:3", engine="native", options=SearchOptions(max_depth=5, checkpoint=str(tmp_path)))
    assert _resumed(str(tmp_path), None) == str(tmp_path)
    assert check("ring:3", engine="native", options=SearchOptions(checkpoint=str(tmp_path))).counts.states == 298


def test_nothing_kept_and_another_folder_are_refused_in_one_line(tmp_path: Path) -> None:
    for kept, what in ((None, "nothing is kept"), (str(tmp_path / "other"), "the same folder")):
        with pytest.raises(InputError) as refusal:
            _resumed(str(tmp_path), kept)
        assert what in str(refusal.value) and "\n" not in str(refusal.value)
