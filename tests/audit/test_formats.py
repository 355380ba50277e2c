"""Other formats: a course's scripts, vector clocks, OpenTelemetry spans."""

from __future__ import annotations

import json
import random
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from checker.audit.formats import course
from checker.audit.reading import read
from checker.audit.result import Asked, audit
from checker.cli.app import run as command
from checker.export import shiviz
from checker.report.lifelines import Follower
from checker.topologies import parse
from model.catalogue import build_system
from model.errors import InputError
from model.trace import Counterexample
from tests.audit import every_delay
from tests.audit.test_traces import walked

TOP = "2\r\nA 3\r\nB 0\r\n# a ring\r\nA B\r\nB A\r\n"
EVENTS = "send A B 1\nsnapshot B\ntick\nsend A B 2\ntick 3\nsend B A 1 # not under all delays\n"


@pytest.mark.parametrize(
    ("claim", "verdict"),
    [
        ("0\nA 2\nB 0\nA B token(1)\n", "consistent"),
        ("0\nA 0\nB 0\nA B token(1)\nA B token(2)\n", "consistent"),
        ("0\nA 0\nB 0\nA B token(2)\nA B token(1)\n", "impossible"),
        ("0\nA 2\nB 1\n", "impossible"),
        ("0\nA 2\nB 0\n", "impossible"),
        ("1\nA 2\nB 0\n", "impossible"),
        ("0\nA 2\n", "incomplete"),
    ],
)
def test_is_a_scripts_snapshot_obtainable(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], claim: str, verdict: str
) -> None:
    files = []
    for suffix, text in (("top", TOP), ("events", EVENTS), ("snap", claim)):
        files.append(str(tmp_path / f"two.{suffix}"))
        (tmp_path / f"two.{suffix}").write_text(text, newline="")
    code = command(["audit", *files, "--json"])
    found = json.loads(capsys.readouterr().out)
    assert [snapshot["verdict"] for snapshot in found["snapshots"]] == [verdict]
    assert code == {"consistent": 0, "impossible": 1, "incomplete": 3}[verdict]
    assert found["remarks"] == [
        "line 6 of the script cannot be carried out under all delays: B may not have 1 tokens yet."
    ]
    assert command(["audit", *files]) == code


@pytest.mark.parametrize(
    ("suffix", "text", "said"),
    [("top", "A 1\nA C\n", "'A C'"), ("events", "send A B x\n", "'send A B x'"), ("snap", "0\nA B token\n", "token")],
)
def test_scripts_are_refused_by_line(tmp_path: Path, suffix: str, text: str, said: str) -> None:
    from checker.audit.formats.course import audit as judge

    for name, own in {"top": TOP, "events": EVENTS, "snap": "0\nA 1\nB 1\n", suffix: text}.items():
        (tmp_path / f"x.{name}").write_text(own)
    files = [str(tmp_path / f"x.{name}") for name in ("top", "events", "snap")]
    with pytest.raises(InputError, match=re.escape(said)):
        judge(files)
    with pytest.raises(InputError, match=r"accepted is one \.top"):
        judge(files[1:])


@settings(max_examples=60)
@given(st.integers(0, 10**6))
def test_as_every_delay_tried_in_turn(seed: int) -> None:
    """Every snapshot that some delays give is found to be one, and near it none that they do not give."""
    script = every_delay.small(seed)
    lines = []
    for place, line in enumerate(script.lines, 1):
        what, machine, other, number = (*line, "", "", 0)[:4] if line[0] != "snapshot" else (*line, "", 0)
        lines.append(course.Line(place, what, machine, other, number))
    own = course.Script(script.tokens, tuple(script.channels), tuple(lines))
    possible = script.snapshots()
    chooser = random.Random(seed)
    near = {(tuple(max(0, t + chooser.choice([-1, 0, 1])) for t in tokens), contents) for tokens, contents in possible}
    near |= {(tokens, tuple(c[:-1] for c in contents)) for tokens, contents in possible}
    near.add((tuple(script.tokens.values()), ((),) * len(script.channels)))
    for tokens, contents in possible | near:
        held = dict(zip(script.channels, contents, strict=True))
        claim = course.Claimed("x.snap", 0, dict(zip(script.tokens, tokens, strict=True)), held)
        verdict, _ = course.judge(own, claim)
        assert verdict == ("consistent" if (tokens, contents) in possible else "impossible")


