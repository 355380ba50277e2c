"""Dijkstra's exchange argument on one run: red actions that precede white ones are moved behind them, one by one.

EWD864a: where a red action is immediately followed by a white one, the two can be exchanged, provided the white one
does not accept what the red one sent; after finitely many exchanges all white actions come first, and the state
between the white and the red ones is SSS. Here each exchange is named, and the reordered run is replayed step by step
in the underlying computation, so that where it is no run one sees at which action, and why.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from checker.report.lifelines import Follower, Waiting, arranged
from model.action import Event, Message
from model.channels import without
from model.program import Underlying
from model.system import State, System
from model.trace import Trace
from model.values import show, to_json


@dataclass(frozen=True, slots=True)
class Exchanged:
    """A run and its reordering; `order` and `reordered` hold indices into the trace's events, underlying ones only.

    red: the colour of each event of `order`. exchanges: positions i, each meaning that the events at i and i + 1 (a red
    one and a white one) change places; as many as there are inversions (pairs of a red event before a white one).
    states: the underlying states of the reordered run, from its start on, as far as it can be run. fails: None, or the
    index into `reordered` of the first event that cannot happen there, with `why` in words. between: the state after
    the white events, None if the run fails before.
    """

    snapshot: int
    order: tuple[int, ...]
    red: tuple[bool, ...]
    exchanges: tuple[int, ...]
    reordered: tuple[int, ...]
    states: tuple[Underlying, ...]
    between: Underlying | None
    fails: int | None = None
    why: str | None = None

    @property
    def inversions(self) -> int:
        """How many pairs of a red event before a white one the run has."""
        return len(self.exchanges)

    def stages(self) -> list[tuple[int, ...]]:
        """The orders from the run itself to the reordered one, one exchange apart."""
        stages = [self.order]
        for i in self.exchanges:
            last = stages[-1]
            stages.append((*last[:i], last[i + 1], last[i], *last[i + 2 :]))
        return stages

    def to_json(self) -> dict[str, Any]:
        """As JSON data; actions are counted from 1, as people count them."""
        return {
            "inversions": self.inversions,
            "run": [n + 1 for n in self.order],
            "reordered": [n + 1 for n in self.reordered],
            "white_actions": self.red.count(False),
            "exchanges": [[stage[i] + 1, stage[i + 1] + 1] for i, stage in zip(self.exchanges, self.stages())],  # noqa: B905 - one more stage than exchanges
            "fails_at": None if self.fails is None else self.reordered[self.fails] + 1,
            "why": self.why,
            "between": None if self.between is None else to_json(self.between),
        }


def exchange(trace: Trace, snapshot: int = 0) -> Exchanged:
    """The run with its white actions first, and how to come to it by exchanges of neighbours."""
    follower = Follower(trace)
    order, red = [], []
    for number, event in enumerate(trace.events):
        colour = colour_of(event, snapshot)
        if colour is not None:
            order.append(number)
            red.append(colour)
    exchanges = _exchanges(red)
    reordered = tuple(n for n, r in zip(order, red, strict=True) if not r) + tuple(
        n for n, r in zip(order, red, strict=True) if r
    )
    states, fails, why = _rerun(trace, follower, reordered)
    whites = red.count(False)
    between = states[whites] if len(states) > whites else None
    return Exchanged(
        snapshot, tuple(order), tuple(red), exchanges, reordered, tuple(states), between, fails=fails, why=why
    )


def colour_of(event: Event, snapshot: int = 0) -> bool | None:
    """Whether an event of the underlying computation is red; None for one that is none of it.

    A fault is as red as the message that it strikes; markers and other messages of the protocol are none of it.
    """
    if event.fault is not None:
        message = event.fault.message
        return None if message is None or message.control else bool(message.red >> snapshot & 1)
    acting = [move.acting for move in event.moves if move.step.action is not None]
    return bool(acting[0] >> snapshot & 1) if acting else None


def _exchanges(red: Sequence[bool]) -> tuple[int, ...]:
    """Each white event in turn goes forward over the red ones before it, one exchange of neighbours at a time."""
    exchanges: list[int] = []
    whites = 0
    for position, is_red in enumerate(red):
        if not is_red:
            exchanges.extend(range(position - 1, whites - 1, -1))
            whites += 1
    return tuple(exchanges)


def _rerun(
    trace: Trace, follower: Follower, reordered: Sequence[int]
) -> tuple[list[Underlying], int | None, str | None]:
    """The states of the underlying computation along the events in their new order, as far as they can happen."""
    alone = trace.system.alone()
    (state,) = alone.initial_states()
    states = [alone.project(state)]
    waiting: list[Waiting] = [[] for _ in alone.channels]
    for place, number in enumerate(reordered):
        done = _redo(alone, state, waiting, trace.events[number], follower, number)
        if isinstance(done, str):
            return states, place, done
        state = done
        states.append(alone.project(state))
    return states, None, None


def _redo(
    alone: System, state: State, waiting: list[Waiting], event: Event, follower: Follower, number: int
) -> State | str:
    """The state after the event happened here, the very same messages accepted or struck; or why it cannot."""
    positions: dict[int, int] = {}
    for lifeline in _touched(follower, number):
        message = follower.all[lifeline]
        found = [i for i, (_, other) in enumerate(waiting[message.channel]) if other == lifeline]
        if not found:
            sender = "" if message.sent is None else f", which action {message.sent + 1} sends: it comes after it now"
            return f"it accepts {show(message.message.payload)}{sender}"
        positions[message.channel] = found[0]
    for candidate in alone.events(state):
        if _same(state, candidate, event, positions):
            after = alone.step(state, candidate)
            _settle(after, waiting, event, positions, follower, number)
            return after
    return "the message is not at the head of its channel there" if positions else "it is not enabled there"


def _touched(follower: Follower, number: int) -> list[int]:
    """The lifelines of program messages that the event ends or copies."""
    touched = list(follower.taken[number])
    for lifeline in follower.sent[number]:
        original = follower.all[lifeline].original
        if original is not None:
            touched.append(original)
    return [lifeline for lifeline in touched if not follower.all[lifeline].message.control]


def _same(state: State, candidate: Event, event: Event, positions: dict[int, int]) -> bool:
    """Whether the candidate, an event of the computation alone, does here what `event` did in the run."""
    if event.fault is not None or candidate.fault is not None:
        fault, other = event.fault, candidate.fault
        if fault is None or other is None or (fault.kind, fault.channel) != (other.kind, other.channel):
            return False
        taken = {other.channel: other.position}
    else:
        mine = next(move for move in event.moves if move.step.action is not None)
        (move,) = candidate.moves
        if (move.machine, move.step.action) != (mine.machine, mine.step.action):
            return False
        taken = {channel: position for channel, position, _ in move.accepts}
    return all(
        without(state.channels[channel], taken[channel]) == without(state.channels[channel], position)
        for channel, position in positions.items()
    )


def _settle(
    after: State, waiting: list[Waiting], event: Event, positions: dict[int, int], follower: Follower, number: int
) -> None:
    """Bring `waiting` up to date with the state after the event."""
    if event.fault is None or event.fault.kind.endswith("loss"):
        for channel, position in positions.items():
            waiting[channel].pop(position)
    for lifeline in follower.sent[number]:
        message = follower.all[lifeline]
        if not message.message.control:
            waiting[message.channel].append((Message(message.message.payload), lifeline))
    for channel, content in enumerate(after.channels):
        waiting[channel] = arranged(waiting[channel], content)
