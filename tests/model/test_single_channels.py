"""Overtaking on some channels alone: parsed, told, the same in every engine, and what it does to the markers."""

from __future__ import annotations

import pytest

from checker.check import check
from checker.engines.search_options import SearchOptions
from checker.sweep.experiment import experiment
from checker.topologies import parse
from model.assumptions import parse_relaxations
from model.catalogue import build_system
from model.channels import Fifo, Overtake
from model.errors import InputError
from model.topology import Topology
from model.verdict import Outcome
from tests.protocols.found import judged, violated

CHANNELS = [
    (topology, c)
    for name in ("strong:2", "strong:3")
    for topology in parse(name)
    for c in range(len(topology.channels))
]


def test_it_is_read_and_told() -> None:
    assumed = parse_relaxations("overtake:2@3-1,loss:1")
    assert assumed.relaxations == ("overtake:2@1-3", "loss:1")
    assert parse_relaxations(",".join(assumed.relaxations)) == assumed
    assert [assumed.of_channel(c) for c in (0, 1, 3)] == [Fifo(), Overtake(2), Overtake(2)]
    assert "overtake at most 2 others on channels 1, 3" in assumed.describe()
    assert assumed.underlying().only == (1, 3)


@pytest.mark.parametrize("text", ["overtake:1@", "overtake:1@x", "overtake:@1", "fifo@1", "loss:1@0", "overtake:1@-1"])
def test_bad_words_are_refused(text: str) -> None:
    with pytest.raises(InputError):
        parse_relaxations(text)


def test_a_channel_that_is_none_is_refused() -> None:
    with pytest.raises(InputError, match=r"channels are 0\.\.2"):
        build_system(parse("ring:3")[0], relax="overtake:1@3")


@pytest.mark.parametrize("relax", ["overtake:1@0", "overtake:1@1,duplication:1", "overtake:2@0,crash:1"])
@pytest.mark.parametrize("protocol", ["marker", "laiyang"])
def test_engines_agree(protocol: str, relax: str) -> None:
    one, two = (check("biring:2", "free,s=1", protocol, relax=relax, engine=e) for e in ("reference", "native"))
    assert one.counts == two.counts and set(one.snapshots) == set(two.snapshots)
    assert [(p.name, p.outcome, p.length) for p in one.properties] == [
        (p.name, p.outcome, p.length) for p in two.properties
    ]


def test_all_channels_named_are_all_channels() -> None:
    one, two = (judged("biring:2", "free,s=1", relax=relax) for relax in ("overtake:1", "overtake:1@0-1"))
    assert one.counts == two.counts and violated(one) == violated(two)


def test_symmetry_keeps_channels_of_different_disciplines_apart() -> None:
    for symmetry in (False, True):
        verdict = check(
            "ring:3", initiators="any", relax="overtake:1@0", engine="native", options=SearchOptions(symmetry=symmetry)
        )
        assert violated(verdict)["consistent-cut"] == 6


def through(topology: Topology, source: int, destination: int) -> bool:
    """Whether every way from machine 0 to the source leads through the destination."""
    others = [(a, b) for a, b in topology.channels if destination not in (a, b)]
    return destination == 0 or source not in Topology(topology.machines, tuple(others)).reachable_from([0])


@pytest.mark.parametrize(("topology", "channel"), CHANNELS, ids=str)
def test_cuts_stay_consistent_exactly_where_all_ways_to_the_sender_lead_through_the_receiver(
    topology: Topology, channel: int
) -> None:
    # Then the receiver is red before the sender. A marker may always overtake a message, which is then not recorded.
    program = "free,s=" + "-".join(str(int(m == topology.channels[channel][0])) for m in range(topology.machines))
    asked = ("no-red-in-white", "consistent-cut", "channel-exact")
    verdict = check(topology, program, relax=f"overtake:1@{channel}", properties=asked, engine="reference")
    fails = {p.name for p in verdict.properties if p.outcome is Outcome.VIOLATED}
    assert fails == ({"channel-exact"} if through(topology, *topology.channels[channel]) else set(asked))


def test_an_experiment_goes_through_all_channels() -> None:
    rows = experiment(
        {"name": "x", "systems": [{"topologies": ["strong:2", "ring:3"], "relax": ["none", "overtake:1@each"]}]}
    ).systems
    assert sorted((row.machines, row.relax) for row in rows) == [
        (2, ""), (2, "overtake:1@0"), (2, "overtake:1@1"),
        (3, ""), (3, "overtake:1@0"), (3, "overtake:1@1"), (3, "overtake:1@2"),
    ]  # fmt: skip
