"""Back-edges, sources and sinks."""

import networkx as nx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from model.dataflow import back_edges, runs_out, sinks, sources
from model.families import parse_family
from model.topology import Topology


@pytest.mark.parametrize(
    ("name", "back", "first", "last"),
    [
        ("chain:3", set(), (0,), (2,)),
        ("vee", set(), (0, 1), (2,)),
        ("diamond", set(), (0,), (3,)),
        ("ring:3", {2}, (0,), ()),
        ("edges:0>1,1>2,2>1,2>3", {2}, (0,), (3,)),
        ("edges:0>1,1>1,1>1,1>2", {1, 2}, (0,), (2,)),
        # The machine without inputs comes first, whatever its number; so 0>1 leads into the loop and 1>0 back.
        ("edges:0>1,1>0,2>0", {1}, (2,), ()),
    ],
)
def test_back_edges_sources_sinks(name: str, back: set[int], first: tuple[int, ...], last: tuple[int, ...]) -> None:
    topology = parse_family(name)
    assert back_edges(topology) == back
    assert sources(topology) == first
    assert sinks(topology) == last


ENDS = st.tuples(st.integers(0, 4), st.integers(0, 4))


@given(st.lists(ENDS, max_size=9))
def test_without_its_back_edges_every_topology_is_acyclic(channels: list[tuple[int, int]]) -> None:
    back = back_edges(Topology(5, tuple(channels)))
    rest = nx.MultiDiGraph()
    rest.add_edges_from(ends for c, ends in enumerate(channels) if c not in back)
    assert nx.is_directed_acyclic_graph(rest)


@given(st.lists(ENDS.filter(lambda ends: ends[0] < ends[1]), max_size=9))
def test_an_acyclic_topology_has_no_back_edge_and_runs_out(channels: list[tuple[int, int]]) -> None:
    topology = Topology(5, tuple(channels))
    assert not back_edges(topology)
    assert runs_out(topology)


def test_a_long_chain_is_no_trouble() -> None:
    assert not back_edges(parse_family("chain:1000"))
