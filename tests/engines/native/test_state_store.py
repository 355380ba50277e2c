"""States forgotten, put into a file and read back: nothing that is said of a system changes."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from checker.engines.native import engine
from checker.engines.native.search import address_space, explored_graph, levels, state_store
from checker.engines.native.search.address_space import Space
from checker.engines.native.search.levels import Search
from checker.engines.native.tables.layering import Layering
from checker.engines.reference import engine as reference
from checker.engines.search_options import SearchOptions, StopCondition
from checker.judging.local_predicates import LocalPredicates
from checker.topologies import parse
from model.catalogue import build_system
from model.properties import PROPERTIES, chosen
from model.system import System
from tests.engines.native.agreement import differences
from tests.engines.native.test_random_systems import SYSTEMS, small


@contextmanager
def tiny() -> Iterator[pytest.MonkeyPatch]:
    """Tables that grow all the time and forget at each level, a file of small pieces that is used at once."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(state_store, "FIRST_SLOTS", 16)
        patch.setattr(state_store, "STALE", 0.0)
        patch.setattr(state_store, "KEPT", 0)
        patch.setattr(state_store, "AT_A_TIME", 1)
        patch.setattr(state_store, "BLOCK", 7)
        patch.setattr(state_store, "MANY", 16)
        patch.setattr(explored_graph, "MANY", 16)
        patch.setattr(address_space, "PIECE", 4096)
        patch.setattr(levels, "CHUNK", 64)
        yield patch


def explored(system: System, options: SearchOptions | None = None) -> Search:
    search = Search(system, LocalPredicates(system, []), StopCondition(options or SearchOptions()))
    for _ in search.explore():
        pass
    return search


@settings(max_examples=60)
@given(SYSTEMS, st.sampled_from([SearchOptions(), SearchOptions(workers=3), SearchOptions(max_depth=4)]))
def test_random_systems_are_judged_the_same_with_everything_tiny(system: System, options: SearchOptions) -> None:
    assume(small(system))
    properties = [*chosen(system), PROPERTIES["completes-unfair"]]
    wanted = reference.judge(system, properties, SearchOptions(max_depth=options.max_depth))
    with tiny():
        assert differences(engine.judge(system, properties, options), wanted) == []


@pytest.mark.ci
@pytest.mark.parametrize(
    "words", [("complete:3", "transfer", ""), ("ring:3", "transfer", "loss:1"), ("biring:3", "free", "fifo")]
)
def test_what_lies_in_a_file_is_read_as_it_was(words: tuple[str, str, str]) -> None:
    system = build_system(parse(words[0])[0], words[1], relax=words[2])
    plain = engine.judge(system, chosen(system))
    with tiny():
        search = explored(system)
        assert search.tables.layering.shown and search.known.start > 0
        assert search._row_space.in_file > 8 * search.words * search.count // 2
        assert differences(engine.judge(system, chosen(system)), plain) == []


def test_the_runs_are_counted_and_the_states_found_again_level_by_level() -> None:
    system = build_system(parse("complete:3")[0], "transfer,b=1,s=1")
    options = SearchOptions(interleavings=True)
    wanted = engine.judge(system, chosen(system), options).counts
    with tiny():
        assert engine.judge(system, chosen(system), options).counts == wanted
        search = explored(system)
        for depth in range(search.depth):
            targets = [t for edges in search.edges(search.level(depth)) for t in edges.target.tolist()]
            assert set(targets) == set(search.level(depth + 1))


def test_where_transitions_go_back_nothing_is_forgotten() -> None:
    for words in (("ring:3", "token", ""), ("ring:3", "diffusing", ""), ("ring:3", "transfer", "crash:1")):
        system = build_system(parse(words[0])[0], words[1], relax=words[2])
        with tiny():
            search = explored(system)
            assert not search.forgets and search.known == range(search.count)
            assert search._row_space.in_file == 0


def test_a_contradiction_that_is_met_late_brings_everything_back() -> None:
    system = build_system(parse("complete:3")[0], "transfer")
    wanted = engine.judge(system, chosen(system))
    shown = Layering.transition

    def doubt(self: Layering, machine: int, before: int, after: int) -> None:
        shown(self, machine, before, after)
        self.shown &= sum(map(len, self._actions)) < 100

    with tiny() as patch:
        patch.setattr(Layering, "transition", doubt)
        search = explored(system)
        assert not search.forgets and search._row_space.in_file > 0
        assert search.known == range(search.count)
        assert differences(engine.judge(system, chosen(system)), wanted) == []


def test_a_disk_that_fills_costs_a_warning_and_no_state(capfd: pytest.CaptureFixture[str]) -> None:
    system = build_system(parse("complete:3")[0], "transfer")
    wanted = engine.judge(system, chosen(system))
    left = [40_000]

    def full(file: int, part: memoryview, at: int) -> int:
        if left[0] <= 0:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        left[0] -= (written := write(file, part[:4096], at))
        return written

    write = os.pwrite
    with tiny() as patch:
        patch.setattr(os, "pwrite", full)
        found = engine.judge(system, chosen(system))
    assert differences(found, wanted) == []
    said = capfd.readouterr().err
    assert said.count("No space left on device") == said.count("they stay in memory") == 1


def test_a_search_kept_half_way_is_gone_on_with(tmp_path: object) -> None:
    system = build_system(parse("complete:3")[0], "transfer")
    wanted = engine.judge(system, chosen(system))
    options = SearchOptions(checkpoint=str(tmp_path))
    with tiny():
        cut = engine.judge(system, chosen(system), SearchOptions(checkpoint=str(tmp_path), max_depth=8))
        assert cut.reason is not None
        assert differences(engine.judge(system, chosen(system), options), wanted) == []


def test_words_are_the_same_in_memory_in_a_file_brought_back_and_released() -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(address_space, "PIECE", 4096)
        space, wanted = Space(), np.arange(10_000, dtype=np.uint64)
        words = space.words(len(wanted))
        words[:] = wanted
        space.drop(1024)
        space.to_file(6000)
        assert 8 * 5600 < space.in_file <= 8 * 6000 and space.in_memory(6000) == 8 * 6000 - space.in_file
        for low, high in ((1024, 2000), (3000, 9000), (2000, 10_000)):
            assert (words[1024:] == wanted[1024:]).all()
            space.bring(low, high)
            assert (words[1024:] == wanted[1024:]).all()
        space.release()
        space.to_file(10_000)
        assert (space.words(20_000)[1024:10_000] == wanted[1024:]).all()
