"""The pictures in the README are what its commands draw today; the photograph of a page is what one sees today."""

from __future__ import annotations

import importlib.util
import re
import shlex
import subprocess
from pathlib import Path

import pytest

from checker.cli.app import run
from tests.draw.browsing import browsed

ROOT = Path(__file__).parents[2]
README = " ".join((ROOT / "README.md").read_text(encoding="utf-8").split())
PHOTOGRAPH = ROOT / "docs" / "pictures" / "page.png"
DRAWN = re.findall(r"`redwhite ([^`]*?(\w+\.svg))`", README)


def test_every_picture_of_the_readme_has_its_command() -> None:
    shown = re.findall(r"\(docs/pictures/(\S+)\)", README)
    assert set(shown) | {PHOTOGRAPH.name} == {p.name for p in PHOTOGRAPH.parent.iterdir()}
    assert set(shown) - {PHOTOGRAPH.name} == {name for _, name in DRAWN}


@pytest.mark.parametrize(("command", "name"), DRAWN, ids=[name for _, name in DRAWN])
def test_its_command_draws_the_committed_picture(
    command: str, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = [str(tmp_path / word) if word == name else word for word in shlex.split(command)]
    monkeypatch.chdir(ROOT)
    assert run(words) == (0 if words[0] == "show" else 1)
    assert (tmp_path / name).read_text("utf-8") == (ROOT / "docs" / "pictures" / name).read_text("utf-8")


def differing(one: Path, other: Path) -> float:
    """The share of points that differ visibly between two pictures."""
    images = pytest.importorskip("PIL.Image")
    chops = pytest.importorskip("PIL.ImageChops")
    first, second = (images.open(path).convert("L") for path in (one, other))
    assert first.size == second.size
    return float(sum(chops.difference(first, second).histogram()[64:]) / (first.width * first.height))


@browsed
def test_the_photograph_is_what_the_page_looks_like_today(tmp_path: Path) -> None:
    """Up to how a browser's version smooths letters; a page one step on already differs by more."""
    pytest.importorskip("playwright")
    font = subprocess.run(["fc-match", "system-ui"], capture_output=True, text=True, check=False).stdout
    if not font.startswith("DejaVuSans."):
        pytest.skip(f"photographed in DejaVu Sans; here pages are in {font.strip() or 'no font that fc-match names'}")
    found = importlib.util.spec_from_file_location("photograph", ROOT / "docs" / "photograph.py")
    assert found is not None and found.loader is not None
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    module.photograph(tmp_path / "now.png")
    module.photograph(tmp_path / "next.png", step=11)
    today, after = (differing(tmp_path / name, PHOTOGRAPH) for name in ("now.png", "next.png"))
    assert today < 0.02 < after, "python docs/photograph.py docs/pictures/page.png, and look at it"
