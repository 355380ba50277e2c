"""The photograph of a page in the documents is what one sees today."""

from __future__ import annotations

import importlib.util
import subprocess
from pathlib import Path

import pytest

from tests.draw.browsing import browsed

ROOT = Path(__file__).parents[2]
PHOTOGRAPH = ROOT / "docs" / "pictures" / "page.png"


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
    found = importlib.util.spec_from_file_location("photograph", ROOT / "docs" / "making" / "photograph.py")
    assert found is not None and found.loader is not None
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    module.photograph(tmp_path / "now.png")
    module.photograph(tmp_path / "next.png", step=11)
    today, after = (differing(tmp_path / name, PHOTOGRAPH) for name in ("now.png", "next.png"))
    assert today < 0.02 < after, "python docs/making/photograph.py docs/pictures/page.png, and look at it"
