"""Checkpoints without coordination, BCS and HMNR: what each keeps, what it costs, and what breaks without its rules."""

from __future__ import annotations

from collections import Counter
from functools import cache
from pathlib import Path

import pytest

from checker.check import check
from checker.cli.app import run as command
from checker.engines.search_options import SearchOptions
from checker.topologies import parse
from model.catalogue import build_system
from model.errors import InputError
from model.program import Underlying
from model.properties import chosen
from model.properties.recovery import checkpoints, recovery
from model.protocols.hmnr import Hmnr
from model.recovery.line import by_graph, failed
from model.recovery.pattern import History, restored
from model.system import State, System
from tests.protocols.found import judged, violated

BOTH_WAYS, RING = "biring:2", "ring:3"


def explored(system: System) -> set[State]:
    """Every reachable state."""
    found, waiting = set(system.initial_states()), list(system.initial_states())
    while waiting:
        state = waiting.pop()
        new = {system.step(state, event) for event in system.events(state)} - found
        found |= new
        waiting += new
    return found


@pytest.mark.parametrize(
    ("protocol", "broken"),
    [
        ("uncoordinated", {"no-useless-checkpoint": 7}),
        ("uncoordinated,log=false", {"no-useless-checkpoint": 7}),
        ("uncoordinated,line=latest", {"recovery-line-consistent": 3, "no-useless-checkpoint": 7}),
        ("bcs", {}),
        ("bcs,line=propagated", {}),
        ("hmnr", {}),
        ("hmnr,stamp=merged", {}),
        # Broken on purpose: what the rules are for.
        ("bcs,forces=false", {"recovery-line-consistent": 5, "no-useless-checkpoint": 7, "stamps-increase": 6}),
        ("bcs,line=latest", {"recovery-line-consistent": 3}),
        ("bcs,log=false", {"recovery-line-consistent": 4}),
        ("hmnr,forced_by=c2", {"no-useless-checkpoint": 7, "stamps-increase": 6}),
        ("hmnr,forced_by=none", {"no-useless-checkpoint": 7, "stamps-increase": 6}),
    ],
)
def test_what_each_keeps_on_a_ring_of_three(protocol: str, broken: dict[str, int]) -> None:
    assert violated(judged(RING, protocol=protocol)) == broken


def test_hmnrs_second_condition_is_needed_on_two_machines() -> None:
    assert violated(judged(BOTH_WAYS, protocol="hmnr,forced_by=c1")) == {
        "no-useless-checkpoint": 5,
        "stamps-increase": 5,
    }


@pytest.mark.parametrize("relax", ["fifo", "overtake:1", "duplication:1", "loss:1", "crash:1"])
@pytest.mark.parametrize("protocol", ["bcs", "hmnr"])
def test_neither_needs_order_or_that_messages_arrive(protocol: str, relax: str) -> None:
    broken = violated(judged(BOTH_WAYS, "transfer,s=1-1", protocol, relax=relax))
    assert set(broken) <= {"conservation"}


@pytest.mark.parametrize("protocol", ["uncoordinated,k=2", "bcs", "hmnr"])
@pytest.mark.parametrize("relax", ["", "fifo"])
def test_what_is_restored_is_a_state_that_the_computation_can_reach(protocol: str, relax: str) -> None:
    (topology,) = parse(BOTH_WAYS)
    system = build_system(topology, "free,s=1", protocol, relax=relax)
    alone = system.alone()
    reachable = {alone.view(alone.project(state)) for state in explored(alone)}
    lines = set()
    for state in explored(system):
        found = recovery(system, state)
        histories = tuple(local.memory for local in state.machines if isinstance(local.memory, History))
        lines.add(found.line)
        again = restored(topology, histories, found.line)
        assert Underlying(again.machines, tuple(map(system.normal, again.channels))) in reachable
        assert protocol == "bcs" or found.line == by_graph(found.pattern, failed(found.pattern, range(2)))
    assert len(lines) >= 3


def worst(topology: str, program: str, protocol: str, claim: str) -> int:
    """The least number with which the claim holds: the worst case over all runs."""
    names = [f"{claim}:{number}" for number in range(8)]
    broken = violated(check(topology, program, protocol, properties=names, engine="reference"))
    assert set(broken) == set(names[: len(broken)])
    return len(broken)


@pytest.mark.parametrize(
    ("protocol", "back", "undone", "forced"),
    [("uncoordinated", 1, 6, 0), ("bcs", 2, 6, 3), ("bcs,line=propagated", 1, 6, 3), ("hmnr", 1, 6, 1)],
)
def test_the_worst_case_over_all_runs(protocol: str, back: int, undone: int, forced: int) -> None:
    found = tuple(
        worst(RING, "transfer", protocol, claim) for claim in ("no-domino", "lost-work", "forced-checkpoints")
    )
    assert found == (back, undone, forced)


