"""Restored runs and visible output: what a snapshot is good for after a failure."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

from checker.check import check
from checker.topologies import parse
from model.catalogue import build_system
from model.output import visible_output
from model.program import Underlying
from model.restore import COMPARISONS, restored_effects, restorer
from model.topology import Topology
from model.trace import length_of
from model.verdict import Outcome, Verdict
from tests.dataflow.graphs import dataflows


def judged(sink: str, protocol: str, topology: str = "vee") -> Verdict:
    program = f"dataflow,records=1,sink={sink}"
    return check(topology, program, protocol, engine="reference")


def broken(verdict: Verdict) -> set[str]:
    return {p.name for p in verdict.properties if p.outcome is Outcome.VIOLATED}


@pytest.mark.parametrize(
    ("recorded", "fails"),
    [
        # Offsets of the two sources; what the sink had processed; the channels.
        (Underlying((0, 0, ()), ((), ())), set()),
        (Underlying((1, 0, ((0, 0),)), ((), ())), set()),
        (Underlying((1, 0, ()), (((0, 0),), ())), set()),
        (Underlying((1, 0, ()), ((), ())), {"exactly", "at least"}),
        (Underlying((0, 0, ((0, 0),)), ((), ())), {"exactly", "at most"}),
        (Underlying((1, 0, ((0, 0),)), (((0, 0),), ())), {"exactly", "at most"}),
        (Underlying((1, 0, ((1, 0),)), ((), ())), {"exactly", "at least", "at most"}),
    ],
)
def test_lost_and_doubled_effects_are_told_apart(recorded: Underlying, fails: set[str]) -> None:
    system = build_system(parse("vee")[0], "dataflow,records=1", "barrier")
    found = {name for name, compare in COMPARISONS.items() if restored_effects(compare)(system, 0, recorded)}
    assert found == fails


def test_the_reason_says_where_what_is_lost_and_doubled() -> None:
    system = build_system(parse("vee")[0], "dataflow,records=1", "barrier")
    reason = restored_effects(COMPARISONS["exactly"])(system, 0, Underlying((1, 0, ((1, 0),)), ((), ())))
    assert reason is not None
    assert reason["machines"] == [{"machine": 2, "lost": [[0, 0]], "doubled": [[1, 0]]}]
    # The other source emits what it has left, and the sink processes it once more.
    assert reason["restored_run"] == [{"machine": 1, "name": "emit"}, {"machine": 2, "name": "process"}]
    assert reason["kind"] == (
        "restored from SSS, the run can end so: at P2 record 0.0 is lost and record 1.0 is doubled"
    )


@settings(max_examples=30)
@given(dataflows(most=3))
def test_from_every_state_of_the_computation_a_run_ends_as_without_failure(topology: Topology) -> None:
    system = build_system(topology, "dataflow,records=1", "barrier,cyclic=true")
    runs = restorer(system)
    seen, waiting = set(runs.alone.initial_states()), list(runs.alone.initial_states())
    while waiting:
        state = waiting.pop()
        assert runs.ends(runs.alone.project(state)) <= runs.failure_free()
        for event in runs.alone.events(state):
            after = runs.alone.step(state, event)
            if after not in seen:
                seen.add(after)
                waiting.append(after)


def test_direct_output_is_at_least_once_though_the_state_is_exactly_once() -> None:
    assert broken(judged("direct", "barrier")) == {"output-exactly-once", "output-at-most-once"}


@pytest.mark.parametrize("sink", ["two-phase", "idempotent"])
@pytest.mark.parametrize("protocol", ["barrier", "unaligned"])
def test_output_on_completed_checkpoints_or_idempotent_output_is_exactly_once(sink: str, protocol: str) -> None:
    assert judged(sink, protocol).outcome is Outcome.HOLDS


def test_output_before_the_checkpoint_is_complete_is_doubled() -> None:
    # The sink commits when it has recorded its own state, but the other source has not yet: the failure finds no
    # complete checkpoint, everything is replayed, and what was committed is put out again.
    verdict = judged("eager", "unaligned")
    assert broken(verdict) == {"output-exactly-once", "output-at-most-once"}
    found = next(p for p in verdict.properties if p.name == "output-exactly-once")
    assert found.length == 4 + 1 + 4  # up to the failure, the failure, the restored run to its end
    assert found.counterexample is not None and length_of(found.counterexample) == 9
    assert len(found.counterexample.trace) == 4
    assert found.counterexample.explanation["doubled"] == [[0, 0]]
    # Aligned, the only sink is the last to record, so its checkpoint is complete at once.
    assert not broken(judged("eager", "barrier"))


def test_two_phase_output_is_no_better_than_the_snapshot() -> None:
    assert "output-exactly-once" in broken(judged("two-phase", "barrier,align=false"))
    assert "output-exactly-once" not in broken(judged("idempotent", "barrier,align=false"))


def test_what_a_state_shows_outside() -> None:
    system = build_system(parse("chain:2")[0], "dataflow,records=1,sink=direct", "barrier")
    (state,) = system.initial_states()
    for name in ("emit", "process"):
        assert visible_output(COMPARISONS["exactly"])(system, state) is None
        state = system.step(state, next(e for e in system.events(state) if e.name == name))
    reason = visible_output(COMPARISONS["exactly"])(system, state)
    assert reason == {
        "kind": "failed here and restored from the start: at the output record 0.0 is doubled",
        "lost": [],
        "doubled": [[0, 0]],
        "restored_run": [{"machine": 0, "name": "emit"}, {"machine": 1, "name": "process"}],
        "further": 3,
    }
    assert visible_output(COMPARISONS["at least"])(system, state) is None


def test_without_records_or_snapshots_nothing_is_claimed() -> None:
    names = {p.name for p in check("ring:2", engine="reference").properties}
    assert not {"exactly-once", "output-exactly-once"} & names
    names = {p.name for p in check("chain:2", "dataflow,records=1", "none", engine="reference").properties}
    assert "exactly-once" not in names
