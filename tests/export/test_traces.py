"""Exported traces say what the trace says: clocks are happened-before, states the states, arrows the messages."""

import json
import re
from typing import Any

import pytest
from itf_py import trace_from_json

from checker.export import itf, mermaid, shiviz
from checker.export.sequence import escaped
from checker.report.lifelines import Follower
from model.trace import Counterexample, Trace
from tests.export.traces import SYSTEMS, random_trace

RUNS = [random_trace(words, seed) for words in SYSTEMS for seed in range(3)]


def parsed(text: str) -> list[tuple[str, dict[str, int], str]]:
    """A ShiViz log read by the expression in its own first line."""
    pattern, empty, *lines = text.splitlines()
    assert empty == ""
    expression = re.compile(pattern.replace("(?<", "(?P<"))
    matches = [expression.fullmatch(line) for line in lines]
    assert all(matches)
    return [(m["host"], json.loads(m["clock"]), m["event"]) for m in matches if m is not None]


def happened_before(found: Counterexample) -> list[set[int]]:
    """For each line of the log the lines before it, by the definition: order at a place, sends before accepts."""
    follower, at = Follower(found.trace), dict[str, int]()
    edges: list[set[int]] = []
    sent: dict[int, int] = {}

    def line(place: str, messages: list[int]) -> int:
        number = len(edges)
        edges.append({sent[m] for m in messages if m in sent} | ({at[place]} if place in at else set()))
        at[place] = number
        return number

    for event, taken, begun in zip(found.trace.events, follower.taken, follower.sent, strict=True):
        ended, began = list(taken), list(begun)
        for move in event.moves:
            number = line(f"machine {move.machine}", [ended.pop(0) for _ in move.accepts])
            for _ in move.sends:
                sent[began.pop(0)] = number
        if event.fault is not None and event.fault.channel is not None:
            struck = ended or [n for n in (follower.all[c].original for c in began) if n is not None]
            number = line(f"channel {event.fault.channel}", struck)
            sent.update(dict.fromkeys(began, number))
    before: list[set[int]] = []
    for direct in edges:
        before.append(direct.union(*(before[e] for e in direct)))
    return before


@pytest.mark.parametrize("found", RUNS)
def test_vector_clocks_order_exactly_what_happened_before(found: Counterexample) -> None:
    lines = parsed(shiviz(found))
    before = happened_before(found)
    assert len(lines) == len(before) > 0
    for later, (host, clock, _) in enumerate(lines):
        for earlier, (other, clock_before, _) in enumerate(lines):
            knows = earlier != later and clock.get(other, 0) >= clock_before[other]
            assert knows == (earlier in before[later]), (lines[earlier], lines[later])
        assert clock[host] == 1 + sum(lines[n][0] == host for n in range(later))


def plain(value: Any) -> Any:
    """An ITF expression as plain data."""
    if isinstance(value, list):
        return [plain(v) for v in value]
    if not isinstance(value, dict):
        return value
    if "#bigint" in value:
        return int(value["#bigint"])
    if "#map" in value:
        return {plain(k): plain(v) for k, v in value["#map"]}
    if "#set" in value:
        return {plain(v) for v in value["#set"]}
    if "#tup" in value:
        return tuple(plain(v) for v in value["#tup"])
    if set(value) == {"tag", "value"} and value["tag"] == "Nothing":
        return None
    return {k: plain(v) for k, v in value.items()}


def data(value: Any) -> Any:
    """One of our values as the same plain data."""
    if isinstance(value, tuple):
        fields = getattr(value, "_fields", None)
        return dict(zip(fields, map(data, value), strict=True)) if fields else tuple(map(data, value))
    return set(map(data, value)) if isinstance(value, frozenset) else value


@pytest.mark.parametrize("found", RUNS)
def test_itf_holds_every_state(found: Counterexample) -> None:
    document = json.loads(itf(found))
    states = found.trace.states()
    assert len(document["states"]) == len(states)
    for number, (written, state) in enumerate(zip(document["states"], states, strict=True)):
        assert set(written) == {"#meta", *document["vars"]}
        assert written["#meta"]["index"] == number
        machines, channels = plain(written["machines"]), plain(written["channels"])
        for m, local in enumerate(state.machines):
            assert machines[m]["state"] == data(local.state)
            assert machines[m]["memory"] == data(local.memory)
            assert machines[m]["red"] == ({0} if local.red else set())
            assert machines[m]["crashed"] == local.crashed
        for c, content in enumerate(state.channels):
            assert [(m["payload"], m["tag"], m["control"]) for m in channels[c]] == [
                (data(m.payload), data(m.tag), m.control) for m in content
            ]
        assert tuple(plain(written["left"]).values()) == state.left
        assert written["action"] == ("init" if number == 0 else found.trace.events[number - 1].name)


@pytest.mark.parametrize("found", RUNS)
def test_another_reader_of_itf_takes_it(found: Counterexample) -> None:
    """itf-py makes a class of every record and variant: each must have a name that Python takes."""
    reader = pytest.importorskip("itf_py")
    trace = reader.trace_from_json(json.loads(itf(found)))
    assert len(trace.states) == len(found.trace.states())
    assert trace.states[-1].values["machines"][0].red == (
        frozenset({0}) if found.trace.states()[-1].machines[0].red else frozenset()
    )


def test_the_loop_of_an_itf_trace_ends_in_the_state_from_which_it_goes_back() -> None:
    trace = random_trace(("ring:2", "token", "none", "0", ""), 0, 8).trace
    states = trace.states()
    start = next(n for n in range(len(trace)) if states[n] == states[-1])
    document = json.loads(itf(Counterexample("completes", Trace(trace.system, trace.initial, trace.events, start), {})))
    assert document["loop"] == start
    assert len(document["states"]) == len(trace)
    assert document["states"][start]["machines"] != document["states"][-1]["machines"]


LINE = re.compile(
    r"    (participant P\d+ as \S.*|Note over P\d+(,P\d+)?: [^:;#]*(.|#\d+;)*|P\d+(->>|-->>|-x|--\))P\d+: \S.*)"
)


@pytest.mark.parametrize("found", RUNS)
def test_mermaid_has_an_arrow_for_every_message(found: Counterexample) -> None:
    first, *lines = mermaid(found).splitlines()
    assert first == "sequenceDiagram"
    assert all(LINE.fullmatch(line) for line in lines)
    lifelines = Follower(found.trace).found()
    for arrow, wanted in (
        ("->>P", sum(j.accepted is not None and not j.message.control for j in lifelines)),
        ("-->>P", sum(j.accepted is not None and j.message.control for j in lifelines)),
        ("-xP", sum(j.lost is not None for j in lifelines)),
        ("--)P", sum(j.ended is None for j in lifelines)),
    ):
        assert sum(bool(re.match(rf"    P\d+{re.escape(arrow)}", line)) for line in lines) == wanted


def test_hostile_names_are_inert() -> None:
    assert escaped('<script>;#\n"') == "#60;script#62;#59;#35;#10;#34;"
    assert escaped("end") == "#101;nd"


@pytest.mark.parametrize("found", RUNS)
def test_another_reader_of_itf_reads_it(found: Counterexample) -> None:
    """itf-py, which Apalache's and Quint's users read traces with, makes a class of each variant."""
    read = trace_from_json(json.loads(itf(found)))
    assert len(read.states) == len(found.trace) + 1
