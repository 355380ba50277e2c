"""Classes under test: an ordinary class is explored, judged and refused like a program with a protocol."""

from __future__ import annotations

from pathlib import Path

import pytest

from checker import check
from checker.report.data import trace_from, trace_json
from model.errors import InputError
from model.verdict import Outcome, Verdict

HERE = Path(__file__).parent
BRANCH = "examples/bank_branch.py:Branch"


def judged(topology: str, name: str, engine: str = "reference", relax: str = "", initiators: str = "0") -> Verdict:
    where = name if ":" in name else f"{HERE / 'classes.py'}:{name}"
    words = f"implementation,of={where}"
    return check(topology, words, "implementation", engine=engine, relax=relax, initiators=initiators)


def broken(verdict: Verdict) -> dict[str, int | None]:
    return {p.name: p.length for p in verdict.properties if p.outcome is Outcome.VIOLATED}


def figures(verdict: Verdict) -> tuple[object, ...]:
    counts = verdict.counts
    return (counts.states, counts.transitions, counts.depth, counts.snapshots, counts.interleavings, broken(verdict))


@pytest.mark.parametrize("initiators", ["0", "any"])
@pytest.mark.parametrize("topology", ["ring:2", "ring:3"])
def test_a_class_that_is_the_marker_algorithm_has_its_figures(topology: str, initiators: str) -> None:
    # One output a machine, so `transfer` and the class have the same choices.
    ours = check(topology, "transfer,b=1,s=1", "marker", engine="reference", initiators=initiators)
    theirs = judged(topology, BRANCH, initiators=initiators)
    assert figures(theirs) == figures(ours)
    assert set(theirs.snapshots) == set(ours.snapshots)


@pytest.mark.parametrize("relax", ["", "fifo", "marker-loss:1", "duplication:1"])
@pytest.mark.parametrize("name", [BRANCH, "examples/bank_branch.py:Hasty", "LaiYang", "Disturbing"])
def test_the_engines_agree(name: str, relax: str) -> None:
    assert figures(judged("biring:2", name, "native", relax)) == figures(judged("biring:2", name, "reference", relax))


def test_a_class_that_closes_all_channels_at_the_first_marker_is_caught() -> None:
    assert broken(judged("complete:3", "examples/bank_branch.py:Hasty", "native"))["channel-exact"] == 5
    assert not broken(judged("complete:3", BRANCH, "native"))


def test_colours_on_messages_are_right_without_order() -> None:
    verdict = judged("ring:3", "LaiYang", "native", relax="fifo")
    assert verdict.outcome is Outcome.HOLDS and verdict.counts.snapshots
    assert "no-red-in-white" in broken(judged("ring:3", BRANCH, relax="fifo"))


def test_a_snapshot_that_disturbs_the_computation_is_caught() -> None:
    # It takes away what the computation could still have paid.
    assert "no-new-deadlock" in broken(judged("ring:2", "Disturbing"))
    # It pays on: what is sent is not what the computation alone would have sent.
    assert "non-interference" in broken(judged("ring:2", "Inventing"))
    assert not broken(judged("ring:2", BRANCH))


@pytest.mark.parametrize("engine", ["reference", "native"])
def test_a_class_that_never_says_when_it_records_is_judged_by_all_cuts(engine: str) -> None:
    right, wrong = (judged("biring:2", name, engine) for name in ("Unmarked", "UnmarkedAndEarly"))
    assert right.outcome is Outcome.HOLDS and right.counts.snapshots
    assert {p.name for p in right.properties} >= {"matches-a-cut", "completes"}
    assert not {p.name for p in right.properties} & {"consistent-cut", "channel-exact", "all-red"}
    assert broken(wrong) == {"matches-a-cut": 5}


def test_without_a_completed_snapshot_the_claim_about_cuts_is_vacuous() -> None:
    found = {p.name: p.outcome for p in judged("ring:2", "Quiet").properties}
    assert found["matches-a-cut"] is Outcome.VACUOUS


def test_a_trace_replays() -> None:
    found = judged("ring:2", BRANCH, relax="fifo").counterexample
    assert found is not None
    again = trace_from(trace_json(found), trust=True)
    assert (again.property, len(again.trace)) == (found.property, len(found.trace))


REFUSED = [
    ("Deaf", "ring:2", "no method 'receive'"),
    ("Locked", "ring:2", r"Locked of machine 0\.lock is a lock"),
    ("Eager", "ring:2", "__init__ sends"),
    ("Lost", "ring:2", r"machine 0: send\(7, \.\.\.\): it sends to \[1\]"),
    ("Broken", "ring:2", r"step raises ZeroDivisionError: division by zero \(classes\.py, line \d+\), without any"),
    ("Unmade", "ring:2", "stop returned False, yet it changed"),
    ("Sparse", "ring:2", "__slots__ only"),
    ("Reporting", "ring:2", r"report\(\.\.\., channels=\{9: \[\]\}\): a mapping from senders, of \[1\]"),
    ("Quiet", "edges:0>1,0>1,1>0", "parallel channels"),
    ("Nobody", "ring:2", "Nobody"),
]


@pytest.mark.parametrize(("name", "topology", "told"), REFUSED, ids=[name for name, _, _ in REFUSED])
def test_what_cannot_be_driven_is_refused_in_one_line(name: str, topology: str, told: str) -> None:
    with pytest.raises(InputError, match=told) as refused:
        judged(topology, name)
    assert "\n" not in str(refused.value)


def test_a_third_party_s_chandy_lamport_loses_what_was_in_the_channel() -> None:
    pytest.importorskip("adhoccomputing", reason="the third party's package is a development dependency")
    verdict = judged("biring:2", "examples/adhoc_snapshots.py:ChandyLamport")
    assert broken(verdict) == {"channel-exact": 5, "equivalent": 5}
    assert "raises-nothing" in {p.name for p in verdict.properties}
    raising = judged("biring:2", "examples/adhoc_snapshots.py:LaiYang")
    assert broken(raising)["raises-nothing"] == 2
