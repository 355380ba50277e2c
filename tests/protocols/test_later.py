"""Protocols of later papers: each is right where its paper says so, and a rule left out is seen."""

from __future__ import annotations

import pytest

from checker.check import check
from checker.topologies import parse
from model.catalogue import build_system
from model.errors import InputError
from tests.protocols.found import holds, judged, violated

UNORDERED = (
    "mattern-vector",
    "mattern-counting",
    "kshemkalyani",
    "inhibitory",
    "acharya-badrinath",
    "alagar-venkatesan",
)


@pytest.mark.parametrize("relax", ["", "fifo"])
@pytest.mark.parametrize("protocol", UNORDERED)
@pytest.mark.parametrize("topology", ["biring:2", "ring:3"])
def test_right_without_order(topology: str, protocol: str, relax: str) -> None:
    program = "free,s=1" if topology == "biring:2" else "transfer,s=1-0-0"
    assert holds(judged(topology, program, protocol, relax=relax))


@pytest.mark.parametrize("protocol", UNORDERED)
def test_right_on_a_machine_alone_and_for_channels_side_by_side(protocol: str) -> None:
    if protocol == "alagar-venkatesan":
        with pytest.raises(InputError, match="of a machine to itself"):
            build_system(parse("edges:0>0")[0], protocol=protocol)
    else:
        assert holds(judged("edges:0>0", "transfer", protocol))
    assert holds(judged("edges:0>1,0>1,1>0", "transfer,s=2-1", protocol, relax="fifo"))


@pytest.mark.parametrize(
    ("topology", "mutant", "expected"),
    [
        ("biring:2", "mattern-vector,heeds=false", {"no-red-in-white": 5, "consistent-cut": 10}),
        ("biring:2", "mattern-vector,rounds=1", {"channel-exact": 7, "reachable": 7}),
        ("biring:2", "mattern-counting,rounds=1", {"channel-exact": 7, "reachable": 7}),
        ("biring:2", "kshemkalyani,waits=false", {"channel-exact": 5, "reachable": 5}),
        ("biring:2", "inhibitory,inhibits=false", {"no-red-in-white": 3, "channel-exact": 6, "completes": 7}),
        ("biring:2", "inhibitory,drains=false", {"channel-exact": 5, "reachable": 5}),
        ("biring:2", "inhibitory,closes=false", {"channel-exact": 6, "reachable": 6}),
        ("biring:2", "acharya-badrinath,causal=false", {"no-red-in-white": 3, "consistent-cut": 6}),
        ("biring:2", "alagar-venkatesan,causal=false", {"no-red-in-white": 3, "channel-exact": 5}),
        ("ring:3", "alagar-venkatesan,multicast=false", {"no-red-in-white": 4, "consistent-cut": 9}),
    ],
)
def test_each_mutant_is_caught(topology: str, mutant: str, expected: dict[str, int]) -> None:
    found = violated(check(topology, protocol=mutant, relax="fifo", engine="reference"))
    assert {name: found.get(name) for name in expected} == expected


def test_counting_may_go_round_for_ever_without_fairness() -> None:
    asked = ["completes", "completes-unfair"]
    assert set(violated(judged("biring:2", protocol="mattern-counting", properties=asked))) == {"completes-unfair"}
    assert violated(judged("biring:2", protocol="mattern-vector", properties=asked)) == {}


def test_where_nothing_tells_the_order_a_record_is_in_the_order_of_arrival() -> None:
    found = violated(judged("biring:2", "free,s=2", "inhibitory", relax="overtake:1"))
    assert set(found) == {"channel-exact", "reachable", "equivalent"}
    assert holds(judged("biring:2", "free,s=2-1", "mattern-vector", relax="overtake:1"))


@pytest.mark.parametrize("protocol", ["acharya-badrinath", "alagar-venkatesan"])
def test_causal_delivery_takes_orders_away_from_the_program_and_nothing_else(protocol: str) -> None:
    found = violated(judged("biring:2", "free,s=2-1", protocol, relax="overtake:1"))
    assert set(found) == {"non-interference"}
    assert holds(judged("biring:2", "free,s=2-1", protocol))


@pytest.mark.parametrize("topology", ["edges:0>0", "biring:2", "ring:4"])
def test_sums_over_a_hypercube(topology: str) -> None:
    program = "transfer,s=1-0-1-0" if topology == "ring:4" else "transfer"
    assert holds(judged(topology, program, "kshemkalyani,overlay=hypercube"))
    with pytest.raises(InputError, match="3 machines"):
        build_system(parse("ring:3")[0], protocol="kshemkalyani,overlay=hypercube")


