"""The program `dataflow`: what is emitted, where it goes, how it ends, and what is refused."""

from __future__ import annotations

from collections import Counter

import networkx as nx
import pytest
from hypothesis import given, settings

from checker.topologies import parse
from model.catalogue import build_system
from model.dataflow import sinks, sources
from model.errors import InputError
from model.programs.dataflow import Dataflow, Head
from model.restore import restorer
from model.topology import Topology
from tests.dataflow.graphs import dataflows


def ends(topology: Topology, program: str) -> frozenset[tuple[tuple[tuple[int, int], ...], ...]]:
    """What each machine has processed, at every end of the computation alone."""
    return restorer(build_system(topology, program, "barrier")).failure_free()


def test_round_robin_goes_by_the_position_in_the_machines_output() -> None:
    program = Dataflow(parse("edges:0>1,0>2,1>3,2>3")[0], records=3)
    (emit,) = program.actions(0, 2, {})
    assert (emit.name, emit.state, emit.sends) == ("emit", 3, ((0, (0, 2)),))
    assert list(program.actions(0, 3, {})) == []
    (process,) = program.actions(1, ((0, 0),), {0: (0, 2)})
    assert (process.state, process.sends) == (((0, 0), (0, 2)), ((2, (0, 2)),))
    (final,) = program.actions(3, (), {2: (0, 0)})
    assert final.sends == ()


def test_broadcast_sends_a_copy_on_each_output() -> None:
    (emit,) = Dataflow(parse("diamond")[0], records=1, routing="broadcast").actions(0, 0, {})
    assert dict(emit.sends) == {0: (0, 0), 1: (0, 0)}


def test_a_source_with_back_edges_is_a_loop_head_too() -> None:
    program = Dataflow(parse("edges:0>1,1>0,1>2")[0], records=1)
    assert program.initial(0) == Head(0, ())
    (process,) = program.actions(0, Head(1, ()), {1: (0, 0)})
    assert process.state == Head(1, ((0, 0),))


def test_a_plan_feeds_every_route_by_its_strategy() -> None:
    (plan,) = parse("tests/data/topologies/plan.json", 2)
    program = Dataflow(plan, records=2)
    assert program.routing == "plan"
    assert "routing=plan" in build_system(plan, "dataflow", "barrier").description["program"]
    assert "routing=rr" in build_system(parse("vee")[0], "dataflow", "barrier").description["program"]
    strategies = {route.strategy for routes in plan.routes for route in routes}  # type: ignore[attr-defined]
    assert {"HASH", "GLOBAL", "BROADCAST", "REBALANCE"} <= strategies
    for machine, routes in enumerate(plan.routes):  # type: ignore[attr-defined]
        offset = 1 if machine in sources(plan) else ((0, 0),)
        offered = {} if machine in sources(plan) else {plan.inputs[machine][0]: (0, 1)}
        (action,) = program.actions(machine, offset, offered)
        sent = {channel for channel, _ in action.sends}
        for route in routes:
            size = len(route.channels)
            wanted = {"BROADCAST": size, "GLOBAL": 1}.get(route.strategy, 1)
            assert len(sent & set(route.channels)) == wanted
            if route.strategy == "HASH":  # by the record's number, 1, whatever the sender has processed
                assert route.channels[1 % size] in sent


@settings(max_examples=60)
@given(dataflows(most=4))
def test_round_robin_brings_each_record_to_one_sink_once(topology: Topology) -> None:
    for end in ends(topology, "dataflow,records=1"):
        arrived = Counter(record for machine in sinks(topology) for record in end[machine])
        assert arrived == Counter((source, 0) for source in sources(topology) if topology.outputs[source])


@settings(max_examples=40)
@given(dataflows(loops=False, most=4))
def test_broadcast_brings_each_record_to_a_machine_once_a_path(topology: Topology) -> None:
    (end,) = ends(topology, "dataflow,records=1,routing=broadcast")
    graph = nx.MultiDiGraph(topology.channels)
    graph.add_nodes_from(range(topology.machines))
    for machine in set(range(topology.machines)) - set(sources(topology)):
        paths = {source: len(list(nx.all_simple_edge_paths(graph, source, machine))) for source in sources(topology)}
        assert Counter(end[machine]) == Counter({(source, 0): n for source, n in paths.items() if n})


@pytest.mark.parametrize("records", ["2-1", "2-1-0"])
def test_records_may_be_a_list_of_sources_or_of_machines(records: str) -> None:
    program = build_system(parse("vee")[0], f"dataflow,records={records}", "barrier").program
    assert isinstance(program, Dataflow)
    assert program.records == (2, 1, 0)


@pytest.mark.parametrize(
    ("topology", "program", "said"),
    [
        ("vee", "dataflow,records=1-2-3-4", "records=1-2-3-4"),
        ("vee", "dataflow,records=1-2-3", "records=1-2-3"),
        ("chain:3", "dataflow,routing=hash", "routing=hash"),
        ("chain:3", "dataflow,routing=plan", "routing=plan"),
        ("chain:3", "dataflow,sink=file", "sink=file"),
        ("ring:3", "dataflow", "for ever"),
        ("edges:0>1,1>1,1>2", "dataflow,routing=broadcast", "for ever"),
        ("edges:0>1,1>2,2>1", "dataflow", "for ever"),
    ],
)
def test_bad_options_are_refused_in_one_line(topology: str, program: str, said: str) -> None:
    with pytest.raises(InputError) as refused:
        build_system(parse(topology)[0], program, "barrier")
    assert said in str(refused.value)
    assert "\n" not in str(refused.value)
