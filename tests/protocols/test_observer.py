"""Each reading of the observer's snapshot has its verdict: the default is right, each other one broken or silent."""

from __future__ import annotations

import pytest

from model.catalogue import build_system
from model.errors import InputError
from model.families import parse_family
from tests.protocols.found import holds, judged, outcome, violated

CUT = {"no-red-in-white", "conservation", "consistent-cut", "channel-exact", "reachable", "equivalent"}

BROKEN = {
    "literal=true": {
        "no-red-in-white": 3,
        "conservation": 3,
        "consistent-cut": 4,
        "channel-exact": 3,
        "reachable": 3,
        "equivalent": 3,
    },
    "observer_tags=false": {
        "no-red-in-white": 3,
        "conservation": 4,
        "consistent-cut": 4,
        "channel-exact": 4,
        "reachable": 4,
        "equivalent": 4,
    },
    "observer_logs=false": {"conservation": 4, "channel-exact": 4, "reachable": 4, "equivalent": 4},
    "save=after": {
        "no-red-in-white": 3,
        "conservation": 3,
        "consistent-cut": 3,
        "reachable": 3,
        "equivalent": 3,
    },
    "done=naive": {"conservation": 3, "channel-exact": 3, "reachable": 3, "equivalent": 3},
    "requests=none": {"all-red": 5, "completes": 5},
}


@pytest.mark.parametrize("reading", BROKEN)
def test_each_wrong_reading_is_broken_on_two_machines(reading: str) -> None:
    assert violated(judged("biring:2", protocol=f"observer,{reading}")) == BROKEN[reading]


@pytest.mark.parametrize("relax", ["", "fifo", "overtake:1", "marker-loss:1"])
@pytest.mark.parametrize("topology", ["biring:2", "ring:3", "edges:0>1,1>2,2>1"])
def test_the_default_reading_is_right_with_and_without_fifo(topology: str, relax: str) -> None:
    assert holds(judged(topology, protocol="observer", relax=relax))


def test_requests_in_band_are_right_where_the_observer_has_a_channel_to_every_machine() -> None:
    assert holds(judged("biring:2", protocol="observer,requests=inband"))
    assert holds(judged("star:3", "transfer,s=1-1-0", protocol="observer,requests=inband"))


def test_a_machine_that_no_request_reaches_may_never_save() -> None:
    assert violated(judged("ring:3", protocol="observer,requests=inband")) == {"all-red": 8, "completes": 8}


def test_a_lost_message_is_waited_for_in_vain_and_a_lost_in_band_request_too() -> None:
    assert set(violated(judged("biring:2", protocol="observer", relax="loss:1"))) == {"conservation", "completes"}
    inband = judged("biring:2", protocol="observer,requests=inband", relax="marker-loss:1")
    assert set(violated(inband)) == {"all-red", "completes"}


def test_the_literal_reading_fails_when_the_observer_sends_on_after_its_save() -> None:
    found = judged("biring:2", protocol="observer,literal=true", properties=["no-red-in-white"])
    (verdict,) = found.properties
    assert verdict.counterexample is not None
    assert [event.name for event in verdict.counterexample.trace.events] == ["save, request", "send", "accept"]
    assert outcome(found, "no-red-in-white") == "violated"


def test_the_description_spells_out_every_reading() -> None:
    system = build_system(parse_family("biring:2"), protocol="observer,literal=true")
    assert system.description["protocol"] == (
        "observer,literal=true,requests=separate,observer_tags=false,observer_logs=false,save=before,done=naive"
    )
    again = build_system(parse_family("biring:2"), protocol=system.description["protocol"])
    assert again.description == system.description


@pytest.mark.parametrize(
    ("protocol", "initiators", "words"),
    [
        ("observer,save=during", "0", "save=during: choose from before, after"),
        ("observer,requests=", "0", "requests=: choose from separate, inband, none"),
        ("observer,literal=true,observer_tags=true", "0", "literal=true has observer_tags=false, not true"),
        ("observer", "1", "the observer is machine 0"),
        ("observer", "any", "the observer is machine 0"),
    ],
)
def test_wrong_readings_are_refused_in_one_line(protocol: str, initiators: str, words: str) -> None:
    with pytest.raises(InputError) as error:
        build_system(parse_family("biring:2"), protocol=protocol, initiators=initiators)
    assert words in str(error.value) and "\n" not in str(error.value)
