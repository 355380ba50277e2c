"""With `--max-depth N` what a run of at most N actions breaks is found, and nothing else."""

from __future__ import annotations

from functools import cache

import pytest

from checker.check import check
from checker.engines import engine
from checker.engines.search_options import SearchOptions
from checker.topologies import parse
from model.catalogue import build_system
from model.properties import chosen
from model.system import System
from model.verdict import Outcome, Verdict
from tests.engines.native.random_systems import random_system
from tests.judging.whims import whim

SYSTEMS = 10


def system(number: int) -> System:
    if number % 2:
        return whim(number)
    return random_system(number % 6, number, number // 2 % 7, number // 2 % 9, bool(number % 4), 1 + number % 2)


def judged(name: str, number: int, options: SearchOptions) -> Verdict:
    own = system(number)
    names = tuple(p.name for p in chosen(own) if not p.preserves)
    return engine(name)(own, chosen(own, names), options, lambda *counts: None)


@cache
def lengths(number: int) -> dict[str, int | None]:
    """Of what ends: an endless run is longer than it says."""
    found = judged("reference", number, SearchOptions(max_states=1000))
    return {
        p.name: p.length
        for p in found.properties
        if p.counterexample is None or p.counterexample.trace.loop is None
        if found.reason is None
    }


@pytest.mark.parametrize("name", ["reference", "native"])
def test_states_at_the_bound_are_judged(name: str) -> None:
    at_bound = 0
    for number in range(SYSTEMS):
        wanted = lengths(number)
        for bound in sorted({length for length in wanted.values() if length})[:2]:
            for most in (bound - 1, bound):
                found = judged(name, number, SearchOptions(max_depth=most))
                for one in (p for p in found.properties if p.name in wanted):
                    length = wanted[one.name]
                    inside = length if length is not None and length <= most else None
                    assert one.length == inside, (number, most, one.name)
                    at_bound += inside == most
    assert at_bound > 10


@pytest.mark.parametrize("name", ["reference", "native"])
def test_what_is_violated_at_the_bound_is_violated(name: str) -> None:
    options = SearchOptions(max_depth=2, first=True)
    verdict = check("edges:0>1,1>0", relax="loss:1", properties=["conservation"], engine=name, options=options)
    assert [(p.outcome, p.length) for p in verdict.properties] == [(Outcome.VIOLATED, 2)]
    assert verdict.reason == "the depth bound of 2 actions was met"


@pytest.mark.parametrize("name", ["reference", "native"])
def test_a_move_from_a_state_at_the_bound_is_no_violation(name: str) -> None:
    # One action more would be a violation, after 3; that is not looked at.
    own = three()
    options = SearchOptions(max_depth=2, first=True)
    verdict = engine(name)(own, chosen(own, ("no-red-in-white",)), options, lambda *counts: None)
    assert verdict.outcome is Outcome.UNKNOWN
    assert verdict.reason == "the depth bound of 2 actions was met"


def three() -> System:
    return build_system(parse("strong:3")[0], "free,s=1", relax="fifo")
