"""Native gives the reference engine's verdict, to the last event, on random programs with random broken protocols."""

from __future__ import annotations

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from checker.engines.native import engine
from checker.engines.reference import engine as reference
from checker.engines.search_options import SearchOptions, StopCondition
from checker.judging.breadth_first import explore
from model.properties import PROPERTIES, chosen
from model.system import System
from tests.engines.native.agreement import differences
from tests.engines.native.random_systems import FAULTS, RELAXATIONS, TOPOLOGIES, random_system

SYSTEMS = st.builds(
    random_system,
    st.integers(0, len(TOPOLOGIES) - 1),
    st.integers(0, 10**6),
    st.integers(0, len(FAULTS) - 1),
    st.integers(0, len(RELAXATIONS) - 1),
    st.booleans(),
    st.integers(0, 7),
)
MOST = 500


def small(system: System) -> bool:
    """Whether all states are soon explored, so that the reference engine takes no more than a second."""
    stop_condition = StopCondition(SearchOptions(max_states=MOST))
    explore(system.initial_states(), lambda s: (system.step(s, e) for e in system.events(s)), stop_condition)
    return stop_condition.why is None


@settings(max_examples=60)
@given(SYSTEMS)
def test_native_agrees_with_the_reference(system: System) -> None:
    assume(small(system))
    properties = [*chosen(system), PROPERTIES["completes-unfair"]]
    assert differences(engine.judge(system, properties), reference.judge(system, properties)) == []


@settings(max_examples=40)
@given(SYSTEMS, st.sampled_from([SearchOptions(max_states=40), SearchOptions(max_depth=4), SearchOptions(first=True)]))
def test_native_agrees_with_the_reference_within_bounds(system: System, options: SearchOptions) -> None:
    assume(small(system))
    # A bound on states cuts the reference's second search too, which the native engine mostly does without.
    properties = [p for p in chosen(system) if options.max_states is None or p.on_completed is None]
    assert differences(engine.judge(system, properties, options), reference.judge(system, properties, options)) == []
