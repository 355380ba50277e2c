"""The cut of a run: its white projection and where it began, as a history variable beside the state.

Dijkstra's equivalent computation has all white actions first (EWD864a). The white projection is that computation so
far: it starts at S0 and only white actions move it. When all machines are red it is the state that lies between, which
the recorded SSS ought to be.
"""

from __future__ import annotations

from typing import NamedTuple

from model.action import Accepted, Event, Fault, Message, Move
from model.program import Underlying
from model.system import State, System
from model.values import Value

Contents = tuple[tuple[Value, ...], ...]


class Cut(NamedTuple):
    """The history of a run as far as its snapshot goes; payloads are in the order in which they were sent.

    machines, channels: the white projection. `channels` holds what white actions sent and white actions have not
    accepted, faults on white messages applied; `sent` is the same with faults left out (the literal "sent before, not
    accepted before"). `crossed`: a white action accepted a red message. `displaced`: the copy of a white message
    landed behind red ones, so that the white actions cannot all come first. `start`: S0, once a machine is red.
    """

    machines: tuple[Value, ...]
    channels: Contents
    sent: Contents
    crossed: bool = False
    displaced: bool = False
    start: Underlying | None = None


def begin(system: System, state: State) -> Cut:
    """The cut at an initial state."""
    underlying = system.project(state)
    return Cut(underlying.machines, underlying.channels, underlying.channels)


def extend(system: System, snapshot: int, cut: Cut, event: Event) -> Cut:
    """The cut after one more event of the run, for one of the snapshots in progress."""
    for move in event.moves:
        turning = cut.start is None and bool(move.step.turns >> snapshot & 1)
        if turning and move.step.turns_first:
            cut = _started(system, cut)
        if move.step.action is not None and not move.acting >> snapshot & 1:
            cut = _white(system, snapshot, cut, move)
        if turning and not move.step.turns_first:
            cut = _started(system, cut)
    if event.fault is not None and event.fault.channel is not None:
        cut = _struck(system, snapshot, cut, event.fault)
    return cut


def _started(system: System, cut: Cut) -> Cut:
    channels = tuple(system.normal(content) for content in cut.channels)
    return cut._replace(start=Underlying(cut.machines, channels))


def _white(system: System, snapshot: int, cut: Cut, move: Move) -> Cut:
    machines, channels, sent = list(cut.machines), list(cut.channels), list(cut.sent)
    machines[move.machine] = move.after.state
    crossed = cut.crossed
    for accepted in move.accepts:
        if accepted.message.control:
            continue
        if accepted.message.red >> snapshot & 1:
            crossed = True
            continue
        for contents in (channels, sent):
            contents[accepted.channel] = _taken(system, contents[accepted.channel], accepted)
    for channel, message in move.sends:
        if not message.control:
            channels[channel] = (*channels[channel], message.payload)
            sent[channel] = (*sent[channel], message.payload)
    return cut._replace(machines=tuple(machines), channels=tuple(channels), sent=tuple(sent), crossed=crossed)


def _taken(system: System, content: tuple[Value, ...], accepted: Accepted) -> tuple[Value, ...]:
    """The content without the accepted payload: the one at its position, or the earliest equal one, if any."""
    payload, position = accepted.message.payload, accepted.position
    if not (system.assumptions.discipline.keeps_order and content[position : position + 1] == (payload,)):
        if payload not in content:
            return content
        position = content.index(payload)
    return content[:position] + content[position + 1 :]


def _struck(system: System, snapshot: int, cut: Cut, fault: Fault) -> Cut:
    message, channel = fault.message, fault.channel
    assert isinstance(message, Message) and channel is not None
    if message.control or message.red >> snapshot & 1:
        return cut
    content, displaced = cut.channels[channel], cut.displaced
    if fault.kind.endswith("loss"):
        content = _taken(system, content, Accepted(channel, fault.position, message))
    else:
        content = (*content, message.payload)
        behind_red = any(not m.control and m.red >> snapshot & 1 for m in fault.ahead)
        displaced = displaced or (system.assumptions.discipline.keeps_order and behind_red)
    return cut._replace(channels=(*cut.channels[:channel], content, *cut.channels[channel + 1 :]), displaced=displaced)
