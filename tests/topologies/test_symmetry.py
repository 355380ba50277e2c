"""Automorphisms are those that trying all permutations finds, orbits are theirs, and pynauty counts as many."""

from itertools import permutations, product
from math import prod

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from checker.topologies import Automorphism, automorphisms, machine_orbits
from checker.topologies.strong import strong
from model.errors import InputError
from model.families import parse_family
from model.topology import Dataflow, Route, Topology

Coloured = tuple[Topology, tuple[int, ...], tuple[int, ...]]


@st.composite
def coloured_topologies(draw: st.DrawFn) -> Coloured:
    """Up to 4 machines and 5 channels, parallel and self-channels included, in up to two colours each."""
    machines = draw(st.integers(1, 4))
    machine = st.integers(0, machines - 1)
    channels = tuple(draw(st.lists(st.tuples(machine, machine), max_size=5)))
    colours = st.integers(0, 1)
    return (
        Topology(machines, channels),
        tuple(draw(st.lists(colours, min_size=machines, max_size=machines))),
        tuple(draw(st.lists(colours, min_size=len(channels), max_size=len(channels)))),
    )


def by_brute_force(
    topology: Topology, machine_colours: tuple[int, ...], channel_colours: tuple[int, ...]
) -> list[Automorphism]:
    """All pairs of permutations, kept where each channel's image has the images of its ends, and colours stay."""
    count = len(topology.channels)
    return [
        Automorphism(machines, channels)
        for machines, channels in product(permutations(range(topology.machines)), permutations(range(count)))
        if all(machine_colours[m] == machine_colours[machines[m]] for m in range(topology.machines))
        and all(
            channel_colours[c] == channel_colours[channels[c]]
            and topology.channels[channels[c]] == (machines[source], machines[destination])
            for c, (source, destination) in enumerate(topology.channels)
        )
    ]


@settings(max_examples=60)
@given(coloured_topologies())
def test_automorphisms_are_those_of_brute_force(coloured: Coloured) -> None:
    found = automorphisms(*coloured)
    assert found == by_brute_force(*coloured)  # product() of permutations() is ascending too
    orbits = {frozenset(a.machines[m] for a in found) for m in range(coloured[0].machines)}
    assert set(map(frozenset, machine_orbits(*coloured))) == orbits


@pytest.mark.parametrize(
    ("text", "group", "orbits"),
    [
        ("ring:5", 5, ((0, 1, 2, 3, 4),)),
        ("biring:5", 10, ((0, 1, 2, 3, 4),)),
        ("complete:5", 120, ((0, 1, 2, 3, 4),)),
        ("star:5", 24, ((0,), (1, 2, 3, 4))),
        ("line:5", 2, ((0, 4), (1, 3), (2,))),
        ("chain:4", 1, ((0,), (1,), (2,), (3,))),
        ("vee", 2, ((0, 1), (2,))),
        ("diamond", 2, ((0,), (1, 2), (3,))),
        ("edges:0>1,0>1,0>1,1>0", 6, ((0,), (1,))),  # parallel channels swap
        ("edges:0>0,0>1,1>0", 1, ((0,), (1,))),
        ("ring:40", 40, (tuple(range(40)),)),
    ],
)
def test_groups_of_known_networks(text: str, group: int, orbits: tuple[tuple[int, ...], ...]) -> None:
    topology = parse_family(text)
    found = automorphisms(topology)
    assert len(found) == group
    assert found[0] == Automorphism(tuple(range(topology.machines)), tuple(range(len(topology.channels))))
    assert machine_orbits(topology) == orbits


def test_a_shuffled_ring_of_many_machines_is_no_harder() -> None:
    order = [i * 7 % 40 for i in range(40)]
    shuffled = Topology(40, tuple((order[i], order[(i + 1) % 40]) for i in range(40)))
    assert len(automorphisms(shuffled)) == 40


def test_colours_are_kept() -> None:
    ring = parse_family("ring:4")
    assert machine_orbits(ring, machine_colours=(1, 0, 1, 0)) == ((0, 2), (1, 3))
    assert machine_orbits(ring, channel_colours=(1, 0, 0, 0)) == ((0,), (1,), (2,), (3,))


def test_the_routes_of_a_dataflow_are_colours() -> None:
    """Two sinks fed in turn differ, since record 0 goes to the first; two that get copies do not."""
    channels = ((0, 1), (0, 2))
    in_turn = Dataflow(3, channels, routes=((Route("REBALANCE", (0, 1)),), (), ()))
    copies = Dataflow(3, channels, routes=((Route("BROADCAST", (0, 1)),), (), ()))
    assert machine_orbits(in_turn) == ((0,), (1,), (2,))
    assert machine_orbits(copies) == machine_orbits(Topology(3, channels)) == ((0,), (1, 2))


def test_a_group_too_large_to_list_is_refused_and_its_orbits_are_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("checker.topologies.symmetry.MOST_AUTOMORPHISMS", 5_000)
    star = parse_family("star:8")  # 7! = 5,040
    with pytest.raises(InputError, match="more than 5,000 automorphisms of star:8"):
        automorphisms(star)
    assert machine_orbits(star) == ((0,), (1, 2, 3, 4, 5, 6, 7))


@pytest.mark.parametrize("colours", [{"machine_colours": (0,)}, {"channel_colours": (0, 0)}])
def test_a_colour_for_each_is_asked_for(colours: dict[str, tuple[int, ...]]) -> None:
    with pytest.raises(InputError, match="accepted is one for each of the 3"):
        automorphisms(parse_family("ring:3"), **colours)


def test_pynauty_finds_groups_of_the_same_size() -> None:
    pynauty = pytest.importorskip("pynauty", reason="the second witness needs a C compiler to install")
    for topology in strong(4):
        successors = {m: [topology.channels[c][1] for c in topology.outputs[m]] for m in range(4)}
        _, mantissa, exponent, _, count = pynauty.autgrp(pynauty.Graph(4, directed=True, adjacency_dict=successors))
        assert len(automorphisms(topology)) == round(mantissa * 10**exponent)
        assert len(machine_orbits(topology)) == count


def test_the_group_of_parallel_channels_is_a_product() -> None:
    topology = parse_family("edges:0>1,0>1,1>2,1>2,1>2,2>0")
    assert len(automorphisms(topology)) == prod([2, 6])
