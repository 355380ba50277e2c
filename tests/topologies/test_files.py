"""A network survives each file format, and a file that holds none is refused in one line that says why."""

import json
from collections.abc import Callable
from pathlib import Path

import networkx as nx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from checker.topologies import SUFFIXES, parse
from checker.topologies.digraph6 import read_digraph6, to_digraph6
from checker.topologies.dot import read_dot
from checker.topologies.files import READERS, from_networkx, to_networkx
from checker.topologies.strong import strong
from model.errors import InputError
from model.topology import Topology

LABELS = ("source", "left one", "right é", "sink")


@st.composite
def topologies(draw: st.DrawFn, parallel: bool = True) -> Topology:
    """Up to 4 machines with channels in order of (source, destination), as files give them."""
    machines = draw(st.integers(1, 4))
    machine = st.integers(0, machines - 1)
    channels = draw(st.lists(st.tuples(machine, machine), max_size=8, unique=not parallel))
    return Topology(machines, tuple(sorted(channels)), labels=LABELS[:machines])


def named(topology: Topology) -> nx.MultiDiGraph:
    """The topology as a graph whose nodes are the labels."""
    graph = nx.MultiDiGraph()
    graph.add_nodes_from(topology.labels)
    graph.add_edges_from((topology.label(a), topology.label(b)) for a, b in topology.channels)
    return graph


def write_graphml(topology: Topology, path: Path) -> None:
    nx.write_graphml(named(topology), path)


def write_gml(topology: Topology, path: Path) -> None:
    nx.write_gml(named(topology), path)


def write_dot(topology: Topology, path: Path) -> None:
    pydot = pytest.importorskip("pydot")
    dot = pydot.Dot(graph_type="digraph")
    for label in topology.labels:
        dot.add_node(pydot.Node(pydot.quote_id_if_necessary(label)))
    for a, b in topology.channels:
        ends = (pydot.quote_id_if_necessary(topology.label(machine)) for machine in (a, b))
        dot.add_edge(pydot.Edge(*ends, label="m"))
    path.write_text(dot.to_string(), encoding="utf-8")


def write_node_link(topology: Topology, path: Path) -> None:
    path.write_text(json.dumps(nx.node_link_data(named(topology), edges="edges")))


def write_old_node_link(topology: Topology, path: Path) -> None:
    path.write_text(json.dumps(nx.node_link_data(named(topology), edges="links")))


WRITERS = [
    (".graphml", write_graphml),
    (".gml", write_gml),
    (".dot", write_dot),
    (".gv", write_dot),
    (".json", write_node_link),
    (".json", write_old_node_link),
]


@pytest.mark.parametrize(("suffix", "write"), WRITERS)
@settings(max_examples=40)
@given(topology=topologies())
def test_a_topology_survives_the_file(
    tmp_path_factory: pytest.TempPathFactory, suffix: str, write: Callable[[Topology, Path], None], topology: Topology
) -> None:
    path = tmp_path_factory.mktemp("files") / f"net{suffix}"
    write(topology, path)
    (read,) = parse(str(path))
    assert read == topology
    assert read.labels == topology.labels
    assert read.name == f"net{suffix}"


@given(topologies())
def test_a_topology_survives_networkx(topology: Topology) -> None:
    back = from_networkx(to_networkx(topology))
    assert (back, back.labels) == (topology, topology.labels)


@given(topologies(parallel=False))
def test_a_topology_survives_digraph6(topology: Topology) -> None:
    assert read_digraph6(to_digraph6(topology) + "\n") == [topology]


def test_the_suffixes_of_the_contract_have_readers() -> None:
    assert set(SUFFIXES) == set(READERS)


# digraph6


def test_the_example_of_the_format_s_own_description() -> None:
    """nauty's formats.txt: 5 machines with 0>2, 0>4, 3>1, 3>4 are written &DI?AO?."""
    (read,) = read_digraph6("&DI?AO?\n")
    assert read == Topology(5, ((0, 2), (0, 4), (3, 1), (3, 4)))
    assert to_digraph6(read) == "&DI?AO?"


def test_a_file_of_many_graphs(tmp_path: Path) -> None:
    path = tmp_path / "all.d6"
    path.write_text(">>digraph6<<" + "\n\n".join(map(to_digraph6, strong(3))) + "\r\n")
    read = parse(str(path))
    assert read == strong(3)
    assert [topology.name for topology in read] == [f"all.d6#{k}" for k in range(1, 6)]
    assert parse(f"{path}#2") == read[1:2]
    with pytest.raises(InputError, match=r"#1 to #5"):
        parse(f"{path}#6")


def test_more_than_62_machines_take_four_characters() -> None:
    # 63 machines are ~ and 18 bits: 0, 0, 63. One channel 0>1 is bit 1 of 3969, so 662 characters.
    (read,) = read_digraph6("&~??~" + "O" + "?" * 661)
    assert read == Topology(63, ((0, 1),))
    assert read_digraph6("&~~?????~" + "O" + "?" * 661) == [read]


