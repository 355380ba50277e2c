"""Algorithm 2 on dataflows with loops: what is wrong with it as printed, found by itself, and that the repair holds."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from checker.engines.search_options import SearchOptions
from checker.topologies import parse
from model.catalogue import build_system
from model.topology import Topology
from model.verdict import Outcome
from tests.dataflow.graphs import dataflows
from tests.dataflow.test_barrier import fates, judged

ONE, TWO = "edges:0>1,1>2,2>1,2>3", "edges:0>1,1>1,1>1,1>2"
RECORD = "dataflow,records=1"


def cyclic(variant: str, barriers: int = 1) -> str:
    return f"barrier,cyclic=true,variant={variant},barriers={barriers}"


def test_algorithm_1_stops_a_loop_for_ever() -> None:
    # Its barrier waits at the loop's head for a barrier that only the head could send round.
    fate = fates(judged(ONE, "barrier", program=RECORD))
    assert (fate["no-new-deadlock"], fate["completes"]) == ("violated", "violated")
    assert fate["exactly-once"] == "vacuous"


@pytest.mark.parametrize("topology", [ONE, "edges:0>1,1>0,1>2"])
def test_as_printed_it_is_right_with_one_back_edge_and_one_barrier(topology: str) -> None:
    assert judged(topology, cyclic("printed"), program=RECORD).outcome is Outcome.HOLDS


def test_as_printed_two_back_edges_into_one_head_double_a_record() -> None:
    verdict = judged(TWO, cyclic("printed"), program=RECORD)
    fate = fates(verdict)
    assert {name for name in fate if fate[name] == "violated"} == {
        "channel-exact",
        "reachable",
        "equivalent",
        "exactly-once",
        "at-most-once",
    }
    found = next(p.counterexample for p in verdict.properties if p.name == "exactly-once")
    assert found is not None and len(found.trace) == 8
    doubled = {m["machine"] for m in found.explanation["machines"] if m["doubled"]}
    assert doubled == {1, 2}
    # What is logged too much: a record that came along a loop input after that input's barrier.
    system, last = found.trace.system, found.trace.states()[-1]
    assert any(system.recorded(last).channels)


@pytest.mark.parametrize("topology", [ONE, "edges:0>1,1>1,1>2"])
def test_as_printed_a_second_barrier_too_early_stops_everything(topology: str) -> None:
    fate = fates(judged(topology, cyclic("printed", 2), program=RECORD))
    assert (fate["completes"], fate["no-new-deadlock"]) == ("violated", "violated")
    assert fate["exactly-once"] == "holds"


@pytest.mark.parametrize("topology", [ONE, TWO, "edges:0>1,1>0,1>2", "edges:0>1,1>2,2>1,2>1,2>3"])
@pytest.mark.parametrize("barriers", [1, 2])
def test_repaired_it_holds(topology: str, barriers: int) -> None:
    verdict = judged(topology, cyclic("repaired", barriers), program=RECORD)
    assert verdict.outcome is Outcome.HOLDS
    assert verdict.snapshots


def test_without_back_edges_it_is_algorithm_1() -> None:
    for topology in ("vee", "diamond"):
        plain, general = judged(topology, "barrier"), judged(topology, cyclic("repaired"))
        assert plain.counts == general.counts
        assert plain.snapshots == general.snapshots


@pytest.mark.ci
@settings(max_examples=60)
@given(
    dataflows(), st.sampled_from([cyclic("repaired"), cyclic("repaired", 2), "unaligned", "unaligned,overtake=true"])
)
def test_on_every_small_dataflow_with_loops_nothing_fails(topology: Topology, protocol: str) -> None:
    verdict = judged(topology, protocol, program=RECORD, options=SearchOptions(max_states=1500))
    assert not [p.name for p in verdict.properties if p.outcome is Outcome.VIOLATED]


def test_a_copy_in_the_making_is_what_is_recorded_so_far() -> None:
    system = build_system(parse(ONE)[0], RECORD, cyclic("repaired"))
    (state,) = system.initial_states()
    for name in ("inject barrier", "accept last barrier, record"):
        state = system.step(state, next(e for e in system.events(state) if e.name == name))
    head = state.machines[1]
    recorded = system.protocol.recorded(1, head)
    assert recorded is not None and recorded.state == ()
    assert head.red and not system.protocol.done(1, head)
