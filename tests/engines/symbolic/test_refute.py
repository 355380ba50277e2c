"""`refute`: what the least relaxation is, on which channel, on which network; never more than was looked at."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from itertools import combinations, permutations
from pathlib import Path

import pytest

from checker.cli.app import run
from checker.engines.reference import engine as reference
from checker.engines.search_options import SearchOptions
from checker.engines.symbolic.networks import Partial, parse_any
from checker.engines.symbolic.refute import refute
from checker.report.data import read_trace
from checker.topologies import parse
from model.catalogue import build_system
from model.errors import InputError
from model.program import Underlying
from model.properties import chosen
from model.property import CompletedSnapshot, Property
from model.system import State, System
from model.topology import Topology
from model.verdict import Outcome


def strongly_connected(machines: int) -> list[Topology]:
    """Every strongly connected network with its machines told apart."""
    ends = list(permutations(range(machines), 2))
    networks = [Topology(machines, own) for size in range(len(ends) + 1) for own in combinations(ends, size)]
    return [network for network in networks if network.strongly_connected()]


def least(topology: Topology, protocol: str, relax: str, name: str) -> int | None:
    """The explorer's shortest violation."""
    system = build_system(topology, "transfer", protocol, "0", relax)
    return reference.judge(system, chosen(system, (name,)), SearchOptions(max_depth=8, first=True)).properties[0].length


# -- what must be relaxed ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("number", range(5))
def test_one_overtaking_breaks_every_network_of_three_machines_in_three_actions(number: int) -> None:
    started = time.monotonic()
    found = refute(parse("strong:3")[number], "free,s=1", relax="fifo", properties=("no-red-in-white",))
    assert time.monotonic() - started < 10
    assert found.outcome is Outcome.VIOLATED
    (need,) = found.needs
    assert (need.kind, need.action, need.cost) == ("overtaking", 3, 1)
    assert need.past[0].control and need.message is not None and not need.message.control


def test_the_cheapest_of_the_shortest_is_chosen() -> None:
    # Both fail after three actions; the loss of a marker costs as much as overtaking it, doubling would cost more.
    found = refute("ring:2", relax="fifo,loss:2,duplication:2", properties=("no-red-in-white",))
    assert found.outcome is Outcome.VIOLATED
    assert sum(need.cost for need in found.needs) == 1


def test_a_single_lost_marker_is_named_with_its_channel() -> None:
    found = refute("ring:2", relax="marker-loss:1", properties=("completes",))
    (need,) = found.needs
    assert need.kind == "marker-loss" and need.message is not None and need.message.control
    assert found.verdict is not None and found.verdict.counterexample is not None
    assert found.verdict.counterexample.trace.events[need.action - 1].fault is not None


def test_a_mutant_needs_nothing_relaxed() -> None:
    found = refute("biring:2", protocol="no-channel-state", properties=("conservation",))
    assert found.outcome is Outcome.VIOLATED and found.needs == ()


# -- never more than was looked at -------------------------------------------------------------------------------


def test_with_nothing_relaxed_it_says_how_deep_it_looked() -> None:
    found = refute("ring:3", options=SearchOptions(max_depth=3))
    assert found.outcome is Outcome.UNKNOWN
    assert found.coverage.to_json() == {"kind": "bounded", "depth": 3}


def test_where_no_run_goes_on_everything_was_covered() -> None:
    found = refute("ring:2")
    assert found.outcome is Outcome.HOLDS
    system = build_system(parse("ring:2")[0])
    longest = reference.judge(system, []).counts.depth  # each action of a run leads further from the start here
    assert found.coverage.to_json() == {"kind": "inductive", "longest_run": longest}


def test_a_program_without_end_is_not_said_to_hold_before_it_closes() -> None:
    found = refute("ring:2", "token", options=SearchOptions(max_depth=6))
    assert found.outcome is Outcome.UNKNOWN
    assert found.coverage.kind == "bounded"


