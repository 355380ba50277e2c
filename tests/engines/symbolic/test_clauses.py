"""Clauses say what they are asked to: every combination of a few literals is tried."""

from __future__ import annotations

import time
from itertools import combinations as pairs
from itertools import product

import pytest

from checker.engines.symbolic.clauses import FALSE, TRUE, Clauses, SolverStopped


def combinations(clauses: Clauses, literals: list[int]) -> dict[tuple[bool, ...], bool]:
    """Which values of the literals are possible."""
    return {
        values: clauses.check(lit if value else -lit for lit, value in zip(literals, values, strict=True))
        for values in product((False, True), repeat=len(literals))
    }


def test_either_both_and_at_most_one() -> None:
    clauses = Clauses()
    a, b, c = (clauses.new() for _ in range(3))
    either, both = clauses.either((a, b)), clauses.both((a, -b))
    assert all(
        ok == (values[3] == (values[0] or values[1]) and values[4] == (values[0] and not values[1]))
        for values, ok in combinations(clauses, [a, b, c, either, both]).items()
    )
    clauses.at_most_one([a, b, c])
    assert all(ok == (sum(values) <= 1) for values, ok in combinations(clauses, [a, b, c]).items())


def test_counting_in_unary() -> None:
    clauses = Clauses()
    literals = [clauses.new() for _ in range(4)]
    count = clauses.add_up(clauses.add_up((), literals[:2], 3), literals[2:], 3)
    for values in product((False, True), repeat=4):
        assert clauses.check(lit if value else -lit for lit, value in zip(literals, values, strict=True))
        assert [clauses.true(more) for more in count] == [sum(values) > j for j in range(3)]


def test_constants_and_sharing() -> None:
    clauses = Clauses()
    a, b = clauses.new(), clauses.new()
    assert clauses.either(()) == FALSE and clauses.both(()) == TRUE
    assert clauses.either((a, TRUE)) == TRUE and clauses.both((a, FALSE)) == FALSE and clauses.either((a, FALSE)) == a
    assert clauses.either((a, b)) == clauses.either((b, a))
    clauses.add(FALSE, a)
    assert not clauses.check([-a])
    assert clauses.check() and clauses.true(TRUE) and clauses.true(a)


def test_a_time_limit_is_no_answer() -> None:
    clauses = Clauses()
    holes = 11  # one pigeon too many: hard for clauses alone
    place = [[clauses.new() for _ in range(holes)] for _ in range(holes + 1)]
    for own in place:
        clauses.add(*own)
    for hole in range(holes):
        clauses.at_most_one([own[hole] for own in place])
    with pytest.raises(SolverStopped):
        clauses.check([], timeout=0.05)


def pigeons(clauses: Clauses, holes: int) -> None:
    """One pigeon more than there are holes, each in a hole, no two in one: hard for any solver of clauses."""
    places = [[clauses.new() for _ in range(holes)] for _ in range(holes + 1)]
    for own in places:
        clauses.add(*own)
    for one, other in pairs(places, 2):
        for here, there in zip(one, other, strict=True):
            clauses.add(-here, -there)


def test_a_solver_that_does_not_heed_its_limit_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    clauses = Clauses()
    pigeons(clauses, 12)
    monkeypatch.setattr(clauses.solver, "set", lambda *words: None)
    started = time.monotonic()
    with pytest.raises(SolverStopped, match="timeout"):
        clauses.check(timeout=0.3)
    assert time.monotonic() - started < 20
    pigeons(clauses, 1)
    assert not clauses.check()  # it is of use still
