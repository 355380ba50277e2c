"""A real browser, Debian's chromium, for tests of pages; they are skipped with a reason where it is not installed."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

PHONE, DESKTOP = 360, 1200
CHROMIUM = shutil.which("chromium")
browsed = pytest.mark.skipif(CHROMIUM is None, reason="Debian's chromium is not installed")


@contextmanager
def chromium() -> Iterator[Any]:
    """The browser itself, closed at the end."""
    playwright = pytest.importorskip("playwright.sync_api")
    with playwright.sync_playwright() as driver:
        launched = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-dev-shm-usage"])
        yield launched
        launched.close()


class Browser:
    """Tabs of one test; `problems` are script errors, dialogs, and requests to anywhere but where the page is from."""

    def __init__(self, launched: Any, folder: Path) -> None:
        self.launched = launched
        self.folder = folder
        self.problems: list[str] = []
        self.tabs: list[Any] = []

    def tab(self, address: str, width: int = DESKTOP, scheme: str = "light", script: bool = True) -> Any:
        """A tab at an address."""
        tab = self.launched.new_page(
            viewport={"width": width, "height": 900}, color_scheme=scheme, java_script_enabled=script
        )
        self.tabs.append(tab)
        tab.on("pageerror", lambda error: self.problems.append(str(error)))
        tab.on("dialog", lambda dialog: (self.problems.append(dialog.message), dialog.dismiss()))
        tab.on("request", lambda request: self.asked(address, request.url))
        tab.goto(address)
        return tab

    def asked(self, address: str, url: str) -> None:
        """Note a request to anywhere else."""
        if not url.startswith((address.partition("#")[0], "data:")):
            self.problems.append(url)

    def opened(self, page: str, width: int = DESKTOP, scheme: str = "light", script: bool = True) -> Any:
        """The page opened from a file, as anyone opens it who was sent it."""
        path = self.folder / f"page{len(self.tabs)}.html"
        path.write_text(page, encoding="utf-8")
        return self.tab(path.as_uri(), width, scheme, script)

    def close(self) -> None:
        """Close all tabs; a problem in any fails the test."""
        for tab in self.tabs:
            tab.close()
        assert not self.problems


def fits(tab: Any) -> bool:
    """Whether the page is no wider than the window: nobody has to scroll it sideways."""
    return bool(tab.evaluate("document.documentElement.scrollWidth <= window.innerWidth"))
