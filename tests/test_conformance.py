"""Every engine gives the manifest's figures for every system, and the reference engine's counterexamples."""

from __future__ import annotations

from functools import cache

import pytest

from checker.engines import ENGINES, engine
from checker.engines.search_options import SearchOptions
from checker.topologies import parse
from model.catalogue import build_system
from model.properties import chosen
from model.system import System
from model.trace import Counterexample
from model.verdict import Outcome, Verdict
from tests.manifest import Entry, entries, expected, figures

EXACT = [name for name in ("reference", "native") if name in ENGINES]


@cache
def judged(name: str, entry: Entry) -> Verdict:
    system = entry.system()
    return engine(name)(system, chosen(system), SearchOptions(), lambda states, queue, depth: None)


ENTRIES = entries()
LARGE = 20_000
"""States from which plain Python takes half a minute: those run in `make test-all`, the native engine's everywhere."""
CASES = [
    pytest.param(n, e, id=f"{n}-{e}", marks=[pytest.mark.slow] if n == "reference" and e.states > LARGE else [])
    for n in EXACT
    for e in ENTRIES
]


@pytest.mark.parametrize(("name", "entry"), CASES)
def test_the_figures_are_the_manifests(name: str, entry: Entry) -> None:
    assert figures(judged(name, entry)) == expected(entry)


@pytest.mark.parametrize(("name", "entry"), CASES)
def test_every_counterexample_replays_and_has_the_length_it_says(name: str, entry: Entry) -> None:
    for found in judged(name, entry).properties:
        if found.counterexample is not None:
            trace = found.counterexample.trace
            assert found.length == (len(trace) if trace.loop is None else trace.loop)
            replayed(trace.system, found.counterexample)


@pytest.mark.parametrize("entry", [e for e in ENTRIES if e.states < 3000], ids=str)
@pytest.mark.parametrize("name", [n for n in EXACT if n != "reference"])
def test_counterexamples_and_snapshots_are_the_reference_engines(name: str, entry: Entry) -> None:
    found, wanted = judged(name, entry), judged("reference", entry)
    assert {p.name: names(p.counterexample) for p in found.properties} == {
        p.name: names(p.counterexample) for p in wanted.properties
    }
    assert [names(w) for w in found.witnesses] == [names(w) for w in wanted.witnesses]
    assert set(found.snapshots) == set(wanted.snapshots)


@pytest.mark.parametrize("protocol", sorted({e.protocol for e in ENTRIES}))
def test_every_protocol_has_its_witnesses_on_some_system(protocol: str) -> None:
    completes = [e for e in ENTRIES if e.protocol == protocol and e.snapshots]
    takes_none = [e for e in ENTRIES if e.protocol == protocol and not e.system().protocol.snapshots]
    if takes_none or protocol.startswith("missing-marker"):
        assert not completes
        return
    witnesses = [w.property for e in completes if e.states < 3000 for w in judged("reference", e).witnesses]
    assert "a snapshot completes" in witnesses
    # A protocol that records no channel cannot have a message in one; every other one must.
    assert ("a snapshot completes with a message in a channel" in witnesses) == (protocol != "no-channel-state")


@pytest.mark.parametrize("number", range(5))
def test_dropping_fifo_is_seen_after_three_actions_on_every_three_machine_network(number: int) -> None:
    # An independent figure: the initiator turns red, sends, and the message overtakes the marker.
    system = build_system(parse("strong:3")[number], "free,s=1", relax="fifo")
    verdict = engine("auto")(system, chosen(system, ("no-red-in-white",)), SearchOptions(), lambda *counts: None)
    assert [p.length for p in verdict.properties] == [3]


def test_the_source_s_snapshot_is_among_those_of_its_example() -> None:
    # SSS = P1 {A,B}, P2 {F,G,H}, P3 {I}; channel P2>P1 holds the message of H, all others nothing.
    entry = next(e for e in ENTRIES if e.program == "kuper")
    system = entry.system()
    channels = tuple(("H",) if channel == (1, 0) else () for channel in system.topology.channels)
    assert ((("A", "B"), ("F", "G", "H"), ("I",)), channels) in judged("reference", entry).snapshots


def replayed(system: System, counterexample: Counterexample) -> None:
    """The trace is a run of the system: each event is enabled where it stands, and a loop comes back to its start."""
    trace = counterexample.trace
    states = trace.states()
    for state, event in zip(states, trace.events, strict=False):
        assert event in list(system.events(state))
    if trace.loop is not None:
        assert states[trace.loop] == states[-1]


def names(counterexample: Counterexample | None) -> list[tuple[int, str, object]] | None:
    """The events of a counterexample, by actor, name and what moved."""
    if counterexample is None:
        return None
    return [(event.actor, event.name, event) for event in counterexample.trace.events]


def test_the_manifest_has_a_violation_of_every_property_it_can_break() -> None:
    broken = {name for entry in ENTRIES for name in entry.violated}
    assert broken >= {
        "no-red-in-white",
        "one-marker-per-channel",
        "conservation",
        "consistent-cut",
        "channel-exact",
        "reachable",
        "equivalent",
        "all-red",
        "completes",
        "stable-sound",
        "no-useless-checkpoint",
    }
    assert Outcome.VACUOUS.value in {"vacuous" for entry in ENTRIES if entry.vacuous}
