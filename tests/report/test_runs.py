"""Lifelines, exchanges and explanations on random runs of systems of every kind."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from checker.report.exchange import colour_of, exchange
from checker.report.lifelines import Follower, lifelines
from checker.report.run import Run
from model.catalogue import build_system
from model.families import parse_family
from model.program import Underlying
from model.system import System
from model.trace import Trace, event_json, replay

SYSTEMS = [
    ("ring:3", "transfer,b=2,s=2", "marker", "0", ""),
    ("complete:3", "free,s=2", "marker", "any", ""),
    ("complete:3", "transfer", "marker", "0", "fifo"),
    ("biring:3", "free,s=3", "marker", "0,2", "overtake:1"),
    ("edges:0>1,0>1,1>0", "transfer,b=2,s=3", "marker", "0", "fifo"),
    ("ring:2", "transfer,b=2,s=2", "marker", "0", "loss:2,duplication:2,crash:1"),
    ("ring:3", "free,s=2", "marker", "0", "fifo,duplication:2,marker-loss:1"),
    ("complete:3", "transfer,atomic=joint", "marker,mixed=true", "any", ""),
    ("complete:3", "kuper", "marker", "0", ""),
    ("ring:3", "transfer,b=2,s=2", "late-marker", "0", ""),
    ("ring:3", "token", "magic,guard=false", "0", "fifo"),
    ("complete:3", "diffusing,s=2", "simultaneous", "any", ""),
]


def system(words: tuple[str, str, str, str, str]) -> System:
    topology, program, protocol, initiators, relax = words
    return build_system(parse_family(topology), program, protocol, initiators, relax)


@st.composite
def runs(draw: st.DrawFn, among: list[tuple[str, str, str, str, str]] = SYSTEMS) -> Trace:
    """A random run of a random system, until nothing can happen or long enough."""
    chosen = system(draw(st.sampled_from(among)))
    (initial,) = chosen.initial_states()
    state, events = initial, []
    for _ in range(draw(st.integers(0, 40))):
        enabled = list(chosen.events(state))
        if not enabled:
            break
        events.append(enabled[draw(st.integers(0, len(enabled) - 1))])
        state = chosen.step(state, events[-1])
    return Trace(chosen, initial, tuple(events))


@settings(max_examples=150, deadline=None)
@given(runs())
def test_journeys_account_for_every_message(trace: Trace) -> None:
    """What is accepted, sent, lost and left over at the end is just what the lifelines say."""
    found = lifelines(trace)
    follower = Follower(trace)
    for number, event in enumerate(trace.events):
        accepted = [(a.channel, a.message) for move in event.moves for a in move.accepts]
        ended = [found[j] for j in follower.taken[number]]
        if event.fault is None:
            assert [(j.channel, j.message) for j in ended] == accepted
            assert all(j.accepted == number for j in ended)
            assert [(found[j].channel, found[j].message) for j in follower.sent[number]] == [
                sent for move in event.moves for sent in move.sends
            ]
        elif event.fault.kind.endswith("loss"):
            assert [j.lost for j in ended] == [number]
            assert ended[0].message == event.fault.message
        elif event.fault.kind.endswith("duplication"):
            (copy,) = (found[j] for j in follower.sent[number])
            assert copy.copied == number and copy.message == event.fault.message
            assert copy.original is not None and found[copy.original].sent == copy.sent
    for channel, content in enumerate(trace.states()[-1].channels):
        left = [j.message for j in found if j.channel == channel and j.ended is None]
        assert sorted(left, key=repr) == sorted(content, key=repr)


@settings(max_examples=100, deadline=None)
@given(runs())
def test_no_message_arrives_before_it_is_sent(trace: Trace) -> None:
    for lifeline in lifelines(trace):
        if lifeline.sent is not None and lifeline.ended is not None:
            assert lifeline.sent < lifeline.ended
        if lifeline.copied is not None and lifeline.ended is not None:
            assert lifeline.copied < lifeline.ended


FIFO = [words for words in SYSTEMS if words[4] == "" and words[2].startswith("marker")]


@settings(max_examples=100, deadline=None)
@given(runs(FIFO))
def test_first_in_first_out(trace: Trace) -> None:
    """On FIFO channels no message is accepted before one sent earlier on its channel."""
    found = [j for j in lifelines(trace) if j.accepted is not None]
    for earlier in found:
        for later in found:
            if earlier.channel == later.channel and (earlier.sent or 0) < (later.sent or 0):
                assert (earlier.accepted or 0) < (later.accepted or 0)


@settings(max_examples=150, deadline=None)
@given(runs())
def test_exchanges_lead_one_by_one_to_whites_first(trace: Trace) -> None:
    exchanged = exchange(trace)
    stages = exchanged.stages()
    colour = dict(zip(exchanged.order, exchanged.red, strict=True))
    assert stages[0] == exchanged.order and stages[-1] == exchanged.reordered

    def inversions(order: tuple[int, ...]) -> int:
        return sum(colour[a] and not colour[b] for i, a in enumerate(order) for b in order[i + 1 :])

    assert [inversions(stage) for stage in stages] == list(range(exchanged.inversions, -1, -1))
    for before, after in pairwise(stages):
        changed = [i for i in range(len(before)) if before[i] != after[i]]
        assert len(changed) == 2 and changed[1] == changed[0] + 1
    assert all((colour_of(trace.events[n]) is True) == red for n, red in colour.items())


@settings(max_examples=150, deadline=None)
@given(runs(FIFO))
def test_with_markers_on_fifo_channels_the_reordered_run_is_a_run(trace: Trace) -> None:
    """EWD864a's theorem, on random runs: it can be run, ends where the run ends, and passes through SSS."""
    exchanged = exchange(trace)
    assert exchanged.fails is None
    assert exchanged.states[-1] == trace.system.project(trace.states()[-1])
    run = Run(trace)
    if run.sss is not None:
        assert exchanged.between is not None
        assert trace.system.view(exchanged.between) == run.sss


@settings(max_examples=100, deadline=None)
@given(runs())
def test_where_the_reordered_run_fails_a_white_action_needs_a_red_one(trace: Trace) -> None:
    """Without faults that copy, it fails just where a white action accepts a red message; and then says which."""
    exchanged = exchange(trace)
    run = Run(trace)
    if not run.cut.displaced:
        assert (exchanged.fails is None) == (not run.backward())
    if exchanged.fails is not None:
        assert exchanged.why and exchanged.states == exchanged.states[: exchanged.fails + 1]
    if exchanged.fails is None and run.cut.start is not None and all(run.recorded):
        white = Underlying(run.cut.machines, tuple(map(trace.system.normal, run.cut.channels)))
        assert exchanged.between == white


@settings(max_examples=50, deadline=None)
@given(runs())
def test_a_recorded_trace_replays(trace: Trace) -> None:
    again = replay(trace.system, [event_json(trace.system, event) for event in trace.events])
    assert again.states() == trace.states()


@pytest.mark.parametrize("words", SYSTEMS, ids=[" ".join(words) for words in SYSTEMS])
def test_every_system_has_events(words: tuple[str, str, str, str, str]) -> None:
    chosen = system(words)
    assert list(chosen.events(chosen.initial_states()[0]))
