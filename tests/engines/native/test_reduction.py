"""`--reduce on` never says that a claim holds, or is broken, where the unreduced search says otherwise."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from checker.check import check
from checker.engines.native import engine
from checker.engines.native.reduction.persistent_sets import told_by_one_order
from checker.engines.search_options import SearchOptions
from checker.report.data import verdict_json
from checker.report.table import counted, covered
from checker.topologies import parse
from model.catalogue import build_system
from model.errors import InputError
from model.properties import PROPERTIES, chosen
from model.system import System
from model.verdict import Outcome, Verdict
from tests.engines.native.random_systems import FAULTS, TOPOLOGIES, random_system
from tests.engines.native.test_random_systems import small
from tests.manifest import Entry, entries
from tests.systems import systems

ON = SearchOptions(reduce=True)
ON_ORBITS = SearchOptions(reduce=True, symmetry=True)
MANIFEST = [entry for entry in entries(most_states=30_000) if not entry.relax]
RANDOM = st.builds(
    random_system,
    st.integers(0, len(TOPOLOGIES) - 1),
    st.integers(0, 10**6),
    st.integers(0, len(FAULTS) - 1),
    st.just(0),
    st.booleans(),
    st.integers(0, 7),
)


def both(system: System, options: SearchOptions = ON) -> tuple[Verdict, Verdict]:
    """The verdicts without and with reduction; a system that it refuses is passed over."""
    properties = [p for p in chosen(system) if told_by_one_order(p) and (p.symmetric or not options.symmetry)]
    properties.append(PROPERTIES["completes-unfair"])
    try:
        on = engine.judge(system, properties, options)
    except InputError:
        assume(False)
    return engine.judge(system, properties), on


def agree(off: Verdict, on: Verdict) -> None:
    """What is not unknown is the same; what is broken is so by a run of the system; every SSS is found, if counted."""
    assert on.counts.states <= off.counts.states and on.counts.transitions <= off.counts.transitions
    for plain, reduced in zip(off.properties, on.properties, strict=True):
        assert reduced.outcome in (plain.outcome, Outcome.UNKNOWN), plain.name
        assert plain.outcome is not Outcome.UNKNOWN
        if reduced.outcome is not Outcome.UNKNOWN:
            assert reduced.witness == plain.witness
        if reduced.counterexample is not None:
            assert plain.length is not None and reduced.length is not None and reduced.length >= plain.length
            reduced.counterexample.trace.states()
    if on.counts.snapshots is not None:
        assert set(on.snapshots) == set(off.snapshots)


@pytest.mark.parametrize("entry", MANIFEST, ids=str)
def test_the_manifest_is_judged_as_without(entry: Entry) -> None:
    system = entry.system()
    properties = [p for p in chosen(system) if told_by_one_order(p)]
    if system.protocol.synchronous or system.protocol.completes_on_empty_channels or system.protocol.overtakes:
        with pytest.raises(InputError):
            engine.judge(system, properties, ON)
        return
    agree(engine.judge(system, properties), engine.judge(system, properties, ON))


@settings(max_examples=150, deadline=None, derandomize=True)
@given(RANDOM)
def test_random_programs_and_broken_protocols_are_judged_as_without(system: System) -> None:
    assume(small(system))
    agree(*both(system))


@settings(max_examples=150, deadline=None, derandomize=True)
@given(systems())
def test_random_systems_are_judged_as_without(system: System) -> None:
    assume(small(system))
    agree(*both(system))


@pytest.mark.parametrize(
    "protocol", ["marker", "late-marker", "no-channel-state", "keep-recording", "laiyang", "overwrite"]
)
@pytest.mark.parametrize(
    "network",
    ["complete:3 0", "star:4 0", "ring:3 any"]
    + [pytest.param(large, marks=pytest.mark.ci) for large in ("biring:3 any", "complete:3 any")],
)
def test_one_order_of_one_state_of_each_orbit_tells_as_much(network: str, protocol: str) -> None:
    topology, initiators = network.split()
    try:
        system = build_system(parse(topology)[0], "transfer,b=1,s=1", protocol, initiators=initiators)
    except InputError:
        pytest.skip("no such system")
    off, on = both(system, ON_ORBITS)
    agree(off, on)
    _, reduced = both(system)
    assert on.counts.symmetries is not None and on.counts.states <= reduced.counts.states
    assert on.counts.symmetries == 1 or on.counts.states < reduced.counts.states
    assert on.counts.snapshots == reduced.counts.snapshots


@settings(max_examples=60, deadline=None, derandomize=True)
@given(RANDOM)
def test_random_systems_are_judged_so_too(system: System) -> None:
    assume(small(system))
    agree(*both(system, ON_ORBITS))


@pytest.mark.parametrize("topology", ["ring:3", "ring:4", "biring:3", "complete:3"])
def test_the_marker_algorithm_is_shown_right_with_fewer_states(topology: str) -> None:
    off, on = check(topology), check(topology, engine="native", options=ON)
    assert {p.outcome for p in on.properties} == {Outcome.HOLDS}
    assert on.counts.states < off.counts.states
    assert set(on.snapshots) == set(off.snapshots)


@pytest.mark.parametrize(
    ("options", "words", "shown"),
    [
        (ON, {"relax": "fifo"}, "relaxations"),
        (ON, {"relax": "loss:1"}, "relaxations"),
        (ON, {"protocol": "simultaneous"}, "protocol"),
        (ON, {"program": "diffusing", "properties": ("stable-sound",)}, "stable-sound"),
        (SearchOptions(reduce=True, workers=2), {}, "workers"),
        (SearchOptions(reduce=True, symmetry=True, workers=2), {}, "workers 2"),
    ],
)
def test_what_is_refused_is_refused_in_one_line(options: SearchOptions, words: dict[str, str], shown: str) -> None:
    with pytest.raises(InputError) as refusal:
        check("ring:3", engine="native", options=options, **words)  # type: ignore[arg-type]
    assert shown in str(refusal.value) and "accepted" in str(refusal.value) and "\n" not in str(refusal.value)


def test_the_counts_are_called_those_of_a_reduced_graph() -> None:
    off, on = (check("ring:3", "transfer", engine="native", options=options) for options in (SearchOptions(), ON))
    plain, reduced = verdict_json(off), verdict_json(on)
    assert "reduced" not in plain and plain["coverage"] == {"kind": "exhaustive"}
    assert reduced["reduced"] is True and reduced["states"] < plain["states"]
    assert reduced["coverage"] == {"kind": "exhaustive", "reduction": "persistent sets"}
    assert "of the reduced graph" in counted(on) and "reduced" in covered(on)
    assert "reduced" not in counted(off) + covered(off)


@pytest.mark.parametrize("protocol", ["marker", "barrier", "barrier,align=false", "unaligned", "no-channel-state"])
@pytest.mark.parametrize("network", ["chain:3", "vee", "diamond"])
def test_what_a_restored_run_does_is_told_by_one_order(network: str, protocol: str) -> None:
    system = build_system(parse(network)[0], "dataflow,records=1", protocol)
    properties = [PROPERTIES[name] for name in ("exactly-once", "at-least-once", "at-most-once")]
    off, on = engine.judge(system, properties), engine.judge(system, properties, ON)
    agree(off, on)
    assert [p.outcome for p in on.properties] == [p.outcome for p in off.properties]
    assert on.counts.states < off.counts.states
    broken = [p.name for p in on.properties if p.outcome is Outcome.VIOLATED]
    assert broken == BROKEN.get((network, protocol), [])


BROKEN = {
    ("vee", "barrier,align=false"): ["exactly-once", "at-most-once"],
    ("diamond", "barrier,align=false"): ["exactly-once", "at-most-once"],
    ("diamond", "no-channel-state"): ["exactly-once", "at-least-once"],
}

FRAGILE = """

class Fragile(Branch):
    def receive(self, sender, message):
        if message != "marker" and self.recorded_balance is not None and self.balance + message > {most}:
            raise OverflowError("too much")
        super().receive(sender, message)
"""


@pytest.mark.parametrize(("most", "outcome"), [(1, Outcome.VIOLATED), (9, Outcome.HOLDS)])
@pytest.mark.parametrize("network", ["ring:2", "ring:3", "biring:3"])
def test_what_a_class_raises_is_told_by_one_order(network: str, most: int, outcome: Outcome, tmp_path: Path) -> None:
    path = tmp_path / "fragile.py"
    path.write_text(Path("examples/bank_branch.py").read_text(encoding="utf-8") + FRAGILE.format(most=most))
    system = build_system(parse(network)[0], f"implementation,of={path}:Fragile", "implementation", initiators="0")
    off, on = both(system)
    agree(off, on)
    found = {p.name: p.outcome for p in on.properties}
    assert found["raises-nothing"] is outcome
    assert on.counts.states < off.counts.states
