"""The pictures in the README are what its commands draw today."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from checker.cli.app import run

ROOT = Path(__file__).parents[2]
README = " ".join((ROOT / "README.md").read_text(encoding="utf-8").split())
DRAWN = re.findall(r"`redwhite ([^`]*?(\w+\.svg))`", README)


def test_every_picture_of_the_readme_has_its_command() -> None:
    shown = re.findall(r"\(docs/pictures/(\S+)\)", README)
    assert sorted(shown) == sorted(name for _, name in DRAWN) == sorted(p.name for p in ROOT.glob("docs/pictures/*"))


@pytest.mark.parametrize(("command", "name"), DRAWN, ids=[name for _, name in DRAWN])
def test_its_command_draws_the_committed_picture(
    command: str, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = [str(tmp_path / word) if word == name else word for word in shlex.split(command)]
    monkeypatch.chdir(ROOT)
    assert run(words) == (0 if words[0] == "show" else 1)
    assert (tmp_path / name).read_text("utf-8") == (ROOT / "docs" / "pictures" / name).read_text("utf-8")
