"""The explorer's server: a walk is its choices; nobody but its own page may ask."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from threading import Timer
from typing import Any

import pytest

pytest.importorskip("starlette")

from starlette.testclient import TestClient

from checker.explorer.server import HOST, application
from checker.explorer.walk import Walks
from checker.report.data import trace_from
from model.catalogue import build_system
from model.families import parse_family
from model.properties import chosen

TOKEN = {"X-Redwhite-Token": "secret"}


def searched(client: TestClient) -> dict[str, Any]:
    """What the search says when it is over."""
    while (found := client.post("/search", json={}, headers=TOKEN).json())["running"]:
        time.sleep(0.05)
    return found  # type: ignore[no-any-return]


@pytest.fixture
def client() -> TestClient:
    system = build_system(parse_family("ring:3"), "free", relax="fifo")
    return TestClient(application(Walks(system, chosen(system)), "a <title>", "secret"), base_url=f"http://{HOST}")


def test_a_walk_to_a_violation_step_by_step(client: TestClient) -> None:
    here = client.post("/view", json={"choices": []}, headers=TOKEN).json()
    for words in ("turn red, marker to P1", "send 0 to P1", "accept 0 from P0"):
        names = [event["words"] for event in here["enabled"]]
        choices = [*here["choices"], names.index(words)]
        here = client.post("/view", json={"choices": choices}, headers=TOKEN).json()
    status = {p["name"]: p["status"] for p in here["properties"]}
    assert status["no-red-in-white"] == "violated in action 3"
    assert status["reachable"] == "no snapshot is complete yet"
    assert len(here["steps"]) == 4 and here["picture"].startswith("<svg")


def test_one_can_jump_to_what_a_search_finds_and_save_it(client: TestClient) -> None:
    found = searched(client)
    assert {"no-red-in-white", "reachable", "a snapshot completes"} <= set(found["targets"])
    assert found["said"].endswith("states were searched")
    here = client.post("/jump", json={"to": "reachable"}, headers=TOKEN).json()
    status = {p["name"]: p["status"] for p in here["properties"]}
    assert status["reachable"].startswith("violated") and len(here["choices"]) == 5
    saved = client.post("/trace", json={"choices": here["choices"]}, headers=TOKEN).json()
    assert len(trace_from(saved).trace.events) == 5


def test_running_on_at_random_ends_where_nothing_can_happen(client: TestClient) -> None:
    here: dict[str, list[int]] = {"choices": []}
    for _ in range(4):
        here = client.post("/random", json=here, headers=TOKEN).json()
        here = {"choices": here["choices"], "enabled": here["enabled"]}
    assert here["enabled"] == [] and len(here["choices"]) <= 12


@pytest.mark.parametrize(
    ("body", "says"),
    [
        ({"choices": [99]}, "choice 99 in step 1"),
        ({"choices": "x"}, "choices: a list of whole numbers"),
        ({"choices": [0] * 500}, "at most 400"),
    ],
)
def test_a_wrong_request_is_answered_in_one_line(client: TestClient, body: dict[str, object], says: str) -> None:
    answer = client.post("/view", json=body, headers=TOKEN)
    assert answer.status_code == 400 and says in answer.json()["error"]


def test_another_origin_another_host_and_a_request_without_the_token_are_refused(client: TestClient) -> None:
    walk = {"choices": []}
    assert client.post("/view", json=walk).status_code == 403
    assert client.post("/view", json=walk, headers={"X-Redwhite-Token": "wrong"}).status_code == 403
    assert client.post("/view", json=walk, headers={**TOKEN, "Origin": "http://evil.example"}).status_code == 403
    assert client.post("/view", json=walk, headers={**TOKEN, "Host": "evil.example"}).status_code == 400
    assert client.post("/view", json=walk, headers={**TOKEN, "Origin": f"http://{HOST}"}).status_code == 200
    assert client.get("/view").status_code == 405


def test_the_page_names_nothing_outside_and_escapes_its_title(client: TestClient) -> None:
    page = client.get("/").text
    assert "a &lt;title&gt;" in page and 'data-token="secret"' in page
    assert set(re.findall(r"https?://[^\"' ]+", page)) <= {"http://www.w3.org/2000/svg"}


def test_the_command_serves_until_interrupted() -> None:
    command = [sys.executable, "-c", "from checker.cli import main; main()", "explore", "ring:3"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        assert re.match(r"http://127\.0\.0\.1:\d+/", server.stdout.readline())
        server.send_signal(signal.SIGINT)
        assert server.wait(30) == 0


def test_enabled_actions_say_beforehand_what_they_would_violate(client: TestClient) -> None:
    here = client.post("/view", json={"choices": []}, headers=TOKEN).json()
    assert not any(event["breaks"] for event in here["enabled"]) and here["violation"] is None
    for words in ("turn red, marker to P1", "send 0 to P1"):
        at = [event["words"] for event in here["enabled"]].index(words)
        here = client.post("/view", json={"choices": [*here["choices"], at]}, headers=TOKEN).json()
    warned = {event["words"]: event["breaks"] for event in here["enabled"]}
    assert warned["accept 0 from P0"] == ["no-red-in-white"]
    assert warned["accept marker from P0, turn red, marker to P2"] == []
    at = list(warned).index("accept 0 from P0")
    here = client.post("/view", json={"choices": [*here["choices"], at]}, headers=TOKEN).json()
    assert here["violation"]["property"] == "no-red-in-white" and 'class="offends"' in here["picture"]
    assert "sends 0 to P1 in action 2" in here["violation"]["why"][0]


def test_a_jump_explains_and_draws_what_is_violated(client: TestClient) -> None:
    searched(client)
    here = client.post("/jump", json={"to": "channel-exact"}, headers=TOKEN).json()
    assert here["violation"]["property"] == "channel-exact" and 'class="offends"' in here["picture"]
    assert client.post("/jump", json={"to": "a snapshot completes"}, headers=TOKEN).json()["violation"] is None


def test_a_bounded_search_does_not_say_that_there_is_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    from checker.engines.search_options import SearchOptions

    monkeypatch.setattr("checker.explorer.walk.SEARCH", SearchOptions(max_states=20))
    system = build_system(parse_family("ring:3"))
    served = TestClient(application(Walks(system, chosen(system)), "a title", "secret"), base_url=f"http://{HOST}")
    said = searched(served)["said"]
    assert "none violated in" in said and "cut off" in said and "nothing" not in said


def test_walks_go_on_while_it_searches(client: TestClient) -> None:
    client.post("/search", json={}, headers=TOKEN)
    assert client.post("/view", json={"choices": [0]}, headers=TOKEN).status_code == 200


def test_an_interrupt_during_a_search_ends_it_in_silence(tmp_path: Path) -> None:
    import json
    import urllib.request

    command = [sys.executable, "-c", "from checker.cli import main; main()", "explore", "complete:4", "--program"]
    with subprocess.Popen(
        [*command, "transfer,b=2,s=2"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as server:
        assert server.stdout is not None and server.stderr is not None
        killing = Timer(60, server.kill)
        killing.daemon = True
        killing.start()
        address = server.stdout.readline().split()[0]
        page = urllib.request.urlopen(address).read().decode()
        token = re.findall(r'data-token="([^"]*)"', page)[0]
        headers = {"X-Redwhite-Token": token, "Content-Type": "application/json"}
        asked = urllib.request.Request(f"{address}search", data=b"{}", headers=headers)
        assert json.loads(urllib.request.urlopen(asked).read())["running"]
        time.sleep(1.0)
        server.send_signal(signal.SIGINT)
        try:
            assert server.wait(20) == 0
        finally:
            server.kill()
        assert "Traceback" not in server.stderr.read()


def test_a_saved_trace_is_opened(tmp_path: Path) -> None:
    from checker.check import check
    from checker.report.formats import write_trace

    found = check("ring:3", relax="fifo", engine="reference").counterexample
    assert found is not None
    write_trace(found, tmp_path / "run.json")
    command = [sys.executable, "-c", "from checker.cli import main; main()", "explore", str(tmp_path / "run.json")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        import urllib.request

        assert server.stdout is not None
        killing = Timer(60, server.kill)
        killing.daemon = True
        killing.start()
        page = urllib.request.urlopen(server.stdout.readline().split()[0]).read().decode()
        opened = re.findall(r'data-opened="([0-9,]*)"', page)[0]
        assert len(opened.split(",")) == len(found.trace)
        server.send_signal(signal.SIGINT)
        assert server.wait(30) == 0
