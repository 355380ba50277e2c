"""The flat arrays behind the tables: room for the ids of each machine and channel, doubled when they outgrow it."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from checker.engines.native.tables.arrays import Arrays, Int64s
from model.channels import Fifo
from model.errors import InputError
from model.system import System

MISSING, NONE_LEFT, NOT_ASKED = -1, -1, -2
MOST_MESSAGES = 1 << 24


class Grown:
    """An array that is appended to; `array` is its used part."""

    __slots__ = ("_room", "size")

    def __init__(self, dtype: type[np.generic]) -> None:
        self._room: NDArray[Any] = np.zeros(1024, dtype)
        self.size = 0

    def append(self, value: int) -> None:
        """One more value."""
        if self.size == len(self._room):
            self._room = np.concatenate([self._room, np.zeros_like(self._room)])
        self._room[self.size] = value
        self.size += 1

    @property
    def array(self) -> NDArray[Any]:
        """All values, with spare room behind them: its address changes only when the room is outgrown."""
        return self._room


class Children:
    """Which configuration accepts one message more than another: open addressing, as `choices.child` reads it."""

    def __init__(self) -> None:
        self._known: dict[tuple[int, int, int], int] = {}
        self.keys = np.full(64, MISSING, np.int64)
        self.values = np.zeros(64, np.int32)

    def add(self, configuration: int, channel: int, message: int, found: int, message_base: Int64s) -> None:
        """One more; the table is twice as large as it is full."""
        self._known[configuration, channel, message] = found
        if 2 * len(self._known) > len(self.keys):
            self.write_all(message_base, 4 * len(self.keys))
        else:
            self._write(configuration << 24 | int(message_base[channel]) + message, found)

    def write_all(self, message_base: Int64s, slots: int | None = None) -> None:
        """Write all anew: where messages have other numbers, or into so many slots."""
        self.keys = np.full(slots or len(self.keys), MISSING, np.int64)
        self.values = np.zeros(len(self.keys), np.int32)
        for (configuration, channel, message), found in self._known.items():
            self._write(configuration << 24 | int(message_base[channel]) + message, found)

    def _write(self, key: int, found: int) -> None:
        mask = len(self.keys) - 1
        # As in the kernel, where products are 64 bits wide and signed.
        product = key * 0x2545F4914F6CDD1D & (1 << 64) - 1
        slot = ((product - (1 << 64) if product >> 63 else product) >> 20) & mask
        while self.keys[slot] not in (MISSING, key):
            slot = (slot + 1) & mask
        self.keys[slot], self.values[slot] = key, found


class FlatArrays:
    """What is known of the local states, messages and contents of a system, by id; see `Arrays` for what is where."""

    nothing: NDArray[np.int32]
    synchronous: NDArray[np.int32]
    crashed: NDArray[np.int32]
    offer_start: NDArray[np.int32]
    offer_end: NDArray[np.int32]
    fault_start: NDArray[np.int32]
    fault_end: NDArray[np.int32]

    def __init__(self, system: System) -> None:
        machines, channels, protocol = system.topology.machines, len(system.channels), system.protocol
        kinds = [kind for kind, _ in system.assumptions.faults]
        crash_kind = kinds.index("crash") if "crash" in kinds else -1
        fifo = type(system.assumptions.discipline) is Fifo and not protocol.overtakes
        flags = [protocol.multi_channel, protocol.synchronous, len(kinds), crash_kind, fifo]
        self._flags = np.array(flags, np.int64)
        self._input_start = np.cumsum([0, *map(len, system.inputs)], dtype=np.int64)
        self._inputs = np.array([c for own in system.inputs for c in own], np.int64)
        self._destinations = [channel[1] for channel in system.channels]
        self._kinds = len(kinds)
        self.transition_start, self.transition_local = Grown(np.int64), Grown(np.int32)
        self.send_start, self.send_channel, self.send_message = Grown(np.int64), Grown(np.int32), Grown(np.int32)
        self.transition_start.append(0)
        self.send_start.append(0)
        self.offer_message, self.offer_after = Grown(np.int32), Grown(np.int32)
        self.fault_kind, self.fault_after = Grown(np.int32), Grown(np.int32)
        self.children = Children()
        self._local_room, self._content_room, self._message_room = [8] * machines, [8] * channels, [4] * channels
        self._left_room = 4
        self._lay_out()

    # -- room for ids ------------------------------------------------------------------------------------------------

    def hold_local(self, machine: int, number: int) -> None:
        """Make room for this id of a local state."""
        self._hold(self._local_room, machine, number)

    def hold_message(self, channel: int, number: int) -> None:
        """Make room for this id of a message."""
        self._hold(self._message_room, channel, number)

    def hold_contents(self, channel: int, number: int) -> None:
        """Make room for this id of a channel's contents."""
        self._hold(self._content_room, channel, number)

    def hold_left(self, number: int) -> None:
        """Make room for this id of what faults are left."""
        if number >= self._left_room:
            self._left_room *= 2
            self._lay_out()

    def _hold(self, room: list[int], where: int, number: int) -> None:
        if number >= room[where]:
            room[where] *= 2
            self._lay_out()

    # -- places ------------------------------------------------------------------------------------------------------

    def of_local(self, machine: int, local: int) -> int:
        """Where it is written what is known of a local state."""
        return int(self.local_base[machine]) + local

    def of_contents(self, channel: int, contents: int) -> int:
        """Where it is written what is known of a channel's contents."""
        return int(self.content_base[channel]) + contents

    def of_accept(self, channel: int, local: int, message: int) -> int:
        """Where in `accept` the configuration is that accepts this message."""
        return int(self.accept_base[channel] + local * self.messages[channel]) + message

    def of_push(self, channel: int, contents: int, message: int) -> int:
        """Where in `push` the contents are with this message sent."""
        return int(self.push_base[channel] + contents * self.messages[channel]) + message

    # -- the arrays --------------------------------------------------------------------------------------------------

    def _lay_out(self) -> None:
        """Lay the arrays out anew for the present room, keeping what they hold."""
        old = dict(self.__dict__)
        local_room, content_room, message_room = self._local_room, self._content_room, self._message_room
        self.messages = np.array(message_room, np.int64)
        self.local_base, self.content_base = _bases(local_room), _bases(content_room)
        self.message_base = _bases(message_room)
        if sum(message_room) >= MOST_MESSAGES:
            raise InputError(f"more than {MOST_MESSAGES:,} kinds of messages: the native engine has no room for them")
        receivers = [local_room[machine] for machine in self._destinations]
        self.accept_base = _bases([own * q for own, q in zip(receivers, message_room, strict=True)])
        self.push_base = _bases([k * q for k, q in zip(content_room, message_room, strict=True)])
        for name in ("nothing", "synchronous", "crashed"):
            setattr(self, name, _moved(old, name, "local_base", self.local_base, local_room))
        for name in ("offer_start", "offer_end", "fault_start", "fault_end"):
            setattr(self, name, _moved(old, name, "content_base", self.content_base, content_room))
        self.accept = _moved_squares(old, "accept", self.accept_base, receivers, self.messages)
        self.push = _moved_squares(old, "push", self.push_base, content_room, self.messages)
        left_after = np.full(self._left_room * max(1, self._kinds), NONE_LEFT, np.int32)
        if "left_after" in old:
            left_after[: len(old["left_after"])] = old["left_after"]
        self.left_after = left_after
        self.children.write_all(self.message_base)

    def arrays(self) -> Arrays:
        """The arrays as the kernels read them, at this moment."""
        return Arrays(
            input_start=self._input_start,
            inputs=self._inputs,
            local_base=self.local_base,
            content_base=self.content_base,
            accept_base=self.accept_base,
            push_base=self.push_base,
            messages=self.messages,
            message_base=self.message_base,
            flags=self._flags,
            nothing=self.nothing,
            synchronous=self.synchronous,
            crashed=self.crashed,
            accept=self.accept,
            child_keys=self.children.keys,
            child_values=self.children.values,
            transition_start=self.transition_start.array,
            transition_local=self.transition_local.array,
            send_start=self.send_start.array,
            send_channel=self.send_channel.array,
            send_message=self.send_message.array,
            offer_start=self.offer_start,
            offer_end=self.offer_end,
            offer_message=self.offer_message.array,
            offer_after=self.offer_after.array,
            push=self.push,
            fault_start=self.fault_start,
            fault_end=self.fault_end,
            fault_kind=self.fault_kind.array,
            fault_after=self.fault_after.array,
            left_after=self.left_after,
        )


