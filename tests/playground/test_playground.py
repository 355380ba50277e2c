"""The playground: what runs in the page says what the command says, and the page itself, in a real browser, offline."""

from __future__ import annotations

import io
import json
import subprocess
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from checker.cli.app import run
from checker.playground.build import PAGE, _fetched, build, packages
from checker.playground.inside import EXAMPLES, MINE, answer, catalogue
from model.errors import InputError
from redwhite import check
from tests.cli.test_process import SCRIPT
from tests.draw.browsing import DESKTOP, PHONE, browsed, chromium

BLANK = {
    "topology": "ring:3",
    "program": "transfer",
    "protocol": "marker",
    "initiators": "0",
    "relax": "",
    "property": "",
    "code": "",
    "states": "20000",
}


def asked(**fields: str) -> Any:
    """What the page is told for these fields."""
    return json.loads(answer(json.dumps({**BLANK, **fields})))


def test_the_page_is_told_what_check_says() -> None:
    told, verdict = asked(relax="fifo"), check("ring:3", relax="fifo", engine="reference")
    assert told["verdict"]["states"] == verdict.counts.states == 801
    assert told["verdict"]["counterexample"]["length"] == 3
    assert "VIOLATED" in told["text"] and "<svg" in told["picture"] and "<!doctype html>" in told["page"]


def test_a_bound_that_is_met_is_told_and_what_is_misspelt_is_one_line() -> None:
    assert asked(topology="complete:3", states="100")["verdict"]["verdict"] == "unknown"
    for wrong in (
        {"topology": "rong:3"},
        {"states": "0"},
        {"states": "1000000"},
        {"states": "²"},
        {"property": "fast"},
    ):
        told = asked(**wrong)
        assert set(told) == {"error"} and "\n" not in told["error"]
        assert next(iter(wrong.values())) in told["error"]


def test_progress_is_told_while_it_searches() -> None:
    seen: list[int] = []
    answer(json.dumps({**BLANK, "topology": "complete:3"}), lambda states, waiting, depth: seen.append(states))
    assert seen == sorted(seen) and seen[-1] > 1000


@pytest.mark.parametrize("fields", json.loads(catalogue())["examples"], ids=lambda fields: fields["title"])
def test_each_example_is_answered(fields: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    words = {name: value for name, value in fields.items() if name != "title"}
    assert set(words) <= set(BLANK)
    told = asked(**words)
    assert told["verdict"]["verdict"] == (
        "holds" if "holds" in fields["title"] or "no order" in fields["title"] else told["verdict"]["verdict"]
    )
    assert told["verdict"]["coverage"]["kind"] == "exhaustive"
    assert ("picture" in told) == (told["verdict"]["verdict"] == "violated")


def test_what_the_examples_of_ones_own_find(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    own = [fields for fields in EXAMPLES if fields.get("code")]
    claims, program = [asked(**{k: v for k, v in fields.items() if k != "title"})["verdict"] for fields in own]
    assert [p["verdict"] for p in claims["properties"]] == ["holds", "violated"]
    assert claims["counterexample"]["property"] == f"{MINE}:nothing_recorded_in_a_channel"
    assert program["verdict"] == "holds" and program["states"] == 59


def test_the_packages_are_packed_alike_each_time_and_hold_no_compiled_code() -> None:
    packed = packages()
    assert packed == packages()
    names = zipfile.ZipFile(io.BytesIO(packed)).namelist()
    assert {"model/system.py", "checker/playground/inside.py", "rich/table.py"} <= set(names)
    assert not [name for name in names if name.endswith((".pyc", ".so"))]


def test_nothing_in_the_page_comes_from_elsewhere() -> None:
    from importlib.resources import files

    for name in PAGE:
        text = files("checker.playground").joinpath("page", name).read_text(encoding="utf-8")
        assert "http" not in text.replace("http-equiv", "").replace("http://www.w3.org", "").replace("http%3A", "")


def test_another_archive_is_refused(tmp_path: Path) -> None:
    (tmp_path / "other.tgz").write_bytes(b"none")
    with pytest.raises(InputError, match="not the archive of Pyodide"):
        build(tmp_path / "built", tmp_path / "other.tgz")
    assert run(["playground", str(tmp_path / "nowhere")]) == 2
    assert run(["playground", str(tmp_path), "--build", "--pyodide", str(tmp_path / "none.tgz")]) == 2


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Iterator[str]:
    """Where a playground that was built as a user builds it is served."""
    kept = request.config.cache.mkdir("pyodide") / "pyodide.tgz"
    try:
        if not kept.exists():
            kept.write_bytes(_fetched())
    except InputError as error:
        pytest.skip(str(error))
    folder = tmp_path_factory.mktemp("playground")
    subprocess.run([SCRIPT, "playground", str(folder), "--build", "--pyodide", str(kept)], check=True)
    with subprocess.Popen([SCRIPT, "playground", str(folder)], stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        yield server.stdout.readline().split()[0]
        server.terminate()


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as started:
        yield started


def screen(width: int) -> dict[str, int]:
    return {"width": width, "height": 900}


def ready(page: Any) -> None:
    page.wait_for_selector("#check:enabled", timeout=90_000)


def verdict_of(page: Any) -> str:
    page.wait_for_selector("#result:not([hidden])", timeout=90_000)
    return str(page.text_content("#verdict"))


@browsed
@pytest.mark.ci
def test_a_check_a_counterexample_and_a_link_that_says_the_same(address: str, browser: Any) -> None:
    asked_for: list[str] = []
    with browser.new_context(viewport=screen(DESKTOP)) as context:
        page = context.new_page()
        page.on("request", lambda request: asked_for.append(request.url))
        page.goto(address)
        ready(page)
        page.click("#check")
        assert verdict_of(page) == "Holds, on every interleaving"
        page.fill("[name=relax]", "fifo")
        page.click("#check")
        found = verdict_of(page)
        assert found == "Violated: no-red-in-white, after 3 actions"
        page.click("#stepping summary")
        page.frame_locator("#run").get_by_text("The equivalent computation").first.wait_for(state="attached")
        link = page.url
        second = context.new_page()
        second.goto(link)
        ready(second)
        second.click("#check")
        assert verdict_of(second) == found and second.text_content("#counts") == page.text_content("#counts")
    assert {url.partition(":")[0] for url in asked_for if not url.startswith(address)} <= {"blob", "data"}


@browsed
@pytest.mark.ci
def test_a_link_with_code_waits_for_a_click_and_its_code_reaches_no_network(address: str, browser: Any) -> None:
    code = "import js\njs.fetch('http://127.0.0.1:9/')\n"
    with browser.new_context(viewport=screen(PHONE)) as context:
        page = context.new_page()
        page.goto(f"{address}#program=mine.py:X&code={quote(code)}")
        ready(page)
        assert page.is_hidden("#result") and page.input_value("[name=code]") == code
        page.click("#check")
        page.wait_for_selector("#status.bad")
        assert "mine.py" in page.text_content("#status")
        assert page.locator("html").evaluate("page => page.scrollWidth") <= PHONE


@browsed
@pytest.mark.ci
def test_a_search_can_be_stopped_and_the_page_goes_on(address: str, browser: Any) -> None:
    with browser.new_context(viewport=screen(DESKTOP)) as context:
        page = context.new_page()
        page.goto(f"{address}#topology=complete:4&states=200000")
        ready(page)
        page.click("#check")
        page.get_by_text("waiting, depth").wait_for(timeout=60_000)
        page.click("#stop")
        ready(page)
        page.fill("[name=topology]", "ring:3")
        page.click("#check")
        assert verdict_of(page) == "Holds, on every interleaving"
