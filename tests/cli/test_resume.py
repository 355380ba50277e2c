"""`--resume FOLDER` goes on with what `--checkpoint` kept there, and refuses a folder that holds nothing."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from checker.check import check
from checker.cli.check import _resumed
from checker.engines.native.search import checkpoint
from checker.engines.search_options import SearchOptions
from model.errors import InputError
from tests.cli.conftest import Command


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


@pytest.mark.parametrize("way", ["", "--symmetry on --initiators any", "--reduce on"])
def test_a_search_that_was_bounded_goes_on_to_the_same_figures(redwhite: Command, tmp_path: Path, way: str) -> None:
    words = ["check", "complete:3", "--program", "transfer,s=1-1-0", *way.split()]
    kept = str(tmp_path / "kept")
    ran = redwhite(*words, "--max-states", "1000", "--checkpoint", kept)
    assert ran.code == 3
    told = ran.err.splitlines()[-1]
    assert told.startswith(f"redwhite: kept in {kept}; to go on: redwhite check complete:3 --program ")
    resumed = redwhite(*shlex.split(told.partition("go on: ")[2])[1:], "--json").json()
    whole = redwhite(*words, "--engine", "native", "--json").json()
    assert whole["states"] > 1000
    for part in ("seconds", "peak_rss_mb"):
        del resumed[part], whole[part]
    assert resumed == whole
