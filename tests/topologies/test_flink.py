"""A plan that Flink's REST API returned becomes the channels that Flink makes.

`plan.json` and `execution_plan.json` are one job, as Flink 2.3.0 answered GET /jobs/:id/plan and printed
`getExecutionPlan()`; `flink_pointwise.json` holds what its `computeVertexInputInfoForPointwise` answered.
"""

import json
from pathlib import Path

import pytest

from checker.topologies import parse
from checker.topologies.flink import dataflow
from model.errors import InputError
from model.topology import Dataflow

DATA = Path(__file__).parent.parent / "data" / "topologies"


def plan(*nodes: tuple[str, int, list[tuple[str, str]]]) -> dict[str, object]:
    """A job plan of (id, parallelism, [(input, ship strategy)])."""
    return {
        "plan": {
            "nodes": [
                {
                    "id": name,
                    "parallelism": parallelism,
                    "description": name,
                    "inputs": [{"num": i, "id": a, "ship_strategy": s} for i, (a, s) in enumerate(inputs)],
                }
                for name, parallelism, inputs in nodes
            ]
        }
    }


def read(name: str, parallelism: int) -> Dataflow:
    (topology,) = parse(str(DATA / name), parallelism)
    assert isinstance(topology, Dataflow)
    return topology


def edges(topology: Dataflow) -> list[tuple[str, str, str]]:
    """(from, strategy, to) of all channels by label, sorted."""
    return sorted(
        (topology.label(m), route.strategy, topology.label(topology.channels[c][1]))
        for m, routes in enumerate(topology.routes)
        for route in routes
        for c in route.channels
    )


def test_one_machine_to_each_operator() -> None:
    assert edges(read("plan.json", 1)) == [
        ("Source: orders", "RESCALE", "clean"),
        ("Source: rules", "BROADCAST", "match"),
        ("clean", "FORWARD", "match"),
        ("match", "GLOBAL", "audit -> audit log: Writer"),
        ("match", "HASH", "sum by key"),
        ("sum by key", "REBALANCE", "alerts: Writer"),
    ]


def test_two_machines_to_each_operator_where_the_plan_has_as_many() -> None:
    topology = read("plan.json", 2)
    assert topology.labels == (
        *("Source: orders (1/2)", "Source: orders (2/2)", "clean (1/2)", "clean (2/2)", "Source: rules"),
        *("match (1/2)", "match (2/2)", "sum by key (1/2)", "sum by key (2/2)"),
        *("alerts: Writer (1/2)", "alerts: Writer (2/2)"),
        *("audit -> audit log: Writer (1/2)", "audit -> audit log: Writer (2/2)"),
    )
    assert edges(topology) == sorted(
        [
            ("Source: orders (1/2)", "RESCALE", "clean (1/2)"),
            ("Source: orders (2/2)", "RESCALE", "clean (2/2)"),
            ("clean (1/2)", "FORWARD", "match (1/2)"),
            ("clean (2/2)", "FORWARD", "match (2/2)"),
            ("Source: rules", "BROADCAST", "match (1/2)"),
            ("Source: rules", "BROADCAST", "match (2/2)"),
            *(
                (f"{a} ({i}/2)", strategy, f"{b} ({j}/2)")
                for a, strategy, b in [
                    ("match", "HASH", "sum by key"),
                    ("match", "GLOBAL", "audit -> audit log: Writer"),
                    ("sum by key", "REBALANCE", "alerts: Writer"),
                ]
                for i in (1, 2)
                for j in (1, 2)
            ),
        ]
    )
    assert topology.channels == tuple(sorted(topology.channels))


def test_the_whole_plan() -> None:
    topology = read("plan.json", 99)
    assert topology.machines == 4 + 2 + 1 + 2 + 4 + 3 + 2
    assert len(topology.channels) == 4 + 2 + 2 + 2 * 4 + 4 * 3 + 2 * 2


def test_the_execution_plan_of_the_same_job_has_its_chained_operators_apart() -> None:
    whole, apart = read("plan.json", 2), read("execution_plan.json", 2)
    assert apart.machines == whole.machines + 2
    renamed = [tuple(end.replace("audit -> audit log: Writer", "audit") for end in edge) for edge in edges(whole)]
    chained = [(f"audit ({i}/2)", "FORWARD", f"audit log: Writer ({i}/2)") for i in (1, 2)]
    assert edges(apart) == sorted([*renamed, *chained])


def test_a_job_s_details_and_a_bare_plan_are_read_too(tmp_path: Path) -> None:
    whole = json.loads((DATA / "plan.json").read_text())
    for name, data in [("details.json", {"jid": "0", "vertices": [], **whole}), ("bare.json", whole["plan"])]:
        (tmp_path / name).write_text(json.dumps(data))
        assert parse(str(tmp_path / name)) == [read("plan.json", 2)]


