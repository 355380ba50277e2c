"""Begun and reached are history of the run, whatever its state says: each engine against a judge of runs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import pytest

from checker.check import check
from checker.engines import engine
from checker.engines.search_options import SearchOptions
from checker.judging.rejudge import rejudge
from model.action import Local, Message, Step, control
from model.properties import chosen
from model.protocol import Protocol, Recorded, payloads
from model.system import System
from model.verdict import Outcome, Verdict
from tests.judging.whims import begins, verdicts, whim

GOALS = ("all-red", "completes", "completes-unfair")
SEEDS = range(40)


def judged(name: str, system: System, options: SearchOptions | None = None) -> Verdict:
    return engine(name)(system, chosen(system, GOALS), options or SearchOptions(), lambda *counts: None)


def lengths(verdict: Verdict) -> dict[str, int | None]:
    return {p.name: p.length for p in verdict.properties}


@pytest.mark.parametrize("name", ["reference", "native"])
def test_random_protocols_that_forget_and_discard(name: str) -> None:
    violated = vacuous = 0
    for seed in SEEDS:
        system = whim(seed)
        verdict, wanted = judged(name, system), verdicts(system)
        assert lengths(verdict) == wanted, seed
        for found in verdict.properties:
            assert found.witness == begins(system), seed
            if found.counterexample is not None:
                trace = found.counterexample.trace
                claim = next(p for p in chosen(system, GOALS) if p.name == found.name)
                assert rejudge(claim, trace).reason == found.counterexample.explanation, seed
        violated += wanted["completes"] is not None
        vacuous += any(p.outcome is Outcome.VACUOUS for p in verdict.properties)
    assert violated > 10 and len(SEEDS) - violated > 5 and vacuous > 2, (violated, vacuous)


@pytest.mark.parametrize(
    "options", [SearchOptions(reduce=True), SearchOptions(symmetry=True)], ids=["reduce", "symmetry"]
)
def test_reduced_searches_never_contradict(options: SearchOptions) -> None:
    known = 0
    for seed in SEEDS:
        system = whim(seed)
        if options.reduce and (system.assumptions.faults or not system.assumptions.discipline.keeps_order):
            continue
        wanted = verdicts(system)
        for found in judged("native", system, options).properties:
            if found.outcome is Outcome.UNKNOWN:
                assert options.reduce
                continue
            assert (found.outcome is Outcome.VIOLATED) == (wanted[found.name] is not None), seed
            known += 1
    assert known > 20


def test_random_runs_break_only_what_can_be_broken() -> None:
    found = 0
    for seed in range(10):
        system = whim(seed)
        wanted = verdicts(system)
        for one in judged("simulate", system, SearchOptions(runs=20)).properties:
            if one.outcome is Outcome.VIOLATED:
                assert wanted[one.name] is not None, seed
                found += 1
    assert found > 5


def test_symbolically() -> None:
    for seed in range(8):
        system = whim(seed)
        assert lengths(judged("z3", system)) == verdicts(system), seed


class Forgotten(Protocol):
    """P0 sends a control message; whoever accepts it forgets it; nobody turns red."""

    def steps(self, machine: int, local: Local, offered: Mapping[int, Message]) -> Iterable[Step]:
        if any(m.control for m in offered.values()):
            yield Step("forget", local.state, local.memory)
            return
        if not offered and machine == 0 and local.memory is None:
            yield Step("send", local.state, 1, ((0, control(0)),))
        for action in self.underlying(machine, local, offered):
            yield Step(action.name, action.state, local.memory, payloads(action), action)

    def recorded(self, machine: int, local: Local, snapshot: int = 0) -> Recorded | None:
        return None

    def done(self, machine: int, local: Local, snapshot: int = 0) -> bool:
        return False


class Discarded(Protocol):
    """A machine turns red, which completes the snapshot, and later discards what it recorded."""

    def steps(self, machine: int, local: Local, offered: Mapping[int, Message]) -> Iterable[Step]:
        if not offered and local.memory is None:
            yield Step("record", local.state, "recorded", turns=1)
        if not offered and local.memory == "recorded":
            yield Step("discard", local.state, "discarded")

    def recorded(self, machine: int, local: Local, snapshot: int = 0) -> Recorded | None:
        return Recorded(local.state, ((),)) if local.red else None

    def done(self, machine: int, local: Local, snapshot: int = 0) -> bool:
        return local.memory == "recorded"


class Silent(Forgotten):
    """No run begins a snapshot."""

    def steps(self, machine: int, local: Local, offered: Mapping[int, Message]) -> Iterable[Step]:
        for action in self.underlying(machine, local, offered):
            yield Step(action.name, action.state, local.memory, payloads(action), action)


ENGINES = ("reference", "native", "z3", "simulate")


@pytest.mark.parametrize("name", ENGINES)
def test_what_was_begun_and_forgotten_was_begun(name: str) -> None:
    verdict = check("edges:0>1", "free,s=1", Forgotten, properties=GOALS, engine=name)
    assert [p.outcome for p in verdict.properties] == [Outcome.VIOLATED] * 3
    assert name == "simulate" or set(lengths(verdict).values()) == {4}


@pytest.mark.parametrize("name", ENGINES)
def test_what_was_complete_was_complete(name: str) -> None:
    verdict = check("edges:0>0", "free,s=0", Discarded, properties=GOALS, engine=name)
    wanted = Outcome.UNKNOWN if name == "simulate" else Outcome.HOLDS
    assert [p.outcome for p in verdict.properties] == [wanted] * 3


@pytest.mark.parametrize("name", ENGINES)
def test_where_no_run_begins_a_snapshot_the_claims_say_nothing(name: str) -> None:
    verdict = check("edges:0>1", "free,s=1", Silent, properties=(*GOALS, "no-red-in-white"), engine=name)
    wanted = Outcome.UNKNOWN if name == "simulate" else Outcome.VACUOUS
    assert {p.outcome for p in verdict.properties} == {wanted}
    assert {p.witness for p in verdict.properties} == {False}


@pytest.mark.parametrize("name", ["reference", "native"])
def test_the_examples_of_the_built_in_protocols(name: str) -> None:
    late = check("edges:0>1,1>0", "token", "late-record", properties=["completes-unfair"], engine=name)
    assert lengths(late) == {"completes-unfair": 3}
    twice = check("edges:0>1,0>1", "free,s=1", "laiyang", relax="duplication:1", properties=["completes"], engine=name)
    assert lengths(twice) == {"completes": 6}
    (found,) = twice.properties
    assert found.counterexample is not None
    assert not any(twice.system.complete(state) for state in found.counterexample.trace.states())


def test_counts_are_the_systems_and_history_is_counted_apart() -> None:
    verdict = check("edges:0>1,1>0", "token", "late-record", properties=GOALS, engine="native")
    plain = check("edges:0>1,1>0", "token", "late-record", properties=["no-red-in-white"], engine="native")
    assert (verdict.counts.states, verdict.counts.transitions) == (plain.counts.states, plain.counts.transitions)
    assert verdict.counts.histories is not None and plain.counts.histories is None
