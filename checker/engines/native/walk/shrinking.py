"""What one run breaks, and the run made locally minimal: without any one of its events it no longer breaks it."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

from checker.judging.reachability import CutOff, SearchedReachability
from checker.judging.rejudge import RunJudge
from model.action import Event
from model.property import Property, Reason
from model.system import System

MOST_UNDERLYING = 20_000
"""Underlying states searched for `reachable`; where there are more, that claim is left undecided."""


@dataclass(frozen=True, slots=True)
class Breach:
    """A run that breaks a claim with its last event, and why."""

    events: tuple[Event, ...]
    reason: Reason


def breach(system: System, claim: Property, events: Sequence[Event]) -> tuple[Breach | None, bool]:
    """The shortest prefix of the run that breaks the claim, if one does; and whether a snapshot completed before.

    What takes a search for reachability is asked where a snapshot first completes, and where the run ends.
    """
    oracle = system.remember("reachability of random runs", lambda: SearchedReachability(system, MOST_UNDERLYING))
    judge = RunJudge(system, claim, oracle)
    for number in range(len(events) + 1):
        if number:
            judge.follow(events[number - 1])
        try:
            reason = judge.broken(number == len(events), every=False)
        except CutOff:
            reason = None
        if reason is not None:
            return Breach(tuple(events[:number]), reason), bool(judge.completed)
    return None, bool(judge.completed)


def shrink(system: System, claim: Property, found: Breach) -> Breach:
    """A breach from which no event can be taken away (with those that then cannot happen), the rest in their order."""
    size = max(1, len(found.events) // 2)
    at = 0
    while True:
        shorter = _replayed(system, [*found.events[:at], *found.events[at + size :]])
        better = breach(system, claim, shorter)[0] if len(shorter) < len(found.events) else None
        if better is not None:
            found, at = better, 0 if size == 1 else at
        else:
            at += size
        if at >= len(found.events):
            if size == 1:
                return found
            size, at = size // 2, 0


def _replayed(system: System, wanted: Sequence[Event]) -> list[Event]:
    """The same events one after another, each found again among those enabled, or left out where it is not."""
    (state,) = system.initial_states()
    events = []
    for one in wanted:
        event = next((e for e in system.events(state) if _likeness(e) == _likeness(one)), None)
        if event is not None:
            events.append(event)
            state = system.step(state, event)
    return events


def _likeness(event: Event) -> Hashable:
    """What stays the same of an event when others before it are left out."""
    moves = tuple(
        (m.machine, tuple((a.channel, a.message._replace(red=0)) for a in m.accepts), tuple(c for c, _ in m.sends))
        for m in event.moves
    )
    fault = event.fault
    struck = None if fault is None else (fault.kind, fault.channel, fault.message)
    return event.actor, event.name, moves, struck