def test_parallel_channels_have_no_place_in_digraph6() -> None:
    with pytest.raises(InputError, match="parallel"):
        to_digraph6(Topology(2, ((0, 1), (0, 1))))


# DOT


@pytest.mark.parametrize(
    ("text", "nodes", "edges"),
    [
        ("digraph { a -> b -> c; c -> a }", "abc", "ab bc ca"),
        ("digraph G { b; a; a -> b }", "ba", "ab"),
        ("DIGRAPH g {a->b;a->b}", "ab", "ab ab"),
        ("strict digraph {a->b;a->b}", "ab", "ab"),
        ("digraph { a -> {b c} -> d }", "abcd", "ab ac bd cd"),
        ("digraph { subgraph cluster_x { label=x; a -> b } b -> a }", "ab", "ab ba"),
        ("digraph { subgraph s { a; b } subgraph s -> c }", "abc", "ac bc"),
        ("digraph { subgraph s { a } subgraph s { b } -> c }", "abc", "ac bc"),
        (
            "digraph { node [shape=box, x=y]; edge [x=1]; graph [y=2]; rank=same; a:n:ne -> b:w [label=<x<i>y</i>>] }",
            "ab",
            "ab",
        ),
        ('digraph { // one\n/* two\n*/ "a" -> "b" # not a comment here\n}', None, None),
        ('# preprocessor\ndigraph { "a" -> "b" }', "ab", "ab"),
        ("digraph { 1 -> 2.5 -> -.5 }", ["1", "2.5", "-.5"], [("1", "2.5"), ("2.5", "-.5")]),
        (r'digraph { "a \"b\"" -> "c" + "d" }', ['a "b"', "cd"], [('a "b"', "cd")]),
        ('digraph { "node" -> "a->b;" }', ["node", "a->b;"], [("node", "a->b;")]),
        ("digraph {}", "", ""),
    ],
)
def test_dot(text: str, nodes: list[str] | None, edges: object) -> None:
    if nodes is None:
        with pytest.raises(InputError, match="line 3"):
            read_dot(text)
        return
    expected = [tuple(edge) for edge in edges.split()] if isinstance(edges, str) else edges
    assert read_dot(text) == (list(nodes), expected)


# What is read, and what is not


def test_numbers_as_names_are_no_labels_and_a_label_goes_before_an_id(tmp_path: Path) -> None:
    path = tmp_path / "net.json"
    path.write_text('{"directed": true, "nodes": [{"id": 0}, {"id": 1}], "edges": [{"source": 0, "target": 1}]}')
    assert parse(str(path))[0].labels == ()
    path.write_text(
        '{"directed": true, "nodes": [{"id": 0, "label": "in"}, {"id": "x\\ny"}, {"id": "\\u001b["}], "edges": []}'
    )
    assert parse(str(path))[0].labels == ("in", "x y", "\\x1b[")


def test_graphml_without_a_namespace_and_with_two_graphs(tmp_path: Path) -> None:
    path = tmp_path / "two.graphml"
    graph = '<graph edgedefault="directed"><node id="a"/><node id="b"/><edge source="b" target="a"/></graph>'
    path.write_text(f"<graphml>{graph}{graph}</graphml>")
    assert parse(str(path)) == [Topology(2, ((1, 0),))] * 2


def test_a_byte_order_mark_is_read_over(tmp_path: Path) -> None:
    path = tmp_path / "net.gv"
    path.write_bytes(b"\xef\xbb\xbfdigraph { a -> b }")
    assert parse(str(path)) == [Topology(2, ((0, 1),))]


@pytest.mark.parametrize("directed", [nx.Graph, nx.MultiGraph])
def test_undirected_graphs_are_refused_in_every_format(tmp_path: Path, directed: type[nx.Graph]) -> None:
    graph = directed([("a", "b")])
    nx.write_graphml(graph, tmp_path / "net.graphml")
    nx.write_gml(graph, tmp_path / "net.gml")
    (tmp_path / "net.json").write_text(json.dumps(nx.node_link_data(graph, edges="edges")))
    (tmp_path / "net.dot").write_text("graph { a -- b }")
    for suffix in (".graphml", ".gml", ".json", ".dot"):
        with pytest.raises(InputError, match="an undirected graph: channels are uni-directional"):
            parse(str(tmp_path / f"net{suffix}"))
    (tmp_path / "net.d6").write_bytes(nx.to_graph6_bytes(nx.path_graph(2), header=False))
    with pytest.raises(InputError, match="accepted are lines that begin with &"):
        parse(str(tmp_path / "net.d6"))