def test_a_large_script_is_settled() -> None:
    """Ten machines in a ring: what a run without delays gives is obtainable, and is not with a token more."""
    names = [f"N{n}" for n in range(10)]
    lines = []
    for number in range(120):
        machine = names[number * 7 % 10]
        if number == 60:
            lines += [course.Line(number, "snapshot", names[3], "", 0), course.Line(number, "tick", "", "", 0)]
        lines.append(course.Line(number, "send", machine, names[(number * 7 + 1) % 10], 1 + number % 3))
        lines += [course.Line(number, "tick", "", "", 0)] * (number % 2)
    ring = tuple(zip(names, names[1:] + names[:1], strict=True))
    script = course.Script(dict.fromkeys(names, 100), ring, tuple(lines))
    begun = next(number for number, line in enumerate(lines) if line.what == "snapshot")
    tokens = dict(script.tokens)
    for line in lines[:begun]:
        if line.what == "send":
            tokens[line.machine] -= line.number
            tokens[line.other] += line.number
    claim = course.Claimed("", 0, tokens, {})
    assert course.judge(script, claim)[0] == "consistent"
    assert course.judge(script, course.Claimed("", 0, {**tokens, "N4": tokens["N4"] + 1}, {}))[0] == "impossible"


GOVECTOR = r"""(?<host>\S*) (?<clock>{.*})\n(?<event>.*)

A {"A": 1}
{"event": "start", "state": 5}
B {"B": 1}
{"event": "start", "state": 0}
A {"A": 2}
{"state": 4}
B {"B": 2}
{"event": "record", "snapshot": 0}
B {"B": 3}
{"marker": 0}
B {"A": 2, "B": 4}
{"state": 1}
A {"A": 3, "B": 3}
{"marker": 0}
A {"A": 4, "B": 3}
{"event": "record", "snapshot": 0}
A {"A": 5, "B": 3}
{"event": "snapshot", "snapshot": 0, "states": {"A": 4, "B": 0}, "channels": {"A>B": ["A 2"]}}
"""


def test_vector_clocks_say_the_messages(tmp_path: Path) -> None:
    log = tmp_path / "log.govector"
    log.write_text(GOVECTOR)
    found = audit([str(log)], Asked())
    assert [snapshot.verdict for snapshot in found.snapshots] == ["consistent"]
    log.write_text(GOVECTOR.replace('["A 2"]', "[]"))
    (snapshot,) = audit([str(log)], Asked()).snapshots
    assert snapshot.verdict == "impossible"
    assert 'A>B held ["A 2"] at the cut, and [] is claimed' in snapshot.why[0]
    log.write_text(GOVECTOR + "gibberish\n")
    assert len(audit([str(log)], Asked()).unread) == 1
    log.write_text("(?<host>\n\n")
    with pytest.raises(InputError, match="no regular expression"):
        audit([str(log)], Asked())


RAW = """A {"A":1}
INFO Initialization Complete
B {"B":1}
INFO Initialization Complete
A {"A":2}
INFO Sending Message
B {"A":2, "B":2}
INFO Received Message
"""


def accepts(path: Path) -> dict[str, list[tuple[str, str]]]:
    """Per run, who accepted what."""
    reading = read([str(path)])
    assert not reading.unread
    return {
        run: [(m, str(e.message)) for m, events in history.machines.items() for e in events if e.kind == "accept"]
        for run, history in reading.histories.items()
    }


def test_logs_as_govector_and_shiviz_write_them_without_an_expression(tmp_path: Path) -> None:
    """GoVector's own files begin with host and clock; those of ShiViz's examples with the event, runs between `===`."""
    log = tmp_path / "log.govector"
    log.write_text(RAW)
    assert accepts(log) == {"": [("B", '"A 2"')]}
    lines = RAW.splitlines()
    turned = "".join(f"{event}\n{clock}\n" for clock, event in zip(lines[::2], lines[1::2], strict=True))
    log.write_text(turned)
    assert accepts(log) == {"": [("B", '"A 2"')]}
    log.write_text(f"=== Execution #1 ===\n{turned}\n=== Execution #2 ===\n{turned}")
    assert accepts(log) == {"Execution #1": [("B", '"A 2"')], "Execution #2": [("B", '"A 2"')]}
    header = "(?<event>.*)\\n(?<host>\\S*) (?<clock>{.*})\n^--(?<trace>.*)--$\n"
    log.write_text(f"{header}--x--\n{turned}--y--\n{turned}gibberish\n")
    reading = read([str(log)])
    assert sorted(reading.histories) == ["x", "y"]
    assert [(unread.place.line, unread.text) for unread in reading.unread] == [(21, "gibberish")]


