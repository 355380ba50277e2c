"""The causal chain: happened-before, computed a second way by vector clocks."""

from __future__ import annotations

from hypothesis import given, settings

from checker import check
from checker.report.causes import causes, ends, past, render_chain
from checker.report.run import Run
from checker.report.text import plain
from model.trace import Trace
from tests.report.test_runs import runs


def clocks(run: Run) -> list[frozenset[int]]:
    """Per event all events that happened before it or are it, carried along by machines and messages."""
    machine: dict[int, frozenset[int]] = {}
    message: dict[int, frozenset[int]] = {}
    found = []
    for number, event in enumerate(run.trace.events):
        known = frozenset([number])
        for move in event.moves:
            known |= machine.get(move.machine, frozenset())
        for lifeline in run.follower.taken[number]:
            known |= message.get(lifeline, frozenset())
        for lifeline in run.follower.sent[number]:
            original = run.lifelines[lifeline].original
            if original is not None:
                known |= message.get(original, frozenset())
        for move in event.moves:
            machine[move.machine] = known
        for lifeline in run.follower.sent[number]:
            message[lifeline] = known
        found.append(known)
    return found


@settings(max_examples=100, deadline=None)
@given(runs())
def test_the_past_is_happened_before(trace: Trace) -> None:
    run = Run(trace)
    direct = causes(run)
    for number, known in enumerate(clocks(run)):
        assert past(direct, [number]) == sorted(known)


def test_the_chain_of_a_counterexample() -> None:
    found = check("complete:3", "kuper", relax="fifo", properties=["no-red-in-white"]).counterexample
    assert found is not None and ends(found, len(found.trace)) == [6]
    text = plain(render_chain(found))
    assert "6, 5 (I)" in text and "3 (marker)" in text