def test_a_time_limit_covers_less() -> None:
    found = refute("complete:3", "free,s=2", options=SearchOptions(max_depth=30, timeout=0.2))
    assert found.outcome is Outcome.UNKNOWN
    assert found.reason == "the time limit of 0.2 s was met"


def test_what_cannot_be_said_is_set_aside_by_name_where_the_network_is_open() -> None:
    with pytest.raises(InputError, match="stable-sound"):
        refute("any:2", "diffusing", properties=("stable-sound",))
    assert refute("any:2", "diffusing", options=SearchOptions(max_depth=1)).not_encodable == ("stable-sound",)


def poor(system: System, state: State) -> dict[str, str] | None:
    return {"kind": "a machine has nothing"} if any(m.state.balance == 0 for m in state.machines) else None


def rich(system: System, snapshot: int, recorded: Underlying) -> dict[str, str] | None:
    return {"kind": "one has all"} if 2 in recorded.machines else None


def moved(system: System, snapshot: int, taken: CompletedSnapshot) -> dict[str, str] | None:
    return {"kind": "something happened meanwhile"} if taken.cut.start != taken.end else None


OF_A_USER = [
    # Its name is the catalogue's, what it claims is not.
    Property("conservation", "No machine is ever poor.", "", on_state=poor),
    Property("never-rich", "No machine is recorded with all there is.", "", on_recorded=rich),
    Property("still", "The snapshot ends in the state in which it begins.", "", on_completed=moved),
    Property(
        "all-poor", "All become poor.", "", goal=lambda system, state: all(not m.state.balance for m in state.machines)
    ),
]


@pytest.mark.parametrize("relax", ["", "loss:1"])
@pytest.mark.parametrize("claim", OF_A_USER, ids=lambda claim: claim.name)
def test_a_users_claim_is_judged_run_by_run_as_by_the_reference(claim: Property, relax: str) -> None:
    from checker.engines.symbolic.engine import judge

    system = build_system(parse("ring:2")[0], "transfer,s=1", relax=relax)
    (wanted,) = reference.judge(system, [claim]).properties
    (found,) = judge(system, [claim]).properties
    assert (found.outcome, found.length) == (wanted.outcome, wanted.length)
    assert wanted.length, "the claim is not broken: nothing was tried"
    assert found.counterexample is not None and wanted.counterexample is not None
    assert found.counterexample.trace.events == wanted.counterexample.trace.events


@pytest.mark.parametrize("sss", range(6))
def test_a_users_claim_over_one_of_two_snapshots(sss: int) -> None:
    from checker.engines.symbolic.engine import judge

    system = build_system(parse("ring:2")[0], "transfer,s=1", "concurrent,k=2", "0,1")
    every = reference.judge(system, []).snapshots

    def is_it(system: System, snapshot: int, recorded: Underlying) -> dict[str, str] | None:
        return {"kind": "the second one"} if snapshot == 1 and recorded == every[sss % len(every)] else None

    claim = Property("not-so", "The second snapshot is not this one.", "", on_recorded=is_it)
    (wanted,) = reference.judge(system, [claim]).properties
    (found,) = judge(system, [claim], SearchOptions(max_depth=wanted.length)).properties
    assert wanted.length is not None and found.length == wanted.length


def test_a_users_claim_that_holds_is_judged_in_every_state() -> None:
    asked = set[State]()

    def asks(system: System, state: State) -> None:
        asked.add(state)

    from checker.engines.symbolic.engine import judge

    system = build_system(parse("ring:2")[0])
    found = judge(system, [Property("any", "Anything.", "", on_state=asks)])
    assert found.properties[0].outcome is Outcome.HOLDS and found.coverage.kind == "inductive"
    assert len(asked) == reference.judge(system, []).counts.states


