"""Stable predicates: what a snapshot is taken for. Detection is sound both ways, and only where the snapshot is."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from checker.check import check
from model.catalogue import build_system
from model.errors import InputError
from model.families import parse_family
from model.program import Underlying
from model.programs.resources import Resources, User
from model.programs.token import Token
from model.verdict import Verdict
from tests.protocols.found import holds, judged, outcome, violated

CASES = {
    "terminated": ("biring:2", "diffusing,s=1", ""),
    "deadlocked": ("biring:2", "resources", ""),
    "token-lost": ("biring:2", "token,hops=2", "loss:1"),
}


def told(verdict: Verdict, name: str) -> set[bool]:
    """What the recorded states tell of the predicate."""
    predicate = verdict.system.program.stable_predicates()[name]
    return {predicate(recorded) for recorded in verdict.snapshots}


@pytest.mark.parametrize("protocol", ["marker", "laiyang", "observer", "magic", "simultaneous"])
@pytest.mark.parametrize("name", CASES)
def test_detection_is_sound_both_ways_and_tells_both_answers(name: str, protocol: str) -> None:
    topology, program, relax = CASES[name]
    found = judged(topology, program, protocol, relax=relax, properties=["stable-sound"])
    assert outcome(found, "stable-sound") == "holds"
    counts_on_what_is_lost = name == "token-lost" and protocol in ("laiyang", "observer")
    assert told(found, name) == ({False} if counts_on_what_is_lost else {True, False})


@pytest.mark.parametrize("protocol", ["laiyang", "observer"])
def test_a_snapshot_that_counts_never_tells_of_a_lost_token_but_its_cut_does(protocol: str) -> None:
    """Lost before the cut, the token is waited for: sent less accepted never becomes 0."""
    found = judged("biring:2", "token,hops=2", f"{protocol},cut=recorded", relax="loss:1", properties=["stable-sound"])
    assert outcome(found, "stable-sound") == "holds" and told(found, "token-lost") == {True, False}


@pytest.mark.parametrize("name", CASES)
def test_the_predicates_are_stable(name: str) -> None:
    topology, program, relax = CASES[name]
    assert outcome(judged(topology, program, relax=relax, properties=["stability"]), "stability") == "holds"


@pytest.mark.parametrize(("program", "length"), [("resources", 10), ("diffusing,s=1", 5)])
def test_without_fifo_a_deadlock_or_a_termination_is_seen_that_is_none(program: str, length: int) -> None:
    found = judged("biring:2", program, relax="fifo", properties=["stable-sound"])
    assert violated(found) == {"stable-sound": length}
    assert "holds in SSS but not in S1" in found.properties[0].counterexample.explanation["kind"]  # type: ignore[union-attr]


def test_a_deadlock_of_three_is_detected() -> None:
    found = judged("biring:3", "resources,s=1-1-0", "laiyang", properties=["stable-sound", "stability"])
    assert holds(found)
    system = build_system(parse_family("biring:3"), "resources")
    resources = system.program
    assert isinstance(resources, Resources)
    channels = system.topology.channels
    waits = [User("waiting", channels.index((m, (m + 1) % 3)), True, (), 0) for m in range(3)]
    assert resources.cycle(Underlying(tuple(waits), ((),) * len(channels))) == (0, 1, 2)
    idle = User("idle", None, True, (), 0)
    assert resources.cycle(Underlying((waits[0], waits[1], idle), ((),) * len(channels))) == ()


def test_resources_need_channels_both_ways() -> None:
    with pytest.raises(InputError, match="channels both ways"):
        build_system(parse_family("ring:3"), "resources")


class AtHome(Token):
    """A predicate called stable that is not: the token is at machine 0."""

    def stable_predicates(self) -> Mapping[str, Callable[[Underlying], bool]]:
        return {"at home": lambda state: bool(self.held(0, state.machines[0]))}


def test_a_predicate_that_is_not_stable_is_caught() -> None:
    found = check("biring:2", AtHome, "marker", engine="reference", properties=["stability", "stable-sound"])
    assert violated(found)["stability"] == 0
    assert found.counterexample is not None
    assert found.counterexample.explanation["kind"] == "at home holds here, and no longer after 'send'"
    assert "stable-sound" in violated(found)


OWN = '''
from model.programs.transfer import Transfer


class Spent(Transfer):
    """Transfers, and a stable predicate of one's own: all sends are used up, so machine 1 can only grow."""

    def record(self, machine, state):
        return state

    def held(self, machine, recorded):
        return recorded.balance

    def stable_predicates(self):
        return {"spent": lambda state: not any(account.sends for account in state.machines)}
'''


def test_a_predicate_of_ones_own_from_a_file(tmp_path: Path) -> None:
    file = tmp_path / "spent.py"
    file.write_text(OWN)
    found = judged("biring:2", f"{file}:Spent", properties=["stable-sound", "stability"])
    assert holds(found) and told(found, "spent") == {True, False}
