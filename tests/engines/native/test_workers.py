"""Several threads give the verdict of one, to the last event and in the same order of rows."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings

from checker.engines.native import engine
from checker.engines.native.search import levels as search
from checker.engines.native.search import visited_set as store
from checker.engines.native.search import worker_pool as team
from checker.engines.native.search.levels import Search
from checker.engines.search_options import SearchOptions, StopCondition
from checker.judging.local_predicates import LocalPredicates
from checker.topologies import parse
from model.catalogue import build_system
from model.properties import chosen
from model.system import System
from tests.engines.native.agreement import differences
from tests.engines.native.test_random_systems import SYSTEMS, small


def explored(system: System, workers: int) -> Search:
    search = Search(system, LocalPredicates(system, []), StopCondition(SearchOptions(workers=workers)))
    for _ in search.explore():
        pass
    return search


def hurry(patch: pytest.MonkeyPatch, batch: int) -> None:
    """Few sources a batch, and threads woken for few: many chances for them to wait for each other."""
    patch.setattr("checker.engines.native.search.expander.BATCH", batch)
    patch.setattr(search, "FEW", 1)


@pytest.mark.parametrize("workers", [2, 3, 5])
def test_rows_are_numbered_as_by_one_thread(workers: int, monkeypatch: pytest.MonkeyPatch) -> None:
    hurry(monkeypatch, 64)
    system = build_system(parse("biring:4")[0], "transfer")
    one, several = explored(system, 1), explored(system, workers)
    assert (several.count, several.transitions, several.depth) == (414435, 1846196, 17)
    assert several.levels == one.levels
    # Ids may differ, since the tables are filled in another order; the states they stand for may not.
    assert all(several.state(number) == one.state(number) for number in range(0, one.count, 97))
    assert np.array_equal(several.terminal_states(), one.terminal_states())


def test_rows_of_several_words_are_numbered_as_by_one_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    hurry(monkeypatch, 16)
    system = build_system(parse("biring:7")[0], "token,hops=5")
    one, several = explored(system, 1), explored(system, 3)
    assert one.words == several.words > 1
    assert (several.count, several.transitions, several.levels) == (one.count, one.transitions, one.levels)
    assert all(several.state(number) == one.state(number) for number in range(0, one.count, 11))


@settings(max_examples=25)
@given(SYSTEMS)
def test_two_threads_agree_with_one_on_random_systems(system: System) -> None:
    assume(small(system))
    properties = chosen(system)
    with pytest.MonkeyPatch.context() as patch:
        hurry(patch, 3)
        one, two, four = (engine.judge(system, properties, SearchOptions(workers=n)) for n in (1, 2, 4))
    assert differences(two, one) == differences(four, one) == []


def test_a_thread_that_fails_leaves_no_other_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    def failing(thread: int, *arguments: object) -> None:
        if thread == 1:
            raise OSError("no thread")
        produce(thread, *arguments)

    produce = team.produce
    hurry(monkeypatch, 4)
    monkeypatch.setattr(team, "produce", failing)
    with pytest.raises(OSError, match="no thread"):
        explored(build_system(parse("ring:3")[0], "transfer"), 3)


def test_a_table_is_refilled_in_its_own_place_with_nothing_lost() -> None:
    rng = np.random.default_rng(1)
    for crowded in (False, True):
        rows = rng.integers(0, 1 << 62, (3000, 1)).astype(np.uint64)
        whole = np.zeros(20_000 + store.TAIL, np.uint64)
        small_table = whole[: 4500 + store.TAIL]
        store.enter_all(store.StateSet(small_table, rows), 0, len(rows))
        if crowded:  # as if all hashes were low: entries lie far behind their places
            taken = small_table[small_table != 0]
            small_table[:] = 0
            small_table[: len(taken)] = taken & np.uint64(0xFFFFFFFF)
        before = np.sort(whole[whole != 0])
        assert store.stretch(whole, len(small_table))
        assert np.array_equal(np.sort(whole[whole != 0]), before)
        if not crowded:
            found = np.empty(len(rows), np.int64)
            wanted = store.Batch(rows, 0, len(rows), np.empty(len(rows), np.uint64))
            store.find(store.StateSet(whole, rows), wanted, found)
            assert np.array_equal(found, np.arange(len(rows)))
