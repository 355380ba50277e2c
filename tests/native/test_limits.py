"""Where a search cannot go on it says so; nothing is counted that was not explored."""

from __future__ import annotations

import numpy as np
import pytest

from checker.bounds import Bounds
from checker.native import engine, runs
from checker.native import search as native_search
from checker.native.arrays import fields, pack, unpack
from checker.native.distinct import Distinct
from checker.topologies import parse
from model.catalogue import build_system
from model.properties import chosen
from model.verdict import Outcome


def test_memory_that_would_run_out_gives_unknown_and_says_how_much(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(native_search, "available_memory", lambda: 1 << 20)
    system = build_system(parse("ring:5")[0], "transfer,b=2,s=2")
    verdict = engine.judge(system, chosen(system))
    assert verdict.reason is not None and "memory would run out" in verdict.reason and "MB are free" in verdict.reason
    assert verdict.outcome is Outcome.UNKNOWN and verdict.coverage.kind == "bounded"
    assert 0 < verdict.counts.states < 524096


def test_an_interruption_gives_what_was_covered(monkeypatch: pytest.MonkeyPatch) -> None:
    system = build_system(parse("complete:3")[0], "transfer")

    def interrupt(states: int, queue: int, depth: int) -> None:
        if depth == 6:
            raise KeyboardInterrupt

    verdict = engine.judge(system, chosen(system), Bounds(), interrupt)
    assert verdict.reason == "interrupted" and verdict.outcome is Outcome.UNKNOWN
    assert verdict.counts.depth == 6 and verdict.counts.states < 20963


def test_packing_keeps_every_value_whatever_the_widths() -> None:
    for widths in ([1], [31, 31, 31], [3, 9, 1, 14, 7, 22, 5, 5, 5], [20] * 11):
        layout, words = fields(widths)
        highest = np.array([[(1 << width) - 1 for width in widths], [0] * len(widths), [1] * len(widths)], np.int64)
        assert np.array_equal(unpack(layout, pack(layout, words, highest)), highest)


def test_a_set_of_rows_widens_without_losing_any() -> None:
    seen = Distinct(3)
    rows = np.array([[i % 7, i * i, 1 << (i % 30)] for i in range(500)], np.int64)
    for row in rows:
        seen.add(row[None, :])
    wanted = np.unique(rows, axis=0)
    assert seen.count == len(wanted)
    assert np.array_equal(np.unique(seen.values(), axis=0), wanted)
    assert (seen.index(rows) >= 0).all() and seen.index(np.array([[6, 1, 3], [-1, 0, 1]]))[1] == -1


def test_runs_are_counted_beyond_what_one_prime_can_hold() -> None:
    # Three machines with s sends each and no snapshot at all: independent, so the runs are shuffles.
    primes = [p for p, _ in zip(runs.primes(), range(3), strict=False)]
    assert primes == sorted(primes, reverse=True) and primes[0] == (1 << 61) - 1
    system = build_system(parse("edges:0>1,2>3,4>5")[0], "free,s=12-0-12-0-12-0", "none")
    verdict = engine.judge(system, [])
    assert verdict.counts.interleavings == shuffles(12)


def shuffles(sends: int) -> int:
    """Runs of three independent pairs, each sending and accepting `sends` messages: Catalan numbers, shuffled."""
    from math import comb

    one = comb(2 * sends, sends) // (sends + 1)
    return one**3 * comb(4 * sends, 2 * sends) * comb(6 * sends, 2 * sends)
