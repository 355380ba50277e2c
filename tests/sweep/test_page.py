"""A report's page is read by day, by night and on a phone: its figures too."""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path

import pytest

from checker.sweep.page import write_page
from checker.sweep.result_tables import Report, Table
from tests.draw.browsing import DESKTOP, PHONE, Browser, browsed, chromium, fits

pytest.importorskip("matplotlib")
pytestmark = browsed


@pytest.fixture
def page(tmp_path: Path) -> str:
    lengths = tuple((name, length, 7 * length) for name in ("marker", "late-marker") for length in (3, 5, 15))
    growth = ((2, 2, 64), (3, 3, 298), (3, 6, 281_940))
    table = Table("Verdicts", ("protocol", *"abcdefghijklmnop"), (("marker", *("✓1,234" for _ in range(16))),))
    write_page(Report("looks", (table,), growth, lengths, tmp_path / "index.html"))
    return (tmp_path / "index.html").as_uri()


@pytest.fixture
def browser(tmp_path: Path) -> Iterator[Browser]:
    with chromium() as launched:
        found = Browser(launched, tmp_path)
        yield found
        found.close()


def test_figures_are_read_by_day_and_by_night(page: str, browser: Browser) -> None:
    image = pytest.importorskip("PIL.Image")
    for scheme, paper, ink in (("light", 255, 0), ("dark", 0, 255)):
        tab = browser.tab(page, DESKTOP, scheme)
        for figure in tab.query_selector_all("figure"):
            shades = image.open(io.BytesIO(figure.screenshot())).convert("L")
            assert abs(shades.getpixel((2, 2)) - paper) < 25, scheme
            assert sum(abs(shade - ink) < 40 for shade in shades.tobytes()) > 500, scheme


def test_figures_on_a_phone_keep_their_words_legible(page: str, browser: Browser) -> None:
    tab = browser.tab(page, PHONE)
    assert fits(tab)
    for zoom in tab.eval_on_selector_all("figure svg", "all => all.map(one => one.getScreenCTM().a)"):
        assert 8 * zoom > 7, "of the smallest letters, 8 points high"
