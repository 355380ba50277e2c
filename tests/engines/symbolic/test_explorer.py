"""The symbolic engine finds what the reference engine finds: the same lengths, the same traces, on any small system."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings

from checker.engines.reference import engine as reference
from checker.engines.search_options import SearchOptions
from checker.engines.symbolic.engine import judge
from checker.topologies import parse
from model.catalogue import build_system
from model.errors import InputError
from model.properties import chosen
from model.system import System
from model.verdict import Outcome, Verdict
from tests.manifest import Entry, entries
from tests.systems import systems


def compare(system: System, depth: int | None) -> Verdict:
    """Judge by both engines; what the explorer breaks within `depth` actions, z3 breaks by the same run."""
    properties = chosen(system)
    wanted = reference.judge(system, properties, SearchOptions())
    found = judge(system, properties, SearchOptions(max_depth=depth))
    for own, other in zip(found.properties, wanted.properties, strict=True):
        seen = other.length is not None and (depth is None or other.length <= depth)
        if seen and other.counterexample is not None and other.counterexample.trace.loop is not None:
            continue  # only runs that end are looked at
        assert own.length == (other.length if seen else None), own.name
        if own.counterexample is not None and other.counterexample is not None:
            assert own.counterexample.trace.events == other.counterexample.trace.events, own.name
            assert own.counterexample.explanation == other.counterexample.explanation, own.name
        if found.coverage.kind == "inductive" and own.outcome is not Outcome.UNKNOWN:
            assert own.outcome is other.outcome, own.name
    if depth is None:
        assert found.coverage.kind == "inductive"
        assert [(w.property, w.trace.events) for w in found.witnesses] == [
            (w.property, w.trace.events) for w in wanted.witnesses
        ]
    return found


@settings(max_examples=10, deadline=None, suppress_health_check=list(HealthCheck))
@given(systems())
def test_random_systems_to_a_depth(system: System) -> None:
    properties = chosen(system)
    if reference.judge(system, properties[:1], SearchOptions(max_states=1500)).reason is None:
        compare(system, 4)


CLOSED = [
    ("ring:2", "transfer", "marker", "loss:1"),
    ("biring:2", "free", "marker", "fifo"),
    ("biring:2", "transfer", "late-marker", ""),
    ("biring:2", "transfer", "no-channel-state", ""),
    ("biring:2", "diffusing", "marker", ""),
    ("biring:2", "transfer", "simultaneous", ""),
    ("biring:2", "transfer,atomic=joint", "marker", ""),
    ("biring:2", "transfer", "laiyang", ""),
    ("biring:2", "transfer", "missing-marker,channel=1", ""),
]


@pytest.mark.parametrize(("topology", "program", "protocol", "relax"), CLOSED)
def test_all_of_a_small_system(topology: str, program: str, protocol: str, relax: str) -> None:
    (network,) = parse(topology)
    compare(build_system(network, program, protocol, "0", relax), None)


@pytest.mark.parametrize("entry", [entry for entry in entries() if entry.violated], ids=str)
def test_shortest_lengths_are_the_manifests(entry: Entry) -> None:
    system = entry.system()
    properties = [p for p in chosen(system) if p.name in entry.violated]
    if system.protocol.overtakes:
        with pytest.raises(InputError, match="overtake"):
            judge(system, properties)
        return
    wanted = {p.name: entry.violated[p.name] for p in properties}
    found = judge(system, properties, SearchOptions(max_depth=max(wanted.values(), default=0)))
    assert {p.name: p.length for p in found.properties} == wanted
    for own in found.properties:
        assert own.counterexample is not None and own.length == len(own.counterexample.trace)


@pytest.mark.slow
@pytest.mark.parametrize("relax", ["overtake:1", "duplication:1", "crash:1", "marker-loss:1", "marker-duplication:1"])
@pytest.mark.parametrize("protocol", ["marker", "keep-recording", "late-record", "overwrite", "magic,guard=false"])
def test_every_relaxation_with_every_kind_of_protocol(protocol: str, relax: str) -> None:
    (network,) = parse("biring:2")
    compare(build_system(network, "free", protocol, "any", relax), 7)