@given(st.integers(0, 10**6))
def test_messages_told_by_clocks_are_messages_of_the_run(seed: int) -> None:
    trace = walked(build_system(parse("complete:3")[0], "transfer,b=2,s=2", "marker"), seed)
    text = shiviz(Counterexample("conservation", trace, {"kind": "a random run"}))
    follower, numbers, count = Follower(trace), {}, {0: 0, 1: 0, 2: 0}
    for number, event in enumerate(trace.events):
        count[event.actor] += 1
        numbers[number] = count[event.actor]
    sent = set()
    for lifeline in follower.found():
        source, destination = trace.system.channels[lifeline.channel]
        if lifeline.accepted is not None and lifeline.sent is not None:
            sent.add((f"P{source} {numbers[lifeline.sent]}", f"P{destination}"))
    path = Path("/tmp") / f"clocks-{seed}.shiviz"
    path.write_text(text)
    try:
        reading = read([str(path)])
    finally:
        path.unlink()
    found = {
        (json.loads(str(event.message)), machine)
        for machine, events in reading.histories[""].machines.items()
        for event in events
        if event.kind == "accept"
    }
    assert not reading.unread
    assert found <= sent


def span(name: str, at: int, own: str, kind: int = 1, links: tuple[str, ...] = (), **said: Any) -> dict[str, Any]:
    attributes = []
    for key, value in said.items():
        kinds = {int: ("intValue", str(value)), str: ("stringValue", value)}
        held = kinds.get(type(value), ("kvlistValue", {"values": value}))
        attributes.append({"key": f"audit.{key}", "value": dict([held])})
    linked = [{"spanId": link} for link in links]
    return {
        "spanId": own,
        "name": name,
        "kind": kind,
        "startTimeUnixNano": str(at),
        "links": linked,
        "attributes": attributes,
    }


def exported(spans: dict[str, list[dict[str, Any]]]) -> str:
    """The spans of services, as a collector's file exporter writes them."""
    resources = []
    for service, own in spans.items():
        name = {"key": "service.name", "value": {"stringValue": service}}
        resources.append({"resource": {"attributes": [name]}, "scopeSpans": [{"spans": own}]})
    return json.dumps({"resourceSpans": resources})


def test_spans_with_links(tmp_path: Path) -> None:
    log = tmp_path / "log.otlp.json"
    states = [{"key": "A", "value": {"intValue": "4"}}, {"key": "B", "value": {"intValue": "0"}}]
    content = {"arrayValue": {"values": [{"intValue": "1"}]}}
    one = [
        span("start", 1, "a1", event="start", state=5),
        span("send", 2, "a2", 4, message=1, state=4),
        span("record", 3, "a3", event="record", snapshot=0),
        span(
            "announce",
            9,
            "a4",
            event="snapshot",
            snapshot=0,
            states=states,
            channels=[{"key": "A>B", "value": content}],
        ),
    ]
    two = [
        span("accept", 8, "b3", 5, ("a2",), state=1),
        span("start", 1, "b1", event="start", state=0),
        span("record", 4, "b2", event="record", snapshot=0),
    ]
    log.write_text(exported({"A": one, "B": two}))
    found = audit([str(log)], Asked())
    assert (found.verdict, found.events, [s.verdict for s in found.snapshots]) == ("holds", 7, ["consistent"])
    log.write_text("{}")
    with pytest.raises(InputError, match="none of its 1 lines"):
        audit([str(log)], Asked())


def test_spans_as_the_sdk_exports_them(tmp_path: Path) -> None:
    """Written by OpenTelemetry's SDK and file exporter (tests/data/spans/make.py); its attributes hold no objects."""
    text = (Path(__file__).parents[1] / "data" / "spans" / "bank.otlp.jsonl").read_text()
    log = tmp_path / "bank.otlp.jsonl"
    log.write_text(text)
    found = audit([str(log)], Asked(protocol="marker"))
    assert (found.verdict, found.events, [s.verdict for s in found.snapshots]) == ("holds", 13, ["consistent"])
    log.write_text(text.replace("[1]}", "[]}"))
    (snapshot,) = audit([str(log)], Asked()).snapshots
    assert snapshot.verdict == "impossible"
    assert "orders>payments held [1] at the cut, and [] is claimed" in snapshot.why[0]
