"""The tables behind the kernels: what the program and the protocol answer, each local configuration asked about once.

`Tables` numbers local states, messages and channel contents, and keeps what is known of them in flat arrays that
grow. A kernel that finds a question unanswered hands it over as a miss; `fill` puts it to `System` and writes down the
answer. What is a fact of one local state, message, content or row alone is judged here, once.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from checker.engines.native.tables.arrays import ACCEPT, CHILD, FAULTS, LEFT, NOTHING, PUSH, SYNCHRONOUS, Arrays
from checker.engines.native.tables.local_predicates import LocalPredicates
from model.action import Accepted, Local, Message, Move, Step
from model.channels import Content, Fifo, without
from model.errors import InputError
from model.system import State, System, crash, move, uncoloured

MISSING = -1
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


class Tables:
    """The tables of one system, filled as the search asks; `predicates` sees each new local, content and row."""

    nothing: NDArray[np.int32]
    synchronous: NDArray[np.int32]
    crashed: NDArray[np.int32]
    offer_start: NDArray[np.int32]
    offer_end: NDArray[np.int32]
    fault_start: NDArray[np.int32]
    fault_end: NDArray[np.int32]
    child_keys: NDArray[np.int64]
    child_values: NDArray[np.int32]

    def __init__(self, system: System, predicates: LocalPredicates) -> None:
        self.system = system
        self.predicates = predicates
        machines, channels = system.topology.machines, len(system.channels)
        self.kinds = [kind for kind, _ in system.assumptions.faults]
        self.locals: list[list[Local]] = [[] for _ in range(machines)]
        self.contents: list[list[Content]] = [[] for _ in range(channels)]
        self.messages: list[list[tuple[Message, int]]] = [[] for _ in range(channels)]
        self.left: list[tuple[int, ...]] = []
        self._local_ids: list[dict[Local, int]] = [{} for _ in range(machines)]
        self._content_ids: list[dict[Content, int]] = [{} for _ in range(channels)]
        self._message_ids: list[dict[tuple[Message, int], int]] = [{} for _ in range(channels)]
        self._left_ids: dict[tuple[int, ...], int] = {}
        self.configurations: list[tuple[int, int, tuple[tuple[int, int], ...]]] = []
        self._configuration_ids: dict[tuple[int, int, tuple[tuple[int, int], ...]], int] = {}
        self._pushes: list[dict[tuple[int, int], int]] = [{} for _ in range(channels)]
        self._children: dict[tuple[int, int, int], int] = {}
        self.row_start, self.row_local = Grown(np.int64), Grown(np.int32)
        self.send_start, self.send_channel, self.send_message = Grown(np.int64), Grown(np.int32), Grown(np.int32)
        self.row_start.append(0)
        self.send_start.append(0)
        self.offer_message, self.offer_after = Grown(np.int32), Grown(np.int32)
        self.fault_kind, self.fault_after = Grown(np.int32), Grown(np.int32)
        inputs, protocol = system.inputs, system.protocol
        crash_kind = self.kinds.index("crash") if "crash" in self.kinds else -1
        self._input_start = np.cumsum([0, *map(len, inputs)], dtype=np.int64)
        self._inputs = np.array([c for own in inputs for c in own], np.int64)
        fifo = type(system.assumptions.discipline) is Fifo and not protocol.overtakes
        self._flags = np.array(
            [protocol.multi_channel, protocol.synchronous, len(self.kinds), crash_kind, fifo], np.int64
        )
        self._sizes = ([8] * machines, [8] * channels, [4] * channels, 4)
        self._layout()
        self.start = self._intern_start()

    # -- numbering -----------------------------------------------------------------------------------------------

    def _intern_start(self) -> NDArray[np.int64]:
        for channel in range(len(self.contents)):
            self.content(channel, ())
        (state,) = self.system.initial_states()
        return self.encode(state)

    def encode(self, state: State) -> NDArray[np.int64]:
        """The state's field values `int64[1, fields]`, numbering what is new in it."""
        values = [self.local(m, local) for m, local in enumerate(state.machines)]
        values += [self.content(c, content) for c, content in enumerate(state.channels)]
        return np.array([[*values, self._left(state.left)]], np.int64)

    def decode(self, values: NDArray[np.int64]) -> State:
        """The state of these field values."""
        machines, channels = len(self.locals), len(self.contents)
        ids = values.tolist()
        return State(
            tuple(own[i] for own, i in zip(self.locals, ids[:machines], strict=True)),
            tuple(own[i] for own, i in zip(self.contents, ids[machines : machines + channels], strict=True)),
            self.left[ids[-1]],
        )

    def counts(self) -> list[int]:
        """How many ids each field has to tell apart."""
        return [*map(len, self.locals), *map(len, self.contents), len(self.left)]

    def widths(self) -> list[int]:
        """Bits that each field needs for them; none for what is left where nothing can fail."""
        *counts, left = self.counts()
        return [*(max(1, (count - 1).bit_length()) for count in counts), (left - 1).bit_length()]

    def local(self, machine: int, local: Local) -> int:
        """The number of a machine's local state."""
        ids = self._local_ids[machine]
        number = ids.get(local)
        if number is None:
            number = ids[local] = len(ids)
            self.locals[machine].append(local)
            if number >= self._sizes[0][machine]:
                self._sizes[0][machine] *= 2
                self._layout()
            self.predicates.local(machine, local)
            if "crash" in self.kinds and not local.crashed:
                after = self.local(machine, crash(machine, local).after)
                self.crashed[self.local_base[machine] + number] = after
        return number

    def message(self, channel: int, message: Message, position: int = 0) -> int:
        """The number of a message on a channel (with its position, where a claim of the user's may look at that)."""
        key = (message, position if self.predicates.positions else 0)
        ids = self._message_ids[channel]
        number = ids.get(key)
        if number is None:
            number = ids[key] = len(ids)
            self.messages[channel].append(key)
            if number >= self._sizes[2][channel]:
                self._sizes[2][channel] *= 2
                self._layout()
        return number

    def content(self, channel: int, content: Content) -> int:
        """The number of a channel's content, its offers written down."""
        ids = self._content_ids[channel]
        number = ids.get(content)
        if number is None:
            offers = [
                (self.message(channel, message, position), self.content(channel, without(content, position)))
                for _, position, message in self.system.offered(channel, content)
            ]
            number = ids[content] = len(ids)
            self.contents[channel].append(content)
            if number >= self._sizes[1][channel]:
                self._sizes[1][channel] *= 2
                self._layout()
            place = self.content_base[channel] + number
            self.offer_start[place] = self.offer_message.size
            for message, after in offers:
                self.offer_message.append(message)
                self.offer_after.append(after)
            self.offer_end[place] = self.offer_message.size
            self.predicates.content(channel, content)
        return number

    def _left(self, left: tuple[int, ...]) -> int:
        number = self._left_ids.get(left)
        if number is None:
            number = self._left_ids[left] = len(self._left_ids)
            self.left.append(left)
            if number >= self._sizes[3]:
                self._sizes = (*self._sizes[:3], self._sizes[3] * 2)
                self._layout()
            for kind, amount in enumerate(left):
                self.left_after[number * len(left) + kind] = -2 if amount else -1
        return number

    # -- filling -------------------------------------------------------------------------------------------------

    def fill(self, misses: NDArray[np.int64]) -> None:
        """Answer the questions `int64[n, 5]` that a kernel could not."""
        for kind, where, a, b, _ in dict.fromkeys(map(tuple, misses.tolist())):
            if kind == NOTHING:
                self.nothing[self.local_base[where] + a] = self._configuration(where, a, ())
            elif kind == ACCEPT:
                machine = self.system.channels[where][1]
                found = self._configuration(machine, a, ((where, b),))
                self.accept[self.accept_base[where] + a * self.message_room[where] + b] = found
            elif kind == CHILD:
                machine, local, accepted = self.configurations[a]
                self._child(a, where, b, self._configuration(machine, local, (*accepted, (where, b))))
            elif kind == PUSH:
                self._push(where, a, b)
            elif kind == SYNCHRONOUS:
                self.synchronous[self.local_base[where] + a] = self._synchronous(where, a)
            elif kind == FAULTS:
                self._faults(where, a)
            elif kind == LEFT:
                left = self.left[a]
                less = self._left((*left[:where], left[where] - 1, *left[where + 1 :]))
                self.left_after[a * len(left) + where] = less

    def _configuration(self, machine: int, local: int, accepted: tuple[tuple[int, int], ...]) -> int:
        key = (machine, local, accepted)
        number = self._configuration_ids.get(key)
        if number is None:
            before = self.locals[machine][local]
            taken = tuple(
                Accepted(c, position, message) for c, q in accepted for message, position in (self.messages[c][q],)
            )
            steps = () if before.crashed else self.system.steps(machine, before, uncoloured(taken))
            number = self._rows(key, [move(machine, before, taken, step) for step in steps])
        return number

    def _synchronous(self, machine: int, local: int) -> int:
        before = self.locals[machine][local]
        step = None if before.crashed else self.system.protocol.synchronous_step(machine, before)
        return self._rows((machine, local, ((-1, -1),)), [] if step is None else [self._whole(machine, before, step)])

    @staticmethod
    def _whole(machine: int, before: Local, step: Step) -> Move:
        return move(machine, before, (), step)

    def _rows(self, key: tuple[int, int, tuple[tuple[int, int], ...]], moves: list[Move]) -> int:
        """Write down a configuration's moves as rows; its number."""
        for made in moves:
            local = self.local(made.machine, made.after)
            sends = [(channel, self.message(channel, message)) for channel, message in made.sends]
            self.row_local.append(local)
            for channel, number in sends:
                self.send_channel.append(channel)
                self.send_message.append(number)
            self.send_start.append(self.send_channel.size)
            self.predicates.row(made)
        number = self._configuration_ids[key] = len(self.configurations)
        self.configurations.append(key)
        self.row_start.append(self.row_local.size)
        return number

    def _push(self, channel: int, content: int, message: int) -> None:
        pushed = self.system.discipline(channel).push(
            self.contents[channel][content], self.messages[channel][message][0]
        )
        after = self.content(channel, pushed)
        self._pushes[channel][content, message] = after
        self.push[self.push_base[channel] + content * self.message_room[channel] + message] = after

    def _faults(self, channel: int, content: int) -> None:
        held = self.contents[channel][content]
        place = self.content_base[channel] + content
        faults: list[tuple[int, int]] = []
        if channel < len(self.system.topology.channels):
            every = (1,) * len(self.kinds)
            for kind, fault in self.system.assumptions.channel_faults(channel, held, every):
                faults.append((kind, self.content(channel, self.system.assumptions.struck(held, fault))))
        place = self.content_base[channel] + content  # may have moved
        self.fault_start[place] = self.fault_kind.size
        for kind, after in faults:
            self.fault_kind.append(kind)
            self.fault_after.append(after)
        self.fault_end[place] = self.fault_kind.size

    def _child(self, configuration: int, channel: int, message: int, found: int) -> None:
        self._children[configuration, channel, message] = found
        if 2 * len(self._children) > len(self.child_keys):
            self.child_keys = np.full(4 * len(self.child_keys), -1, np.int64)
            self.child_values = np.zeros(len(self.child_keys), np.int32)
            self._write_children()
        else:
            self._write_child(configuration, channel, message, found)

    def _write_children(self) -> None:
        for (configuration, channel, message), found in self._children.items():
            self._write_child(configuration, channel, message, found)

    def _write_child(self, configuration: int, channel: int, message: int, found: int) -> None:
        key = configuration << 24 | int(self.message_base[channel]) + message
        mask = len(self.child_keys) - 1
        # As in the kernel, where products are 64 bits wide and signed.
        product = key * 0x2545F4914F6CDD1D & (1 << 64) - 1
        slot = ((product - (1 << 64) if product >> 63 else product) >> 20) & mask
        while self.child_keys[slot] not in (-1, key):
            slot = (slot + 1) & mask
        self.child_keys[slot], self.child_values[slot] = key, found

    # -- the flat arrays -----------------------------------------------------------------------------------------

    def _layout(self) -> None:
        """Lay the arrays out anew for the present sizes, keeping what they hold."""
        local_room, content_room, message_room, left_room = self._sizes
        system, old = self.system, dict(self.__dict__)
        self.message_room = np.array(message_room, np.int64)
        self.local_base = _bases(local_room)
        self.content_base = _bases(content_room)
        self.message_base = _bases(message_room)
        if self.message_base[-1] + message_room[-1] >= MOST_MESSAGES if len(message_room) else False:
            raise InputError(f"more than {MOST_MESSAGES:,} kinds of messages: the native engine has no room for them")
        destinations = [local_room[channel[1]] for channel in system.channels]
        self.accept_base = _bases([own * q for own, q in zip(destinations, message_room, strict=True)])
        self.push_base = _bases([k * q for k, q in zip(content_room, message_room, strict=True)])
        for name in ("nothing", "synchronous", "crashed"):
            setattr(self, name, _moved(old, name, "local_base", self.local_base, local_room))
        for name in ("offer_start", "offer_end", "fault_start", "fault_end"):
            setattr(self, name, _moved(old, name, "content_base", self.content_base, content_room))
        self.accept = _moved_squares(old, "accept", "accept_base", self.accept_base, destinations, self.message_room)
        self.push = _moved_squares(old, "push", "push_base", self.push_base, content_room, self.message_room)
        left_after = np.full(left_room * max(1, len(self.kinds)), -1, np.int32)
        if "left_after" in old:
            left_after[: len(old["left_after"])] = old["left_after"]
        self.left_after = left_after
        self.child_keys = np.full(len(old.get("child_keys", range(64))), -1, np.int64)
        self.child_values = np.zeros(len(self.child_keys), np.int32)
        self._write_children()

    def arrays(self) -> Arrays:
        """The tables as the kernels read them, at this moment: fetch them anew after each `fill`."""
        return Arrays(
            input_start=self._input_start,
            inputs=self._inputs,
            local_base=self.local_base,
            content_base=self.content_base,
            accept_base=self.accept_base,
            push_base=self.push_base,
            messages=self.message_room,
            message_base=self.message_base,
            flags=self._flags,
            nothing=self.nothing,
            synchronous=self.synchronous,
            crashed=self.crashed,
            accept=self.accept,
            child_keys=self.child_keys,
            child_values=self.child_values,
            row_start=self.row_start.array,
            row_local=self.row_local.array,
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


def _bases(sizes: list[int]) -> NDArray[np.int64]:
    return np.cumsum([0, *sizes], dtype=np.int64)[:-1]


def _moved(
    old: dict[str, Any], name: str, base: str, new_base: NDArray[np.int64], sizes: list[int]
) -> NDArray[np.int32]:
    """The array at its new bases; each part is at least as long as it was."""
    new = np.full(sum(sizes), MISSING, np.int32)
    if name in old:
        ends = [*old[base], len(old[name])][1:]
        for start, end, target in zip(old[base], ends, new_base, strict=True):
            new[target : target + end - start] = old[name][start:end]
    return new


def _moved_squares(
    old: dict[str, Any],
    name: str,
    base: str,
    new_base: NDArray[np.int64],
    sizes: list[int],
    columns: NDArray[np.int64],
) -> NDArray[np.int32]:
    """The same for parts that are tables of `sizes` rows and `columns` columns."""
    new = np.full(int(sum(size * int(column) for size, column in zip(sizes, columns, strict=True))), MISSING, np.int32)
    if name in old:
        ends = [*old[base], len(old[name])][1:]
        parts = zip(old[base], ends, old["message_room"], new_base, sizes, columns, strict=True)
        for start, end, before, target, size, column in parts:
            part = old[name][start:end].reshape(-1, before)
            new[target : target + size * column].reshape(size, column)[: len(part), :before] = part
    return new
