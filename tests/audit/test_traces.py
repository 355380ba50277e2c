"""Traces written as logs audit to what the checker says of the same run, over every protocol and mutant."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from checker.audit.judging import CONSISTENT, judged
from checker.audit.traffic import NONE
from checker.cli.app import run as command
from checker.export.log import lines
from checker.report.run import Run
from checker.topologies import parse
from model.catalogue import PROTOCOLS, build_system
from model.errors import InputError
from model.system import System
from model.trace import Trace
from tests.audit.logs import reading
from tests.engines.native.random_systems import random_system

SYSTEMS = (
    ("ring:3", "transfer,b=2,s=2"),
    ("complete:3", "transfer,b=1,s=2"),
    ("edges:0>1,0>1,1>0,0>0", "free,s=2"),
    ("edges:0>1,1>0", "transfer,b=2,s=3,atomic=joint"),
    ("biring:3", "kuper"),
    ("ring:3", "token,hops=4"),
    ("diamond", "dataflow,records=2"),
)
RELAXATIONS = ("", "", "fifo", "overtake:1", "loss:1", "crash:1", "marker-loss:1", "marker-duplication:1")


def walked(system: System, seed: int, most: int = 40) -> Trace:
    """A run by a seeded choice among what may happen."""
    chooser, events = random.Random(seed), []
    state = initial = system.initial_states()[0]
    while len(events) < most and (enabled := list(system.events(state))):
        events.append(chooser.choice(enabled))
        state = system.step(state, events[-1])
    return Trace(system, initial, tuple(events))


def agrees(trace: Trace) -> None:
    """The audit finds a complete snapshot consistent if and only if it breaks neither of the two properties."""
    system = trace.system
    found = {json.loads(j.snapshot): j.verdict for h in reading(lines(trace)).histories.values() for j in judged(h)}
    for snapshot in range(system.protocol.snapshots):
        run = Run(trace, snapshot)
        if run.sss is None:
            assert found.get(snapshot, "incomplete") == "incomplete"
            continue
        exact = [system.normal(content) for content in run.sss.channels] == [*map(system.normal, run.cut.sent)]
        recorded = run.sss.machines == system.view(run.end._replace(machines=run.cut.machines)).machines
        assert (found[snapshot] == CONSISTENT) == (not run.cut.crossed and exact and recorded)


@settings(max_examples=300)
@given(
    st.sampled_from(sorted(PROTOCOLS)),
    st.sampled_from(SYSTEMS),
    st.sampled_from(RELAXATIONS),
    st.sampled_from(("0", "any")),
    st.integers(0, 10**6),
)
def test_every_protocol(protocol: str, words: tuple[str, str], relax: str, initiators: str, seed: int) -> None:
    try:
        (topology,) = parse(words[0])
        system = build_system(topology, words[1], protocol, initiators, relax)
    except InputError:
        assume(False)
    agrees(walked(system, seed))


@settings(max_examples=150)
@given(st.integers(0, 5), st.integers(0, 10**6), st.integers(0, 6), st.integers(0, 4), st.booleans(), st.integers(0, 7))
def test_random_broken_protocols(
    topology: int, seed: int, fault: int, relax: int, joint: bool, initiators: int
) -> None:
    agrees(walked(random_system(topology, seed, fault, relax, joint, initiators), seed))


def test_a_message_doubled_is_accepted_once_too_often() -> None:
    system = build_system(parse("ring:2")[0], "transfer,b=2,s=2", "marker", "0", "duplication:1")
    for seed in range(200):
        trace = walked(system, seed)
        accepted = [
            move for event in trace.events for move in event.moves for a in move.accepts if not a.message.control
        ]
        if any(event.fault for event in trace.events) and len(accepted) == 5:
            (history,) = reading(lines(trace)).histories.values()
            assert sum(traffic.sender.count(NONE) for traffic in history.traffic.values()) == 1
            return
    pytest.fail("no run accepts a copy")


def test_show_writes_the_log_and_audit_reads_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    trace, log = str(tmp_path / "trace.json"), str(tmp_path / "log.jsonl")
    words = ["ring:3", "--relax", "fifo", "--property", "channel-exact", "--engine", "reference", "--trace", trace]
    assert command(["check", *words]) == 1
    assert command(["show", trace, "--log", log]) == 0
    capsys.readouterr()
    assert command(["audit", log, "--json"]) == 1
    assert json.loads(capsys.readouterr().out)["snapshots"][0]["verdict"] in ("impossible", "elsewhere")
