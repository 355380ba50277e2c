"""Photograph the page of L. Kuper's example for the pages: `python docs/making/photograph.py docs/pictures/page.png`.

What `redwhite show examples/kuper.json --html page.html` writes, opened in Debian's chromium, stepped to action 10, in
which the last machine records, with all its exchanges done.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

ROOT = Path(__file__).parents[2]
WIDTH, HEIGHT = 1400, 1320


def photograph(target: Path, step: int = 10) -> None:
    """Write the picture, a PNG of 1400 x 1320 points."""
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as driver:
        page = Path(folder) / "page.html"
        show = "from redwhite.__main__ import main; main()"
        words = ["show", "examples/kuper.json", "--html", str(page)]
        subprocess.run([sys.executable, "-c", show, *words], cwd=ROOT, check=True)
        chromium = driver.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        tab = chromium.new_page(viewport={"width": WIDTH, "height": HEIGHT}, reduced_motion="reduce")
        tab.goto(page.as_uri())
        for _ in range(step):
            tab.keyboard.press("ArrowRight")
        tab.get_by_label("all exchanged").click()
        tab.mouse.move(0, 0)
        tab.evaluate("document.activeElement.blur(); window.scrollTo(0, 0)")
        tab.screenshot(path=target)
        chromium.close()


if __name__ == "__main__":
    photograph(Path(sys.argv[1]))
