"""What one run breaks, and the run made locally minimal: without any one of its events it no longer breaks it."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

from checker.judging.reachability import CutOff, SearchedReachability
from model.action import Event
from model.cut import Cut, begin, extend_all
from model.property import CompletedSnapshot, Property, Reason
from model.system import State, System

MOST_UNDERLYING = 20_000
"""Underlying states searched for `reachable`; where there are more, that claim is left undecided."""


@dataclass(frozen=True, slots=True)
class Breach:
    """A run that breaks a claim with its last event, and why."""

    events: tuple[Event, ...]
    reason: Reason


def breach(system: System, claim: Property, events: Sequence[Event]) -> tuple[Breach | None, bool]:
    """The shortest prefix of the run that breaks the claim, if one does; and whether a snapshot completed before."""
    (state,) = system.initial_states()
    cuts: list[tuple[Cut, ...]] = [(begin(system, state),) for _ in range(system.protocol.snapshots)]
    completed: set[int] = set()
    for number in range(len(events) + 1):
        if number:
            event = events[number - 1]
            cuts = [extend_all(system, snapshot, own, event, state.channels) for snapshot, own in enumerate(cuts)]
            state = system.step(state, event)
            reason = _of_event(system, claim, event)
            if reason is not None:
                return Breach(tuple(events[:number]), reason), bool(completed)
        last = number == len(events)
        reason = _of_state(system, claim, state, last) or _of_snapshots(system, claim, state, cuts, completed, last)
        if reason is not None:
            return Breach(tuple(events[:number]), reason), bool(completed)
    return None, bool(completed)


def _of_event(system: System, claim: Property, event: Event) -> Reason | None:
    if claim.on_move is None or event.fault is not None:
        return None
    return next(filter(None, (claim.on_move(system, move) for move in event.moves)), None)


def _of_state(system: System, claim: Property, state: State, last: bool) -> Reason | None:
    if claim.on_state is not None:
        reason = claim.on_state(system, state)
        if reason is not None:
            return reason
    missed = last and claim.goal is not None and system.begun(state) and not claim.goal(system, state)
    if missed and not any(event.fault is None for event in system.events(state)):
        return {"kind": "the run ends here, and the goal was not reached"}
    return None


def _of_snapshots(
    system: System, claim: Property, state: State, cuts: list[tuple[Cut, ...]], completed: set[int], last: bool
) -> Reason | None:
    """Judged where a snapshot first completes, and where the run ends."""
    for snapshot in range(system.protocol.snapshots):
        if (snapshot in completed and not last) or not system.complete(state, snapshot):
            continue
        completed.add(snapshot)
        recorded = system.recorded(state, snapshot)
        reason = claim.on_recorded(system, snapshot, recorded) if claim.on_recorded else None
        if reason is None and claim.on_completed is not None:
            reachability = system.remember(
                "reachability of random runs", lambda: SearchedReachability(system, MOST_UNDERLYING)
            )
            try:
                for cut in cuts[snapshot]:
                    taken = CompletedSnapshot(recorded, cut, system.project(state), reachability)
                    reason = reason or claim.on_completed(system, snapshot, taken)
            except CutOff:
                reason = None
        if reason is not None:
            return reason
    return None


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
