"""The explorer in a real browser: a walk by keys and buttons, a jump, and the walk kept as a trace that replays."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from checker.check import check
from checker.report.data import trace_from
from checker.report.formats import write_trace
from tests.draw.browsing import DESKTOP, PHONE, Browser, browsed, chromium, fits

pytest.importorskip("starlette")
HOSTILE = ("<script>alert(1)</script>", '"><img src=x onerror=alert(2)>', "a</script><b>")


@contextmanager
def served(*arguments: str) -> Iterator[str]:
    """The address of the page that these words serve; afterwards an interrupt ends it."""
    command = [sys.executable, "-c", "from checker.cli import main; main()", *arguments]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        yield server.stdout.readline().split()[0]
        server.send_signal(signal.SIGINT)
        assert server.wait(30) == 0


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Where `redwhite explore` serves a ring whose machines have hostile names."""
    network = tmp_path_factory.mktemp("network") / "ring.json"
    nodes = [{"id": number, "label": name} for number, name in enumerate(HOSTILE)]
    links = [{"source": number, "target": (number + 1) % 3} for number in range(3)]
    network.write_text(json.dumps({"directed": True, "multigraph": False, "nodes": nodes, "links": links}))
    arguments = ["explore", str(network), "--program", "free", "--relax", "fifo"]
    with served(*arguments) as found:
        yield found


@pytest.fixture(scope="module")
def launched() -> Iterator[Any]:
    with chromium() as started:
        yield started


@pytest.fixture
def browser(launched: Any, tmp_path: Path) -> Iterator[Browser]:
    tabs = Browser(launched, tmp_path)
    yield tabs
    tabs.close()


def walked(tab: Any, actions: int) -> None:
    """Wait until the walk has so many actions."""
    tab.locator("#count", has_text=re.compile(rf"^{actions} action")).wait_for()


@browsed
def test_a_walk_by_keys_and_buttons_to_a_violation(address: str, browser: Browser) -> None:
    tab = browser.tab(address)
    walked(tab, 0)
    for number, words in enumerate(("turn red, marker to", "send 0 to", "accept 0 from"), 1):
        choices = tab.locator("#enabled button").all_inner_texts()
        choice = next(i for i, text in enumerate(choices, 1) if words in text)
        tab.keyboard.press(str(choice))
        walked(tab, number)
    row = tab.locator("#properties tr", has_text="no-red-in-white")
    assert row.inner_text().split("\t")[1] == "violated in action 3" and row.locator("td.bad").count() == 1
    assert tab.locator("#picture svg [data-event]").count() == 3
    assert "<script>alert(1)</script>" in tab.locator("#state table").first.inner_text()
    assert tab.locator("b, img").count() == 0
    tab.keyboard.press("ArrowLeft")
    walked(tab, 2)
    tab.locator("#enabled button").first.click()
    walked(tab, 3)
    tab.locator("#restart").click()
    walked(tab, 0)


@browsed
def test_a_jump_to_a_counterexample_is_kept_as_a_trace_that_replays(address: str, browser: Browser) -> None:
    tab = browser.tab(address)
    walked(tab, 0)
    tab.locator("#search").click()
    tab.locator("#jump option", has_text="no-red-in-white").wait_for(state="attached")
    tab.locator("#jump").select_option("no-red-in-white")
    walked(tab, 3)
    with tab.expect_download() as download:
        tab.locator("#save").click()
    kept = trace_from(json.loads(Path(download.value.path()).read_text(encoding="utf-8")))
    assert len(kept.trace.events) == 3 and kept.trace.system.topology.labels == HOSTILE


@browsed
def test_the_explorer_fits_a_phone_also_after_a_long_walk(address: str, browser: Browser) -> None:
    for width, scheme in ((PHONE, "dark"), (DESKTOP, "light")):
        tab = browser.tab(address, width, scheme)
        walked(tab, 0)
        assert fits(tab)
        while tab.locator("#enabled button").count():
            before = tab.locator("#count").inner_text()
            tab.keyboard.press("r")
            tab.wait_for_timeout(100)
            tab.locator("#count").filter(has_not_text=re.compile(f"^{before}$")).wait_for()
        assert fits(tab)
        last = tab.locator("#picture [data-event]").last.bounding_box()
        assert 0 <= last["x"] < width


def actions(tab: Any) -> list[str]:
    """What the picture says of each action so far."""
    return [str(title) for title in tab.locator("#picture svg [data-event] title").all_text_contents()]


@browsed
def test_a_step_back_during_a_request_is_done_after_it(address: str, browser: Browser) -> None:
    tab = browser.tab(address)
    walked(tab, 0)
    for number in (1, 2):
        tab.keyboard.press("1")
        walked(tab, number)
    tab.evaluate("""() => {
        const real = window.fetch;
        window.fetch = async (...all) => { await new Promise(go => setTimeout(go, 200)); return real(...all); };
    }""")
    tab.keyboard.press("1")  # to three actions, and then back to one
    tab.keyboard.press("ArrowLeft")
    tab.keyboard.press("ArrowLeft")
    walked(tab, 1)
    assert tab.url == f"{address}#0"
    tab.keyboard.press("1")
    tab.locator("#restart").click()
    walked(tab, 0)


@browsed
def test_the_walk_is_in_the_address(address: str, browser: Browser) -> None:
    """Reload keeps it, back and forward step through it, and the address opens it for somebody else."""
    tab = browser.tab(address)
    walked(tab, 0)
    for number in (1, 2, 3):
        tab.keyboard.press("1")
        walked(tab, number)
    made, walk = actions(tab), tab.url
    assert walk == f"{address}#0,0,0" and len(made) == 3
    tab.reload()
    walked(tab, 3)
    assert actions(tab) == made and tab.url == walk
    tab.go_back()
    walked(tab, 2)
    assert actions(tab) == made[:2]
    tab.go_back()
    walked(tab, 1)
    tab.go_forward()
    walked(tab, 2)
    tab.keyboard.press("2")  # another way from here: forward is gone
    walked(tab, 3)
    assert tab.url == f"{address}#0,0,1"
    other = browser.tab(walk)
    walked(other, 3)
    assert actions(other) == made


@browsed
def test_an_address_that_is_no_walk_says_so_and_the_page_goes_on(address: str, browser: Browser) -> None:
    tab = browser.tab(f"{address}#0,99")
    tab.locator("#error", has_text="99").wait_for()
    tab.locator("#restart").click()
    walked(tab, 0)
    assert tab.locator("#error").inner_text() == ""


@browsed
def test_a_saved_trace_opens_at_its_end_explained(browser: Browser, tmp_path: Path) -> None:
    run = tmp_path / "run.json"
    found = check("ring:3", relax="fifo", properties=["no-red-in-white"]).counterexample
    assert found is not None
    write_trace(found, run)
    with served("explore", str(run)) as opened:
        tab = browser.tab(opened)
        walked(tab, len(found.trace.events))
        assert "no-red-in-white" in tab.locator("#violation").inner_text()
        tab.keyboard.press("ArrowLeft")
        walked(tab, len(found.trace.events) - 1)
        warned = tab.locator("#enabled button", has_text="violates no-red-in-white")
        assert warned.count() == 1, "the action that breaks it says so beforehand"
        assert tab.locator("#violation").inner_text() == ""
        warned.click()
        walked(tab, len(found.trace.events))
