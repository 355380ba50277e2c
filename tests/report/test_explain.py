"""Why a property fails: which message, sent where, accepted where; the cut; S0, SSS, S1; in words and as data."""

from __future__ import annotations

from functools import cache

import pytest

from checker import check
from checker.report.explain import explain
from checker.report.table import verdict_text
from checker.report.text import trace_text
from model.trace import Counterexample
from model.verdict import Verdict


@cache
def verdict(topology: str, program: str, protocol: str, relax: str) -> Verdict:
    return check(topology, program, protocol, relax=relax)


def broken(
    name: str, topology: str, program: str = "transfer", protocol: str = "marker", relax: str = ""
) -> Counterexample:
    (found,) = [p.counterexample for p in verdict(topology, program, protocol, relax).properties if p.name == name]
    assert found is not None
    return found


def test_a_red_message_in_a_white_action() -> None:
    why = explain(broken("no-red-in-white", "ring:3", "free,s=1", relax="fifo"))
    (message,) = why["messages"]
    assert (message["from"], message["to"], message["payload"]) == ("P0", "P1", 0)
    assert message["sent"] == {"action": 2, "machine": 0, "colour": "red"}
    assert message["accepted"] == {"action": 3, "machine": 1, "colour": "white"}
    assert [cut["action"] for cut in why["cut"]] == [1, None, None]
    assert "overtakes the marker" in why["why"][1]
    assert why["equivalent"]["inversions"] == 1 and why["equivalent"]["fails_at"] == 3


def test_a_marker_that_was_lost_is_named() -> None:
    why = explain(broken("no-red-in-white", "ring:2", relax="marker-loss:1"))
    assert any("is lost in action" in text for text in why["why"])


def test_a_marker_that_was_never_sent_is_named() -> None:
    why = explain(broken("no-red-in-white", "ring:3", protocol="late-marker"))
    assert "No marker had been put on P0>P1" in why["why"][1]


def test_what_is_counted_twice() -> None:
    why = explain(broken("conservation", "ring:3", protocol="late-marker"))
    assert any(text.startswith("Counted twice: P0, red since action 1, sends 1 to P1") for text in why["why"])


def test_a_channel_that_is_recorded_wrongly() -> None:
    why = explain(broken("channel-exact", "ring:3", protocol="no-channel-state"))
    (message,) = why["messages"]
    assert message["sent"]["colour"] == "white" and message["accepted"]["colour"] == "red"
    assert why["SSS"]["channels"] == [[], [], []] and why["S0_after"] == 0
    assert why["why"][0] == "P2>P0 is recorded as empty, but in transit at the cut was 1."


def test_the_three_states() -> None:
    found = broken("reachable", "complete:3", "kuper", relax="fifo")
    why = explain(found)
    assert why["kind"] == "SSS is not reachable from S0"
    assert why["S0"]["machines"] == [["A", "B"], [], []]
    assert {"S0", "SSS", "S1"} <= set(why)


def test_the_reordered_run() -> None:
    why = explain(broken("equivalent", "ring:3", protocol="late-marker"))
    reordered = why["equivalent"]
    assert reordered["inversions"] == len(reordered["exchanges"]) == 1
    assert reordered["fails_at"] in reordered["reordered"]
    assert f"There action {reordered['fails_at']} cannot happen" in why["why"][1]


def test_who_is_still_white() -> None:
    why = explain(broken("all-red", "ring:2", relax="marker-loss:1"))
    assert "Still white: P1." in why["why"]
    assert "P0 waits for a marker on P1>P0." in why["why"]


def test_who_cannot_be_reached() -> None:
    why = explain(broken("all-red", "edges:0>1,2>0"))
    assert "No chain of channels leads from an initiator to P2." in why["why"]


def test_a_crash_is_marked_as_a_fault() -> None:
    assert "✗ crashes" in trace_text(broken("all-red", "ring:2", relax="crash:1"))


def test_parallel_channels_are_told_apart() -> None:
    text = trace_text(broken("channel-exact", "edges:0>1,0>1,1>0", relax="fifo"))
    assert "marker to P1#0, P1#1" in " ".join(text.split())


KINDS = [
    ("ring:3", "transfer", "marker", "fifo"),
    ("ring:2", "transfer", "marker", "loss:1"),
    ("ring:2", "transfer", "marker", "duplication:1"),
    ("ring:2", "transfer", "marker", "crash:1"),
    ("ring:2", "diffusing", "marker", "fifo"),
    ("ring:2", "token", "no-channel-state", "fifo"),
    ("ring:3", "transfer", "late-record", ""),
    ("ring:2", "transfer", "concurrent,k=2", "fifo"),
    ("ring:2", "transfer", "observer,literal=true", ""),
    ("ring:2", "transfer,atomic=joint", "marker,mixed=true", "fifo"),
]


@pytest.mark.parametrize("words", KINDS, ids=[" ".join(words) for words in KINDS])
@pytest.mark.parametrize("width", [60, 120, 200])
def test_every_kind_of_counterexample_is_shown(words: tuple[str, str, str, str], width: int) -> None:
    """No line is wider than asked; every action has its line; the reason stands below, in sentences."""
    found = [p.counterexample for p in verdict(*words).properties if p.counterexample]
    assert found
    for counterexample in [*found, *verdict(*words).witnesses]:
        text = trace_text(counterexample, width)
        assert all(len(line) <= width for line in text.splitlines())
        numbers = [line.split()[0] for line in text.splitlines() if line[:2].strip().isdigit()]
        assert numbers == [str(n + 1) for n in range(len(counterexample.trace))]
        sentences = explain(counterexample)["why"]
        assert sentences and all(sentence.endswith(".") for sentence in sentences)
        assert sentences[0].split()[0].lower() in text.lower()


def test_the_verdict_as_text() -> None:
    text = verdict_text(verdict("ring:3", "transfer", "marker", "fifo"))
    assert "801 states" in text and "VIOLATED" in text and "why no-red-in-white fails" in text


HOSTILE = """
[machines]
"[bold]\\u001b[31mP1" = ["[/red]\\n"]
P2 = ["<script>"]
[messages]
"[/red]\\n" = "<script>"
"""


def test_hostile_names_are_shown_inert(tmp_path: object) -> None:
    path = f"{tmp_path}/names.toml"
    with open(path, "w") as file:
        file.write(HOSTILE)
    text = verdict_text(check("ring:2", f"script,file={path}", relax="marker-loss:1"))
    assert "\x1b" not in text and "[bold]\\x1b[31mP1" in text and "[/red]\\n" in text
