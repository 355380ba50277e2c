"""How far rows are from a set of rows: as breadth-first search backwards over the same transitions finds it."""

from __future__ import annotations

import numpy as np
import pytest

from checker.engines.native.search.levels import Search
from checker.engines.search_options import SearchOptions, StopCondition
from checker.judging.local_predicates import LocalPredicates
from checker.judging.target_distance import FAR, actions_to
from checker.topologies import parse
from model.catalogue import build_system


@pytest.mark.parametrize(
    ("program", "options"),
    [("transfer", SearchOptions()), ("token", SearchOptions(300)), ("token", SearchOptions(max_depth=7))],
)
def test_distances_are_those_of_a_search_backwards(program: str, options: SearchOptions) -> None:
    system = build_system(parse("ring:3")[0], program, "late-marker", relax="fifo")
    search = Search(system, LocalPredicates(system, []), StopCondition(options))
    for _ in search.explore():
        pass
    assert search.layered == (program == "transfer")
    goals = list(range(search.count // 3, search.count, 7))
    into: dict[int, set[int]] = {}
    for source in range(search.expanded):
        for target in search.successors(source):
            into.setdefault(target, set()).add(source)
    wanted = dict.fromkeys(goals, 0)
    layer, distance = goals, 0
    while layer:
        distance += 1
        layer = sorted({source for target in layer for source in into.get(target, ())} - wanted.keys())
        wanted.update(dict.fromkeys(layer, distance))
    found = actions_to(search, np.array(goals, np.int64))
    assert found.tolist() == [*(wanted.get(row, FAR) for row in range(search.count)), FAR]
    assert len(set(found.tolist())) > 3