def test_where_more_runs_are_to_be_judged_than_is_sensible_that_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    from checker.engines.symbolic import engine as search

    monkeypatch.setattr(search, "MOST_CANDIDATES", 3)
    claim = Property("any", "Anything.", "", on_state=lambda system, state: None)
    found = search.judge(build_system(parse("ring:2")[0]), [claim])
    assert found.properties[0].outcome is Outcome.UNKNOWN and "3 runs of" in (found.reason or "")


def test_a_users_claim_about_moves_is_said_whatever_it_is() -> None:
    def refuses(system: object, move: object) -> dict[str, str] | None:
        return {"kind": "accepted"} if getattr(move, "accepts") else None  # noqa: B009

    claim = Property("nothing-arrives", "No message is accepted.", "", on_move=refuses)
    from checker.engines.symbolic.engine import judge

    verdict = judge(build_system(parse("ring:2")[0]), [claim], SearchOptions(max_depth=4))
    assert [p.length for p in verdict.properties] == [2]


# -- open topologies ---------------------------------------------------------------------------------------------

MUTANTS = [
    ("late-marker", "", "no-red-in-white"),
    ("late-record", "", "no-red-in-white"),
    ("missing-marker", "", "no-red-in-white"),
    ("no-channel-state", "", "conservation"),
    ("keep-recording", "", "conservation"),
    ("marker", "fifo", "no-red-in-white"),
]


@pytest.mark.parametrize(("protocol", "relax", "name"), MUTANTS)
def test_on_an_unknown_network_the_shortest_is_the_explorers_over_all(protocol: str, relax: str, name: str) -> None:
    found = refute("any:3", "transfer", protocol, relax=relax, properties=(name,))
    assert found.verdict is not None and found.verdict.counterexample is not None
    length = len(found.verdict.counterexample.trace)
    network = found.verdict.system.topology
    assert least(network, protocol, relax, name) == length
    shortest = [least(other, protocol, relax, name) for other in strongly_connected(3) if len(other.channels) < 5]
    assert min(own for own in shortest if own is not None) == length
    smaller = [o for o in strongly_connected(3) if len(o.channels) < len(network.channels)]
    if protocol != "missing-marker":  # there any:3 keeps channel 0 to be 0>1: see `Networks`
        assert all((least(other, protocol, relax, name) or 99) > length for other in smaller)


def test_no_network_of_two_machines_fails() -> None:
    found = refute("any:2", properties=("no-red-in-white", "channel-exact"))
    assert found.verdict is None and found.outcome is Outcome.HOLDS
    assert found.coverage.to_json() == {"kind": "inductive", "longest_run": 7}


@pytest.mark.parametrize("protocol", ["no-channel-state", pytest.param("keep-recording", marks=pytest.mark.slow)])
def test_what_clauses_say_only_roughly_is_judged_on_unknown_networks_too(protocol: str) -> None:
    machines = 2 if protocol == "no-channel-state" else 3
    found = refute(f"any:{machines}", protocol=protocol, properties=("reachable",), options=SearchOptions(max_depth=8))
    assert found.outcome is Outcome.VIOLATED and found.verdict is not None
    shortest = [least(other, protocol, "", "reachable") for other in strongly_connected(machines)]
    assert found.verdict.properties[0].length == min(own for own in shortest if own is not None)


def test_what_holds_on_every_unknown_network_is_said_to_hold() -> None:
    # Where nothing can be sent SSS cannot but be right, though markers come late; and each network has a snapshot.
    found = refute("any:2", "transfer,s=0", "late-marker", properties=("reachable", "equivalent"))
    assert found.outcome is Outcome.HOLDS and found.reason is None


def test_a_claim_over_snapshots_does_not_hold_where_none_completes() -> None:
    found = refute("any:2", protocol="missing-marker", properties=("channel-exact",))
    assert found.outcome is Outcome.UNKNOWN
    assert found.reason == "no snapshot completes on edges:0>1,1>0"
    assert found.coverage.kind == "inductive"