def forced_on_all_runs(topology: str, first: str, second: str) -> Counter[tuple[int, int]]:
    """How many maximal runs of the same events force how many checkpoints under the one protocol and the other."""
    systems = [build_system(parse(topology)[0], "transfer", protocol) for protocol in (first, second)]

    def after(system: System, state: State) -> dict[object, State]:
        moves = {event: event.moves[0] for event in system.events(state)}
        return {(m.machine, m.step.action): system.step(state, event) for event, m in moves.items()}

    @cache
    def runs(pair: tuple[State, ...]) -> Counter[tuple[int, int]]:
        one, two = (after(system, state) for system, state in zip(systems, pair, strict=True))
        assert one.keys() == two.keys()  # neither holds anything back
        if not one:
            forced = [recovery(system, state).forced for system, state in zip(systems, pair, strict=True)]
            return Counter({(forced[0], forced[1]): 1})
        return sum((runs((one[event], two[event])) for event in one), Counter())

    return runs(tuple(system.initial_states()[0] for system in systems))


@pytest.mark.parametrize(("topology", "bcs", "hmnr"), [("biring:2", 0.178, 0.022), ("ring:3", 0.272, 0.2)])
def test_on_no_run_does_hmnr_force_more_than_bcs(topology: str, bcs: float, hmnr: float) -> None:
    found = forced_on_all_runs(topology, "bcs", "hmnr")
    means = [sum(forced[side] * runs for forced, runs in found.items()) / found.total() for side in (0, 1)]
    assert [round(mean, 3) for mean in means] == [bcs, hmnr]
    assert all(two <= one for one, two in found)


def test_the_run_of_the_worst_rollback_goes_back_to_the_start() -> None:
    verdict = judged(BOTH_WAYS, "transfer,s=2", "uncoordinated,k=2", properties=["no-domino:1"])
    (found,) = verdict.properties
    assert found.counterexample is not None and found.length == 4
    assert found.counterexample.explanation["line"] == [0, 0]


@pytest.mark.parametrize("protocol", ["uncoordinated,k=2-1", "bcs", "hmnr", "hmnr,forced_by=c2"])
def test_engines_agree(protocol: str) -> None:
    one, two = (check(BOTH_WAYS, protocol=protocol, engine=engine) for engine in ("reference", "native"))
    assert one.counts == two.counts
    assert [(p.name, p.outcome, p.length) for p in one.properties] == [
        (p.name, p.outcome, p.length) for p in two.properties
    ]


def test_an_inconsistent_line_is_told_with_what_would_be_restored() -> None:
    (found,) = judged(
        BOTH_WAYS, protocol="uncoordinated,line=latest", properties=["recovery-line-consistent"]
    ).properties
    assert found.counterexample is not None
    read = found.counterexample.explanation
    assert (read["line"], read["restored"]["machines"]) == ([0, 1], [1, 2])  # a unit that nobody has sent
    assert "accepted before the line and sent after it" in read["kind"]


def test_a_trace_of_a_claim_with_a_number_is_judged_anew(tmp_path: Path) -> None:
    file = tmp_path / "trace.json"
    words = ["check", BOTH_WAYS, "--protocol", "uncoordinated", "--property", "no-domino:0", "--trace", str(file)]
    assert command(words) == 1
    assert command(["show", str(file)]) == 0
    file.write_text(file.read_text().replace("no-domino:0", "no-domino:1"))
    assert command(["show", str(file)]) == 2  # the run does not show that


def test_symmetry_keeps_the_verdict() -> None:
    for protocol in ("uncoordinated", "bcs", "hmnr"):
        one, two = (
            check(RING, protocol=protocol, engine="native", options=SearchOptions(symmetry=on)) for on in (False, True)
        )
        assert violated(one) == violated(two)


class CountsForNothing(Hmnr):
    """A mutant: `taken` is not passed on, so that C2 never sees a checkpoint in a chain."""

    def piggyback(self, clock: object) -> object:
        carried = super().piggyback(clock)
        return carried._replace(taken=(False,) * self.topology.machines)  # type: ignore[attr-defined]


def test_a_chain_without_what_was_taken_closes_a_cycle() -> None:
    assert violated(check(BOTH_WAYS, protocol=CountsForNothing, engine="reference"))["no-useless-checkpoint"] == 5


def test_claims_of_recovery_are_for_protocols_that_recover() -> None:
    system = build_system(parse(RING)[0])
    assert not checkpoints(system)
    with pytest.raises(InputError, match="says nothing about"):
        chosen(system, ["no-domino:2"])
    with pytest.raises(InputError, match="unknown property 'no-domino:x'"):
        chosen(system, ["no-domino:x"])


@pytest.mark.parametrize(
    "words", ["uncoordinated,line=index", "uncoordinated,k=1-1", "hmnr,stamp=x", "hmnr,forced_by=x"]
)
def test_bad_options_are_refused(words: str) -> None:
    with pytest.raises(InputError):
        build_system(parse(RING)[0], protocol=words)
