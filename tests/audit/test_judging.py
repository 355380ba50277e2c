"""Verdicts on snapshots in logs: as an independent judge and as every cut tried in turn find, in whatever order."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from checker.audit.cuts import matching_cut
from checker.audit.judging import judged
from checker.audit.reading import read
from checker.audit.result import Asked, audit
from model.errors import InputError
from tests.audit import brute_force
from tests.audit.logs import LOGS, REAL, Line, expected, reading, small_logs, verdicts, written


@pytest.mark.parametrize("name", REAL)
def test_real_logs_are_judged_as_the_independent_judge_did(name: str) -> None:
    histories = read([str(LOGS / f"{name}.jsonl.gz")]).histories
    found = {run: [(json.loads(j.snapshot), j.verdict) for j in judged(h)] for run, h in histories.items()}
    assert found == expected(name)


def test_counted_once_all_snapshots_of_logged_twice_are_consistent() -> None:
    found = audit([str(LOGS / "logged-twice.jsonl.gz")], Asked(once=True))
    assert found.verdict == "holds"
    assert found.count() == {"consistent": 62}


@settings(max_examples=400)
@given(small_logs())
def test_as_every_cut_tried_in_turn(lines: list[Line]) -> None:
    history = reading(lines).histories[""]
    for judgement in judged(history):
        if judgement.claim is None:
            continue
        claim = next(line for line in lines if str(line.get("snapshot")) == judgement.snapshot and "states" in line)
        assert judgement.verdict == brute_force.verdict(lines, claim)


def test_both_judges_meet_every_verdict() -> None:
    """The random logs above are worth nothing if they are all of one kind."""
    met: set[str] = set()

    @settings(max_examples=300, database=None, derandomize=True)
    @given(small_logs())
    def meet(lines: list[Line]) -> None:
        met.update(verdict for _, _, verdict in verdicts(lines))

    meet()
    assert met == {"consistent", "elsewhere", "impossible", "incomplete"}


@settings(max_examples=100)
@given(small_logs(), st.randoms(use_true_random=False))
def test_interleaving_of_machines_does_not_matter(lines: list[Line], rng: random.Random) -> None:
    queues: dict[str, list[Line]] = {}
    for line in lines:
        queues.setdefault(line.get("machine", ""), []).append(line)
    mixed = []
    while queues:
        name = rng.choice(sorted(queues))
        mixed.append(queues[name].pop(0))
        if not queues[name]:
            del queues[name]
    assert verdicts(mixed) == verdicts(lines)


def test_the_order_of_files_does_not_matter(tmp_path: Path) -> None:
    lines = read([str(LOGS / "announces-early.jsonl.gz")])
    texts: dict[str, list[str]] = {}
    for history in lines.histories.values():
        for machine, events in history.machines.items():
            texts.setdefault(machine, []).extend(event.text for event in events)
        texts.setdefault("claims", []).extend(claim.text for claim in history.claims)
    for name, own in texts.items():
        (tmp_path / f"{name}.jsonl").write_text("\n".join(own))
    files = sorted(map(str, tmp_path.iterdir()))
    found = [audit(order, Asked()) for order in (files, files[::-1], [str(tmp_path)])]
    assert {tuple(sorted(a.count().items())) for a in found} == {(("consistent", 39), ("impossible", 1))}


@settings(max_examples=200)
@given(small_logs(claims=1))
def test_the_cut_found_is_the_claim(lines: list[Line]) -> None:
    history = reading(lines).histories[""]
    cut = matching_cut(history, history.claims[0])
    if cut is not None:
        logs = {m: [json.loads(event.text) for event in events] for m, events in history.machines.items()}
        assert brute_force.fits(logs, dict(cut), lines[-1])


def start(machine: str, state: int) -> Line:
    return {"machine": machine, "event": "start", "state": state}


def send(machine: str, to: str, **rest: object) -> Line:
    return {"machine": machine, "event": "send", "to": to, **rest}


def accept(machine: str, sender: str, **rest: object) -> Line:
    return {"machine": machine, "event": "accept", "from": sender, **rest}


def claim(states: dict[str, object], channels: dict[str, list[object]] | None = None) -> Line:
    return {"event": "snapshot", "snapshot": 0, "states": states, "channels": channels or {}}


def record(machine: str) -> Line:
    return {"machine": machine, "event": "record", "snapshot": 0}


def only(lines: list[Line]) -> str:
    ((_, _, verdict),) = verdicts(lines)
    return verdict


def test_parallel_channels_are_told_apart() -> None:
    sends = [send("A", "B", message=1, channel="x"), send("A", "B", message=2, channel="y")]
    run = [start("A", 0), start("B", 0), *sends, record("A"), accept("B", "A", message=2, channel="y"), record("B")]
    states: dict[str, object] = {"A": 0, "B": 0}
    assert only([*run, claim(states, {"A>B#x": [1]})]) == "consistent"
    assert only([*run, claim(states, {"A>B#x": [1], "A>B#y": [2]})]) == "elsewhere"
    assert only([*run, claim(states, {"A>B": [1]})]) == "impossible"


def test_a_state_that_the_log_does_not_say_makes_no_verdict() -> None:
    run = [start("A", 0), send("A", "B", message=1), record("A"), record("B")]
    assert only([*run, claim({"A": 0, "B": 7}, {"A>B": [1]})]) == "incomplete"
    assert only([*run, claim({"A": 5, "B": 7}, {"A>B": [1]})]) == "impossible"


def test_a_machine_without_a_line_makes_no_verdict() -> None:
    run = [start("A", 0), record("A")]
    assert only([*run, claim({"A": 0, "Z": 1})]) == "incomplete"
    assert only([*run, claim({"A": 1, "Z": 1})]) == "impossible"


def test_what_began_and_was_never_claimed_is_incomplete() -> None:
    assert only([start("A", 0), record("A")]) == "incomplete"


def test_the_same_claim_twice_is_one_and_another_is_another() -> None:
    run = [start("A", 0), record("A")]
    assert verdicts([*run, claim({"A": 0}), claim({"A": 0})]) == [("", "0", "consistent")]
    assert [v for _, _, v in verdicts([*run, claim({"A": 0}), claim({"A": 1})])] == ["consistent", "impossible"]


@pytest.mark.parametrize(
    ("one", "other", "same"), [(1, 1.0, True), (1, True, False), ({"a": 1, "b": 2}, {"b": 2, "a": 1}, True)]
)
def test_values_are_compared_as_json(one: object, other: object, same: bool) -> None:
    lines = [{"machine": "A", "event": "start", "state": one}, record("A"), claim({"A": other})]
    assert (only(lines) == "consistent") is same


def test_a_long_run_is_searched_in_linear_time() -> None:
    lines = [start("A", 0), start("B", 0)]
    for number in range(20_000):
        lines += [send("A", "B", message=number % 3), accept("B", "A", message=number % 3)]
    found = verdicts([*lines, claim({"A": 0, "B": 0}, {"A>B": [2, 2]})])
    assert found == [("", "0", "impossible")]


def test_nothing_to_read_is_refused(tmp_path: Path) -> None:
    empty = written(tmp_path / "empty.jsonl", [])
    with pytest.raises(InputError, match="none of its 0 lines"):
        audit([str(empty)], Asked())
