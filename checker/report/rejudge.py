"""Whether a run shows what is claimed of it: a trace file says what was found, and only the run itself is believed.

A run breaks a property after k actions if its k-th action does, or the state after it, or a snapshot that is complete
there; a liveness property (with a goal) by ending, or by a loop that is weakly fair, without the goal having been
reached since a snapshot began. A witness shows that a snapshot completes. A walk claims nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from checker.judging.liveness import demands
from checker.judging.reachability import CutOff, SearchedReachability
from checker.report.claims import WALK, WITNESSES
from model.action import Event
from model.cut import Cut, begin, extend_all
from model.errors import InputError
from model.properties import PROPERTIES
from model.property import CompletedSnapshot, Property, Reason
from model.protocol import NoSnapshot
from model.system import State, System
from model.trace import Counterexample, Trace
from model.verdict import COMPLETES

MOST_UNDERLYING = 100_000
"""Underlying states searched for a claim about reachability; where there are more, it is left undecided."""


@dataclass(frozen=True, slots=True)
class Breach:
    """After how many actions a run first breaks a property, and why."""

    length: int
    reason: Reason


def shown(trace: Trace, name: str, kind: str, length: int | None = None) -> Counterexample:
    """The run as what it shows: `name` broken (or witnessed), with the reason that the run itself gives.

    `InputError`, in one line, where it does not show that, or shows it after another number of actions than `length`.
    The reason `kind` is taken from the claim only of a walk, and where no run alone can tell (see `told_by_search`).
    """
    _check_loop(trace)
    if name == WALK or told_by_search(trace, name):
        found = Breach(len(trace), {"kind": kind})
    elif name in WITNESSES:
        found = _required(witnessed(trace, name), trace, f"there is no moment at which {name}")
    elif name in PROPERTIES:
        found = _required(breach(trace, PROPERTIES[name]), trace, f"it does not break {name}")
    else:
        known = ", ".join((*PROPERTIES, *WITNESSES, WALK))
        raise InputError(f"unknown property {name!r}: accepted are {known}")
    if length is not None and length != found.length:
        raise InputError(f"length {length!r}: this run shows {name!r} after {_actions(found.length)}")
    if trace.loop is None and found.length < len(trace):
        raise InputError(f"this run shows {name!r} after {_actions(found.length)} already, not after all {len(trace)}")
    return Counterexample(name, trace, found.reason)


def told_by_search(trace: Trace, name: str) -> bool:
    """Whether only a search can tell: a state that the protocol makes unreachable is shown by a run without it."""
    return name in PROPERTIES and PROPERTIES[name].preserves and isinstance(trace.system.protocol, NoSnapshot)


def _required(found: Breach | None, trace: Trace, otherwise: str) -> Breach:
    if found is None:
        loop = "" if trace.loop is None else f" and then a loop of {len(trace) - trace.loop}"
        raise InputError(f"this run of {_actions(len(trace) if trace.loop is None else trace.loop)}{loop}: {otherwise}")
    return found


def _actions(count: int) -> str:
    return f"{count} action{'' if count == 1 else 's'}"


def _check_loop(trace: Trace) -> None:
    """Refuse a loop that does not lead back to where it begins."""
    if trace.loop is not None:
        states = trace.states()
        if trace.loop >= len(trace) or states[trace.loop] != states[-1]:
            raise InputError(f"loop {trace.loop}: the run does not come back to the state after action {trace.loop}")


# -- what a run breaks -----------------------------------------------------------------------------------------


def breach(trace: Trace, judged: Property) -> Breach | None:
    """The first violation of the property by the run; None if there is none, or if it could not be decided."""
    found = _safety(trace, judged)
    if found is not None and trace.loop is None:
        return found
    return _liveness(trace, judged)


def _safety(trace: Trace, judged: Property) -> Breach | None:
    system = trace.system
    reachability = SearchedReachability(system, MOST_UNDERLYING)
    for length, (event, state, taken) in enumerate(_steps(trace, reachability)):
        reason = _by_event(system, judged, event) or (judged.on_state and judged.on_state(system, state))
        for snapshot, completed in taken:
            reason = reason or _by_snapshot(system, judged, snapshot, completed)
        if reason:
            return Breach(length, reason)
    return None


def _steps(
    trace: Trace, reachability: SearchedReachability
) -> Iterator[tuple[Event | None, State, list[tuple[int, CompletedSnapshot]]]]:
    """The start and each action: the event (none at first), the state after it, the snapshots complete there."""
    system = trace.system
    states = trace.states()
    cuts: list[tuple[Cut, ...]] = [(begin(system, trace.initial),) for _ in range(system.protocol.snapshots)]
    for number, state in enumerate(states):
        event = trace.events[number - 1] if number else None
        if event is not None:
            channels = states[number - 1].channels
            cuts = [extend_all(system, snapshot, own, event, channels) for snapshot, own in enumerate(cuts)]
        yield (
            event,
            state,
            [
                (
                    snapshot,
                    CompletedSnapshot(system.recorded(state, snapshot), cut, system.project(state), reachability),
                )
                for snapshot, own in enumerate(cuts)
                if system.complete(state, snapshot)
                for cut in own
            ],
        )


def _by_event(system: System, judged: Property, event: Event | None) -> Reason | None:
    if judged.on_move is None or event is None or event.fault is not None:
        return None
    return next(filter(None, (judged.on_move(system, move) for move in event.moves)), None)


def _by_snapshot(system: System, judged: Property, snapshot: int, taken: CompletedSnapshot) -> Reason | None:
    reason = judged.on_recorded(system, snapshot, taken.recorded) if judged.on_recorded else None
    if reason is None and judged.on_completed is not None:
        try:
            reason = judged.on_completed(system, snapshot, taken)
        except CutOff as cut:
            raise InputError(f"{judged.name}: undecided for this run ({cut})") from None
    return reason


def _liveness(trace: Trace, judged: Property) -> Breach | None:
    """A run that has begun a snapshot, never reaches the goal, and ends or goes round for ever."""
    if judged.goal is None:
        return None
    system, states, begun = trace.system, trace.states(), _begun(trace)
    if begun is None or any(judged.goal(system, state) for state in states[begun:]):
        return None
    if trace.loop is None:
        ends = not any(event.fault is None for event in system.events(states[-1]))
        return Breach(len(trace), {"kind": "the run ends here, and the goal was not reached"}) if ends else None
    if begun > trace.loop or (judged.fair and not _fair(system, states[trace.loop :], trace.events[trace.loop :])):
        return None
    kind = f"from action {trace.loop + 1} on the run repeats for ever, and never reaches the goal"
    return Breach(trace.loop, {"kind": kind})


def _begun(trace: Trace) -> int | None:
    """After how many actions the snapshot has begun: a machine turns red, or a control message is sent."""
    for number, event in enumerate(trace.events):
        if any(move.step.turns or any(message.control for _, message in move.sends) for move in event.moves):
            return number + 1
    return None


def _fair(system: System, states: list[State], events: tuple[Event, ...]) -> bool:
    """Whether the loop serves each demand of fairness that all its states make."""
    made = [set().union(*map(demands, system.events(state))) for state in states]
    served = set().union(*map(demands, events))
    return set.intersection(*made) <= served


def witnessed(trace: Trace, name: str) -> Breach | None:
    """After how many actions a snapshot is complete; with IN_CHANNEL, one that has a message in a channel."""
    for number, state in enumerate(trace.states()):
        for snapshot in range(trace.system.protocol.snapshots):
            if trace.system.complete(state, snapshot) and (
                name == COMPLETES or any(trace.system.recorded(state, snapshot).channels)
            ):
                return Breach(number, {"kind": name})
    return None
