"""When a snapshot completes: what fairness, reachability, several initiators and crashes have to do with it."""

from __future__ import annotations

from itertools import combinations

import pytest

from checker.check import check
from model.catalogue import build_system
from model.errors import InputError
from model.families import parse_family
from model.topology import Topology
from model.verdict import Outcome
from tests.protocols.found import holds, judged, outcome, violated


def test_fairness_is_needed_where_the_computation_never_ends() -> None:
    found = judged("biring:3", "token", properties=["completes", "completes-unfair"])
    assert outcome(found, "completes") == "holds"
    assert violated(found) == {"completes-unfair": 3}
    unfair = found.properties[1].counterexample
    assert unfair is not None and unfair.trace.loop == 3
    states = unfair.trace.states()
    assert states[-1] == states[3], "the run goes round for ever"
    assert all(event.fault is None for event in unfair.trace.events[3:])


def test_fairness_is_not_needed_where_every_run_ends_or_the_markers_are_in_the_way() -> None:
    assert holds(judged("ring:3", properties=["completes", "completes-unfair"]))
    assert holds(judged("ring:3", "token", properties=["completes", "completes-unfair"]))


def test_claims_about_unfair_runs_are_judged_only_when_named() -> None:
    assert "completes-unfair" not in {p.name for p in judged("ring:2", "token").properties}


TWO_AND_THREE = [
    Topology(n, channels, name=f"edges:{','.join(f'{a}>{b}' for a, b in channels)}")
    for n, places in ((2, ((0, 1), (1, 0))), (3, tuple((a, b) for a in range(3) for b in range(3) if a != b)))
    for size in range(len(places) + 1)
    for channels in combinations(places, size)
]


def test_strong_connectivity_is_not_needed_reachability_from_the_initiator_is() -> None:
    """On every digraph of 2 and 3 machines: all that applies holds if and only if 0 leads to every machine."""
    assert len(TWO_AND_THREE) == 68
    weak = 0
    for topology in TWO_AND_THREE:
        program = "token,hops=1" if len(topology.channels) > 4 else "free,s=1-1-0" if topology.machines == 3 else "free"
        found = check(topology, program, engine="reference")
        reached = len(topology.reachable_from([0])) == topology.machines
        assert (found.outcome is Outcome.HOLDS) == reached, topology.channels
        assert (outcome(found, "completes") == "holds") == reached, topology.channels
        if not reached:
            assert set(violated(found)) == {"all-red", "completes"} and outcome(found, "reachable") == "vacuous"
        weak += reached and not topology.strongly_connected()
    assert weak == 15, "so many of the 68 are not strongly connected, and right all the same"


@pytest.mark.parametrize("initiators", ["0", "0,2", "any"])
def test_several_initiators_in_one_run(initiators: str) -> None:
    assert holds(judged("edges:0>1,2>1,1>2,1>0", "transfer,s=1-1-0", initiators=initiators))


def test_initiators_that_together_reach_everyone_suffice() -> None:
    assert violated(judged("edges:0>1,2>1", initiators="0")) == {"all-red": 6, "completes": 6}
    assert holds(judged("edges:0>1,2>1", initiators="0,2"))
    assert holds(judged("edges:0>1,2>1", protocol="laiyang", initiators="0"))


def test_a_crash_stops_the_snapshot_and_nothing_else() -> None:
    for protocol in ("marker", "laiyang", "observer"):
        assert violated(judged("biring:2", protocol=protocol, relax="crash:1")) == {"all-red": 3, "completes": 3}


def test_where_no_snapshot_completes_claims_about_snapshots_are_vacuous() -> None:
    found = judged("ring:3", protocol="missing-marker,channel=2")
    assert outcome(found, "reachable") == outcome(found, "consistent-cut") == "vacuous"
    assert found.outcome is Outcome.VIOLATED
    only = judged("ring:3", protocol="missing-marker,channel=2", properties=["reachable"])
    assert only.outcome is Outcome.UNKNOWN and not only.snapshots


def test_the_cut_of_such_runs_can_be_judged_all_the_same() -> None:
    found = judged("ring:3", protocol="missing-marker,channel=2,cut=recorded")
    assert outcome(found, "consistent-cut") == "holds" and found.snapshots
    assert violated(found) == {"conservation": 5, "channel-exact": 5, "reachable": 5, "equivalent": 5}
    assert found.system.description["protocol"] == "missing-marker,channel=2,mixed=false,cut=recorded"


def test_the_recorded_cut_is_right_where_the_protocol_is() -> None:
    plain, cut = judged("ring:3"), judged("ring:3", protocol="marker,cut=recorded")
    assert holds(cut) and set(plain.snapshots) == set(cut.snapshots)
    assert (plain.counts.states, plain.counts.transitions) == (cut.counts.states, cut.counts.transitions)
    assert holds(judged("biring:2", protocol="concurrent,cut=recorded"))
    assert holds(judged("biring:2", protocol="observer,cut=recorded"))


def test_cut_recorded_goes_last() -> None:
    with pytest.raises(InputError, match="cut=recorded goes last"):
        build_system(parse_family("ring:3"), protocol="marker,cut=recorded,mixed=true")
