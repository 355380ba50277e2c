"""Several threads give the verdict of one, to the last event and in the same order of rows."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings

from checker.bounds import Bounds, Clock
from checker.native import engine, team
from checker.native.facts import Facts
from checker.native.search import Search
from checker.topologies import parse
from model.catalogue import build_system
from model.properties import chosen
from model.system import System
from tests.native.agreement import differences
from tests.native.test_random_systems import SYSTEMS, small


def explored(system: System, workers: int) -> Search:
    search = Search(system, Facts(system, []), Clock(Bounds(workers=workers)))
    for _ in search.explore():
        pass
    return search


@pytest.mark.parametrize("workers", [2, 3])
def test_rows_are_numbered_as_by_one_thread(workers: int, monkeypatch: pytest.MonkeyPatch) -> None:
    # Few sources a round: many rounds, many chances for threads to meet.
    monkeypatch.setattr(team, "SOURCES", 256)
    system = build_system(parse("biring:4")[0], "transfer")
    one, several = explored(system, 1), explored(system, workers)
    assert (several.count, several.transitions, several.depth) == (414435, 1846196, 17)
    assert several.levels == one.levels
    # Ids may differ, since the tables are filled in another order; the states they stand for may not.
    assert all(several.state(number) == one.state(number) for number in range(0, one.count, 97))
    assert np.array_equal(several.quiet_rows(), one.quiet_rows())


@settings(max_examples=25)
@given(SYSTEMS)
def test_two_threads_agree_with_one_on_random_systems(system: System) -> None:
    assume(small(system))
    properties = chosen(system)
    one, two = (engine.judge(system, properties, Bounds(workers=n)) for n in (1, 2))
    assert differences(two, one) == []
