"""Recovery lines and useless checkpoints, found in two ways each, against brute force over all sets of checkpoints."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from hypothesis import given
from hypothesis import strategies as st

from model.recovery.line import by_graph, by_propagation, failed, useless
from model.recovery.pattern import Line, Passed, Pattern


@st.composite
def patterns(draw: st.DrawFn) -> Pattern:
    """Any pattern: also those that no run has, which the definitions do not exclude."""
    last = tuple(draw(st.lists(st.integers(0, 3), min_size=1, max_size=3)))
    interval = st.integers(0, len(last) - 1).flatmap(lambda m: st.tuples(st.just(m), st.integers(0, last[m])))
    message = st.tuples(interval, interval, st.booleans())
    messages = [Passed(*a, b[0], b[1] if arrived else None) for a, b, arrived in draw(st.lists(message, max_size=7))]
    return Pattern(last, tuple(messages), draw(st.booleans()))


def consistent(pattern: Pattern, start: Line) -> list[Line]:
    """All consistent global checkpoints up to `start`: accepted is sent; without a log, sent is accepted."""
    found = []
    for line in product(*(range(most + 1) for most in start)):
        pairs = [
            (m.sent < line[m.source], m.accepted is not None and m.accepted < line[m.destination])
            for m in pattern.messages
        ]
        if all(sent or not accepted for sent, accepted in pairs) and (
            pattern.logged or all(accepted or not sent for sent, accepted in pairs)
        ):
            found.append(line)
    return found


def z_paths(pattern: Pattern, machine: int, x: int) -> Iterator[tuple[int, int]]:
    """Where each Z-path from checkpoint (machine, x) ends, by definition: (machine, interval)."""
    waiting = [[m] for m in pattern.messages if m.source == machine and m.sent >= x and m.accepted is not None]
    while waiting:
        path = waiting.pop()
        end = path[-1]
        assert end.accepted is not None
        yield end.destination, end.accepted
        waiting += [
            [*path, m]
            for m in pattern.messages
            if m not in path and m.accepted is not None and m.source == end.destination and m.sent >= end.accepted
        ]


@given(patterns(), st.integers(1, 7))
def test_both_ways_give_the_latest_consistent_global_checkpoint(pattern: Pattern, down: int) -> None:
    start = failed(pattern, [m for m in range(len(pattern.last)) if down >> m & 1])
    every = consistent(pattern, start)
    latest = tuple(map(max, zip(*every, strict=True)))
    assert latest in every  # they are a lattice
    assert by_propagation(pattern, start) == by_graph(pattern, start) == latest
    assert pattern.consistent(latest)


@given(patterns())
def test_a_failure_of_all_goes_back_furthest(pattern: Pattern) -> None:
    everyone = by_graph(pattern, failed(pattern, range(len(pattern.last))))
    for machine in range(len(pattern.last)):
        assert all(map(int.__le__, everyone, by_graph(pattern, failed(pattern, [machine]))))


@given(patterns())
def test_useless_checkpoints_are_those_on_z_cycles_and_in_no_consistent_global_checkpoint(pattern: Pattern) -> None:
    pattern = pattern._replace(logged=True)
    found = set(useless(pattern))
    every = consistent(pattern, failed(pattern, ()))
    for machine, last in enumerate(pattern.last):
        for x in range(1, last + 1):
            on_cycle = any(m == machine and y < x for m, y in z_paths(pattern, machine, x))
            in_none = all(line[machine] != x for line in every)
            assert ((machine, x) in found) == on_cycle == in_none


def test_the_domino_effect_of_the_textbooks() -> None:
    # Randell 1975: each machine that goes back makes an orphan of what the other accepted before its own checkpoint.
    falling = (Passed(0, 2, 1, 1), Passed(1, 1, 0, 1), Passed(0, 1, 1, 0), Passed(1, 0, 0, 0))
    for kept, line in enumerate([(2, 2), (2, 1), (1, 1), (1, 0), (0, 0)]):
        assert by_graph(Pattern((2, 2), falling[:kept]), (2, 2)) == line
        assert by_propagation(Pattern((2, 2), falling[:kept]), (2, 2)) == line
    assert useless(Pattern((2, 2), falling)) == [(0, 1), (0, 2), (1, 1)]