def _bases(sizes: list[int]) -> Int64s:
    return np.cumsum([0, *sizes], dtype=np.int64)[:-1]


def _moved(old: dict[str, Any], name: str, base: str, new_base: Int64s, sizes: list[int]) -> NDArray[np.int32]:
    """The array at its new bases; each part is at least as long as it was."""
    new = np.full(sum(sizes), MISSING, np.int32)
    if name in old:
        ends = [*old[base], len(old[name])][1:]
        for start, end, target in zip(old[base], ends, new_base, strict=True):
            new[target : target + end - start] = old[name][start:end]
    return new


def _moved_squares(
    old: dict[str, Any], name: str, new_base: Int64s, sizes: list[int], columns: Int64s
) -> NDArray[np.int32]:
    """The same for parts that are tables of `sizes` rows and `columns` columns."""
    new = np.full(int(sum(size * int(column) for size, column in zip(sizes, columns, strict=True))), MISSING, np.int32)
    if name in old:
        base = old[f"{name}_base"]
        ends = [*base, len(old[name])][1:]
        for start, end, before, target, size, column in zip(
            base, ends, old["messages"], new_base, sizes, columns, strict=True
        ):
            part = old[name][start:end].reshape(-1, before)
            new[target : target + size * column].reshape(size, column)[: len(part), :before] = part
    return new
