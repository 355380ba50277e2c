"""Random runs: the same by the same seed, never called holding, and what they break is minimal and replays."""

from __future__ import annotations

import pytest

from checker.check import check
from checker.engines.native.walk import engine as simulate
from checker.engines.native.walk.shrinking import Breach, breach
from checker.engines.search_options import SearchOptions
from model.properties import PROPERTIES
from model.trace import event_json, replay
from model.verdict import Outcome, Verdict


def simulated(protocol: str, relax: str, runs: int = 300, seed: int = 5) -> Verdict:
    return check(
        "ring:3", "transfer", protocol, relax=relax, engine="simulate", options=SearchOptions(runs=runs, seed=seed)
    )


@pytest.mark.parametrize(
    ("protocol", "relax", "broken"),
    [
        ("late-marker", "", {"no-red-in-white", "conservation", "consistent-cut", "equivalent", "reachable"}),
        ("marker", "fifo", {"no-red-in-white", "consistent-cut"}),
        ("marker", "marker-loss:1", {"all-red", "completes"}),
        ("no-channel-state", "", {"conservation", "channel-exact", "equivalent"}),
        ("overwrite", "marker-duplication:1", {"one-marker-per-channel"}),
    ],
)
def test_what_is_broken_is_found_minimal_and_never_shorter_than_the_shortest(
    protocol: str, relax: str, broken: set[str]
) -> None:
    found = simulated(protocol, relax)
    shortest = {p.name: p.length for p in check("ring:3", "transfer", protocol, relax=relax).properties}
    by_name = {p.name: p for p in found.properties if p.outcome is Outcome.VIOLATED}
    assert broken <= set(by_name) <= {name for name, length in shortest.items() if length is not None}
    for name, judged in by_name.items():
        assert judged.counterexample is not None and judged.length is not None
        trace = judged.counterexample.trace
        assert judged.length >= (shortest[name] or 0)
        recorded = [event_json(trace.system, event) for event in trace.events]
        assert replay(trace.system, recorded).events == trace.events
        again, _ = breach(trace.system, PROPERTIES[name], trace.events)
        assert again == Breach(trace.events, judged.counterexample.explanation)


def test_a_right_protocol_is_not_said_to_hold() -> None:
    verdict = simulated("marker", "")
    assert {p.outcome for p in verdict.properties} == {Outcome.UNKNOWN}
    assert verdict.coverage.kind == "sampled" and dict(verdict.coverage.details)["runs"] == 300


def test_what_was_seen_is_told_beside_what_is_known() -> None:
    few, many = (dict(simulated("marker", "", runs).coverage.details) for runs in (3, 3000))
    assert all(int(found["transitions_taken"]) <= int(found["transitions_known"]) for found in (few, many))
    assert int(few["transitions_taken"]) < int(many["transitions_taken"]) == int(many["transitions_known"])
    assert int(few["unseen_ppm"]) > 50_000 > 1_000 > int(many["unseen_ppm"])
    assert few["runs_complete"] == 3 and 0 < int(many["runs_with_message"]) < int(many["runs_complete"]) == 3000


def test_runs_depend_on_the_seed_and_their_number_only(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = simulated("marker", "")
    monkeypatch.setattr(simulate, "BATCH", 7)
    monkeypatch.setattr(simulate, "MISSES", 256)  # so few that runs often wait for the tables
    assert simulated("marker", "").coverage == whole.coverage


def test_the_same_seed_gives_the_same_and_another_another() -> None:
    first, again, other = (simulated("late-marker", "", 20, seed) for seed in (1, 1, 2))
    assert first.coverage == again.coverage
    assert [p.counterexample for p in first.properties if p.counterexample] != []
    assert [(p.name, p.length) for p in first.properties] == [(p.name, p.length) for p in again.properties]
    assert first.coverage != other.coverage
