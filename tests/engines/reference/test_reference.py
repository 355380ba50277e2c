"""The reference engine against the definitions, on random systems: replay, shortest, relabelling, ties."""

from __future__ import annotations

from itertools import pairwise, permutations

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from checker.engines.reference.engine import judge
from checker.engines.search_options import SearchOptions
from model.action import Event
from model.catalogue import build_system
from model.cut import cuts_of
from model.properties import chosen
from model.property import Property
from model.system import State, System
from model.topology import Topology
from model.trace import event_json, replay
from model.verdict import Outcome, Verdict
from tests.systems import systems, topologies

SMALL = SearchOptions(max_states=1200)


def small(system: System) -> Verdict:
    """The verdict on a system that turns out small; others are not drawn."""
    verdict = judge(system, chosen(system), SMALL)
    assume(verdict.reason is None)
    return verdict


def breaks(broken: Property, system: System, event: Event, state: State) -> bool:
    """Whether the event, or the state it leads to, breaks the property by itself."""
    moves = broken.on_move is not None and event.fault is None
    by_move = moves and any(broken.on_move(system, move) for move in event.moves)  # type: ignore[misc]
    return by_move or (broken.on_state is not None and broken.on_state(system, state) is not None)


@settings(max_examples=40, suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow])
@given(systems())
def test_a_violation_of_a_move_or_state_is_the_first_of_all_runs(system: System) -> None:
    verdict = small(system)
    shortest: dict[str, int] = {}
    layer, seen, depth = list(system.initial_states()), set(system.initial_states()), 0
    judged = [p for p in chosen(system) if (p.on_move or p.on_state) and not p.preserves]
    while layer:
        depth += 1
        following = []
        for state in layer:
            for event in system.events(state):
                after = system.step(state, event)
                for broken in judged:
                    if broken.name not in shortest and breaks(broken, system, event, after):
                        shortest[broken.name] = depth
                if after not in seen:
                    seen.add(after)
                    following.append(after)
        layer = following
    assert verdict.counts.states == len(seen)
    for found in verdict.properties:
        if found.name in {p.name for p in judged} - {"conservation"}:
            assert found.length == shortest.get(found.name), found.name


@settings(max_examples=40, suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow])
@given(systems())
def test_a_counterexample_replays_from_its_json_and_ends_in_what_it_claims(system: System) -> None:
    for found in small(system).properties:
        if found.counterexample is None:
            continue
        trace = found.counterexample.trace
        again = replay(trace.system, [event_json(trace.system, event) for event in trace.events], trace.loop)
        assert again.states() == trace.states()
        if found.name in ("consistent-cut", "channel-exact", "reachable", "equivalent"):
            cuts = []
            for snapshot in range(system.protocol.snapshots):
                if system.complete(trace.states()[-1], snapshot):
                    cuts += cuts_of(system, snapshot, trace.states(), trace.events)
            assert cuts and all(cut.start is not None for cut in cuts)


@settings(max_examples=15, suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow])
@given(
    topologies(), st.sampled_from(("marker", "late-marker", "magic", "keep-recording")), st.sampled_from(("", "fifo"))
)
def test_relabelling_machines_and_channels_changes_no_verdict(topology: Topology, protocol: str, relax: str) -> None:
    def seen(network: Topology) -> tuple[object, ...]:
        verdict = judge(
            build := build_system(network, "free", protocol, "any", relax),
            chosen(build),
            SearchOptions(max_states=4000),
        )
        assume(verdict.reason is None)
        counts = verdict.counts
        lengths = tuple((p.name, p.outcome, p.length) for p in verdict.properties)
        return counts.states, counts.transitions, counts.depth, counts.snapshots, counts.interleavings, lengths

    wanted = seen(topology)
    for order in list(permutations(range(topology.machines)))[1:3]:
        channels = tuple((order[a], order[b]) for a, b in reversed(topology.channels))
        assert seen(Topology(topology.machines, channels)) == wanted


def test_of_equally_short_runs_the_one_with_fewest_changes_of_machine_is_shown() -> None:
    # On a ring under bags the initiator turns red and sends (one machine), then its neighbour accepts: one change.
    system = build_system(Topology(3, ((0, 1), (1, 2), (2, 0))), "free", relax="fifo")
    (found,) = judge(system, chosen(system, ("no-red-in-white",))).properties
    assert found.counterexample is not None
    assert [event.actor for event in found.counterexample.trace.events] == [0, 0, 1]


@settings(max_examples=40, suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow])
@given(systems())
def test_of_all_shortest_runs_to_a_breaking_move_the_best_is_shown(system: System) -> None:
    name = "no-red-in-white"
    (found,) = judge(system, chosen(system, (name,)), SMALL).properties
    assume(found.length is not None and found.length <= 5 and found.outcome is Outcome.VIOLATED)
    (broken,) = chosen(system, (name,))

    def runs(state: State, left: int) -> list[tuple[tuple[int, ...], tuple[int, ...], Event]]:
        """All runs of `left` events whose last breaks the property: actors, choices, and the last event."""
        out = []
        for index, event in enumerate(system.events(state)):
            if left == 1:
                if breaks(broken, system, event, state):
                    out.append(((event.actor,), (index,), event))
            else:
                for actors, choices, last in runs(system.step(state, event), left - 1):
                    out.append(((event.actor, *actors), (index, *choices), last))
        return out

    def changes(actors: tuple[int, ...]) -> int:
        return sum(a != b for a, b in pairwise(actors))

    (initial,) = system.initial_states()
    assert found.length is not None and found.counterexample is not None
    best = min(runs(initial, found.length), key=lambda run: (changes(run[0]), run[1]))
    assert tuple(event.actor for event in found.counterexample.trace.events) == best[0]
    assert found.counterexample.trace.events[-1] == best[2]


@pytest.mark.parametrize(
    ("bound", "kind"), [(SearchOptions(max_states=50), "states"), (SearchOptions(max_depth=3), "depth")]
)
def test_a_bounded_search_never_says_holds(bound: SearchOptions, kind: str) -> None:
    system = build_system(Topology(3, ((0, 1), (1, 2), (2, 0))))
    verdict = judge(system, chosen(system), bound)
    assert verdict.coverage.kind == "bounded" and dict(verdict.coverage.details).keys() == {kind}
    assert {p.outcome for p in verdict.properties} == {Outcome.UNKNOWN}
    assert verdict.outcome is Outcome.UNKNOWN and verdict.counts.interleavings is None


def test_a_violation_within_the_bound_counts_although_the_rest_is_unknown() -> None:
    system = build_system(Topology(3, ((0, 1), (1, 2), (2, 0))), "free", relax="fifo")
    verdict = judge(system, chosen(system), SearchOptions(max_depth=3))
    lengths = {p.name: p.length for p in verdict.properties if p.outcome is Outcome.VIOLATED}
    assert lengths == {"no-red-in-white": 3}


def test_a_search_that_meets_its_depth_bound_at_the_end_is_exhaustive() -> None:
    system = build_system(Topology(2, ((0, 1), (1, 0))))
    verdict = judge(system, chosen(system), SearchOptions(max_depth=8))
    assert verdict.coverage.kind == "exhaustive" and verdict.counts.depth == 7


def test_first_stops_with_the_first_violation() -> None:
    system = build_system(Topology(3, ((0, 1), (1, 2), (2, 0))), "free", relax="fifo")
    whole, first = judge(system, chosen(system)), judge(system, chosen(system), SearchOptions(first=True))
    assert first.counts.states < whole.counts.states
    assert first.counterexample is not None and whole.counterexample is not None
    assert first.counterexample.trace.events == whole.counterexample.trace.events
