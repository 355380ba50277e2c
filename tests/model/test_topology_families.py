"""Named topologies are those of the contract, channel by channel, and everything else is refused in one line."""

import networkx as nx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from model.errors import InputError
from model.families import FAMILIES, family_form, parse_family
from model.topology import Topology


def channels(text: str) -> str:
    return ",".join(f"{source}>{destination}" for source, destination in parse_family(text).channels)


@pytest.mark.parametrize(
    ("text", "machines", "expected"),
    [
        ("ring:1", 1, "0>0"),
        ("ring:2", 2, "0>1,1>0"),
        ("ring:3", 3, "0>1,1>2,2>0"),
        ("biring:1", 1, "0>0"),
        ("biring:2", 2, "0>1,1>0"),
        ("biring:3", 3, "0>1,0>2,1>0,1>2,2>0,2>1"),
        ("biring:4", 4, "0>1,0>3,1>0,1>2,2>1,2>3,3>0,3>2"),
        ("complete:1", 1, ""),
        ("complete:3", 3, "0>1,0>2,1>0,1>2,2>0,2>1"),
        ("line:1", 1, ""),
        ("line:3", 3, "0>1,1>0,1>2,2>1"),
        ("star:1", 1, ""),
        ("star:4", 4, "0>1,0>2,0>3,1>0,2>0,3>0"),
        ("chain:1", 1, ""),
        ("chain:3", 3, "0>1,1>2"),
        ("vee", 3, "0>2,1>2"),
        ("diamond", 4, "0>1,0>2,1>3,2>3"),
        ("edges:1>2,0>1,0>1,2>2,2>0", 3, "1>2,0>1,0>1,2>2,2>0"),  # order kept, parallel and self-channels
        ("edges: 0>1, 1 > 0", 2, "0>1,1>0"),
        ("edges:0>0", 1, "0>0"),
    ],
)
def test_families(text: str, machines: int, expected: str) -> None:
    topology = parse_family(text)
    assert (topology.machines, channels(text)) == (machines, expected)
    assert topology.name == text


@pytest.mark.parametrize("n", range(3, 9))
def test_families_are_the_graphs_of_those_names(n: int) -> None:
    graphs = {
        "ring": nx.cycle_graph(n, create_using=nx.DiGraph),
        "biring": nx.cycle_graph(n).to_directed(),
        "complete": nx.complete_graph(n).to_directed(),
        "line": nx.path_graph(n).to_directed(),
        "star": nx.star_graph(n - 1).to_directed(),
        "chain": nx.path_graph(n, create_using=nx.DiGraph),
    }
    for name, graph in graphs.items():
        assert parse_family(f"{name}:{n}").channels == tuple(sorted(graph.edges)), name


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=1))
def test_an_edge_list_is_read_as_written_or_has_a_gap(edges: list[tuple[int, int]]) -> None:
    text = "edges:" + ",".join(f"{source}>{destination}" for source, destination in edges)
    named = {machine for edge in edges for machine in edge}
    if named == set(range(len(named))):
        assert parse_family(text) == Topology(len(named), tuple(edges))
    else:
        with pytest.raises(InputError, match="without gaps"):
            parse_family(text)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("ring:0", "ring:0: accepted is ring:N with N from 1 to 1000"),
        ("complete:1001", "complete:1001: accepted is complete:N with N from 1 to 1000"),
        ("star:999999999", "accepted is star:N"),
        ("ring:99999999999999999999", "accepted is ring:N"),
        ("ring:" + "9" * 5000, "accepted is ring:N"),  # more digits than int() takes
        ("ring:x", "'ring:x': accepted is ring:N"),
        ("ring:", "'ring:': accepted is ring:N"),
        ("ring", "'ring': accepted is ring:N"),
        ("ring:-1", "'ring:-1': accepted is ring:N"),
        ("ring:3.0", "'ring:3.0'"),
        ("ring: 3", "'ring: 3'"),
        ("ring:1_0", "'ring:1_0'"),
        ("ring:٣", "accepted is ring:N"),  # a digit, but not one of ours
        ("ring:3\nring:4", r"'ring:3\nring:4': accepted is ring:N"),
        ("Ring:3", "unknown topology 'Ring:3': accepted are ring:N, biring:N"),
        ("mesh:3", "edges:0>1,1>2,2>0"),
        ("", "unknown topology ''"),
        ("vee:3", "'vee:3': accepted is vee, which takes no argument"),
        ("diamond:", "accepted is diamond"),
        ("edges", "accepted is edges:0>1,1>2,2>0"),
        ("edges:", "channel '' in 'edges:': accepted is edges:0>1,1>2,2>0"),
        ("edges:0>", "channel '0>' in 'edges:0>'"),
        ("edges:0>1,", "channel ''"),
        ("edges:0>1;1>0", "channel '0>1;1>0'"),
        ("edges:0-1", "channel '0-1'"),
        ("edges:0>1>2", "channel '0>1>2'"),
        ("edges:a>b", "channel 'a>b'"),
        ("edges:0>-1", "channel '0>-1'"),
        ("edges:0>2", "has a machine 2 but no machine 1"),
        ("edges:1>2,2>1", "has a machine 2 but no machine 0"),
        ("edges:0>999999999", "has a machine 999999999 but no machine 1"),  # and no gigabytes for it
    ],
)
def test_what_is_no_family_is_refused_in_one_line(text: str, message: str) -> None:
    with pytest.raises(InputError) as refused:
        parse_family(text)
    assert message in str(refused.value)
    assert len(str(refused.value).splitlines()) == 1
    assert len(str(refused.value)) < 300


def test_each_family_is_listed_as_it_is_written() -> None:
    for name, (_, description) in FAMILIES.items():
        topology = parse_family(family_form(name).replace("N", "3"))
        assert topology.name.partition(":")[0] == name
        assert description and "\n" not in description
