"""The cut of a run: its white projection and where it began, as a history variable beside the state.

Dijkstra's equivalent computation has all white actions first (EWD864a). The white projection is that computation so
far: it starts at S0 and only white actions move it. When all machines are red it is the state that lies between, which
the recorded SSS ought to be.
"""

from __future__ import annotations

from itertools import islice
from typing import NamedTuple

from model.action import Accepted, Event, Fault, Message, Move
from model.channels import Content
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
    `gone`: of each of `channels`, the places whose message a red action has accepted. Kept only where messages may be
    lost from ordered channels: one must tell which of several equal payloads a loss struck.
    """

    machines: tuple[Value, ...]
    channels: Contents
    sent: Contents
    crossed: bool = False
    displaced: bool = False
    start: Underlying | None = None
    gone: tuple[tuple[int, ...], ...] = ()


def begin(system: System, state: State) -> Cut:
    """The cut at an initial state."""
    underlying = system.project(state)
    loses = any(kind.endswith("loss") for kind, _ in system.assumptions.faults)
    kept = loses and system.assumptions.discipline.keeps_order
    gone: tuple[tuple[int, ...], ...] = ((),) * len(underlying.channels) if kept else ()
    return Cut(underlying.machines, underlying.channels, underlying.channels, gone=gone)


def extend(system: System, snapshot: int, cut: Cut, event: Event, before: tuple[Content, ...]) -> Cut:
    """The cut after one more event of the run, for one of the snapshots in progress.

    before: the channels just before the event; looked at for faults and for messages that were not at the head.
    """
    for move in event.moves:
        turning = cut.start is None and bool(move.step.turns >> snapshot & 1)
        if turning and move.step.turns_first:
            cut = _started(system, cut)
        if move.step.action is not None:
            if not move.acting >> snapshot & 1:
                cut = _white(system, snapshot, cut, move, before)
            elif cut.gone:
                cut = _red(snapshot, cut, move, before)
        if turning and not move.step.turns_first:
            cut = _started(system, cut)
    if event.fault is not None and event.fault.channel is not None:
        cut = _struck(system, snapshot, cut, event.fault, before[event.fault.channel])
    return cut


def _started(system: System, cut: Cut) -> Cut:
    channels = tuple(system.normal(content) for content in cut.channels)
    return cut._replace(start=Underlying(cut.machines, channels))


def _white(system: System, snapshot: int, cut: Cut, move: Move, before: tuple[Content, ...]) -> Cut:
    machines, channels, sent = list(cut.machines), list(cut.channels), list(cut.sent)
    machines[move.machine] = move.after.state
    crossed = cut.crossed
    for accepted in move.accepts:
        channel, _, message = accepted
        if message.control:
            continue
        if not _is_white(message, snapshot):
            crossed = True
            continue
        place = _rank(snapshot, accepted, before) if system.assumptions.discipline.keeps_order else None
        for contents in (channels, sent):
            contents[channel] = _taken(contents[channel], message.payload, place)
    for channel, message in move.sends:
        if not message.control:
            channels[channel] = (*channels[channel], message.payload)
            sent[channel] = (*sent[channel], message.payload)
    return cut._replace(machines=tuple(machines), channels=tuple(channels), sent=tuple(sent), crossed=crossed)


def _red(snapshot: int, cut: Cut, move: Move, before: tuple[Content, ...]) -> Cut:
    """White messages accepted by a red action stay in the white projection; they can no longer be lost."""
    gone = list(cut.gone)
    for accepted in move.accepts:
        if _is_white(accepted.message, snapshot):
            channel = accepted.channel
            place = _place(cut, channel, _rank(snapshot, accepted, before))
            gone[channel] = tuple(sorted((*gone[channel], place)))
    return cut._replace(gone=tuple(gone))


def _rank(snapshot: int, accepted: Accepted, before: tuple[Content, ...]) -> int:
    """How many white messages were ahead of the accepted one in its channel."""
    if accepted.position == 0:
        return 0
    return sum(_is_white(message, snapshot) for message in before[accepted.channel][: accepted.position])


def _place(cut: Cut, channel: int, rank: int) -> int:
    """The place in the white projection of a white message that is still in the channel, by its rank there."""
    places = (place for place in range(len(cut.channels[channel])) if place not in cut.gone[channel])
    return next(islice(places, rank, None))


def _is_white(message: Message, snapshot: int) -> bool:
    return not message.control and not message.red >> snapshot & 1


def _taken(content: tuple[Value, ...], payload: Value, place: int | None) -> tuple[Value, ...]:
    """The content without the payload: that at the place if it is there, else the earliest equal one, if any."""
    if place is None or content[place : place + 1] != (payload,):
        if payload not in content:
            return content
        place = content.index(payload)
    return content[:place] + content[place + 1 :]


def _struck(system: System, snapshot: int, cut: Cut, fault: Fault, before: Content) -> Cut:
    message, channel = fault.message, fault.channel
    assert isinstance(message, Message) and channel is not None
    if not _is_white(message, snapshot):
        return cut
    content, gone, displaced = cut.channels[channel], cut.gone, cut.displaced
    if fault.kind.endswith("loss"):
        place = None
        if gone:
            place = _place(cut, channel, sum(_is_white(m, snapshot) for m in before[: fault.position]))
            left = tuple(other - (other > place) for other in gone[channel])
            gone = (*gone[:channel], left, *gone[channel + 1 :])
        content = _taken(content, message.payload, place)
    else:
        content = (*content, message.payload)
        behind_red = any(not m.control and not _is_white(m, snapshot) for m in before)
        displaced = displaced or (system.assumptions.discipline.keeps_order and behind_red)
    channels = (*cut.channels[:channel], content, *cut.channels[channel + 1 :])
    return cut._replace(channels=channels, displaced=displaced, gone=gone)
