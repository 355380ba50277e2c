"""What an explorer does, in the theory's words: its states as sequences of positions, its events as steps.

A lifted state carries what the theory's `State` speaks of. Positions that have left their channel and are not recorded
may be left out (`shortened`): no premise and no component of the state after tells them from positions that never
were, and the order of the others is what it was. Where invariants are to be judged their kinds are kept (`condensed`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from model.action import Action, Event, Message, Move
from model.channels import Fifo
from model.system import State as Explored
from model.system import System
from model.values import Value, order_key

Tagged = Callable[[Value], bool]
"""Whether a tag is the one by which a protocol tells red messages."""


FORGOTTEN = Message(None)
"""In the place of a message of which only the kind is kept."""


class Item(NamedTuple):
    """One item put on a channel: the message as it is carried, what the theory says of it, and what became of it."""

    message: Message
    marker: bool
    tinted: bool
    tagged: bool
    gone: bool = False
    early: bool = False
    recorded: bool = False


class Machine(NamedTuple):
    local: Value
    red: bool
    recorded_state: Value


class Channel(NamedTuple):
    items: tuple[Item, ...]
    closed: bool
    marked: bool


class Lifted(NamedTuple):
    """A state in the theory's words."""

    machines: tuple[Machine, ...]
    channels: tuple[Channel, ...]

    def shortened(self) -> Lifted:
        """Without what has left its channel unrecorded."""
        return Lifted(
            self.machines,
            tuple(
                c._replace(items=tuple(i for i in c.items if i.recorded or not i.gone))
                if any(i.gone and not i.recorded for i in c.items)
                else c
                for c in self.channels
            ),
        )

    def condensed(self) -> Lifted:
        """Of what has left its channel unrecorded only what kind it was, and of equal neighbours two.

        A statement over two positions at most, about what they are and where, is true of both or of neither.
        """
        return Lifted(self.machines, tuple(c._replace(items=_condensed(c.items)) for c in self.channels))


def _condensed(items: tuple[Item, ...]) -> tuple[Item, ...]:
    kept: list[Item] = []
    for item in items:
        if item.gone and not item.recorded:
            item = item._replace(message=FORGOTTEN)
            if kept[-2:] == [item, item]:
                continue
        kept.append(item)
    return tuple(kept)


class LiftedStep(NamedTuple):
    """A step in the theory's words; per channel, what the machine does there and what the environment does."""

    machine: int
    turns: bool
    action: Action | None
    before: Value
    hears: frozenset[int]
    at: dict[int, int]
    marks: frozenset[int]
    put: dict[int, tuple[Item, ...]]
    lost: frozenset[tuple[int, int]]
    copied: dict[int, int]


