"""The vocabulary's first word: what a topology is, what it refuses, and who reaches whom."""

import networkx as nx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from model.errors import InputError
from model.topology import Dataflow, Route, Topology


@st.composite
def topologies(draw: st.DrawFn, most: int = 6) -> Topology:
    """Up to `most` machines, parallel and self-channels included, channels in any order."""
    machines = draw(st.integers(1, most))
    machine = st.integers(0, machines - 1)
    return Topology(machines, tuple(draw(st.lists(st.tuples(machine, machine), max_size=3 * machines))))


@given(topologies())
def test_ends_are_those_of_the_channels(topology: Topology) -> None:
    for c, (source, destination) in enumerate(topology.channels):
        assert [m for m in range(topology.machines) if c in topology.outputs[m]] == [source]
        assert [m for m in range(topology.machines) if c in topology.inputs[m]] == [destination]
    assert all(list(ends) == sorted(ends) for ends in topology.inputs + topology.outputs)


@given(topologies(), st.data())
def test_reachability_agrees_with_networkx(topology: Topology, data: st.DataObject) -> None:
    graph = nx.MultiDiGraph(topology.channels)
    graph.add_nodes_from(range(topology.machines))
    initiators = data.draw(st.sets(st.integers(0, topology.machines - 1)))
    expected = initiators.union(*(nx.descendants(graph, machine) for machine in initiators))
    assert topology.reachable_from(initiators) == expected
    assert topology.strongly_connected() == nx.is_strongly_connected(graph)


def test_names_and_labels_are_no_part_of_the_network() -> None:
    plain = Topology(2, ((0, 1),))
    named = Topology(2, ((0, 1),), name="pair", labels=("a", "b"))
    assert plain == named and hash(plain) == hash(named)
    assert [plain.label(0), named.label(1)] == ["P0", "b"]


@pytest.mark.parametrize(
    ("machines", "channels", "labels", "message"),
    [
        (0, (), (), "0 machines: a topology has at least 1"),
        (-1, (), (), "-1 machines"),
        (2, ((0, 2),), (), "channel 0>2: machines are 0..1"),
        (2, ((-1, 0),), (), "channel -1>0: machines are 0..1"),
        (2, (), ("a",), "1 labels for 2 machines"),
    ],
)
def test_what_is_no_topology_is_refused(
    machines: int, channels: tuple[tuple[int, int], ...], labels: tuple[str, ...], message: str
) -> None:
    with pytest.raises(InputError) as refused:
        Topology(machines, channels, labels=labels)
    assert message in str(refused.value)


def test_an_initiator_that_is_no_machine_is_refused() -> None:
    with pytest.raises(InputError, match=r"machine 3: machines are 0\.\.1"):
        Topology(2, ((0, 1),)).reachable_from([0, 3])


def test_a_route_sends_a_record_to_all_to_the_first_or_in_turn() -> None:
    channels = (4, 5, 7)
    assert [Route("BROADCAST", channels).targets(n) for n in range(2)] == [channels, channels]
    assert [Route("GLOBAL", channels).targets(n) for n in range(2)] == [(4,), (4,)]
    assert [Route("HASH", channels).targets(n) for n in range(4)] == [(4,), (5,), (7,), (4,)]


def test_a_dataflow_routes_over_each_output_once() -> None:
    channels = ((0, 1), (0, 2), (1, 2))
    hashed, forward = Route("HASH", (0, 1)), Route("FORWARD", (2,))
    dataflow = Dataflow(3, channels, routes=((hashed,), (forward,), ()))
    assert dataflow.outputs == ((0, 1), (2,), ())
    assert dataflow != Topology(3, channels)
    for routes in [
        (),  # none at all
        ((), (forward,), ()),  # two outputs without a route
        ((hashed, forward), (forward,), ()),  # another machine's output
        ((hashed, hashed), (forward,), ()),  # outputs routed twice
        ((hashed,), (forward,), (Route("HASH", ()),)),  # a route to nowhere
    ]:
        with pytest.raises(InputError):
            Dataflow(3, channels, routes=routes)