@pytest.mark.parametrize("text", ["any:", "any:1", "any:6", "any:x"])
def test_open_topologies_of_no_use(text: str) -> None:
    with pytest.raises(InputError, match="accepted is any:N"):
        parse_any(text)


def test_a_partial_topology_keeps_the_numbers_of_its_channels() -> None:
    partial = Partial(2, ((0, 1), (1, 0)), present=frozenset({1}))
    assert (partial.inputs, partial.outputs) == (((1,), ()), ((), (1,)))


# -- the command -------------------------------------------------------------------------------------------------


def test_the_command_says_one_overtaking_is_enough_and_where(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    trace = tmp_path / "t.json"
    assert run(["refute", "ring:3", "--relax", "fifo", "--trace", str(trace)]) == 1
    text = capsys.readouterr().out
    assert "One thing relaxed is enough:" in text
    assert "action 3, channel P0>P1: message 1 overtakes the marker" in text
    assert len(read_trace(trace).trace) == 3


def test_the_commands_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["refute", "any:2", "--relax", "fifo", "--json"]) == 1
    data = json.loads(capsys.readouterr().out)
    assert (data["verdict"], data["asked"], data["cost"], data["states"]) == ("violated", "any:2", 1, None)
    assert data["needs"][0]["kind"] == "overtaking" and data["counterexample"]["length"] == 3
    assert run(["refute", "ring:2", "--max-depth", "2", "--json"]) == 3
    data = json.loads(capsys.readouterr().out)
    assert (data["verdict"], data["coverage"]) == ("unknown", {"kind": "bounded", "depth": 2})
    assert run(["refute", "ring:2", "--json"]) == 0


def test_on_open_networks_it_is_said_what_was_judged_and_what_is_assumed(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["refute", "any:2", "--protocol", "missing-marker", "--initiators", "any", "--relax", "loss:1"]
    run([*arguments, "--property", "no-red-in-white", "--property", "completes", "--max-depth", "1"])
    text = " ".join(capsys.readouterr().out.split())
    assert "missing-marker,channel=0,mixed=false over transfer,b=1,s=1,atomic=single on any:2" in text
    assert "at most one channel from each machine to each other one, and none from a machine to itself" in text
    assert "channel 0 is 0>1, since the protocol names it" in text
    assert "every machine may initiate" in text and "at most 1 loss" in text
    assert "judged no-red-in-white, completes" in text
    run([*arguments, "--max-depth", "1", "--json"])
    data = json.loads(capsys.readouterr().out)
    assert data["system"]["initiators"] == "any" and data["system"]["protocol"].startswith("missing-marker")
    assert "at most one channel" in data["networks"]
    run(["refute", "any:2", "--relax", "fifo", "--property", "no-red-in-white"])
    assert "z3 chose the network edges:0>1,1>0 among any:2: every strongly connected" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["any:9"], "accepted is any:N"),
        (["ring:2", "--max-depth", "-1"], "whole number"),
        (["ring:2", "--property", "stable-sound"], "stable-sound"),
        (["strong:3", "--trace", "t.json"], "is for one system"),
        (["any:3", "--program", "nothing"], "unknown program"),
    ],
)
def test_bad_input_is_one_line(arguments: list[str], words: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["refute", *arguments]) == 2
    error = capsys.readouterr().err
    assert words in error and error.count("\n") == 1


def test_an_interrupt_says_what_was_covered() -> None:
    script = "import sys; from checker.cli.app import run; sys.exit(run(sys.argv[1:]))"
    process = subprocess.Popen(
        [sys.executable, "-c", script, "refute", "complete:3", "--program", "free,s=3", "--max-depth", "60", "--json"],
        stdout=subprocess.PIPE,
        cwd=Path(__file__).parents[2],
        text=True,
    )
    try:
        time.sleep(6)
        process.send_signal(2)
        output, _ = process.communicate(timeout=60)
    finally:
        process.kill()
    assert process.returncode == 3
    assert json.loads(output)["reason"] == "interrupted"
