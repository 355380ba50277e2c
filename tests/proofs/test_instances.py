"""Every transition of the explored systems is an instance of the theory's step; of a broken protocol, not every one."""

from __future__ import annotations

from dataclasses import replace

import pytest
import z3

from checker.topologies import parse
from model.catalogue import build_system
from model.system import System
from proofs.computation import Protocol
from proofs.instances import Compared, Comparison, Theory
from proofs.protocols import MARKER, marks_at_once, turns_at_marker
from proofs.t06_markers import reliable_fifo
from proofs.theory_of import BY_NAME, theory_of
from tests.manifest import Entry, entries

QUICK = 700
WITH_THEORY = [
    entry
    for entry in entries()
    if entry.protocol.split(",")[0] in BY_NAME and entry.protocol not in ("early-complete", "duplicate-log")
]


def compared(system: System, broken: bool = False, snapshot: int = 0) -> Comparison:
    theory = theory_of(system, broken)
    assert theory is not None
    return theory.compared(system, snapshot).run()


@pytest.mark.parametrize("entry", [e for e in WITH_THEORY if e.states <= QUICK], ids=str)
def test_every_transition_is_an_instance_of_what_the_protocol_does(entry: Entry) -> None:
    system = entry.system()
    theory = theory_of(system, broken=True)
    assert theory is not None
    run = theory.compared(system)
    states = {state for state, _ in run.nodes()}
    assert run.result.found == [] and run.result.whole
    assert len(states) == entry.states
    assert sum(sum(1 for _ in system.events(state)) for state in states) == entry.transitions


@pytest.mark.slow
@pytest.mark.parametrize("entry", [e for e in WITH_THEORY if e.states > QUICK], ids=str)
def test_every_transition_of_a_large_system_is_an_instance(entry: Entry) -> None:
    result = compared(entry.system(), broken=True)
    assert result.found == [] and result.transitions >= entry.transitions


OTHERS = [
    ("ring:3", "transfer", "laiyang", ""),
    ("ring:3", "transfer", "laiyang,convenience=false", "fifo"),
    ("biring:2", "free,s=2", "laiyang,numbered=false", "fifo"),
    ("ring:3", "transfer", "observer", ""),
    ("ring:3", "transfer", "observer", "fifo"),
    ("ring:3", "transfer", "observer,requests=inband", ""),
    ("vee", "dataflow", "barrier", ""),
    ("diamond", "dataflow,records=1", "barrier", ""),
    ("vee", "dataflow", "unaligned", ""),
    ("diamond", "dataflow,records=2", "unaligned,overtake=true", ""),
    ("ring:3", "transfer", "concurrent", ""),
    ("vee", "dataflow", "barrier,align=false", ""),
    ("ring:3", "transfer", "observer,observer_tags=false", ""),
]


@pytest.mark.parametrize(("topology", "program", "protocol", "relax"), OTHERS)
def test_so_of_the_protocols_that_are_not_in_the_manifest(
    topology: str, program: str, protocol: str, relax: str
) -> None:
    (graph,) = parse(topology)
    system = build_system(graph, program, protocol, "0", relax)
    for snapshot in range(system.protocol.snapshots):
        assert compared(system, broken=True, snapshot=snapshot).found == []


@pytest.mark.slow
def test_millions() -> None:
    """Two systems of some size, each transition in turn."""
    for program, least in (("transfer,b=2,s=2", 1_000_000), ("free,s=1", 50_000)):
        (graph,) = parse("complete:3")
        system = build_system(graph, program, "marker")
        theory = theory_of(system)
        assert theory is not None
        run = theory.compared(system)
        for _ in run.nodes():
            if run.result.transitions > least:
                break
        assert run.result.found == [] and run.result.transitions > least


WRONG = [
    ("biring:2", "free,s=1", "late-marker", "premise 'markers at once'"),
    ("biring:2", "free,s=1", "lazy-marker", "premise 'markers at once'"),
    ("biring:2", "free,s=1", "late-record", "premise 'markers at once'"),
    ("biring:2", "free,s=1", "missing-marker,channel=1", "premise 'markers at once'"),
    ("biring:2", "free,s=1", "no-channel-state", "after the step, the record of channel 1 is another"),
    ("edges:0>1,0>1,1>0", "free", "keep-recording", "after the step, the record of channel 0 is another"),
    ("biring:2", "free,s=1", "duplicate-log", "after the step, the record of channel 1 is another"),
    ("biring:2", "free,s=1", "early-complete", "the snapshot is called complete and is not"),
    ("biring:2", "free", "magic,guard=false", "premise 'no red in white'"),
    ("ring:3", "transfer", "observer,literal=true", "premise 'every message is tagged'"),
    ("ring:3", "transfer", "observer,save=after", "after the step, the recorded state of machine 1 is another"),
    ("ring:3", "transfer", "observer,observer_logs=false", "after the step, the record of channel 2 is another"),
    ("ring:3", "transfer", "observer,requests=none,done=naive", "the snapshot is called complete and is not"),
    ("vee", "dataflow", "barrier,align=false", "premise 'alignment'"),
]


@pytest.mark.parametrize(("topology", "program", "protocol", "why"), WRONG)
def test_a_broken_protocol_is_no_instance_of_what_it_should_be(
    topology: str, program: str, protocol: str, why: str
) -> None:
    (graph,) = parse(topology)
    assert why in compared(build_system(graph, program, protocol)).why


def test_a_second_marker_breaks_what_overwrites() -> None:
    (graph,) = parse("biring:2")
    system = build_system(graph, "free,s=1", "overwrite", relax="marker-duplication:1")
    assert compared(system).found and not compared(system, broken=True).found


@pytest.mark.parametrize(
    ("relax", "premise"),
    [
        ("fifo", "no overtaking of markers"),
        ("overtake:1", "no overtaking of markers"),
        ("loss:1", "no message lost"),
        ("marker-loss:1", "no marker lost"),
        ("duplication:1", "no message duplicated"),
        ("marker-duplication:1", "no marker duplicated"),
    ],
)
def test_what_a_relaxation_allows_is_what_the_assumption_forbids(relax: str, premise: str) -> None:
    (graph,) = parse("biring:2")
    system = build_system(graph, "free,s=1", "marker", relax=relax)
    assert not compared(system).found
    assert f"premise '{premise}'" in Compared(Theory(MARKER, reliable_fifo), system).run().why


def _changed(**parts: object) -> Protocol:
    return replace(MARKER, **parts)  # type: ignore[arg-type]


EDITS = {
    "records everything": _changed(records=lambda q, e, c: e.is_red(q)),
    "records nothing": _changed(records=lambda q, e, c: z3.BoolVal(False)),
    "forgets": _changed(erases=lambda q, e, c: e.hears(c)),
    "adds": _changed(adds=lambda q, e, c, i: z3.And(e.hears(c), i == e.at(c))),
    "never turns": _changed(rules=lambda q, e: (replace(turns_at_marker(q, e), formula=z3.Not(e.turns)),)),
    "no markers": _changed(
        rules=lambda q, e: (replace(marks_at_once(q, e), formula=z3.Implies(e.turns, z3.BoolVal(False))),)
    ),
}


@pytest.mark.parametrize("edit", EDITS)
def test_an_edited_theory_is_not_that_of_the_model(edit: str) -> None:
    (graph,) = parse("edges:0>1,0>1,1>0")
    system = build_system(graph, "free,s=1", "marker")
    assert Compared(Theory(EDITS[edit], reliable_fifo), system).run().found
