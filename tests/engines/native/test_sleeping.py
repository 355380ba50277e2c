"""What the search leaves out leads to states found before: the same states, in the same order, at the same depth."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np
import pytest
from hypothesis import assume, given, settings

from checker.engines.native.kernels.fast_path import successors_of
from checker.engines.native.search.address_space import PIECE
from checker.engines.native.search.levels import Search
from checker.engines.native.tables.arrays import FIFO, Fields, fields
from checker.engines.native.tables.local_tables import Tables
from checker.engines.search_options import SearchOptions, StopCondition
from checker.judging.breadth_first import Graph, explore
from checker.judging.local_predicates import LocalPredicates
from checker.topologies import parse
from model.action import Action
from model.assumptions import Assumptions
from model.catalogue import build_system
from model.program import Program
from model.protocols.marker import Marker
from model.system import State, System
from model.topology import Topology
from model.values import Value
from tests.engines.native.test_random_systems import SYSTEMS, small


def explored(system: System, options: SearchOptions | None = None) -> Search:
    search = Search(system, LocalPredicates(system, []), StopCondition(options or SearchOptions()))
    for _ in search.explore():
        pass
    return search


def in_full(system: System, options: SearchOptions | None = None) -> Graph[State]:
    stop_condition = StopCondition(options or SearchOptions())
    return explore(system.initial_states(), lambda s: (system.step(s, e) for e in system.events(s)), stop_condition)


def assert_nothing_is_lost(system: System, options: SearchOptions | None = None) -> None:
    found, wanted = explored(system, options), in_full(system, options)
    assert [found.state(number) for number in range(found.count)] == wanted.nodes
    assert found.levels == wanted.levels[: len(found.levels)]
    assert options is not None or len(found.levels) == len(wanted.levels)
    assert (found.expanded, found.transitions) == (len(wanted.successors), sum(map(len, wanted.successors)))
    back = any(
        to <= s or wanted.depth_of(to) <= wanted.depth_of(s) for s, ts in enumerate(wanted.successors) for to in ts
    )
    assert found.layered is not back
    if system.assumptions.faults == ():
        quiet = [number for number, successors in enumerate(wanted.successors) if not successors]
        assert found.terminal_states().tolist() == quiet


def made(search: Search) -> tuple[int, int]:
    """How many successors the search made, and how many transitions it counted meanwhile."""
    assert 8 * search.count < PIECE  # so that none was dropped
    made, counted = 0, 0
    for number in range(search.count):
        done, missing, _ = successors_of(
            search.relation(), search.rows, number, number + 1, search.out, search.sleep_sets.words
        )
        assert (done, missing) == (1, 0)
        made += search.out.ends[0]
        counted += search.out.enabled[0]
    return made, counted


@pytest.mark.parametrize(
    "words", [("ring:3", "transfer"), ("complete:3", "transfer,s=1"), ("biring:3", "kuper"), ("ring:4", "token")]
)
def test_every_state_is_found_in_the_same_order_by_fewer_successors(
    words: tuple[str, str],
) -> None:
    system = build_system(parse(words[0])[0], words[1])
    assert_nothing_is_lost(system)
    search = explored(system)
    successors, counted = made(search)
    assert counted == search.transitions
    assert search.count - 1 <= successors < 0.75 * search.transitions


@settings(max_examples=100)
@given(SYSTEMS)
def test_nothing_is_lost_in_random_systems(system: System) -> None:
    assume(small(system))
    assert_nothing_is_lost(system)
    assert_nothing_is_lost(system, SearchOptions(max_states=30))
    assert_nothing_is_lost(system, SearchOptions(max_depth=3))


class Ways(Program):
    """Machine 0 has more ways to act than event counts of 21 machines have room for; 3 and 20 have one each."""

    def initial(self, machine: int) -> Value:
        return 0

    def actions(self, machine: int, state: Value, offered: Mapping[int, Value]) -> Iterator[Action]:
        if not offered and state == 0:
            yield from (Action(f"way {n}", n, {}, {}) for n in range(1, {0: 10, 3: 2, 20: 2}.get(machine, 1)))


def many_ways(machines: int) -> System:
    topology = Topology(machines, ())
    program = Ways(topology)
    return System(topology, program, Marker(topology, program, (0,)), Assumptions())


def test_where_ways_are_too_many_to_be_tallied_nothing_sleeps() -> None:
    assert_nothing_is_lost(many_ways(21))


@pytest.mark.parametrize("machines", [30, 31, 32, 63, 64])
def test_machines_and_channels_up_to_and_beyond_the_bits_of_a_word(machines: int) -> None:
    assert_nothing_is_lost(many_ways(machines))


def test_where_channels_are_not_fifo_to_leave_out_as_much_would_lose_transitions(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    system = build_system(parse("complete:3")[0], "transfer", relax="fifo")
    assert_nothing_is_lost(system)
    wanted = explored(system).transitions
    start = Tables.__init__

    def as_if_fifo(self: Tables, system: System, predicates: LocalPredicates) -> None:
        start(self, system, predicates)
        self.flat.arrays().flags[FIFO] = 1

    monkeypatch.setattr(Tables, "__init__", as_if_fifo)
    assert explored(system).transitions < wanted


def test_states_that_outgrow_two_words_in_mid_search_lose_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    system = build_system(parse("biring:4")[0], "token,hops=4")
    wanted = explored(system)

    def wide(widths: list[int], *_: object) -> tuple[Fields, int]:
        """As `fields`, but a word for every five fields once there are many locals: from one word to three."""
        if max(widths) < 4:
            return fields(widths)
        number = np.arange(len(widths))
        shift = np.array([sum(widths[i // 5 * 5 : i]) for i in range(len(widths))], np.uint64)
        mask = np.array([(1 << width) - 1 for width in widths], np.uint64)
        return Fields(number // 5, shift, mask), len(widths) // 5 + 1

    monkeypatch.setattr("checker.engines.native.search.expander.fields", wide)
    found = explored(system)
    assert found.words == 3 and not len(found.sleep_sets.words) and len(wanted.sleep_sets.words)
    assert (found.count, found.transitions, found.levels) == (wanted.count, wanted.transitions, wanted.levels)
    assert all(found.state(number) == wanted.state(number) for number in range(0, found.count, 7))
