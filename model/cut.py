"""The cut of a run: its white projection and where it began, as a history variable beside the state.

Dijkstra's equivalent computation has all white actions first (EWD864a). The white projection is that computation so
far: it starts at S0 and only white actions move it. When all machines are red it is the state that lies between, which
the recorded SSS ought to be.

A state does not tell equal messages apart, but a cut may: of a message and the copy that a duplication made of it, only
one was sent, and of two equal messages one may have been sent before and one after a third. So where faults of the
program's messages are allowed a cut follows each message by itself, and where an event may concern any of several equal
messages, the run has a cut for each.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from model.action import Accepted, Event, Fault, Message, Move
from model.channels import Content, Overtake
from model.program import Underlying
from model.system import State, System
from model.values import Value

Contents = tuple[tuple[Value, ...], ...]


class Pending(NamedTuple):
    """A message that a white action sent, or its copy, which no white action has accepted.

    copy: a duplication made it. lost: a loss has struck it. gone: a red action has accepted it. One that is neither
    lost nor gone is in its channel.
    """

    message: Message
    copy: bool = False
    lost: bool = False
    gone: bool = False


class Cut(NamedTuple):
    """The history of a run as far as its snapshot goes; payloads are in the order in which they were sent.

    machines, channels: the white projection. `channels` holds what white actions sent and white actions have not
    accepted, faults on white messages applied; `sent` is the same with faults left out (the literal "sent before, not
    accepted before": a lost message was sent, a copy was not). `crossed`: a white action accepted a red message.
    `displaced`: the copy of a white message landed behind red ones, so that the white actions cannot all come first.
    `start`: S0, once a machine is red. `spent`: of each kind of fault that the underlying computation has, how many
    had happened before S0 (so far, while there is none). `pending`: per channel, the messages from which `channels` and
    `sent` are read; kept only where messages of the program may be lost or doubled.
    """

    machines: tuple[Value, ...]
    channels: Contents
    sent: Contents
    crossed: bool = False
    displaced: bool = False
    start: Underlying | None = None
    spent: tuple[int, ...] = ()
    pending: tuple[tuple[Pending, ...], ...] = ()


def begin(system: System, state: State) -> Cut:
    """The cut at an initial state."""
    underlying = system.project(state)
    kinds = system.assumptions.underlying().faults
    pending: tuple[tuple[Pending, ...], ...] = ((),) * len(underlying.channels) if kinds else ()
    return Cut(underlying.machines, underlying.channels, underlying.channels, spent=(0,) * len(kinds), pending=pending)


def extend(system: System, snapshot: int, cut: Cut, event: Event, before: tuple[Content, ...]) -> tuple[Cut, ...]:
    """The cuts after one more event of the run, for one of the snapshots in progress: one, or one for each of several
    equal messages that the event may concern.

    before: the channels just before the event; looked at for faults and for messages that were not at the head.
    """
    cuts: Iterable[Cut] = (cut,)
    for move in event.moves:
        cuts = [after for one in cuts for after in _moved(system, snapshot, one, move, before)]
    if event.fault is not None and event.fault.channel is not None:
        content = before[event.fault.channel]
        cuts = [after for one in cuts for after in _struck(system, snapshot, one, event.fault, content)]
    return tuple(dict.fromkeys(cuts))


def cuts_of(system: System, snapshot: int, states: Sequence[State], events: Sequence[Event]) -> tuple[Cut, ...]:
    """All cuts of a run, given by its states and the events between them."""
    cuts: tuple[Cut, ...] = (begin(system, states[0]),)
    for state, event in zip(states, events, strict=False):
        cuts = extend_all(system, snapshot, cuts, event, state.channels)
    return cuts


def extend_all(
    system: System, snapshot: int, cuts: tuple[Cut, ...], event: Event, before: tuple[Content, ...]
) -> tuple[Cut, ...]:
    """Each of these cuts after one more event."""
    return tuple(dict.fromkeys(after for cut in cuts for after in extend(system, snapshot, cut, event, before)))


def _moved(system: System, snapshot: int, cut: Cut, move: Move, before: tuple[Content, ...]) -> Iterator[Cut]:
    turning = cut.start is None and bool(move.step.turns >> snapshot & 1)
    if turning and move.step.turns_first:
        cut = _started(system, cut)
    cuts: Iterable[Cut] = (cut,)
    if move.step.action is not None:
        if not move.acting >> snapshot & 1:
            cuts = _white(system, snapshot, cut, move, before)
        elif cut.pending:
            cuts = _red(system, snapshot, cut, move, before)
    for after in cuts:
        yield _started(system, after) if turning and not move.step.turns_first else after


def _started(system: System, cut: Cut) -> Cut:
    return cut._replace(start=Underlying(cut.machines, tuple(map(system.normal, cut.channels))))


def _white(system: System, snapshot: int, cut: Cut, move: Move, before: tuple[Content, ...]) -> list[Cut]:
    """A white action moves the white projection."""
    machines = (*cut.machines[: move.machine], move.after.state, *cut.machines[move.machine + 1 :])
    cuts = [cut._replace(machines=machines)]
    for accepted in move.accepts:
        if accepted.message.control:
            continue
        if _is_white(accepted.message, snapshot):
            cuts = [after for one in cuts for after in _taken(system, snapshot, one, accepted, before)]
        else:
            cuts = [one._replace(crossed=True) for one in cuts]
    sends = [(channel, message) for channel, message in move.sends if not message.control]
    return [_put(one, sends) for one in cuts]


def _put(cut: Cut, sends: list[tuple[int, Message]]) -> Cut:
    for channel, message in sends:
        if cut.pending:
            cut = _with(cut, channel, (*cut.pending[channel], Pending(message)))
        else:
            content = (*cut.channels[channel], message.payload)
            channels = (*cut.channels[:channel], content, *cut.channels[channel + 1 :])
            cut = cut._replace(channels=channels, sent=channels)
    return cut


def _taken(system: System, snapshot: int, cut: Cut, accepted: Accepted, before: tuple[Content, ...]) -> Iterator[Cut]:
    """The white projection without the white message that a white action accepted."""
    channel = accepted.channel
    if cut.pending:
        own = cut.pending[channel]
        for place in _accepted_places(system, snapshot, cut, accepted, before):
            yield _with(cut, channel, (*own[:place], *own[place + 1 :]))
        return
    # No fault has struck: of equal messages it is no matter which one was taken.
    content, payload = cut.channels[channel], accepted.message.payload
    place = 0
    if system.assumptions.discipline.keeps_order and accepted.position:
        place = sum(_is_white(message, snapshot) for message in before[channel][: accepted.position])
    if content[place : place + 1] != (payload,):
        place = content.index(payload)
    content = (*content[:place], *content[place + 1 :])
    channels = (*cut.channels[:channel], content, *cut.channels[channel + 1 :])
    yield cut._replace(channels=channels, sent=channels)


def _red(system: System, snapshot: int, cut: Cut, move: Move, before: tuple[Content, ...]) -> list[Cut]:
    """White messages accepted by a red action stay in the white projection; they can no longer be lost."""
    cuts = [cut]
    for accepted in move.accepts:
        if _is_white(accepted.message, snapshot):
            cuts = [
                _marked(one, accepted.channel, place, gone=True)
                for one in cuts
                for place in _accepted_places(system, snapshot, one, accepted, before)
            ]
    return cuts


def _struck(system: System, snapshot: int, cut: Cut, fault: Fault, content: Content) -> Iterator[Cut]:
    message, channel = fault.message, fault.channel
    assert isinstance(message, Message) and channel is not None
    if cut.start is None:
        kinds = system.assumptions.underlying().faults
        happened = (n + (kind == fault.kind) for n, (kind, _) in zip(cut.spent, kinds, strict=True))
        cut = cut._replace(spent=tuple(happened))
    if not _is_white(message, snapshot):
        yield cut
    elif fault.kind.endswith("loss"):
        for place in _places(system, snapshot, cut, channel, content, _equal_neighbours(content, fault.position)):
            yield _marked(cut, channel, place, lost=True)
    else:
        behind_red = any(not m.control and not _is_white(m, snapshot) for m in content)
        displaced = cut.displaced or (system.assumptions.discipline.keeps_order and behind_red)
        after = _with(cut, channel, (*cut.pending[channel], Pending(message, copy=True)))
        yield after._replace(displaced=displaced)


def _with(cut: Cut, channel: int, own: tuple[Pending, ...]) -> Cut:
    """The cut with these messages pending in the channel; a copy that was lost is as if it had never been."""
    own = tuple(p for p in own if not (p.copy and p.lost))
    pending = (*cut.pending[:channel], own, *cut.pending[channel + 1 :])
    there = tuple(p.message.payload for p in own if not p.lost)
    sent = tuple(p.message.payload for p in own if not p.copy)
    return cut._replace(
        channels=(*cut.channels[:channel], there, *cut.channels[channel + 1 :]),
        sent=(*cut.sent[:channel], sent, *cut.sent[channel + 1 :]),
        pending=pending,
    )


def _marked(cut: Cut, channel: int, place: int, gone: bool = False, lost: bool = False) -> Cut:
    own = cut.pending[channel]
    one = own[place]._replace(gone=gone, lost=lost)
    return _with(cut, channel, (*own[:place], one, *own[place + 1 :]))


# -- which of several equal messages -------------------------------------------------------------------------------


def _accepted_places(
    system: System, snapshot: int, cut: Cut, accepted: Accepted, before: tuple[Content, ...]
) -> list[int]:
    """The places in `pending` of the messages that may be the accepted one: equal ones that may be accepted."""
    content, discipline = before[accepted.channel], system.discipline(accepted.channel)
    furthest = discipline.most if isinstance(discipline, Overtake) else accepted.position
    positions = [p for p in _equal_neighbours(content, accepted.position) if p <= furthest]
    return _places(system, snapshot, cut, accepted.channel, content, positions)


def _places(
    system: System, snapshot: int, cut: Cut, channel: int, content: Content, positions: Sequence[int]
) -> list[int]:
    """The places in `pending` of the white messages at these positions of the channel, which are equal.

    Where order is kept, the white messages in the channel are those pending and still there, in order. In a bag the
    message may be any equal one; of those that were all sent, or all copied, one stands for all.
    """
    own = cut.pending[channel]
    there = [place for place, p in enumerate(own) if not (p.lost or p.gone)]
    if system.assumptions.discipline.keeps_order:
        return [there[sum(_is_white(message, snapshot) for message in content[:position])] for position in positions]
    equal = [place for place in there if own[place].message == content[positions[0]]]
    return [place for place in equal if own[place] not in (own[other] for other in equal if other < place)]


def _equal_neighbours(content: Content, position: int) -> list[int]:
    """The positions, from this one on, of messages equal to the one there: the events of the system name the first."""
    end = position
    while end < len(content) and content[end] == content[position]:
        end += 1
    return list(range(position, end))


def _is_white(message: Message, snapshot: int) -> bool:
    return not message.control and not message.red >> snapshot & 1
