"""`redwhite export` writes a system's files, and refuses in a line what it cannot write."""

from pathlib import Path

import pytest

from tests.cli.conftest import Command, redwhite

__all__ = ["redwhite"]


def test_each_format_lands_in_its_file(redwhite: Command, tmp_path: Path) -> None:
    files = [str(tmp_path / name) for name in ("model.pml", "Marker.tla", "states.dot")]
    ran = redwhite("export", "ring:2", *files)
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.split() == [files[0], files[1], str(tmp_path / "Marker.cfg"), files[2]]
    assert (tmp_path / "Marker.tla").read_text().startswith("---- MODULE Marker ----")
    assert "\nSPECIFICATION Spec\n" in (tmp_path / "Marker.cfg").read_text()
    assert "d_step" in (tmp_path / "model.pml").read_text()
    assert (tmp_path / "states.dot").read_text().startswith("digraph")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["ring:2", "model.xml"], "accepted are the suffixes .pml, .tla, .dot"),
        (["ring:2", "nowhere/model.pml"], "a folder that exists"),
        (["ring:2", "9.tla"], "named like its module"),
        (["strong:3", "model.pml"], "names 5 topologies"),
        (["complete:3", "states.dot"], "more than 500 states"),
    ],
)
def test_what_cannot_be_written_is_refused(
    words: list[str], said: str, redwhite: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    ran = redwhite("export", *words)
    assert ran.code == 2
    assert said in ran.err and ran.err.count("\n") == 1
    assert not list(tmp_path.iterdir())
