"""A second judge of a course's scripts: it tries every delay of every message, from the words of the course alone."""

from __future__ import annotations

import random
from typing import Any

Ends = tuple[str, str]
State = tuple[Any, ...]


class Script:
    """Tokens at the start, channels, and lines ("send", from, to, number), ("snapshot", machine), ("tick",)."""

    def __init__(self, tokens: dict[str, int], channels: list[Ends], lines: list[tuple[Any, ...]]) -> None:
        self.tokens, self.channels, self.lines = tokens, channels, lines

    def start(self) -> State:
        """Next line; tokens; channels; what each machine recorded, and of each channel; whether that is closed."""
        empty = tuple(() for _ in self.channels)
        nothing = tuple(None for _ in self.tokens)
        return 0, tuple(self.tokens.values()), empty, nothing, empty, tuple(False for _ in self.channels)

    def next(self, state: State) -> list[State]:
        """The states after one line, or at a tick and after the last line one arrival."""
        at, tokens, channels, recorded, held, closed = state
        line = self.lines[at] if at < len(self.lines) else ("tick",)
        names = list(self.tokens)
        if line[0] == "send":
            machine, channel = names.index(line[1]), self.channels.index((line[1], line[2]))
            if tokens[machine] < line[3]:
                return []
            tokens = put(tokens, machine, tokens[machine] - line[3])
            return [(at + 1, tokens, put(channels, channel, (*channels[channel], line[3])), recorded, held, closed)]
        if line[0] == "snapshot":
            return [self.record((at + 1, *state[1:]), names.index(line[1]))]
        found = [(at + 1, *state[1:])] if at < len(self.lines) else []
        for channel, content in enumerate(channels):
            if content:
                rest = (at, tokens, put(channels, channel, content[1:]), recorded, held, closed)
                found.append(self.arrived(rest, channel, content[0]))
        return found

    def record(self, state: State, machine: int) -> State:
        """The machine records, unless it has, and puts its markers."""
        at, tokens, channels, recorded, held, closed = state
        if recorded[machine] is not None:
            return state
        name = list(self.tokens)[machine]
        channels = tuple((*c, "M") if ends[0] == name else c for c, ends in zip(channels, self.channels, strict=True))
        return at, tokens, channels, put(recorded, machine, tokens[machine]), held, closed

    def arrived(self, state: State, channel: int, message: Any) -> State:
        """The message or marker is there."""
        machine = list(self.tokens).index(self.channels[channel][1])
        if message == "M":
            at, tokens, channels, recorded, held, closed = self.record(state, machine)
            return at, tokens, channels, recorded, held, put(closed, channel, True)
        at, tokens, channels, recorded, held, closed = state
        if recorded[machine] is not None and not closed[channel]:
            held = put(held, channel, (*held[channel], message))
        return at, put(tokens, machine, tokens[machine] + message), channels, recorded, held, closed

    def snapshots(self) -> set[tuple[Any, ...]]:
        """Every snapshot that some delays give: tokens, and contents of the channels."""
        seen, waiting, found = {self.start()}, [self.start()], set()
        while waiting:
            state = waiting.pop()
            after = self.next(state)
            if not after and state[0] == len(self.lines) and all(state[5]):
                found.add((state[3], state[4]))
            for other in after:
                if other not in seen:
                    seen.add(other)
                    waiting.append(other)
        return found


def put(items: tuple[Any, ...], index: int, item: Any) -> tuple[Any, ...]:
    """The items with another one at the index."""
    return (*items[:index], item, *items[index + 1 :])


def small(seed: int) -> Script:
    """A random script of two or three machines with one snapshot."""
    chooser = random.Random(seed)
    names = ["A", "B", "C"][: chooser.choice([2, 3, 3])]
    ring = set(zip(names, names[1:] + names[:1], strict=True))
    pairs = [(a, b) for a in names for b in names if a != b]
    channels = [ends for ends in pairs if ends in ring or chooser.random() < 0.4]
    lines: list[tuple[Any, ...]] = []
    for _ in range(chooser.randrange(2, 8)):
        if chooser.random() < 0.35:
            lines.append(("tick",))
        else:
            lines.append(("send", *chooser.choice(channels), chooser.randrange(1, 3)))
    lines.insert(chooser.randrange(len(lines) + 1), ("snapshot", chooser.choice(names)))
    return Script({name: chooser.randrange(4) for name in names}, channels, lines)
