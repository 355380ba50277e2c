"""Where channels are bags, SSS is a state of that system: its channels are multisets, in every engine."""

from __future__ import annotations

from collections import Counter

import pytest

from checker.check import check
from checker.engines.search_options import SearchOptions
from model.catalogue import build_system
from model.families import parse_family
from model.system import State, System
from model.values import order_key
from model.verdict import Verdict

TWO = "edges:0>1,1>0"


def reachable(system: System) -> set[State]:
    """All reachable states, by a search of this test's own."""
    seen = set(system.initial_states())
    waiting = list(seen)
    while waiting:
        state = waiting.pop()
        new = {system.step(state, event) for event in system.events(state)} - seen
        seen |= new
        waiting += new
    return seen


def multisets(system: System) -> set[object]:
    """What is recorded in the complete states, straight from the protocol, each channel counted."""
    found: set[object] = set()
    for state in reachable(system):
        if system.complete(state):
            own = [system.protocol.recorded(m, local) for m, local in enumerate(state.machines)]
            assert all(own)
            found.add(
                tuple((r.state, tuple(frozenset(Counter(c).items()) for c in r.channels)) for r in own if r is not None)
            )
    return found


@pytest.mark.parametrize(("protocol", "distinct"), [("marker", 300), ("magic", 64)])
@pytest.mark.parametrize("engine", ["reference", "native"])
def test_snapshots_are_counted_as_multisets(engine: str, protocol: str, distinct: int) -> None:
    system = build_system(parse_family(TWO), "free,s=2", protocol, relax="fifo")
    verdict = check(system, engine=engine, properties=["no-red-in-white"])
    assert verdict.counts.snapshots == len(verdict.snapshots) == len(multisets(system)) == distinct
    for sss in verdict.snapshots:
        assert all(list(content) == sorted(content, key=order_key) for content in sss.channels)


def channel_exact(engine: str, protocol: str, relax: str = "fifo") -> Verdict:
    options = SearchOptions(max_depth=8) if engine == "z3" else None
    return check(TWO, "free,s=2", protocol, relax=relax, properties=["channel-exact"], engine=engine, options=options)


@pytest.mark.parametrize("engine", ["reference", "native", "z3"])
def test_a_channel_recorded_in_another_order_is_recorded_exactly(engine: str) -> None:
    # Magic lets nothing red be accepted white and records every white message: only the order differs from the cut's.
    assert [p.length for p in channel_exact(engine, "magic").properties] == [None]
    assert [p.length for p in channel_exact(engine, "magic", "overtake:1").properties] == [6]
