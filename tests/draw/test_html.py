"""Templates: whatever they are given is inert, a name that is not given is an error, assets come from the package."""

from __future__ import annotations

from importlib.resources import files

import pytest
from jinja2 import UndefinedError

from checker.draw.html import drawn_here, render

EVIL = "</title><script>alert(1)</script>\"'&"
GIVEN = {"title": EVIL, "tables": (), "shown": str, "kind": str}


def test_what_is_given_is_escaped_but_for_our_own_drawings() -> None:
    page = render("sweep.html", **GIVEN, figures=[(drawn_here("<svg>ours</svg>"), EVIL)])
    assert "<svg>ours</svg>" in page and "<script" not in page and page.count("&lt;script&gt;alert(1)") == 3
    assert render("sweep.html", **GIVEN, figures=[("<svg>", "")]).count("&lt;svg&gt;") == 1


def test_what_is_missing_is_told() -> None:
    with pytest.raises(UndefinedError, match="'figures' is undefined"):
        render("sweep.html", **GIVEN)


def test_every_page_has_the_common_base_and_policy() -> None:
    pages = [path for path in files("checker.draw").joinpath("pages").iterdir() if path.name.endswith(".html")]
    whole = [path for path in pages if "<!doctype" in path.read_text(encoding="utf-8")]
    assert len(pages) > 6 and [path.name for path in whole] == ["base.html"]
    base = whole[0].read_text(encoding="utf-8")
    assert "default-src 'none'" in base and "http:" not in base and "https:" not in base
