"""Evidence that a state space never ends: which part of the states grows and grows with the distance from the start.

A search that is cut off cannot tell a large state space from an infinite one, but a counter or a channel that is
larger in each level than in all before it can be named, and so can what would bound it.
"""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

from model.action import Local
from model.channels import Content
from model.system import System

STEPS = 6
"""How often a part must have grown for that to be evidence."""


class Part(NamedTuple):
    """A part of a state: the contents of a channel, or the program's state or the protocol's memory of a machine."""

    kind: str
    number: int


class Growth:
    """The largest size of each part so far, and at which distances it became larger."""

    def __init__(self, system: System) -> None:
        self.system = system
        self.sizes: dict[Part, list[tuple[int, int]]] = {}
        """(distance, size) wherever a part became larger than it had been."""

    def local(self, machine: int, local: Local, distance: int) -> None:
        """A local state of the machine, first met at this distance."""
        self._note(Part("state", machine), size(local.state), distance)
        self._note(Part("memory", machine), size(local.memory), distance)

    def content(self, channel: int, content: Content, distance: int) -> None:
        """The contents of a channel, first met at this distance."""
        self._note(Part("channel", channel), len(content), distance)

    def _note(self, part: Part, found: int, distance: int) -> None:
        known = self.sizes.setdefault(part, [])
        if not known or found > known[-1][1]:
            if known and known[-1][0] == distance:
                known.pop()
            known.append((distance, found))

    def evidence(self, depth: int) -> tuple[str, ...]:
        """What still grew when the search was cut off at this depth, and what would bound it, if anything did."""
        growing = [part for part in self.sizes if self._grows(part, depth)]
        chosen = [part for part in growing if part.kind == "channel"] or growing
        chosen = [part for part in chosen if part.kind == chosen[0].kind]
        if not chosen:
            return ()
        part = max(chosen, key=lambda one: self.sizes[one][-1][1])
        (first, small), (last, large) = self.sizes[part][0], self.sizes[part][-1]
        others = f", like that of {len(chosen) - 1} more" if len(chosen) > 1 else ""
        return (
            f"{self._name(part)} grows with every few actions since depth {first}: its size was {small} there and is"
            f" {large} at depth {last}{others}; if that has no end, neither has the state space: {BOUNDS[part.kind]}",
        )

    def _grows(self, part: Part, depth: int) -> bool:
        """Whether it has grown often, and lately: it does not stand still for longer than it ever did."""
        distances = [distance for distance, _ in self.sizes[part]]
        pauses = [later - earlier for earlier, later in pairwise(distances)]
        return len(pauses) >= STEPS and depth - distances[-1] <= max(pauses)

    def _name(self, part: Part) -> str:
        label = self.system.topology.label
        if part.kind == "channel":
            source, destination = self.system.channels[part.number]
            return f"the channel {label(source)}>{label(destination)}"
        whose = "the program's state" if part.kind == "state" else "what the protocol remembers"
        return f"{whose} at {label(part.number)}"


BOUNDS = {
    "channel": "let the program send only so many messages (as s= does), or give --max-depth",
    "state": "bound what the program counts or collects, or leave it out of its state, or give --max-depth",
    "memory": "let the program send only so many messages (as s= does), so that a record can end, or give --max-depth",
}


def size(value: object) -> int:
    """How large a plain value is: its parts, and of a number how far it is from 0."""
    if isinstance(value, (tuple, frozenset)):
        return len(value) + sum(map(size, value))
    return abs(value) if isinstance(value, int) else 0
