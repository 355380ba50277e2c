"""Snapshots in progress at once do not disturb one another; by one initiator they are ordered, by two they need not."""

from __future__ import annotations

import pytest

from model.catalogue import build_system
from model.errors import InputError
from model.families import parse_family
from tests.protocols.found import holds, judged, outcome, violated


def test_one_snapshot_is_the_marker_algorithm() -> None:
    alone, marker = judged("ring:3", protocol="concurrent,k=1"), judged("ring:3")
    assert (alone.counts.states, alone.counts.transitions) == (298, 629)
    assert set(alone.snapshots) == set(marker.snapshots)
    assert holds(alone)


def test_two_at_once_hold_by_the_same_and_by_different_initiators() -> None:
    assert holds(judged("ring:3", "token,hops=2", "concurrent"))
    assert holds(judged("biring:2", protocol="concurrent"))
    assert holds(judged("biring:2", protocol="concurrent,by=0-1", initiators="0,1"))
    assert holds(judged("biring:2", protocol="concurrent", initiators="any"))


def test_three_at_once_hold() -> None:
    assert holds(judged("biring:2", "transfer,s=1-0", "concurrent,k=3"))


def test_both_snapshots_are_seen_in_progress_in_one_channel() -> None:
    system = build_system(parse_family("ring:2"), "transfer", "concurrent")
    (state,) = system.initial_states()
    for name in ("turn red 0", "turn red 1"):
        event = next(event for event in system.events(state) if event.name == name)
        state = system.step(state, event)
    assert [message.tag for message in state.channels[0]] == [0, 1] and state.machines[0].red == 3


def test_by_one_initiator_they_are_ordered_over_fifo_channels_only() -> None:
    for topology in ("biring:2", "ring:3"):
        ordered = judged(topology, protocol="concurrent", properties=["snapshots-ordered"])
        assert outcome(ordered, "snapshots-ordered") == "holds"
    relaxed = judged("biring:2", protocol="concurrent", relax="fifo", properties=["snapshots-ordered"])
    assert violated(relaxed) == {"snapshots-ordered": 7}


def test_by_two_initiators_they_need_not_be_and_the_shortest_run_shows_it() -> None:
    found = judged("biring:2", protocol="concurrent,by=0-1", initiators="0,1", properties=["snapshots-ordered"])
    (verdict,) = found.properties
    assert verdict.length == 10 and verdict.counterexample is not None
    assert {"SSS0", "SSS1"} <= set(verdict.counterexample.explanation)


def test_relaxed_channels_break_each_of_the_snapshots() -> None:
    assert violated(judged("biring:2", protocol="concurrent", relax="fifo"))["no-red-in-white"] == 3
    doubled = violated(judged("biring:2", protocol="concurrent", relax="marker-duplication:1"))
    assert doubled == {"one-marker-per-channel": 2}


@pytest.mark.parametrize(
    ("protocol", "words"),
    [
        ("concurrent,k=0", "k=0: a whole number from 1"),
        ("concurrent,by=0", "by=0: one initiator (0) for each of 2 snapshots"),
        ("concurrent,by=0-1", "by=0-1: one initiator (0) for each of 2 snapshots"),
    ],
)
def test_wrong_options_are_refused(protocol: str, words: str) -> None:
    with pytest.raises(InputError) as error:
        build_system(parse_family("biring:2"), protocol=protocol)
    assert words in str(error.value)
