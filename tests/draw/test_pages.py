"""Pages in a real browser: each step shows the trace's state, exchanges end without inversion, names are inert."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from checker.check import check
from checker.draw import html, svg, verdict_html
from checker.report.data import read_trace
from checker.report.exchange import exchange
from checker.report.names import channel_name, value_name
from checker.report.words import contents_words
from model.catalogue import build_system
from model.topology import Topology
from model.trace import Counterexample
from tests.draw.browsing import DESKTOP, PHONE, Browser, browsed, chromium, fits

KUPER = Path(__file__).parents[2] / "examples" / "kuper.json"
HOSTILE = ("<script>alert(1)</script>", '"><img src=x onerror=alert(2)>', "a\n</script><b>")


@pytest.fixture(scope="module")
def launched() -> Iterator[Any]:
    with chromium() as started:
        yield started


@pytest.fixture
def browser(launched: Any, tmp_path: Path) -> Iterator[Browser]:
    tabs = Browser(launched, tmp_path)
    yield tabs
    tabs.close()


def counterexample() -> Counterexample:
    found = check("ring:3", "transfer", relax="fifo").properties
    return next(p.counterexample for p in found if p.name == "conservation" and p.counterexample)


def endless() -> Counterexample:
    """A run in which the token goes around for ever and a marker waits."""
    (found,) = check("biring:3", "token", properties=["completes-unfair"]).properties
    assert found.counterexample is not None and found.counterexample.trace.loop == 3
    return found.counterexample


@browsed
@pytest.mark.parametrize(
    "found", [counterexample(), read_trace(KUPER), endless()], ids=["conservation", "kuper", "endless"]
)
def test_each_step_shows_the_states_of_the_trace(found: Counterexample, browser: Browser) -> None:
    tab = browser.opened(html(found))
    opened = tab.locator(".count").inner_text().split()[0]  # a counterexample at its violation
    assert opened == {"conservation": str(len(found.trace)), "completes-unfair": str(found.trace.loop)}.get(
        found.property, "0"
    )
    tab.keyboard.press("Home")
    for number, state in enumerate(found.trace.states()):
        if number:
            tab.keyboard.press("ArrowRight")
        machines, *channels = tab.locator(".now table").all()
        rows = [row.locator("td").all_inner_texts() for row in machines.locator("tbody tr").all()]
        assert [row[2] for row in rows] == [value_name(local.state) for local in state.machines]
        assert [row[1] for row in rows] == ["● red" if local.red else "○ white" for local in state.machines]
        rows = [row.locator("td").all_inner_texts() for table in channels for row in table.locator("tbody tr").all()]
        contents = {name: content for name, content in rows if content != "-"}
        names = [channel_name(found.trace.system, channel) for channel in range(len(state.channels))]
        assert contents == {n: contents_words(c) for n, c in zip(names, state.channels, strict=True) if c}
        dimmed = float(tab.locator(".future").get_attribute("width"))
        assert (dimmed > 0) == (number < len(found.trace))
        bad = tab.locator(".status.bad").count()
        broken = {"conservation": len(found.trace.events), "completes-unfair": found.trace.loop}
        assert bad == int(number >= (broken.get(found.property) or 99))
    tab.keyboard.press("Home")
    assert tab.locator(".count").inner_text() == f"0 of {len(found.trace.events)}"


@browsed
def test_the_exchanges_end_with_no_inversion_in_the_equivalent_order(browser: Browser) -> None:
    found = read_trace(KUPER)
    wanted = exchange(found.trace)
    tab = browser.opened(html(found))
    box = tab.locator(".exchanges")
    seen = [int(box.get_attribute("data-inversions"))]
    while seen[-1]:
        tab.get_by_label("next exchange").click()
        seen.append(int(box.get_attribute("data-inversions")))
    assert seen == list(range(wanted.inversions, -1, -1)) and wanted.inversions > 0
    assert box.get_attribute("data-order") == ",".join(map(str, wanted.reordered))
    text = tab.locator(".between").inner_text()
    assert text == "Between white and red: P1 (A, B), P2 (F, G, H), P3 (I), P2>P1: H. This is SSS, as it was recorded."


@browsed
def test_an_endless_run_goes_around_by_one_more_step(browser: Browser) -> None:
    found = endless()
    tab = browser.opened(html(found))
    tab.keyboard.press("End")
    assert tab.locator(".mark").last.inner_text() == "for ever from here on: actions 4 to 7, again and again"
    tab.keyboard.press("ArrowRight")
    assert tab.locator(".count").inner_text() == "4 of 7"


@browsed
def test_buttons_slider_list_and_keys_step_alike(browser: Browser) -> None:
    tab = browser.opened(html(read_trace(KUPER)))
    count, action = tab.locator(".count"), tab.locator(".now .action")
    tab.get_by_label("forward (Right)").click()
    tab.keyboard.press("ArrowRight")
    assert count.inner_text() == "2 of 18" and action.inner_text() == "2. P1: B: send B to P2"
    tab.locator(".actions button").nth(9).click()
    assert count.inner_text() == "10 of 18" and "turn red" in action.inner_text()
    slider = tab.get_by_label("step", exact=True)
    slider.focus()
    tab.keyboard.press("ArrowLeft")
    assert count.inner_text() == "9 of 18"
    tab.get_by_label("last (End)").focus()
    tab.keyboard.press("Enter")
    assert count.inner_text() == "18 of 18" and "S1" in tab.locator(".mark").inner_text()


@browsed
def test_of_several_runs_keys_step_the_one_in_focus(browser: Browser) -> None:
    tab = browser.opened(verdict_html(check("ring:3", relax="fifo", properties=["conservation"])))
    tab.keyboard.press("End")
    first, second = tab.locator(".run").all()[:2]
    assert [run.get_attribute("data-step") for run in (first, second)] == ["5", "0"]
    assert not second.is_visible()
    tab.get_by_role("link", name="a snapshot completes", exact=True).click()
    assert second.is_visible()
    second.get_by_label("forward (Right)").click()
    tab.keyboard.press("ArrowRight")
    assert [run.get_attribute("data-step") for run in (first, second)] == ["5", "2"]
    tab.get_by_role("link", name="violated after 5 actions").click()
    assert tab.url.endswith("#run-0") and first.locator("h1").is_visible()


def drawn_ends(tab: Any) -> list[tuple[float, float]]:
    """From where to where in time each message goes in the picture of the exchanges."""
    ways = tab.locator(".exchanges svg path[d*=L]").evaluate_all("all => all.map(path => path.getAttribute('d'))")
    return [(float(a), float(b)) for way in ways for a, b in re.findall(r"M([\d.]+) [\d.]+ L([\d.]+) [\d.]+", way)]


@browsed
def test_playing_ends_at_a_cut_that_is_upright_and_no_message_goes_back_in_time(browser: Browser) -> None:
    tab = browser.opened(html(read_trace(KUPER)))
    box = tab.locator(".exchanges")
    assert not box.locator(".cut").is_visible() and not box.locator(".sss").count()
    box.get_by_text("play").click()
    tab.locator('.exchanges[data-inversions="0"]').wait_for()
    tab.wait_for_timeout(500)
    upright = [float(x) for x in re.findall(r"[MC ]([\d.]+) [\d.]+", box.locator(".cut").get_attribute("d"))]
    places = [
        float(x) for x in box.locator("svg g").evaluate_all("all => all.map(g => g.transform.baseVal[0].matrix.e)")
    ]
    assert max(upright) - min(upright) < 0.01
    assert all(a < b for a, b in pairwise(sorted(places)))
    assert sum(x < upright[0] for x in places) == 6 and box.locator(".chip.sss").count() == 1
    assert all(a < b for a, b in drawn_ends(tab))
    assert box.locator(".between").inner_text().endswith("This is SSS, as it was recorded.")


@browsed
def test_where_the_exchanged_order_is_no_run_a_message_goes_back_in_time(browser: Browser) -> None:
    broken = check("ring:3", "free", relax="fifo", properties=["no-red-in-white"]).counterexample
    assert broken is not None
    tab = browser.opened(html(broken))
    assert all(a < b for a, b in drawn_ends(tab))
    tab.get_by_label("all exchanged").click()
    tab.wait_for_timeout(500)
    ((start, end),) = drawn_ends(tab)
    assert end < start and tab.locator(".exchanges path.offends").count() == 1
    assert not tab.locator(".exchanges .cut").is_visible() and tab.locator(".chip.fails").count() == 1
    assert tab.locator(".between").inner_text().startswith("This is no run")


def hostile() -> tuple[Counterexample, str]:
    """A run on machines with hostile names, and the page of its verdict."""
    topology = Topology(3, ((0, 1), (1, 2), (2, 0)), labels=HOSTILE)
    verdict = check(build_system(topology, "free", relax="fifo"), properties=["no-red-in-white"])
    found = verdict.properties[0].counterexample
    assert found is not None
    return found, verdict_html(verdict)


@browsed
def test_pages_fit_a_phone_and_say_all_without_script(browser: Browser) -> None:
    shown, verdict = hostile()
    for page in (html(read_trace(KUPER)), html(endless()), html(shown), verdict, verdict_html(check("biring:2"))):
        tab = browser.opened(page, PHONE, "dark")
        tab.keyboard.press("End")
        assert fits(tab)
        tab.set_viewport_size({"width": DESKTOP, "height": 900})
        assert fits(tab)
    plain = browser.opened(html(read_trace(KUPER)), script=False)
    assert plain.locator("svg").is_visible() and plain.locator(".actions li").count() == 18


@browsed
def test_in_a_wide_picture_the_names_stay_and_the_action_is_in_sight(browser: Browser) -> None:
    tab = browser.opened(html(read_trace(KUPER)), PHONE)
    picture = tab.locator(".picture").first.bounding_box()
    for _ in range(16):
        tab.keyboard.press("ArrowRight")
        tab.wait_for_timeout(20)
        line = tab.locator(".now-line").bounding_box()
        assert picture["x"] < line["x"] < picture["x"] + picture["width"]
    for name in tab.locator(".stepper .name").all():
        assert 0 <= name.bounding_box()["x"] - picture["x"] < 40


@browsed
def test_hostile_names_are_shown_and_do_nothing(browser: Browser) -> None:
    found, verdict = hostile()
    for page in (html(found), verdict):
        tab = browser.opened(page)
        assert "<script>alert(1)</script>" in tab.locator(".now table").first.inner_text()
        assert "<script>alert" in tab.locator(".exchanges svg").first.text_content()
        tab.get_by_label("all exchanged").first.click()
        assert tab.locator("b, img").count() == 0


@browsed
def test_a_trace_file_s_own_words_are_shown_and_do_nothing(browser: Browser) -> None:
    found = Counterexample(
        "</title><script>alert(3)</script>", hostile()[0].trace, {"kind": "<img src=x onerror=a(4)>"}
    )
    tab = browser.opened(html(found))
    assert "alert(3)" in tab.title() and tab.locator("h1").inner_text().startswith(found.property)
    assert tab.locator(".why").inner_text().startswith(found.explanation["kind"])
    assert tab.locator("img").count() == 0


def test_pictures_of_hostile_names_hold_shapes_and_texts_only() -> None:
    found, _ = hostile()
    for picture in (svg(found), found.trace._repr_svg_(), found.trace.system.topology._repr_svg_()):
        root = ElementTree.fromstring(picture)
        shapes = {element.tag.rpartition("}")[2] for element in root.iter()}
        assert shapes <= {"svg", "title", "style", "g", "rect", "line", "text", "path", "circle", "polygon"}
        assert not [name for element in root.iter() for name in element.attrib if name.startswith(("on", "href"))]
        assert any("<script>" in (element.text or "") for element in root.iter())


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
