"""Atomic actions, from the program's view up to the whole system's (EWD864a, "atomic actions").

An `Action` is what a user's program may do. A `Step` is what a machine does under a protocol: an action of the program,
an act of the protocol, or both at once, with the messages as its channels carry them. A `Move` is a step taken in a
given global state, with the ghost colours added. An `Event` is one transition of the system: one move, a move of every
machine at once, or a fault.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from model.values import Value

Carried = tuple[tuple[int, Value], ...]


@dataclass(frozen=True, slots=True, init=False)
class Action:
    """An atomic action of the underlying computation: one machine accepts, sends and moves to a new state.

    `accepts` and `sends` map channel -> payload, at most one a channel (given as a mapping or as pairs; kept sorted).
    """

    name: str
    state: Value
    accepts: Carried
    sends: Carried

    def __init__(
        self,
        name: str,
        state: Value,
        accepts: Carried | Mapping[int, Value] = (),
        sends: Carried | Mapping[int, Value] = (),
    ) -> None:
        object.__setattr__(self, "name", name)
        object.__setattr__(self, "state", state)
        object.__setattr__(self, "accepts", _pairs(accepts))
        object.__setattr__(self, "sends", _pairs(sends))


def _pairs(carried: Carried | Mapping[int, Value]) -> Carried:
    if not carried:
        return ()
    given: Any = carried
    # A tuple first: to ask whether something is a Mapping takes long.
    mapped = not isinstance(given, tuple) and isinstance(given, Mapping)
    pairs: Iterable[tuple[int, Value]] = given.items() if mapped else given
    return tuple(sorted(pairs, key=lambda pair: pair[0]))


class Message(NamedTuple):
    """What a channel carries: a program's payload with the protocol's tag, or a control message of the protocol.

    `red` is the ghost colour (EWD864a: the colour of the action that sent it), a bit set over the snapshots in
    progress; protocols never see it, and control messages have none.
    """

    payload: Value
    tag: Value = None
    control: bool = False
    red: int = 0


def control(tag: Value) -> Message:
    """A message of the protocol's own: a marker, a barrier, a request."""
    return Message(None, tag, control=True)


class Local(NamedTuple):
    """All that one machine holds: the program's state, the protocol's memory, the ghost colour, whether it crashed.

    `red` is a bit set: bit i is set once the machine has recorded its state for snapshot i.
    """

    state: Value
    memory: Value = None
    red: int = 0
    crashed: bool = False


class Step(NamedTuple):
    """One atomic step of one machine, as the protocol defines it.

    `sends` are in order, so a marker can go ahead of a payload on the same channel. `turns` is the bit set of the
    snapshots for which the machine turns red (records its state) in this step; where the step also performs a
    program's action, `turns_first` says that the machine turned red before it, so that the action is red.
    """

    name: str
    state: Value
    memory: Value
    sends: tuple[tuple[int, Message], ...] = ()
    action: Action | None = None
    turns: int = 0
    turns_first: bool = True


class Accepted(NamedTuple):
    """A message taken from `channel`, where `position` others were ahead of it (its rank where order is not kept)."""

    channel: int
    position: int
    message: Message


class Move(NamedTuple):
    """A step of `machine` in a state: what it accepted and sent with the ghost colours, and the colour it acted in."""

    machine: int
    before: Local
    after: Local
    accepts: tuple[Accepted, ...]
    sends: tuple[tuple[int, Message], ...]
    step: Step
    acting: int


class Fault(NamedTuple):
    """A fault: `kind` names the relaxation that allows it; for a channel's fault, which message it struck."""

    kind: str
    channel: int | None
    position: int
    message: Message | None


class Event(NamedTuple):
    """One transition of the system; `actor` is who acted, for counting changes of machine.

    actor: machine m as m, the fault of channel c as machines + c, all machines at once as -1.
    """

    actor: int
    name: str
    moves: tuple[Move, ...]
    fault: Fault | None = None