class Lifting:
    """Between a system's states and the theory's, for one of its snapshots; control messages of others are not seen."""

    def __init__(self, system: System, tagged: Tagged, snapshot: int = 0) -> None:
        self.system, self.tagged, self.snapshot = system, tagged, snapshot

    def seen(self, message: Message) -> bool:
        """Markers of another snapshot are nothing to this one."""
        return not message.control or self.system.protocol.snapshots == 1 or message.tag == self.snapshot

    def item(self, message: Message, red: bool) -> Item:
        """The message as an item; a marker has the colour of the step that puts it."""
        tinted = red if message.control else bool(message.red >> self.snapshot & 1)
        return Item(message, message.control, tinted, not message.control and self.tagged(message.tag))

    def initial(self, state: Explored) -> Lifted:
        """The state at the start, in which all that is in channels is white."""
        machines = tuple(Machine(local.state, bool(local.red), None) for local in state.machines)
        contents = (tuple(self.item(m, False) for m in content if self.seen(m)) for content in state.channels)
        return Lifted(machines, tuple(Channel(items, False, False) for items in contents))

    def steps(self, q: Lifted, explored: Explored, event: Event) -> Iterator[LiftedStep]:
        """The event as steps, one machine after the other; none where only a machine has crashed."""
        fault = event.fault
        for move in event.moves:
            if fault is None:
                yield self._step(q, explored, move)
        if fault is not None and fault.channel is not None:
            where = self._place(q, explored, fault.channel, fault.position)
            if where is None:
                return
            lost = fault.kind.endswith("loss")
            copy = self._copy(q.channels[fault.channel].items[where])
            yield LiftedStep(
                0,
                False,
                None,
                None,
                frozenset(),
                {},
                frozenset(),
                {} if lost else {fault.channel: (copy,)},
                frozenset({(fault.channel, where)} if lost else ()),
                {} if lost else {fault.channel: where},
            )

    def _copy(self, item: Item) -> Item:
        return item._replace(gone=False, early=False, recorded=False)

    def _step(self, q: Lifted, explored: Explored, move: Move) -> LiftedStep:
        turns = bool(move.step.turns >> self.snapshot & 1)
        red = q.machines[move.machine].red or turns
        hears, at = set[int](), dict[int, int]()
        for channel, position, message in move.accepts:
            where = self._place(q, explored, channel, position)
            if where is not None:
                at[channel] = where
                if message.control:
                    hears.add(channel)
        put: dict[int, tuple[Item, ...]] = {}
        for channel, message in move.sends:
            if self.seen(message):
                put[channel] = (*put.get(channel, ()), self.item(message, red))
        marks = frozenset(c for c, items in put.items() if any(i.marker for i in items))
        own = move.step.action
        return LiftedStep(
            move.machine, turns, own, move.before.state, frozenset(hears), at, marks, put, frozenset(), {}
        )

    def _place(self, q: Lifted, explored: Explored, channel: int, position: int) -> int | None:
        """Which position of the sequence stands at this one of the content; None for what is not seen."""
        content = explored.channels[channel]
        if not self.seen(content[position]):
            return None
        items = q.channels[channel].items
        here = [k for k, item in enumerate(items) if not item.gone]
        if not self.system.discipline(channel).keeps_order:
            return next(k for k in here if items[k].message == content[position])
        ahead = sum(self.seen(m) for m in content[:position])
        return here[ahead]

    def differs(self, q: Lifted, state: Explored) -> str | None:
        """In what the lifted state is not the explored one; None if it is."""
        for m in range(len(q.machines)):
            found = self._machine_differs(q, state, m)
            if found is not None:
                return found
        for c in range(len(q.channels)):
            if self._content_differs(q, state, c):
                return f"the content of channel {c}"
            if self.system.protocol.marks and self._closed(state, c) != q.channels[c].closed:
                return f"whether channel {c} is closed"
        return None

    def _machine_differs(self, q: Lifted, state: Explored, m: int) -> str | None:
        system, k = self.system, self.snapshot
        local, mine = state.machines[m], q.machines[m]
        if local.state != mine.local:
            return f"the state of machine {m}"
        if bool(local.red >> k & 1) != mine.red:
            return f"the colour of machine {m}"
        recorded = system.protocol.recorded(m, local, k)
        if (recorded is not None) != mine.red:
            return f"whether machine {m} has recorded"
        if recorded is not None:
            if recorded.state != system.program.record(m, mine.recorded_state):
                return f"the recorded state of machine {m}"
            for channel, content in zip(system.topology.inputs[m], recorded.channels, strict=True):
                told = tuple(i.message.payload for i in q.channels[channel].items if i.recorded)
                if self._in_order(content) != self._in_order(told):
                    return f"the record of channel {channel}"
        return None

    def _content_differs(self, q: Lifted, state: Explored, c: int) -> bool:
        discipline = self.system.discipline(c)
        content = tuple(message for message in state.channels[c] if self.seen(message))
        held = tuple(i.message for i in q.channels[c].items if not i.gone)
        return content != (held if discipline.keeps_order else discipline.normal(held))

    def _in_order(self, recorded: tuple[Value, ...]) -> tuple[Value, ...]:
        """A record is a set of positions; that it is in order as well is a theorem under FIFO alone."""
        return (
            recorded if isinstance(self.system.assumptions.discipline, Fifo) else tuple(sorted(recorded, key=order_key))
        )

    def _closed(self, state: Explored, channel: int) -> bool:
        m = self.system.channels[channel][1]
        marker = Message(None, self.snapshot, control=True)
        several = self.system.protocol.snapshots > 1
        protocol, local = self.system.protocol, state.machines[m]
        return protocol.had_marker(m, local, channel, marker) if several else protocol.closed(m, local, channel)