NODES = '"directed": true, "nodes": [{"id": 0}, {"id": 1}]'
BAD_CONTENT = [
    ("empty.dot", b"", "is empty"),
    ("blank.json", b" \n", "is empty"),
    ("latin.dot", "digraph { é }".encode("latin-1"), "not UTF-8"),
    ("binary.graphml", bytes(range(256)), "not well-formed"),
    ("no.graphml", b"<a/>", "no graph in it"),
    ("cut.graphml", b"<graphml><graph edgedefault='directed'>", "no element found"),
    ("no-machines.graphml", b"<graphml><graph edgedefault='directed'/></graphml>", "0 machines"),
    ("no.gml", b"hello", "expected"),
    ("cut.gml", b"graph [ directed 1", "expected"),
    ("unknown.gml", b"graph [ directed 1 node [ id 0 ] edge [ source 0 target 5 ] ]", "undefined target 5"),
    (
        "twice.gml",
        b"graph [ directed 1 node [ id 0 ] edge [ source 0 target 0 ] edge [ source 0 target 0 ] ]",
        "duplicated",
    ),
    ("no.dot", b"hello", "line 1: 'hello': accepted here is 'digraph'"),
    ("cut.dot", b"digraph {\n a -> b", "line 2: 'the end': accepted here is a node, an edge or '}'"),
    ("arrow.dot", b"digraph { a -> }", "line 1: '}': accepted here is a node"),
    ("undirected.dot", b"digraph { a -- b }", "'--': accepted here is '->'"),
    ("more.dot", b"digraph { a } digraph { b }", "accepted here is one digraph and nothing after it"),
    ("attributes.dot", b"digraph { a [x= }", "accepted here is a value"),
    ("port.dot", b"digraph { a: -> b }", "accepted here is a port"),
    ("quote.dot", b'digraph { "a }', "is no DOT"),
    ("html.dot", b"digraph { a [label=<b] }", "'<' without its '>'"),
    ("deep.dot", b"digraph " + b"{" * 100_000, "recursion"),
    ("no-nodes.dot", b"digraph {}", "0 machines: a topology has at least 1"),
    ("no.json", b"hello", "Expecting value"),
    ("deep.json", b"[" * 100_000, "recursion"),
    ("list.json", b"[]", 'accepted are node-link data ("nodes" and "edges" or "links") and Flink job plans ("plan")'),
    ("other.json", b'{"a": 1}', "accepted are node-link data"),
    ("no-edges.json", f"{{{NODES}}}".encode(), "accepted are node-link data"),
    ("gap.json", f'{{{NODES}, "edges": [{{"source": 0, "target": 7}}]}}'.encode(), "an edge to or from '7'"),
    ("twice.json", b'{"directed": true, "nodes": [{"id": 0}, {"id": 0}], "edges": []}', "two nodes have one id"),
    ("half.json", f'{{{NODES}, "edges": [{{"source": 0}}]}}'.encode(), "target"),
    ("wrong.json", b'{"directed": true, "nodes": 3, "edges": []}', "'int'"),
    ("no.d6", b"hello", "line 1: 'hello' is no digraph6: accepted are lines that begin with &"),
    ("short.d6", b"&BPo\n&B", "line 2: '&B': 0 characters for a matrix of 3 machines"),
    ("long.d6", b"&BPo?", "3 characters for a matrix of 3 machines"),
    ("none.d6", b"&?", "0 machines"),
    ("bits.d6", b"&BPp", "the bits after the matrix are not 0"),
    ("character.d6", b"&B >", "has a character outside"),
    ("huge.d6", b"&~~~~~~~~", "machines"),
    ("only-a-header.d6", b">>digraph6<<\n", "no graph in it"),
]


@pytest.mark.parametrize(("name", "content", "message"), BAD_CONTENT, ids=[name for name, _, _ in BAD_CONTENT])
def test_bad_content_is_refused_in_one_line(tmp_path: Path, name: str, content: bytes, message: str) -> None:
    folder = tmp_path / ("far" * 30)  # a long path, and still shown whole: its end is what tells files apart
    folder.mkdir()
    (folder / name).write_bytes(content)
    with pytest.raises(InputError) as refused:
        parse(str(folder / name))
    assert message in str(refused.value)
    assert str(folder / name) in str(refused.value)
    assert len(str(refused.value).splitlines()) == 1


def test_a_missing_file_a_directory_and_an_unknown_suffix(tmp_path: Path) -> None:
    (tmp_path / "folder.json").mkdir()
    (tmp_path / "net.txt").write_text("digraph { a }")
    for path, message in [
        (tmp_path / "missing.gml", "no such file or directory"),
        (tmp_path / "folder.json", "is a directory"),
        (tmp_path / "net.txt", "or a file (.graphml, .gml, .dot, .gv, .json, .d6, .digraph6)"),
        ("nul\0.json", "null byte"),
        ("mesh:3", "unknown topology 'mesh:3': accepted are ring:N"),
        ("", "unknown topology ''"),
        ("complete:3#1", "'complete:3#1': accepted is complete:N"),
    ]:
        with pytest.raises(InputError) as refused:
            parse(str(path))
        assert message in str(refused.value)
        assert len(str(refused.value).splitlines()) == 1


def test_what_networkx_warns_of_is_no_noise(tmp_path: Path, recwarn: pytest.WarningsRecorder) -> None:
    path = tmp_path / "ports.graphml"
    path.write_text('<graphml><graph edgedefault="directed"><node id="a"><port name="n"/></node></graph></graphml>')
    assert parse(str(path)) == [Topology(1, ())]
    assert not recwarn.list
