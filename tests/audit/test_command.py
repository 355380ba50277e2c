"""`redwhite audit`: what it says, its exit codes, and logs that are damaged, hostile or no logs at all."""

from __future__ import annotations

import gzip
import json
import os
import random
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from checker.cli.app import run
from tests.audit.logs import LOGS, Line, written
from tests.draw.browsing import DESKTOP, PHONE, Browser, browsed, chromium, fits

EARLY, SOUND = str(LOGS / "announces-early.jsonl.gz"), str(LOGS / "sound.jsonl.gz")
FINE: list[Line] = [
    {"machine": "A", "event": "start", "state": 1},
    {"machine": "B", "event": "start", "state": 0},
    {"machine": "A", "event": "send", "to": "B", "message": 1, "state": 0},
    {"machine": "A", "event": "record", "snapshot": 0},
    {"machine": "A", "event": "send", "to": "B", "marker": 0},
    {"machine": "B", "event": "record", "snapshot": 0},
    {"machine": "B", "event": "send", "to": "A", "marker": 0},
    {"machine": "B", "event": "accept", "from": "A", "message": 1, "state": 1},
    {"machine": "B", "event": "accept", "from": "A", "marker": 0},
    {"machine": "A", "event": "accept", "from": "B", "marker": 0},
    {"event": "snapshot", "snapshot": 0, "states": {"A": 0, "B": 0}, "channels": {"A>B": [1]}},
]


def said(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str]:
    code = run(["audit", *arguments])
    out, err = capsys.readouterr()
    assert "Traceback" not in err
    return code, out or err


