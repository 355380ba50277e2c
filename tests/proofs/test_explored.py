"""What theorems 6 and 7 prove for every N holds in every state that the explorer reaches, and fails where they do.

Each run of a manifest system is projected into the theory's vocabulary: colours, queues of white, marker and red items,
which channels are marked and closed, and the strings sent white, accepted white and recorded. The strings are history,
so the search is over (state, history) pairs.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import pytest

from model.action import Event, Message
from model.channels import Fifo
from model.recording import Recording
from model.system import State, System
from model.values import Value
from proofs.invariants import INVARIANTS, MARKER, RED, WHITE, ChannelView, History, View, complete, violations
from tests.manifest import Entry, entries

MARKER_ENTRIES = [entry for entry in entries() if entry.protocol.split(",")[0] == "marker"]
UNDER_FIFO = [entry for entry in MARKER_ENTRIES if not entry.relax]
CROSSED = [
    entry
    for entry in entries()
    if "no-red-in-white" in entry.violated
    and entry.protocol.split(",")[0] in ("marker", "late-marker", "late-record", "missing-marker")
]


class Past(NamedTuple):
    """One channel's past: payloads sent and accepted by white actions, and whether its marker was put on it.

    What was accepted in the order in which it was sent is left out of both: the invariants speak of what remains, and
    a past so short is nearly a function of the state.
    """

    sent: tuple[Value, ...] = ()
    accepted: tuple[Value, ...] = ()
    marked: bool = False

    def shortened(self) -> Past:
        """The past without what was first sent and first accepted, as long as these are equal."""
        same = 0
        while self.sent[same : same + 1] and self.sent[same : same + 1] == self.accepted[same : same + 1]:
            same += 1
        return self._replace(sent=self.sent[same:], accepted=self.accepted[same:])


Node = tuple[State, tuple[Past, ...]]


def after(past: tuple[Past, ...], event: Event) -> tuple[Past, ...]:
    """The past after the event."""
    now = list(past)
    for move in event.moves:
        white = not move.acting & 1
        for channel, _, message in move.accepts:
            if white and not message.control:
                now[channel] = now[channel]._replace(accepted=(*now[channel].accepted, message.payload))
        for channel, message in move.sends:
            if message.control:
                now[channel] = now[channel]._replace(marked=True)
            elif white:
                now[channel] = now[channel]._replace(sent=(*now[channel].sent, message.payload))
    return tuple(past.shortened() for past in now)


def kind(message: Message) -> str:
    return MARKER if message.control else RED if message.red & 1 else WHITE


def view(system: System, node: Node) -> View:
    """The state in the theory's vocabulary."""
    state, pasts = node
    channels = []
    for number, ((source, destination), content, past) in enumerate(
        zip(system.channels, state.channels, pasts, strict=True)
    ):
        local = state.machines[destination]
        recorded: tuple[Value, ...] = ()
        if isinstance(local.memory, Recording):
            recorded = local.memory.channels[system.topology.inputs[destination].index(number)]
        queue = tuple(kind(message) for message in content)
        waiting = tuple(message.payload for message in content if kind(message) == WHITE)
        closed = system.protocol.closed(destination, local, number)
        history = History(past.sent, past.accepted, recorded, waiting)
        channels.append(ChannelView(source, destination, queue, past.marked, closed, history))
    return View(tuple(bool(local.red & 1) for local in state.machines), tuple(channels))


def runs(system: System) -> Iterator[Node]:
    """Every reachable state with every past it can have."""
    start: list[Node] = []
    for state in system.initial_states():
        sent = (tuple(m.payload for m in content if not m.control) for content in state.channels)
        start.append((state, tuple(map(Past, sent))))
    seen, waiting = set(start), start
    while waiting:
        state, past = node = waiting.pop()
        yield node
        for event in system.events(state):
            succ = (system.step(state, event), after(past, event))
            if succ not in seen:
                seen.add(succ)
                waiting.append(succ)


@pytest.mark.parametrize("entry", UNDER_FIFO, ids=str)
def test_the_proved_invariants_hold_in_every_explored_state(entry: Entry) -> None:
    system = entry.system()
    states, completed = set(), False
    for node in runs(system):
        states.add(node[0])
        seen = view(system, node)
        assert violations(seen) == (), node
        assert complete(seen) == system.complete(node[0])
        completed = completed or complete(seen)
    assert len(states) == entry.states
    assert completed == ("completes" not in entry.violated)


def test_every_premise_is_met_somewhere() -> None:
    """The views are not so poor that the invariants speak of nothing: each kind of item, mark and record occurs."""
    system = next(entry for entry in UNDER_FIFO if str(entry).startswith("ring:3 transfer,b=1,s=1 marker")).system()
    channels = [channel for node in runs(system) for channel in view(system, node).channels]
    assert {item for channel in channels for item in channel.queue} == {WHITE, MARKER, RED}
    assert any(channel.marked and not channel.closed for channel in channels)
    assert any(channel.history and channel.history.recorded for channel in channels)
    assert any(channel.history and channel.history.sent_white for channel in channels)


@pytest.mark.parametrize("entry", CROSSED, ids=str)
def test_where_a_white_action_accepts_red_the_theory_says_so(entry: Entry) -> None:
    """Theorem 6 read backwards: the condition is broken, so FIFO is, or an invariant that implies the condition."""
    system = entry.system()
    broken = {name for node in runs(system) for name, _ in violations(view(system, node))}
    assert "early is white" in broken
    if type(system.assumptions.discipline) is Fifo:
        assert broken & {invariant.name for invariant in INVARIANTS if invariant.theorem == 6}


@pytest.mark.parametrize("topology", ["ring:3", "biring:2"])
def test_a_lazy_marker_breaks_only_what_says_that_it_goes_out_at_once(topology: str) -> None:
    entry = next(e for e in entries() if e.topology == topology and e.protocol == "lazy-marker")
    system = entry.system()
    broken = {name for node in runs(system) for name, _ in violations(view(system, node))}
    assert broken == {"marker at once"}
