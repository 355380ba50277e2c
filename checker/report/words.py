"""What happens in one event, in the field's words, and what it changes: the lines under every rendering of a trace."""

from __future__ import annotations

from typing import NamedTuple

from checker.report.names import channel_name, content_name, machine_name, message_name, printable, value_name
from model.action import Event, Fault, Message, Move
from model.system import State, System
from model.values import Value

WHITE, RED, CUT, CROSS = "○", "●", "╪", "✗"
"""White and red where there are no colours, turning from one to the other, and a fault or what offends."""

PLAIN = frozenset(
    ("send", "accept", "accept and send", "turn red", "accept marker", "accept marker, turn red", "record, turn red")
)
"""Names of steps that say no more than what is accepted, turned and sent does."""


class Line(NamedTuple):
    """One event: `machine` it is a line of (None for a channel's fault or all machines at once), words, changes.

    red: the colour in which the machine acted; turns: it recorded its state in this event; fault: nobody acted.
    """

    number: int
    machine: int | None
    red: bool
    turns: bool
    words: str
    changes: tuple[str, ...]
    fault: bool = False


def lines(system: System, states: list[State], events: tuple[Event, ...], snapshot: int = 0) -> list[Line]:
    """A line for each event, numbered from 1."""
    result = []
    for number, event in enumerate(events):
        before, after = states[number], states[number + 1]
        move = event.moves[0] if len(event.moves) == 1 else None
        result.append(
            Line(
                number + 1,
                None if move is None else move.machine,
                bool(event.moves and event.moves[0].acting >> snapshot & 1),
                any(move.step.turns >> snapshot & 1 for move in event.moves),
                event_words(system, event),
                tuple(_changes(system, before, after, event)),
                event.fault is not None,
            )
        )
    return result


def event_words(system: System, event: Event) -> str:
    """What happens, without saying which machine does it where there is just one."""
    if event.fault is not None:
        return fault_words(system, event.fault)
    if len(event.moves) == 1:
        return move_words(system, event.moves[0])
    names = dict.fromkeys(move_words(system, move) for move in event.moves)
    return "all machines at once: " + "; ".join(names)


def fault_words(system: System, fault: Fault) -> str:
    """The fault: what is lost or doubled where."""
    if fault.channel is None or fault.message is None:
        return "crashes"
    what = "is lost from" if fault.kind.endswith("loss") else "is doubled in"
    return f"{message_name(fault.message)} {what} {channel_name(system, fault.channel)}"


def move_words(system: System, move: Move) -> str:
    """What the machine accepts, whether it turns red, what it sends."""
    step = move.step
    words = [f"accept {message_name(m)} from {_end(system, c, 0)}" for c, _, m in move.accepts]
    if step.turns and step.turns_first:
        words.append(_turns(system, step.turns))
    controls: dict[str, list[str]] = {}
    for channel, message in move.sends:
        if message.control:
            controls.setdefault(message_name(message), []).append(_end(system, channel, 1))
        else:
            words.append(f"send {message_name(message)} to {_end(system, channel, 1)}")
    words += [f"{name} to {', '.join(ends)}" for name, ends in controls.items()]
    if step.turns and not step.turns_first:
        words.append(_turns(system, step.turns))
    if not words:
        return printable(step.name)
    return ", ".join(words) if step.name in PLAIN else f"{printable(step.name)}: {', '.join(words)}"


def _turns(system: System, turns: int) -> str:
    if system.protocol.snapshots == 1:
        return "turn red"
    return "turn red for snapshot " + ", ".join(str(i) for i in range(turns.bit_length()) if turns >> i & 1)


def _end(system: System, channel: int, end: int) -> str:
    """The machine at the channel's end; of parallel channels also which one."""
    ends = system.channels[channel]
    name = machine_name(system, ends[end])
    return f"{name}#{channel}" if system.channels.count(ends) > 1 else name


def _changes(system: System, before: State, after: State, event: Event) -> list[str]:
    changes = []
    for move in event.moves:
        prefix = "" if len(event.moves) == 1 else f"{machine_name(system, move.machine)} "
        changes += [prefix + text for text in _local_changes(system, move)]
    for channel, (old, new) in enumerate(zip(before.channels, after.channels, strict=True)):
        if old != new:
            shown = f"[{contents_words(new)}]" if new else "empty"
            changes.append(f"{channel_name(system, channel)} {shown}")
    return changes


def contents_words(content: tuple[Message, ...]) -> str:
    """A channel's content, its head first, messages with their ghost colour."""
    return ", ".join(message_name(m) if m.control else f"{RED if m.red else WHITE}{message_name(m)}" for m in content)


def _local_changes(system: System, move: Move) -> list[str]:
    changes = difference(move.before.state, move.after.state)
    for snapshot in range(system.protocol.snapshots):
        changes += _recorded(system, move, snapshot)
    return changes


def _recorded(system: System, move: Move, snapshot: int) -> list[str]:
    """What the machine's record gained in the move."""
    machine, protocol = move.machine, system.protocol
    before, after = (protocol.recorded(machine, local, snapshot) for local in (move.before, move.after))
    which = f" (snapshot {snapshot})" if protocol.snapshots > 1 else ""
    changes = []
    if after is None:
        return []
    if before is None:
        changes.append(f"records {value_name(after.state)}{which}")
    for index, channel in enumerate(system.topology.inputs[machine]):
        old = before.channels[index] if before is not None else ()
        new = after.channels[index]
        closes = protocol.closed(machine, move.after, channel) and not protocol.closed(machine, move.before, channel)
        name = channel_name(system, channel)
        if closes:
            changes.append(f"closes {name} as {content_name(new) if new else 'empty'}{which}")
        elif new != old:
            changes.append(f"records {name}: {content_name(new)}{which}")
    return changes


def difference(before: Value, after: Value, name: str = "") -> list[str]:
    """How a state changed; of a named tuple, and of those within it, only the fields that did."""
    if before == after:
        return []
    fields = getattr(after, "_fields", ())
    if isinstance(before, tuple) and isinstance(after, tuple) and fields and type(before) is type(after):
        return [
            change
            for field, old, new in zip(fields, before, after, strict=True)
            for change in difference(old, new, f"{name}.{field}" if name else field)
        ]
    return [f"{name} {value_name(before)}→{value_name(after)}".lstrip()]