def as_json(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(said(capsys, "--json", *arguments)[1])
    return found


def test_the_snapshot_the_channel_and_the_message_are_named_and_drawn(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    picture, page = tmp_path / "cut.svg", tmp_path / "audit.html"
    code, out = said(capsys, EARLY, "--svg", str(picture), "--html", str(page))
    assert code == 1
    assert max(map(len, out.splitlines())) <= 80
    assert "run announces-early/2, snapshot 0: impossible" in out
    assert "N1>N2 held [3, 2, 1] at the cut, and [3, 2] is claimed: missing is 1 (sent on" in out
    assert 'line 64: {"run": "announces-early/2", "event": "snapshot"' in out
    drawing = ElementTree.parse(picture).getroot()
    shown = [path.get("class") for path in drawing.iter("{http://www.w3.org/2000/svg}path")]
    assert shown.count("offends") == 2 + 1  # and the legend
    assert shown.count("cut") == 1 + 1  # and the legend
    assert picture.read_text().count("<svg") == page.read_text().count("<svg") == 1


def test_json_has_the_fields_of_the_contract(capsys: pytest.CaptureFixture[str]) -> None:
    found = as_json(capsys, EARLY)
    assert found["verdict"] == "violated"
    assert (found["runs"], found["machines"], found["events"], found["unexplained"]) == (12, 10, 1608, 0)
    (bad,) = [snapshot for snapshot in found["snapshots"] if snapshot["verdict"] != "consistent"]
    assert (bad["run"], bad["snapshot"], bad["verdict"]) == ("announces-early/2", 0, "impossible")
    assert bad["channels"][0]["channel"] == "N1>N2"
    assert bad["channels"][0]["missing"] == [{"file": EARLY, "line": 46}]
    assert bad["rule"]["at"] == {"file": EARLY, "line": 64}


def test_exit_codes(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    log = str(written(tmp_path / "log.jsonl", FINE))
    assert said(capsys, log)[0] == 0
    assert said(capsys, SOUND, "--protocol", "marker")[0] == 0
    assert said(capsys, str(written(tmp_path / "none.jsonl", FINE[:3])))[0] == 3
    assert said(capsys, str(written(tmp_path / "open.jsonl", FINE[:-1])))[0] == 3


@pytest.mark.parametrize(
    "line", ["gibberish", "[1]", '{"event": "nap", "machine": "A"}', '{"event": "send"', "{}", "[" * 9999]
)
def test_holds_is_not_said_over_lines_that_were_not_understood(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, line: str
) -> None:
    log = tmp_path / "log.jsonl"
    log.write_text("\n".join([*map(json.dumps, FINE), line, ""]))
    code, out = said(capsys, str(log))
    assert code == 3
    assert "1 lines were not understood" in out
    assert as_json(capsys, str(log))["unexplained"] == 1


def test_damaged_logs_are_judged_and_nothing_breaks(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """Lines dropped, doubled, swapped, cut off and scrambled in any way give a verdict, and never a silent `holds`."""
    lines = gzip.decompress(Path(EARLY).read_bytes()).decode().splitlines()[:200]
    for seed in range(30):
        rng, damaged = random.Random(seed), list(lines)
        for _ in range(6):
            place, kind = rng.randrange(len(damaged)), rng.choice(["drop", "double", "swap", "cut", "noise"])
            if kind == "drop":
                del damaged[place]
            elif kind == "double":
                damaged.insert(place, damaged[place])
            elif kind == "swap":
                damaged[place - 1], damaged[place] = damaged[place], damaged[place - 1]
            elif kind == "cut":
                damaged[place] = damaged[place][: rng.randrange(1, len(damaged[place]))]
            else:
                damaged[place] = "".join(chr(rng.randrange(1, 0x2FF)) for _ in range(30)).replace("\n", " ")
        log = tmp_path / "log.jsonl"
        log.write_text("\n".join(damaged), encoding="utf-8")
        code, out = said(capsys, "--json", str(log), "--protocol", "marker")
        found = json.loads(out)
        assert code == {"holds": 0, "violated": 1, "unknown": 3}[found["verdict"]]
        assert not (found["unexplained"] and found["verdict"] == "holds")


def test_a_compressed_file_that_breaks_off_is_told(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl.gz"
    log.write_bytes(Path(SOUND).read_bytes()[:-2000])
    code, out = said(capsys, str(log), "--json")
    assert code == 3
    assert "breaks off" in json.loads(out)["unread"][-1]["why"]


def test_what_is_no_log_is_refused_in_one_line(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    pipe, binary = tmp_path / "pipe", tmp_path / "binary"
    os.mkfifo(pipe)
    binary.write_bytes(bytes(range(256)) * 64)
    for path in (str(pipe), "/dev/zero", str(binary), str(tmp_path / "none"), str(tmp_path / "*"), ""):
        code, out = said(capsys, path)
        assert code == 2, path
        assert len(out.splitlines()) == 1
    for words in (["simultaneous"], ["merker"], ["marker,mixed=perhaps"], ["marker", "--relax", "loss:1"]):
        code, out = said(capsys, SOUND, "--protocol", *words)
        assert code == 2, words
        assert len(out.splitlines()) == 1
    assert said(capsys, SOUND, "--svg", str(tmp_path / "none" / "x.svg"))[0] == 2
    assert said(capsys, SOUND, "--run", "none")[0] == 2


def test_ten_thousand_machines(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    lines: list[Line] = []
    for n in range(10_000):
        lines += [
            {"machine": f"N{n}", "event": "start", "state": n},
            {"machine": f"N{n}", "event": "record", "snapshot": 0},
            {"machine": f"N{n}", "event": "send", "to": f"N{(n + 1) % 10_000}", "marker": 0},
        ]
    states = {f"N{n}": n for n in range(10_000)}
    lines.append({"event": "snapshot", "snapshot": 0, "states": states | {"N7": 8}, "channels": {}})
    log = str(written(tmp_path / "log.jsonl", lines))
    code, out = said(capsys, log, "--svg", str(tmp_path / "x.svg"))
    assert code == 1
    assert "N7 was in state 7 where it recorded" in out
    assert (tmp_path / "x.svg").stat().st_size < 100_000


class Tags(HTMLParser):
    """The elements of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.found: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.add(tag)
        assert not any(name.startswith("on") for name, _ in attrs)


def test_hostile_names_stay_text(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    evil = "<script>alert(1)</script><img src=x onerror=alert(2)>\x1b[31m\u202e\ud800&\"'"
    lines = [
        {"run": evil, "machine": evil, "event": "start", "state": evil},
        {"run": evil, "machine": evil, "event": "send", "to": "B>C", "message": {evil: evil}},
        {"run": evil, "machine": evil, "event": "record", "snapshot": evil},
        {"run": evil, "machine": "B>C", "event": "accept", "from": evil, "marker": evil, "channel": evil},
        {"run": evil, "event": "snapshot", "snapshot": evil, "states": {evil: 1, "B>C": 2}, "channels": {evil: [evil]}},
    ]
    log, page = str(written(tmp_path / "log.jsonl", lines)), tmp_path / "x.html"
    code, out = said(capsys, log, "--html", str(page), "--svg", str(tmp_path / "x.svg"))
    assert code == 1
    assert out.isprintable() or all(part.isprintable() for part in out.splitlines())
    tags = Tags()
    tags.feed(page.read_text(encoding="utf-8"))
    assert not tags.found & {"script", "img"}
    ElementTree.parse(tmp_path / "x.svg")
    json.loads(said(capsys, log, "--json")[1])


@browsed
@pytest.mark.parametrize("width", [PHONE, DESKTOP])
def test_a_page_is_no_wider_than_its_window(width: int, tmp_path: Path) -> None:
    page = tmp_path / "x.html"
    assert run(["audit", EARLY, "--html", str(page)]) == 1
    with chromium() as launched:
        browser = Browser(launched, tmp_path)
        assert fits(browser.opened(page.read_text(encoding="utf-8"), width))
        browser.close()
