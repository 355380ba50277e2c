"""Topologies from files: GraphML, GML, DOT, JSON (node-link, or a Flink job plan) and digraph6, told apart by suffix.

Nodes are machines in the file's order, their names the labels (a `label` attribute goes before the id); channels are
ordered by (source, destination), and parallel edges are parallel channels. Undirected graphs are refused: whether an
edge stands for one channel or for two is the user's to say, and a wrong guess would be a verdict about another network.
"""

from __future__ import annotations

import io
import json
import warnings
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import networkx as nx
from networkx.readwrite.graphml import GraphMLReader

from checker.topologies.digraph6 import read_digraph6
from checker.topologies.dot import read_dot
from checker.topologies.flink import dataflow, is_plan
from model.errors import InputError
from model.families import MOST_MACHINES, shown
from model.reading import read_input
from model.topology import Topology

MOST_CHANNELS = 10_000
"""Channels of a file: those of every network that has been explored are a few dozen."""


def read_file(path: str, parallelism: int = 2) -> list[Topology]:
    """The topologies in a file, named by the file, and #1, #2, ... where there are several.

    `parallelism` bounds the machines of an operator in a Flink job plan. Raises `InputError`, in one line, for a file
    that is missing, unreadable, empty, of an unknown suffix or not what its suffix says.
    """
    suffix = Path(path).suffix.lower()
    if suffix not in READERS:
        raise InputError(f"file {path!r}: accepted are the suffixes {', '.join(READERS)}")
    content = _content(path)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # networkx warns of what it reads over, such as GraphML ports
            topologies = READERS[suffix](content, parallelism)
    except UnicodeDecodeError:
        raise InputError(f"file {path!r}: not UTF-8 text") from None
    except Exception as error:  # parsers raise all kinds of errors for bad content, and a deep one a RecursionError
        reason = " ".join(str(error).split()) or type(error).__name__
        raise InputError(f"file {path!r}: {reason}") from error
    if not topologies:
        raise InputError(f"file {path!r}: no graph in it")
    name = Path(path).name
    if len(topologies) == 1:
        return [replace(topologies[0], name=name)]
    return [replace(topology, name=f"{name}#{k}") for k, topology in enumerate(topologies, 1)]


def to_networkx(topology: Topology) -> nx.MultiDiGraph:
    """The topology as a networkx graph: nodes 0, 1, ... with their labels, edges in order with the channel as key."""
    graph = nx.MultiDiGraph(name=topology.name)
    for machine in range(topology.machines):
        graph.add_node(machine, label=topology.label(machine))
    for c, (source, destination) in enumerate(topology.channels):
        graph.add_edge(source, destination, key=c)
    return graph


def from_networkx(graph: nx.Graph) -> Topology:
    """A networkx digraph as a topology, under the rules of this module. Raises `InputError` for an undirected one."""
    if not graph.is_directed():
        raise InputError("an undirected graph: channels are uni-directional, accepted is a directed graph")
    names = [data.get("label") or node for node, data in graph.nodes(data=True)]
    return _topology(list(graph), graph.edges(), names)


def _topology(
    nodes: Sequence[Hashable], edges: Iterable[tuple[Hashable, Hashable]], names: Sequence[object]
) -> Topology:
    if len(nodes) > MOST_MACHINES:
        raise InputError(f"{len(nodes):,} machines: accepted are at most {MOST_MACHINES:,}")
    machine = {node: i for i, node in enumerate(nodes)}
    channels = sorted((machine[source], machine[destination]) for source, destination in edges)
    if len(channels) > MOST_CHANNELS:
        raise InputError(f"{len(channels):,} channels: accepted are at most {MOST_CHANNELS:,}")
    return Topology(len(nodes), tuple(channels), labels=_labels(names))


def _labels(names: Sequence[object]) -> tuple[str, ...]:
    """One printable line for each name; none at all where the names are just 0, 1, 2, ..."""
    texts = [" ".join(str(name).split()) for name in names]
    if texts == [str(machine) for machine in range(len(texts))]:
        return ()
    return tuple((text if text.isprintable() else ascii(text)[1:-1]) or f"P{m}" for m, text in enumerate(texts))


def _content(path: str) -> bytes:
    content = read_input(path)
    if not content.strip():
        raise InputError(f"file {path!r} is empty")
    return content


def _text(content: bytes) -> str:
    return content.decode("utf-8-sig")


def _graphml(content: bytes, parallelism: int) -> list[Topology]:
    # Hand-written files often lack the namespace; networkx itself adds it, but reads only the first graph of a file.
    whole = content.replace(b"<graphml>", b'<graphml xmlns="http://graphml.graphdrawing.org/xmlns">', 1)
    return [from_networkx(graph) for graph in GraphMLReader()(path=io.BytesIO(whole))]


def _gml(content: bytes, parallelism: int) -> list[Topology]:
    return [from_networkx(nx.parse_gml(_text(content), label=None))]


def _dot(content: bytes, parallelism: int) -> list[Topology]:
    nodes, edges = read_dot(_text(content))
    return [_topology(nodes, edges, nodes)]


def _json(content: bytes, parallelism: int) -> list[Topology]:
    data = json.loads(_text(content))
    if is_plan(data):
        return [dataflow(data, parallelism)]
    links = next((key for key in ("edges", "links") if isinstance(data, dict) and key in data), None)
    if links is None or "nodes" not in data:
        raise InputError('accepted are node-link data ("nodes" and "edges" or "links") and Flink job plans ("plan")')
    return [from_networkx(_node_link(data, links))]


def _node_link(data: Mapping[str, Any], links: str) -> nx.Graph:
    declared = list(nx.node_link_graph({**data, links: []}, edges=links))
    if len(declared) < len(data["nodes"]):
        raise InputError("two nodes have one id")
    graph = nx.node_link_graph(data, edges=links)
    if len(graph) > len(declared):  # networkx adds a node for every end of an edge that is none: a slip of the pen
        raise InputError(f"an edge to or from {shown(str(list(graph)[len(declared)]))}, which is not among the nodes")
    return graph


def _digraph6(content: bytes, parallelism: int) -> list[Topology]:
    return read_digraph6(_text(content))


READERS: dict[str, Callable[[bytes, int], list[Topology]]] = {
    ".graphml": _graphml,
    ".gml": _gml,
    ".dot": _dot,
    ".gv": _dot,
    ".json": _json,
    ".d6": _digraph6,
    ".digraph6": _digraph6,
}
