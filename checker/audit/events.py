"""What a log says: events of machines, one a line, and the snapshots that the system claims to have taken.

States, messages and names of snapshots are compared as the JSON that they are: each is kept as its canonical text, so
that 1 and 1.0 are equal, 1 and true are not, and the order of an object's fields does not matter.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

START, SEND, ACCEPT, STEP, RECORD, SNAPSHOT = "start", "send", "accept", "step", "record", "snapshot"


class Place(NamedTuple):
    """A line of a file; lines count from 1."""

    file: str
    line: int


class Channel(NamedTuple):
    """From one machine to another; `name` tells parallel channels apart."""

    source: str
    destination: str
    name: str = ""

    def __str__(self) -> str:
        return f"{self.source}>{self.destination}" + (f"#{self.name}" if self.name else "")


@dataclass(frozen=True, slots=True)
class Event:
    """One line about one machine: `message` is what is sent or accepted, or None for a marker of `snapshot`.

    `state` is the machine's state after the event, None where the line does not say; `pair` names a message and its
    accept. outputs: the channels that a machine's start names. All values are canonical texts.
    """

    machine: str
    kind: str
    place: Place
    text: str
    channel: Channel | None = None
    message: str | None = None
    snapshot: str | None = None
    pair: str | None = None
    state: str | None = None
    outputs: tuple[Channel, ...] = ()

    @property
    def said(self) -> tuple[str | Channel | None, ...]:
        """What the line says, wherever it stands."""
        return self.kind, self.channel, self.message, self.snapshot, self.pair, self.state


@dataclass(frozen=True, slots=True)
class Claim:
    """A snapshot as the system announced it: each machine's state and each channel's contents, by name."""

    snapshot: str
    states: Mapping[str, str]
    channels: Mapping[str, tuple[str, ...]]
    place: Place
    text: str


class NotUnderstood(Exception):
    """Why a line is no event; its text says what is wrong."""


def canonical(value: Any) -> str:
    """The canonical text of a JSON value."""
    if type(value) is int:
        return str(value)
    return json.dumps(_normal(value), sort_keys=True, ensure_ascii=False)


def _normal(value: Any) -> Any:
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, list):
        return [_normal(item) for item in value]
    if isinstance(value, dict):
        return {key: _normal(item) for key, item in value.items()}
    return value


def parsed(data: Any, place: Place, text: str) -> tuple[str, Event | Claim]:
    """The run and the event or claim that a line's JSON value says; `NotUnderstood` for any other value."""
    if not isinstance(data, dict):
        raise NotUnderstood("not an object")
    run = _name(data, "run") if "run" in data else ""
    kind = data.get("event")
    if kind == SNAPSHOT:
        return run, _claim(data, place, text)
    machine = _name(data, "machine")
    state = canonical(data["state"]) if "state" in data else None
    if kind in (SEND, ACCEPT):
        channel, message, snapshot, pair = _carried(data, machine, kind)
        return run, Event(machine, kind, place, text, channel, message, snapshot, pair, state)
    if kind == RECORD:
        return run, Event(machine, kind, place, text, snapshot=canonical(_field(data, "snapshot")), state=state)
    if kind == START:
        return run, Event(machine, kind, place, text, state=state, outputs=_outputs(data, machine))
    if kind == STEP:
        return run, Event(machine, kind, place, text, state=state)
    raise NotUnderstood(f"event {kind!r}" if "event" in data else "no event")


def _outputs(data: dict[str, Any], machine: str) -> tuple[Channel, ...]:
    """The channels from the machine, as `to` lists them: "N2", or ["N2", "name"] where there are parallel ones."""
    listed = data.get("to", [])
    ends = [end if isinstance(end, list) else [end] for end in listed] if isinstance(listed, list) else [[]]
    if not all(1 <= len(end) <= 2 and all(isinstance(name, str) for name in end) for end in ends):
        raise NotUnderstood("to of a start is a list of names")
    return tuple(Channel(machine, *end) for end in ends)


def _carried(data: dict[str, Any], machine: str, kind: str) -> tuple[Channel, str | None, str | None, str | None]:
    """The channel, and the message, marker and pairing of a send or an accept."""
    other = _name(data, "to" if kind == SEND else "from")
    name = _name(data, "channel") if "channel" in data else ""
    channel = Channel(machine, other, name) if kind == SEND else Channel(other, machine, name)
    if ("message" in data) == ("marker" in data):
        raise NotUnderstood(f"{kind} of neither or both of message and marker")
    pair = canonical(data["id"]) if "id" in data else None
    if "marker" in data:
        return channel, None, canonical(data["marker"]), pair
    return channel, canonical(data["message"]), None, pair


def _claim(data: dict[str, Any], place: Place, text: str) -> Claim:
    states, channels = data.get("states", {}), data.get("channels", {})
    if not isinstance(states, dict) or not isinstance(channels, dict):
        raise NotUnderstood("states and channels are objects")
    if not all(isinstance(content, list) for content in channels.values()):
        raise NotUnderstood("a channel's contents are a list")
    return Claim(
        canonical(_field(data, "snapshot")),
        {machine: canonical(state) for machine, state in states.items()},
        {channel: tuple(map(canonical, content)) for channel, content in channels.items()},
        place,
        text,
    )


def _field(data: dict[str, Any], field: str) -> Any:
    if field not in data:
        raise NotUnderstood(f"no {field}")
    return data[field]


def _name(data: dict[str, Any], field: str) -> str:
    """A name; numbers are names too."""
    value = _field(data, field)
    if isinstance(value, str):
        return value
    if type(value) is int:
        return str(value)
    raise NotUnderstood(f"{field} {value!r} is no name")


def natural(name: str) -> list[tuple[int, int, str]]:
    """A sort key under which N2 comes before N10."""
    parts = re.split(r"(\d+)", name)
    return [(0, int(part), "") if part.isdecimal() and part.isascii() else (1, 0, part) for part in parts]
