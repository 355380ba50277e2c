"""Pages in a real browser: each step shows the trace's state, exchanges end without inversion, names are inert."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from checker.check import check
from checker.draw import html, verdict_html
from checker.report.data import read_trace
from checker.report.exchange import exchange
from checker.report.names import value_name
from checker.report.words import contents_words
from model.catalogue import build_system
from model.topology import Topology
from model.trace import Counterexample

playwright = pytest.importorskip("playwright.sync_api")
CHROMIUM = shutil.which("chromium")
browsed = pytest.mark.skipif(CHROMIUM is None, reason="Debian's chromium is not installed")
KUPER = Path(__file__).parents[2] / "examples" / "kuper.json"


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with playwright.sync_playwright() as driver:
        launched = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-dev-shm-usage"])
        yield launched
        launched.close()


def opened(browser: Any, page: str, folder: Path, width: int = 1200) -> Any:
    """The page opened from a file; a script error or a request to anywhere fails the test."""
    path = folder / "page.html"
    path.write_text(page, encoding="utf-8")
    tab = browser.new_page(viewport={"width": width, "height": 900})
    tab.on("pageerror", lambda error: pytest.fail(str(error)))
    tab.on("dialog", lambda dialog: pytest.fail(dialog.message))
    tab.on("request", lambda request: request.url.startswith("file:") or pytest.fail(request.url))
    tab.goto(path.as_uri())
    return tab


def counterexample() -> Counterexample:
    found = check("ring:3", "transfer", relax="fifo").properties
    return next(p.counterexample for p in found if p.name == "conservation" and p.counterexample)


@browsed
@pytest.mark.parametrize("found", [counterexample(), read_trace(KUPER)], ids=["conservation", "kuper"])
def test_each_step_shows_the_states_of_the_trace(found: Counterexample, browser: Any, tmp_path: Path) -> None:
    tab = opened(browser, html(found), tmp_path)
    for number, state in enumerate(found.trace.states()):
        if number:
            tab.keyboard.press("ArrowRight")
        machines, channels = tab.locator(".now table").all()
        rows = [row.locator("td").all_inner_texts() for row in machines.locator("tbody tr").all()]
        assert [row[2] for row in rows] == [value_name(local.state) for local in state.machines]
        assert [row[1] for row in rows] == ["● red" if local.red else "○ white" for local in state.machines]
        contents = [row.locator("td").nth(1).inner_text() for row in channels.locator("tbody tr").all()]
        assert contents == [contents_words(content) or "-" for content in state.channels]
        bad = tab.locator(".status.bad").count()
        assert bad == int(found.property == "conservation" and number == len(found.trace.events))
    tab.keyboard.press("Home")
    assert tab.locator(".count").inner_text() == f"0 of {len(found.trace.events)}"


@browsed
def test_the_exchanges_end_with_no_inversion_in_the_equivalent_order(browser: Any, tmp_path: Path) -> None:
    found = read_trace(KUPER)
    wanted = exchange(found.trace)
    tab = opened(browser, html(found), tmp_path)
    box = tab.locator(".exchanges")
    seen = [int(box.get_attribute("data-inversions"))]
    while seen[-1]:
        tab.get_by_label("next exchange").click()
        seen.append(int(box.get_attribute("data-inversions")))
    assert seen == list(range(wanted.inversions, -1, -1)) and wanted.inversions > 0
    assert box.get_attribute("data-order") == ",".join(map(str, wanted.reordered))
    text = tab.locator(".between").inner_text()
    between, recorded = re.fullmatch(r"Between white and red: (.*)\. Recorded: (.*)\.", text).groups()  # type: ignore[union-attr]
    assert between == recorded


@browsed
def test_a_phone_s_width_and_no_script_still_show_everything(browser: Any, tmp_path: Path) -> None:
    tab = opened(browser, html(read_trace(KUPER)), tmp_path, width=380)
    assert tab.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    plain = browser.new_context(java_script_enabled=False).new_page()
    plain.goto((tmp_path / "page.html").as_uri())
    assert plain.locator("svg").is_visible() and plain.locator(".actions li").count() == 18


@browsed
def test_hostile_names_are_shown_and_do_nothing(browser: Any, tmp_path: Path) -> None:
    hostile = ("<script>alert(1)</script>", '"><img src=x onerror=alert(2)>', "a\n</script><b>")
    topology = Topology(3, ((0, 1), (1, 2), (2, 0)), labels=hostile)
    verdict = check(build_system(topology, "free", relax="fifo"), properties=["no-red-in-white"])
    found = verdict.properties[0].counterexample
    assert found is not None
    for page in (html(found), verdict_html(verdict)):
        tab = opened(browser, page, tmp_path)
        assert "<script>alert(1)</script>" in tab.locator(".now table").first.inner_text()
        assert tab.locator("b, img").count() == 0


def test_pages_hold_no_reference_to_anything_outside() -> None:
    for page in (html(counterexample()), verdict_html(check("biring:2"))):
        assert set(re.findall(r"(?:https?:)?//[a-z][^\"' <)]+", page)) <= {"http://www.w3.org/2000/svg"}
        assert not re.search(r"<(link|img|iframe|script)[^>]+(src|href)=", page)


def test_the_example_is_the_source_s_snapshot() -> None:
    found = read_trace(KUPER)
    recorded = found.trace.system.recorded(found.trace.states()[-1])
    assert recorded.machines == (("A", "B"), ("F", "G", "H"), ("I",))
    assert [content for content in recorded.channels if content] == [("H",)]
    assert json.loads(KUPER.read_text(encoding="utf-8"))["system"]["program"] == "kuper"
