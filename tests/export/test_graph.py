"""The state graph in DOT has a node for every state and an edge for every transition, as another parser reads it."""

import pydot
import pytest

from checker.export.graph import dot, quoted
from model.catalogue import build_system
from model.errors import InputError
from model.families import parse_family

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")  # pydot, of its own parser


def test_a_parser_finds_every_state_and_transition() -> None:
    (graph,) = pydot.graph_from_dot_data(dot(build_system(parse_family("ring:3"))))
    nodes = [n for n in graph.get_nodes() if n.get_name().startswith("s")]
    assert len({n.get_name() for n in nodes}) == len(nodes) == 298
    assert len(graph.get_edges()) == 629
    assert all("peripheries" in n.get_attributes() for n in nodes if n.get_name() == f"s{len(nodes) - 1}")


def test_too_many_states_for_a_picture_are_refused() -> None:
    with pytest.raises(InputError, match="more than 100 states"):
        dot(build_system(parse_family("ring:3")), most=100)


def test_hostile_labels_stay_inside_their_string() -> None:
    (graph,) = pydot.graph_from_dot_data("digraph g { a [label=" + quoted('"]; b [x="\\') + "]; }")
    assert {n.get_name() for n in graph.get_nodes()} == {"a"}
