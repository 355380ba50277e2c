"""Traces: an initial state and the events from it. States are recomputed by replay; what does not replay is refused."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from model.action import Event, Fault, Local, Message, Move
from model.display import DisplayedAsDiagram
from model.errors import InputError
from model.property import Reason, further_of
from model.system import State, System
from model.values import to_json


@dataclass(frozen=True, slots=True)
class Trace(DisplayedAsDiagram):
    """A run of a system, or a prefix of one; from `loop` on (an index into the events) it repeats for ever."""

    system: System
    initial: State
    events: tuple[Event, ...]
    loop: int | None = None

    def __len__(self) -> int:
        return len(self.events)

    def states(self) -> list[State]:
        """The initial state and the state after each event."""
        states = [self.initial]
        for event in self.events:
            states.append(self.system.step(states[-1], event))
        return states


@dataclass(frozen=True, slots=True)
class Counterexample(DisplayedAsDiagram):
    """A trace that breaks the property named, and why, as data; with `property` None it is a witness."""

    property: str
    trace: Trace
    explanation: Reason


def length_of(found: Counterexample) -> int:
    """How many actions it takes to break the claim: to the run's end, or to where it begins to repeat for ever."""
    shown = len(found.trace) if found.trace.loop is None else found.trace.loop
    return shown + further_of(found.explanation)


def replay(system: System, recorded: list[Any], loop: int | None = None) -> Trace:
    """The trace whose events have this JSON form (`event_json`); `InputError` at the first that cannot happen."""
    (initial,) = system.initial_states()
    state, events = initial, []
    for number, wanted in enumerate(recorded):
        for event in system.events(state):
            if event_json(system, event) == wanted:
                break
        else:
            name = wanted.get("name") if isinstance(wanted, dict) else wanted
            raise InputError(
                f"action {number + 1} of the trace ({name!r}) cannot happen there: the trace does not replay"
            )
        events.append(event)
        state = system.step(state, event)
    if loop is not None and not 0 <= loop <= len(events):
        raise InputError(f"loop {loop!r}: an index into the {len(events)} actions")
    return Trace(system, initial, tuple(events), loop)


def event_json(system: System, event: Event) -> dict[str, Any]:
    """The event as JSON data: who does what; enough to find it again among those enabled."""
    data: dict[str, Any] = {"name": event.name, "machine": event.actor if len(event.moves) == 1 else None}
    if event.moves:
        data["moves"] = [_move_json(move) for move in event.moves]
    if event.fault is not None:
        data["fault"] = _fault_json(event.fault)
    return data


def _move_json(move: Move) -> dict[str, Any]:
    return {
        "machine": move.machine,
        "colour": colour(move.acting),
        "accepts": [
            {"channel": c, "position": position, "message": message_json(m)} for c, position, m in move.accepts
        ],
        "sends": [{"channel": c, "message": message_json(m)} for c, m in move.sends],
        "turns_red": bool(move.step.turns),
        "becomes": local_json(move.after),
    }


def _fault_json(fault: Fault) -> dict[str, Any]:
    message = message_json(fault.message) if fault.message is not None else None
    return {"kind": fault.kind, "channel": fault.channel, "position": fault.position, "message": message}


def local_json(local: Local) -> dict[str, Any]:
    """A machine's local state as JSON data."""
    data: dict[str, Any] = {"state": to_json(local.state), "memory": to_json(local.memory), "colour": colour(local.red)}
    if local.crashed:
        data["crashed"] = True
    return data


def message_json(message: Message) -> dict[str, Any]:
    """A message as JSON data: a control message by its tag, a program's by payload, colour and the protocol's tag."""
    if message.control:
        return {"control": to_json(message.tag)}
    data: dict[str, Any] = {"payload": to_json(message.payload), "colour": colour(message.red)}
    if message.tag is not None:
        data["tag"] = to_json(message.tag)
    return data


def colour(red: int) -> str | list[int]:
    """white or red; with several snapshots in progress, the list of those for which it is red."""
    if red in (0, 1):
        return ("white", "red")[red]
    return [i for i in range(red.bit_length()) if red >> i & 1]
