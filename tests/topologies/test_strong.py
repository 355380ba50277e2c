"""strong:N holds every strongly connected digraph once: counted by brute force, by hand, and by orbits."""

from itertools import combinations, permutations
from math import factorial

import networkx as nx
import pytest

from checker.topologies import automorphisms, parse
from checker.topologies.strong import strong
from model.errors import InputError

Channels = tuple[tuple[int, int], ...]


def relabellings(channels: Channels, n: int) -> set[Channels]:
    return {tuple(sorted((image[a], image[b]) for a, b in channels)) for image in permutations(range(n))}


def classes_by_brute_force(n: int) -> list[Channels]:
    """The lexicographically least member of each class, by looking at all 2^(n(n-1)) digraphs and all relabellings."""
    possible = tuple(permutations(range(n), 2))
    classes, seen = [], set()
    for size in range(len(possible) + 1):
        for channels in combinations(possible, size):  # in lexicographic order, so the first of a class is its least
            if channels in seen:
                continue
            graph = nx.DiGraph(channels)
            graph.add_nodes_from(range(n))
            if nx.is_strongly_connected(graph):
                classes.append(channels)
                seen |= relabellings(channels, n)
    return classes


@pytest.mark.parametrize(("n", "count"), [(1, 1), (2, 1), (3, 5), (4, 83)])
def test_classes_and_their_order_are_those_of_brute_force(n: int, count: int) -> None:
    expected = classes_by_brute_force(n)
    assert len(expected) == count
    assert [topology.channels for topology in strong(n)] == expected


@pytest.mark.parametrize(("n", "labelled"), [(1, 1), (2, 1), (3, 18), (4, 1606), (5, 565080)])
def test_orbits_of_the_classes_make_up_all_labelled_digraphs(n: int, labelled: int) -> None:
    """n!/|Aut| digraphs belong to a class; together they are all strongly connected ones there are (OEIS A003030)."""
    assert sum(factorial(n) // len(automorphisms(topology)) for topology in strong(n)) == labelled


def test_the_5048_of_five_machines_are_strongly_connected_and_no_two_isomorphic() -> None:
    topologies = strong(5)
    assert len(topologies) == 5048
    assert all(topology.strongly_connected() for topology in topologies)
    weights = {channel: 1 << (19 - i) for i, channel in enumerate(permutations(range(5), 2))}
    moved = [{(a, b): weights[image[a], image[b]] for a, b in weights} for image in permutations(range(5))]
    least = {max(sum(weight[channel] for channel in t.channels) for weight in moved) for t in topologies}
    assert len(least) == 5048  # the least list of channels of a class has the greatest weight of all its relabellings
    assert least == {sum(weights[channel] for channel in t.channels) for t in topologies}


def test_the_five_of_three_machines() -> None:
    assert [(topology.name, topology.channels) for topology in parse("strong:3")] == [
        ("strong:3#1", ((0, 1), (1, 2), (2, 0))),
        ("strong:3#2", ((0, 1), (0, 2), (1, 0), (2, 0))),
        ("strong:3#3", ((0, 1), (0, 2), (1, 0), (2, 1))),
        ("strong:3#4", ((0, 1), (0, 2), (1, 0), (1, 2), (2, 0))),
        ("strong:3#5", ((0, 1), (0, 2), (1, 0), (1, 2), (2, 0), (2, 1))),
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("strong:0", "strong:0: accepted is strong:N with N from 1 to 5"),
        ("strong:6", "strong:6 (1,047,008 topologies): accepted is strong:N with N from 1 to 5, or a digraph6 file"),
        ("strong:7", "strong:7: accepted is strong:N with N from 1 to 5"),
        ("strong", "'strong': accepted is strong:N"),
        ("strong:", "'strong:': accepted is strong:N"),
        ("strong:x", "'strong:x': accepted is strong:N"),
        ("strong:3#6", "'strong:3#6': accepted are #1 to #5"),
        ("strong:3#0", "'strong:3#0': accepted is strong:N"),
    ],
)
def test_other_sizes_are_refused(text: str, message: str) -> None:
    with pytest.raises(InputError) as refused:
        parse(text)
    assert message in str(refused.value)