@pytest.mark.parametrize("protocol", UNORDERED)
def test_one_initiator(protocol: str) -> None:
    with pytest.raises(InputError, match="accepted is one"):
        build_system(parse("biring:2")[0], protocol=protocol, initiators="any")


@pytest.mark.parametrize("initiators", ["0", "any"])
def test_several_initiators_share_a_snapshot(initiators: str) -> None:
    assert holds(judged("biring:2", "free,s=1", "spezialetti-kearns", initiators=initiators))
    assert holds(check("ring:3", "transfer,s=1-1-0", "spezialetti-kearns", initiators="0,1"))


@pytest.mark.parametrize("mutant", ["exchanges=false", "borders=false"])
def test_regions_must_know_of_one_another(mutant: str) -> None:
    protocol = f"spezialetti-kearns,{mutant}"
    assert holds(judged("biring:2", protocol=protocol))
    assert violated(judged("biring:2", protocol=protocol, initiators="any")) == {"completes": 8}


@pytest.mark.parametrize("topology", ["biring:2", "ring:3"])
def test_incremental_snapshots_again_and_again(topology: str) -> None:
    assert holds(check(topology, "transfer,s=1-1-0" if topology == "ring:3" else "free,s=1", "venkatesan"))
    assert violated(judged("biring:2", "transfer", "venkatesan,k=3")) == {}


@pytest.mark.parametrize(
    ("mutant", "expected"),
    [("ahead=false", {"no-red-in-white": 3, "channel-exact": 5}), ("used=false", {"channel-exact": 4})],
)
def test_incremental_snapshots_need_their_markers(mutant: str, expected: dict[str, int]) -> None:
    found = violated(judged("biring:2", protocol=f"venkatesan,{mutant}"))
    assert {name: found.get(name) for name in expected} == expected


def test_incremental_snapshots_of_what_was_silent_take_no_marker() -> None:
    system = build_system(parse("biring:2")[0], "transfer,s=0", "venkatesan")
    state, words = system.initial_states()[0], []
    while events := list(system.events(state)):
        words.append(events[0].name)
        state = system.step(state, events[0])
    assert system.complete(state, 1) and not any("marker" in word for word in words)


@pytest.mark.parametrize(
    ("mutant", "expected"),
    [
        ("koo-toueg", {}),
        ("koo-toueg,k=2", {}),
        ("koo-toueg,blocking=false", {"recovery-line-consistent": 13, "no-useless-checkpoint": 7}),
        ("koo-toueg,forwards=false", {"recovery-line-consistent": 7, "no-useless-checkpoint": 9}),
    ],
)
def test_koo_and_toueg(mutant: str, expected: dict[str, int]) -> None:
    assert violated(judged("ring:3", protocol=mutant)) == expected


def test_koo_and_toueg_ask_only_whose_messages_count() -> None:
    asked = [f"{claim}:{most}" for claim in ("no-domino", "forced-checkpoints") for most in range(3)]
    assert violated(judged("ring:3", protocol="koo-toueg", properties=asked)) == {
        "no-domino:0": 3,
        "forced-checkpoints:0": 4,
        "forced-checkpoints:1": 7,
    }


@pytest.mark.parametrize(
    ("protocol", "initiators", "shares"),
    [
        ("marker", "0", (6, 12)),
        ("marker", "any", (9, 27)),
        ("alagar-venkatesan", "0", (6, 18)),
        ("laiyang", "0", (9, 27)),
        ("inhibitory", "0", (9, 27)),
    ],
)
def test_how_many_of_all_consistent_cuts_can_be_obtained(
    protocol: str, initiators: str, shares: tuple[int, int]
) -> None:
    # A machine's channel on which its first marker comes is empty: of 3 contents of a channel (nothing sent yet, under
    # way, accepted) 2 are left, on 1 channel of 2, on 2 of 3. A token leaves out one channel, the initiator's own.
    for topology, cuts, share in zip(("biring:2", "ring:3"), (3**2, 3**3), shares, strict=True):
        verdict = check(topology, "free,s=1", protocol, initiators=initiators, properties=["consistent-cut"])
        assert (verdict.counts.underlying_states, verdict.counts.snapshots) == (cuts, share)


@pytest.mark.parametrize("protocol", [*UNORDERED, "koo-toueg,k=2", "spezialetti-kearns", "venkatesan"])
def test_engines_agree(protocol: str) -> None:
    one, two = (check("biring:2", protocol=protocol, relax="fifo", engine=engine) for engine in ("reference", "native"))
    assert one.counts == two.counts
    assert set(one.snapshots) == set(two.snapshots)
    assert [(p.name, p.outcome, p.length) for p in one.properties] == [
        (p.name, p.outcome, p.length) for p in two.properties
    ]
