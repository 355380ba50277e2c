"""Where a search cannot go on it says so; nothing is counted that was not explored."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from checker.engines.native import engine
from checker.engines.native.paths import maximal_runs as runs
from checker.engines.native.search import levels as native_search
from checker.engines.native.tables.arrays import Fields, fields, pack, unpack
from checker.engines.native.tables.interner import RowInterner
from checker.engines.native.tables.local_tables import Tables
from checker.engines.reference import engine as reference
from checker.engines.search_options import SearchOptions, StopCondition, silent
from checker.judging.local_predicates import LocalPredicates
from checker.topologies import parse
from model.catalogue import build_system
from model.properties import chosen
from model.protocol import NoSnapshot
from model.verdict import Outcome
from tests.engines.native.agreement import differences


def test_memory_that_would_run_out_gives_unknown_and_says_how_much(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("checker.engines.native.search.state_store.available_memory", lambda: 1 << 20)
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

    verdict = engine.judge(system, chosen(system), SearchOptions(), interrupt)
    assert verdict.reason == "interrupted" and verdict.outcome is Outcome.UNKNOWN
    assert verdict.counts.depth == 6 and verdict.counts.states < 20963


def test_an_interruption_of_the_search_of_the_computation_alone_is_one_of_the_check(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    system = build_system(parse("complete:3")[0], "transfer")
    filled = Tables.fill

    def interrupt(tables: Tables, misses: np.ndarray[Any, np.dtype[np.int64]]) -> None:
        if type(tables.system.protocol) is NoSnapshot:
            raise KeyboardInterrupt
        filled(tables, misses)

    monkeypatch.setattr(Tables, "fill", interrupt)
    verdict = engine.judge(system, chosen(system))
    assert verdict.reason == "interrupted" and verdict.outcome is Outcome.UNKNOWN
    assert verdict.counts.states == 20963 and verdict.coverage.kind == "bounded"


def test_an_interruption_while_runs_are_counted_leaves_what_was_judged(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(search: object, asked: bool) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr(native_search.Search, "maximal_runs", interrupt)
    system = build_system(parse("ring:3")[0], "transfer")
    verdict = engine.judge(system, chosen(system))
    assert verdict.reason == "interrupted" and verdict.outcome is Outcome.UNKNOWN
    assert verdict.counts.states == 298 and verdict.counts.interleavings is None


@pytest.mark.parametrize("protocol", ["marker", "late-marker"])
def test_a_bound_that_cuts_nothing_off_changes_nothing_and_engines_agree_at_every_bound(
    protocol: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The bound is that of the states. Engines search over (state, cut) in different orders, so that a bound there
    # would end them in different places: see the next test.
    monkeypatch.setattr(StopCondition, "further", lambda stop_condition: stop_condition.beside(SearchOptions()))
    system = build_system(parse("ring:3")[0], "transfer", protocol)
    properties = chosen(system)
    whole = engine.judge(system, properties)
    states = whole.counts.states
    for bound in (1, 2, states // 2, states - 1, states, states + 1, 2 * states):
        options = SearchOptions(max_states=bound)
        found = engine.judge(system, properties, options)
        assert differences(found, reference.judge(system, properties, options)) == []
        assert (differences(found, whole) == []) == (bound > states)


def test_under_a_bound_the_reference_knows_nothing_that_the_native_engine_does_not() -> None:
    system = build_system(parse("ring:3")[0], "transfer", "late-marker")
    properties = chosen(system)
    whole = {p.name: p.length for p in engine.judge(system, properties).properties}
    more = 0
    for bound in (100, 200, 300, 400, 500):
        options = SearchOptions(max_states=bound)
        found, wanted = (judge(system, properties, options).properties for judge in (engine.judge, reference.judge))
        for p, q in zip(found, wanted, strict=True):
            if p.outcome is Outcome.VIOLATED and q.outcome is Outcome.UNKNOWN:
                assert p.length == whole[p.name] and p.counterexample is not None
                more += 1
            else:
                assert (p.outcome, p.length) == (q.outcome, q.length)
    assert more


def test_the_time_limit_is_that_of_all_searches_of_a_check(monkeypatch: pytest.MonkeyPatch) -> None:
    stop_condition = StopCondition(SearchOptions(timeout=10.0, max_states=5))
    monkeypatch.setattr("checker.engines.search_options.time.monotonic", lambda: stop_condition.started + 11)
    assert stop_condition.beside().stop(0, 0) and stop_condition.further().stop(0, 0)
    system = build_system(parse("complete:3")[0], "transfer")
    one = engine.check_run(system, [], SearchOptions(), silent, stop_condition.started)
    assert one.underlying_system.search.stop_condition.started == stop_condition.started


def test_looking_beyond_a_bound_changes_no_row(monkeypatch: pytest.MonkeyPatch) -> None:
    # Little room in each field, so that what is filled in while looking calls for a new layout.
    monkeypatch.setattr("checker.engines.native.search.expander.fields", narrow)
    system = build_system(parse("complete:3")[0], "free,s=1")
    laid_out_anew = 0
    for bound in (10, 20, 40, 80):
        search = native_search.Search(
            system, LocalPredicates(system, []), StopCondition(SearchOptions(max_states=bound))
        )
        for _ in search.explore():
            pass
        assert search.expanded < search.count
        before, layout = [search.state(number) for number in range(search.count)], search.layout
        index = {state: number for number, state in enumerate(before)}
        for number in range(search.count):
            wanted = [index.get(system.step(before[number], e), -1) for e in system.events(before[number])]
            assert search.successors(number) == wanted
        assert [search.state(number) for number in range(search.count)] == before
        laid_out_anew += search.layout is not layout
    assert laid_out_anew


@pytest.mark.parametrize("words", [("ring:3", "transfer"), ("ring:3", "transfer", "late-marker"), ("ring:4", "token")])
def test_states_of_two_words_are_judged_as_by_the_reference(
    words: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    system = build_system(parse(words[0])[0], *words[1:])
    properties = chosen(system)
    wanted = reference.judge(system, properties)
    monkeypatch.setattr("checker.engines.native.search.expander.fields", halved)
    assert native_search.Search(system, LocalPredicates(system, []), StopCondition(SearchOptions())).words == 2
    for workers in (None, 2):
        assert differences(engine.judge(system, properties, SearchOptions(workers=workers)), wanted) == []


def halved(widths: list[int], *_: object) -> tuple[Fields, int]:
    """As `fields`, every other field in the second word."""
    word = np.arange(len(widths), dtype=np.int64) % 2
    shift, at = np.zeros(len(widths), np.uint64), [0, 0]
    for field, width in enumerate(widths):
        shift[field], at[word[field]] = at[word[field]], at[word[field]] + width
    return Fields(word, shift, np.array([(1 << width) - 1 for width in widths], np.uint64)), 2


def narrow(widths: list[int], *_: object) -> tuple[Fields, int]:
    """As `fields`, with no spare bits."""
    starts = np.cumsum([0, *widths[:-1]])
    word, shift = np.divmod(starts, 32)
    ends = shift + np.array(widths)
    assert (ends <= 64).all()
    mask = np.array([(1 << width) - 1 for width in widths], np.uint64)
    return Fields(word.astype(np.int64), shift.astype(np.uint64), mask), int(word[-1]) + 1


def test_packing_keeps_every_value_whatever_the_widths() -> None:
    for widths in ([1], [31, 31, 31], [3, 9, 1, 14, 7, 22, 5, 5, 5], [20] * 11, [4, 0, 3, 0]):
        layout, words = fields(widths)
        highest = np.array(
            [[(1 << width) - 1 for width in widths], [0] * len(widths), [min(1, width) for width in widths]], np.int64
        )
        assert np.array_equal(unpack(layout, pack(layout, words, highest)), highest)


def test_spare_bits_go_to_the_field_that_would_be_full_first() -> None:
    # 14 bits to spare: the first doubles each time, the second hardly grows, the third is nearly full.
    layout, words = fields([20, 20, 10, 0], [600_000, 600_000, 1000, 1], [300_000, 599_990, 1000, 1])
    bits = [int(mask).bit_length() for mask in layout.mask]
    assert words == 1 and bits == [31, 20, 13, 0]
    layout, words = fields([20, 20, 20])
    assert [int(mask).bit_length() for mask in layout.mask] == [22, 21, 21]


def test_a_set_of_rows_widens_without_losing_any() -> None:
    seen = RowInterner(3)
    rows = np.array([[i % 7, i * i, 1 << (i % 30)] for i in range(500)], np.int64)
    for row in rows:
        seen.add(row[None, :])
    wanted = np.unique(rows, axis=0)
    assert seen.count == len(wanted)
    assert np.array_equal(np.unique(seen.values(), axis=0), wanted)
    assert (seen.index(rows) >= 0).all() and seen.index(np.array([[6, 1, 3], [-1, 0, 1]]))[1] == -1


def test_runs_are_counted_beyond_what_a_word_can_hold() -> None:
    # Three machines with s sends each and no snapshot at all: independent, so the runs are shuffles.
    system = build_system(parse("edges:0>1,2>3,4>5")[0], "free,s=12-0-12-0-12-0", "none")
    verdict = engine.judge(system, [], SearchOptions(interleavings=True))
    assert verdict.counts.interleavings == shuffles(12)


def test_runs_are_counted_alike_level_by_level_and_over_the_whole_graph(monkeypatch: pytest.MonkeyPatch) -> None:
    # The second has more than 2^64 runs, so that sums have two digits.
    for words in (("complete:3", "transfer", "marker"), ("edges:0>1,2>3,4>5", "free,s=6-0-6-0-6-0", "none")):
        system = build_system(parse(words[0])[0], *words[1:])
        by_levels = engine.judge(system, []).counts.interleavings
        with monkeypatch.context() as patch:
            patch.setattr(native_search.Search, "counts_by_levels", False)
            assert engine.judge(system, []).counts.interleavings == by_levels
        assert engine.judge(system, [], SearchOptions(workers=2)).counts.interleavings == by_levels
    assert by_levels == shuffles(6) > 1 << 64


def test_runs_are_counted_where_asked_for_or_cheap(monkeypatch: pytest.MonkeyPatch) -> None:
    system = build_system(parse("ring:3")[0], "transfer")
    cheap = engine.judge(system, []).counts.interleavings
    monkeypatch.setattr(runs, "CHEAP", 628)  # one less than there are transitions
    assert cheap == 6752 and engine.judge(system, []).counts.interleavings is None
    assert engine.judge(system, [], SearchOptions(interleavings=True)).counts.interleavings == cheap


def shuffles(sends: int) -> int:
    """Runs of three independent pairs, each sending and accepting `sends` messages: Catalan numbers, shuffled."""
    from math import comb

    one = comb(2 * sends, sends) // (sends + 1)
    return one**3 * comb(4 * sends, 2 * sends) * comb(6 * sends, 2 * sends)
