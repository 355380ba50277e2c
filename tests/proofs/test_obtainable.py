"""Which snapshots are recorded by some run: those of the cuts that pass the count, on small systems all of them.

A cut takes of a run the first few actions of each machine. It passes if of no channel more messages were accepted in
it than were sent in it. Its snapshot is the local states after it, and on each channel what was sent and not accepted.
That whatever is recorded passes the count is theorem 23; that whatever passes it is recorded, by each of these
algorithms, is found here by taking all runs and all cuts.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import pytest

from checker.topologies import parse
from model.action import Move
from model.catalogue import build_system
from model.system import State, System, Underlying


def runs(system: System, state: State, so_far: tuple[Move, ...] = ()) -> Iterator[tuple[Move, ...]]:
    """The moves of every run that goes on for as long as it can."""
    events = list(system.events(state))
    if not events:
        yield so_far
    for event in events:
        yield from runs(system, system.step(state, event), (*so_far, *event.moves))


def snapshot(system: System, first: State, cut: tuple[tuple[Move, ...], ...]) -> Underlying | None:
    """The snapshot of a cut, given by the moves of each machine in it; None if it does not pass the count."""
    channels = [[m.payload for m in content] for content in first.channels]
    for moves in cut:
        for channel, message in (sent for move in moves for sent in move.sends):
            channels[channel].append(message.payload)
    for channel in (accepted.channel for moves in cut for move in moves for accepted in move.accepts):
        if not channels[channel]:
            return None
        del channels[channel][0]
    values = (moves[-1].after.state if moves else local.state for moves, local in zip(cut, first.machines, strict=True))
    return Underlying(tuple(values), tuple(map(tuple, channels)))


def cuts(run: tuple[Move, ...], machines: int) -> Iterator[tuple[tuple[Move, ...], ...]]:
    own = [tuple(move for move in run if move.machine == m) for m in range(machines)]
    for lengths in product(*(range(len(moves) + 1) for moves in own)):
        yield tuple(moves[:length] for moves, length in zip(own, lengths, strict=True))


def obtainable(system: System) -> tuple[set[Underlying], int]:
    """The snapshots of all cuts that pass the count; and how many cuts do not."""
    found: set[Underlying] = set()
    failed = 0
    alone = system.alone()
    for first in alone.initial_states():
        for run in set(runs(alone, first)):
            for cut in cuts(run, len(first.machines)):
                passed = snapshot(alone, first, cut)
                failed += passed is None
                found |= {system.view(passed)} if passed is not None else set()
    return found, failed


def recorded(system: System) -> set[Underlying]:
    """The snapshots that some run of the algorithm records."""
    waiting = list(system.initial_states())
    seen = set(waiting)
    while waiting:
        state = waiting.pop()
        after = {system.step(state, event) for event in system.events(state)} - seen
        seen |= after
        waiting += after
    return {system.recorded(state) for state in seen if system.complete(state)}


@pytest.mark.parametrize(
    ("topology", "program"), [("ring:2", "transfer"), ("ring:2", "transfer,b=2,s=2"), ("line:3", "transfer")]
)
@pytest.mark.parametrize("protocol", ["magic", "marker", "laiyang"])
def test_recorded_are_the_snapshots_that_pass_the_count(topology: str, program: str, protocol: str) -> None:
    (network,) = parse(topology)
    system = build_system(network, program, protocol, initiators="any")
    wanted, failed = obtainable(system)
    assert recorded(system) == wanted and len(wanted) > 2 and failed > 0


def test_without_the_condition_others_are_recorded_too() -> None:
    (network,) = parse("ring:2")
    system = build_system(network, "transfer", "magic,guard=false", initiators="any")
    assert recorded(system) - obtainable(system)[0]