@pytest.mark.parametrize("strategy", ["FORWARD", "RESCALE"])
def test_pointwise_channels_are_those_of_flink(strategy: str) -> None:
    for sizes, pairs in json.loads((DATA / "flink_pointwise.json").read_text()).items():
        sources, destinations = map(int, sizes.split(" to "))
        topology = dataflow(plan(("a", sources, []), ("b", destinations, [("a", strategy)])), 6)
        assert [[a, b - sources] for a, b in topology.channels] == pairs, sizes


@pytest.mark.parametrize(
    ("text", "strategy"),
    [("HASH", "HASH"), ("HASH[user_id]", "HASH"), ("Hash Partition on [0]", "HASH"), ("Broadcast", "BROADCAST"),
     ("SHUFFLE", "SHUFFLE"), ("CUSTOM", "CUSTOM"), ("GLOBAL", "GLOBAL"), ("REBALANCE", "REBALANCE")],
)  # fmt: skip
def test_other_strategies_connect_all_to_all(text: str, strategy: str) -> None:
    topology = dataflow(plan(("a", 2, []), ("b", 3, [("a", text)])), 3)
    assert topology.channels == tuple((a, b) for a in (0, 1) for b in (2, 3, 4))
    assert [[route.strategy for route in routes] for routes in topology.routes] == [[strategy], [strategy], [], [], []]


def test_two_inputs_from_one_operator_are_parallel_channels() -> None:
    topology = dataflow(plan(("a", 1, []), ("join", 2, [("a", "HASH"), ("a", "BROADCAST")])), 2)
    assert topology.channels == ((0, 1), (0, 1), (0, 2), (0, 2))
    assert [(route.strategy, route.channels) for route in topology.routes[0]] == [
        ("HASH", (0, 2)),
        ("BROADCAST", (1, 3)),
    ]


def test_an_undecided_parallelism_is_the_bound_and_like_names_are_numbered() -> None:
    nodes = plan(("b", 1, [("a", "GLOBAL")]), ("a", -1, []), ("c", 1, [("a", "HASH")]))["plan"]["nodes"]  # type: ignore[index]
    for node in nodes:
        node["description"] = "Map(x=[f(1)])<br/>"
    assert dataflow({"nodes": nodes}, 2).labels == ("Map #1 (1/2)", "Map #1 (2/2)", "Map #2", "Map #3")


def test_a_long_description_is_cut_and_markup_undone() -> None:
    data = plan(
        (
            "Source: T(table=[[c, d]], f=[a]) -&gt; Calc(select=[x &gt; 1])<br/>:- A<br/>:  +- B<br/>+- " + "C" * 40,
            1,
            [],
        )
    )
    assert dataflow(data, 1).labels == ("Source: T -> Calc -> A -> B -> CCCCCC...",)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (plan(("a", 0, [])), "operator 'a': parallelism '0': accepted is 1 or more, or -1 for undecided"),
        (plan(("a", True, [])), "parallelism 'True'"),
        (plan(("a", "2", [])), "parallelism '2'"),  # type: ignore[arg-type]
        (plan(("a", 1, [("b", "HASH")])), "operator 'a': input 'b' is no operator of the plan"),
        (plan(("a", 1, []), ("a", 1, [])), "operator 2 of the plan has no id of its own: 'a'"),
        (
            plan(("a", 1, []), ("b", 1, [("a", "TELEPATHY")])),
            "ship_strategy 'TELEPATHY': accepted are FORWARD, RESCALE, HASH",
        ),
        (plan(("a", 1, []), ("b", 1, [("a", None)])), "ship_strategy 'None'"),  # type: ignore[list-item]
        ({"nodes": [{"id": "a", "parallelism": 1, "inputs": [3]}]}, "inputs '[3]': accepted is a list of objects"),
        ({"nodes": [{"parallelism": 1}]}, "operator 1 of the plan has no id of its own"),
        ({"nodes": []}, "no job plan"),
        ([], "no job plan"),
    ],
)
def test_what_is_no_plan_is_refused_in_one_line(data: object, message: str) -> None:
    with pytest.raises(InputError) as refused:
        dataflow(data, 2)
    assert message in str(refused.value)
    assert len(str(refused.value).splitlines()) == 1


def test_a_bound_below_one_is_refused() -> None:
    with pytest.raises(InputError, match="parallelism 0: accepted is 1 or more"):
        parse(str(DATA / "plan.json"), parallelism=0)
