"""Aligned, not aligned, unaligned: what each guarantees, and what it costs when a barrier is lost."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from checker.check import check
from checker.engines.search_options import SearchOptions
from checker.topologies import parse
from model.catalogue import build_system
from model.errors import InputError
from model.topology import Topology
from model.verdict import Outcome, Verdict
from tests.dataflow.graphs import dataflows

TOPOLOGIES = ("chain:3", "vee", "diamond")
RECORDS = "dataflow,records=2"


def judged(
    topology: str | Topology, protocol: str, relax: str = "", program: str = RECORDS, **words: object
) -> Verdict:
    return check(topology, program, protocol, relax=relax, engine="reference", **words)  # type: ignore[arg-type]


def fates(verdict: Verdict) -> dict[str, str]:
    return {p.name: p.outcome.value for p in verdict.properties}


@pytest.mark.parametrize("topology", TOPOLOGIES)
@pytest.mark.parametrize("protocol", ["barrier", "unaligned", "unaligned,overtake=true"])
def test_on_fifo_channels_everything_holds(topology: str, protocol: str) -> None:
    verdict = judged(topology, protocol)
    assert verdict.outcome is Outcome.HOLDS
    assert verdict.snapshots


def test_aligned_barriers_record_no_channel_and_overtaking_ones_do() -> None:
    assert not any(content for sss in judged("vee", "barrier").snapshots for content in sss.channels)
    assert any(content for sss in judged("chain:2", "unaligned,overtake=true").snapshots for content in sss.channels)
    # On a chain a barrier that does not overtake is always the first one, and leaves nothing in flight.
    assert not any(content for sss in judged("chain:2", "unaligned").snapshots for content in sss.channels)


@pytest.mark.parametrize("topology", ["vee", "diamond"])
def test_alignment_skipped_loses_exactly_once_but_keeps_at_least_once(topology: str) -> None:
    fate = fates(judged(topology, "barrier,align=false"))
    assert (fate["exactly-once"], fate["at-least-once"], fate["at-most-once"]) == ("violated", "holds", "violated")


@pytest.mark.parametrize("protocol", ["barrier", "barrier,align=false"])
def test_on_bags_not_even_at_least_once_is_kept(protocol: str) -> None:
    found = judged("vee", protocol, "fifo", "dataflow,records=1", properties=["at-least-once"])
    assert fates(found) == {"at-least-once": "violated"}
    assert found.counterexample is not None
    assert found.counterexample.explanation["machines"][0]["lost"]


def test_alignment_skipped_loses_at_least_once_where_a_machine_sends_by_turns() -> None:
    # A record processed twice shifts the turns of all that follow, so one of the next machines misses a record.
    found = judged("edges:0>2,1>2,2>3,2>4", "barrier,align=false", program="dataflow,records=2-0")
    assert fates(found)["at-least-once"] == "violated"
    everywhere = judged(
        "edges:0>2,1>2,2>3,2>4", "barrier,align=false", program="dataflow,records=2-0,routing=broadcast"
    )
    assert fates(everywhere)["at-least-once"] == "holds"


@pytest.mark.parametrize("topology", ["vee", "diamond"])
def test_a_lost_barrier_can_stop_the_computation_only_if_barriers_align(topology: str) -> None:
    program, name = "dataflow,records=1", "no-new-deadlock"
    program = "dataflow,records=1" if topology == "vee" else "dataflow,records=2"
    stopped = {
        protocol: fates(judged(topology, protocol, "marker-loss:1", program, properties=[name]))[name]
        for protocol in ("barrier", "barrier,align=false", "unaligned", "unaligned,overtake=true")
    }
    assert stopped.pop("barrier") == "violated"
    assert set(stopped.values()) == {"holds"}


def test_the_sources_begin_whoever_the_initiators_are() -> None:
    for initiators in ("0", "1", "any"):
        system = build_system(parse("vee")[0], "dataflow", "barrier", initiators)
        assert system.protocol.initiators == (0, 1)
        assert system.description["initiators"] == "0,1"


def test_a_real_job_plan_is_checked() -> None:
    (plan,) = parse("tests/data/topologies/plan.json", 1)
    verdict = judged(plan, "barrier", program="dataflow,records=1", properties=["exactly-once", "no-red-in-white"])
    assert verdict.outcome is Outcome.HOLDS
    assert verdict.coverage.kind == "exhaustive"


@settings(max_examples=40)
@given(dataflows(loops=False), st.sampled_from(["barrier", "unaligned", "unaligned,overtake=true"]), st.data())
def test_on_every_small_dataflow_nothing_fails(topology: Topology, protocol: str, data: st.DataObject) -> None:
    routing = data.draw(st.sampled_from(["rr", "broadcast"]))
    program = f"dataflow,records=1,routing={routing}"
    verdict = judged(topology, protocol, program=program, options=SearchOptions(max_states=1500))
    assert not [p.name for p in verdict.properties if p.outcome in (Outcome.VIOLATED, Outcome.VACUOUS)]


@pytest.mark.parametrize(
    ("protocol", "said"),
    [
        ("barrier,variant=printed", "cyclic=true"),
        ("barrier,cyclic=true,variant=paper", "variant=paper"),
        ("barrier,barriers=0", "barriers=0"),
        ("barrier,align=false,barriers=2", "align=false"),
        ("barrier,align=yes", "align=yes"),
    ],
)
def test_contradictory_options_are_refused_in_one_line(protocol: str, said: str) -> None:
    with pytest.raises(InputError) as refused:
        build_system(parse("vee")[0], "dataflow", protocol)
    assert said in str(refused.value)
    assert "\n" not in str(refused.value)
