"""A search that is cut off, wherever that happens, still measures distances rightly."""

import pytest

from checker.check import check
from checker.engines.search_options import SearchOptions, StopCondition
from checker.judging.breadth_first import explore, shortest


@pytest.mark.parametrize("most", range(1, 60))
def test_cut_off_anywhere(most: int) -> None:
    """The witnesses of a bounded search are shortest runs, also where they end beyond the last level expanded."""
    whole = check("ring:2", protocol="late-marker", engine="reference")
    part = check("ring:2", protocol="late-marker", engine="reference", options=SearchOptions(max_states=most))
    lengths = {w.property: len(w.trace) for w in whole.witnesses}
    for witness in part.witnesses:
        assert len(witness.trace) == lengths[witness.property]


def test_beyond_the_last_level() -> None:
    """A node found just before the bound was met is one action further than the level in hand."""
    stop_condition = StopCondition(SearchOptions(max_states=4))
    graph = explore([0], lambda n: (2 * n + 1, 2 * n + 2), stop_condition)
    assert graph.nodes == [0, 1, 2, 3, 4]
    assert [graph.depth_of(n) for n in range(5)] == [0, 1, 1, 2, 2]
    assert shortest(graph, lambda n: [0, 0], {4}) == [(0, 0), (1, 1)]
