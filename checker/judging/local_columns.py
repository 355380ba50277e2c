"""Columns of facts: one integer for each local state of a machine, or for the contents of each channel."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from model.action import Local, Move
from model.kinds import Amount
from model.system import System


class Column:
    """One fact of every local state of each machine (or of every content of each channel), as integers."""

    __slots__ = ("parts",)

    def __init__(self, parts: int) -> None:
        self.parts: list[list[int]] = [[] for _ in range(parts)]

    def flat(self) -> NDArray[np.int64]:
        """All parts, one after another; where each begins is `LocalPredicates.local_bases` or `content_bases`."""
        return np.array([value for part in self.parts for value in part], np.int64)


class Interner:
    """Equal values share a number, from 0 in the order met."""

    __slots__ = ("_ids", "values")

    def __init__(self) -> None:
        self.values: list[Any] = []
        self._ids: dict[Hashable, int] = {}

    def __call__(self, value: Hashable) -> int:
        number = self._ids.get(value)
        if number is None:
            number = self._ids[value] = len(self.values)
            self.values.append(value)
        return number


class Summed:
    """How much of an amount is in each local state and in the contents of each channel.

    changed: in which level a row that changes the sum was first met.
    """

    def __init__(self, system: System, amount: Amount) -> None:
        self.system, self.amount = system, amount
        self.held, self.carried = Column(system.topology.machines), Column(len(system.channels))
        self.changed: int | None = None

    def held_by(self, machine: int, local: Local) -> int:
        """How much of it a machine has in this local state."""
        return self.amount.held(self.system, machine, self.system.program.record(machine, local.state))

    def row(self, move: Move, level: int) -> None:
        """A new row, first met in this level."""
        if self.changed is not None:
            return
        change = self.held_by(move.machine, move.after) - self.held_by(move.machine, move.before)
        own = len(self.system.topology.channels)  # what is on the protocol's channels is not in the computation's state
        for messages, sign in ((move.sends, 1), ([(c, m) for c, _, m in move.accepts], -1)):
            change += sign * sum(
                self.amount.carried(self.system, m.payload) for c, m in messages if c < own and not m.control
            )
        if change:
            self.changed = level


class Crowded:
    """Which contents of channels hold two messages of one class; `met`: in which level the first such were met."""

    def __init__(self, channels: int) -> None:
        self.column = Column(channels)
        self.met: int | None = None

    def add(self, channel: int, crowded: bool, level: int) -> None:
        """New contents of the channel, first met in this level."""
        self.column.parts[channel].append(crowded)
        if crowded and self.met is None:
            self.met = level
