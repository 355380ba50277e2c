"""No kernel writes beyond an array, however many questions one state raises.

`make test-bounds` runs the whole of this folder with numba's bounds checks on; what is here would pass them by chance.
"""

from __future__ import annotations

import numpy as np
import pytest

from checker.engines.native import engine
from checker.engines.native.kernels import successors
from checker.engines.native.search.levels import Search
from checker.engines.native.search.visited_set import TAIL, Batch, StateSet, find, hash_all, insert
from checker.engines.native.tables.arrays import Words
from checker.engines.reference import engine as reference
from checker.engines.search_options import SearchOptions, StopCondition
from checker.judging.local_predicates import LocalPredicates
from checker.topologies import parse
from model.catalogue import build_system
from model.properties import chosen
from tests.engines.native.agreement import differences

FEW = 3
CANARY = -7

SYSTEMS = {
    "together": ("ring:6", "transfer,b=1,s=1", "simultaneous", ""),
    "single": ("complete:3", "transfer,b=1,s=1", "marker", ""),
    "several at once": ("complete:3", "transfer,b=1,s=1,atomic=joint", "marker", ""),
    "faults": ("ring:3", "transfer,b=1,s=1", "marker", "loss:1,crash:1"),
}


@pytest.mark.ci
@pytest.mark.parametrize("name", SYSTEMS)
def test_a_full_list_of_misses_takes_no_more_and_the_search_goes_on(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    made = successors.room
    rooms = []

    def guarded(*sizes: int) -> successors.Successors:
        memory = np.full((64, 5), CANARY, np.int64)
        rooms.append(memory)
        return made(*sizes)._replace(misses=memory[:FEW])

    monkeypatch.setattr("checker.engines.native.search.expander.room", guarded)
    topology, program, protocol, relax = SYSTEMS[name]
    system = build_system(parse(topology)[0], program, protocol, relax=relax)
    properties = chosen(system)
    assert not differences(engine.judge(system, properties), reference.judge(system, properties))
    assert rooms and all((memory[FEW:] == CANARY).all() for memory in rooms)
    assert any((memory[:FEW] != CANARY).all() for memory in rooms)


def test_six_hundred_machines_that_turn_red_together_are_explored() -> None:
    system = build_system(parse("ring:600")[0], "transfer", "simultaneous")
    search = Search(system, LocalPredicates(system, []), StopCondition(SearchOptions(max_states=5)))
    assert list(search.explore()) == [0, 1]
    assert search.count == 1 + 600 + 1  # a send of each machine, and all turning red; then the bound is reached


def test_probing_goes_round_where_the_last_slots_are_taken() -> None:
    places = 8
    candidates = np.arange(256, dtype=np.uint64).reshape(-1, 1)
    hashes = np.empty(len(candidates), np.uint64)
    hash_all(candidates, 0, len(candidates), hashes)
    late = candidates[hashes * np.uint64(places) >> np.uint64(32) == places - 1][:4].copy()
    table = np.zeros(places + TAIL, np.uint64)
    table[places - 1 :] = 1  # as if row 0, of hash 0, had taken them all
    rows: Words = np.zeros((8, 1), np.uint64)
    rows[0] = 1 << 20
    count, _ = insert(StateSet(table, rows), 1, Batch(late, 0, 4, hashes), 0)
    found = np.empty(4, np.int64)
    find(StateSet(table, rows), Batch(late, 0, 4, hashes), found)
    assert count == 5 and found.tolist() == [1, 2, 3, 4] and np.count_nonzero(table[:places]) == 5
