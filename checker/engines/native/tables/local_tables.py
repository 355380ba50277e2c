"""The tables behind the kernels: what the program and the protocol answer, each local configuration asked about once.

**Lemma.** The graph that the kernels explore over the tables is the reachable graph of `System`, each local state,
message and channel contents being named by a number.

1. Equal values have one number, in the order met, so states are equal if and only if their numbers are.
2. What a machine can do depends on its own state and the messages it accepts; what a channel holds after an action, on
   what it held and what is taken from it or sent on it. So an answer may be kept under its question.
3. No answer is guessed: a kernel that finds a question unanswered hands it over as a miss, and the same states are
   expanded again once `fill` has put it to `System` and written the answer down.
4. The order in which the kernels go through choices and transitions is that of `System.events`.

What is a fact of one local state, message, contents or transition alone is judged here, once (`LocalPredicates`).
docs/engine/tables.md has the picture.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from checker.engines.native.tables.arrays import ACCEPT, CHILD, FAULTS, LEFT, NOTHING, PUSH, SYNCHRONOUS, Arrays
from checker.engines.native.tables.flat_arrays import NOT_ASKED, FlatArrays
from checker.engines.native.tables.layering import Layering
from checker.judging.local_predicates import LocalPredicates
from model.action import Accepted, Local, Message, Move
from model.channels import Content, without
from model.system import State, System, crash, move, uncoloured

Accepts = tuple[tuple[int, int], ...]
"""What is accepted, as pairs of a channel and the number of a message."""


class Tables:
    """The tables of one system, filled as the search asks; `predicates` sees each new local, content and transition."""

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
        self.configurations: list[tuple[int, int, Accepts]] = []
        self._configuration_ids: dict[tuple[int, int, Accepts], int] = {}
        self.flat = FlatArrays(system)
        self.start = self._intern_start()
        self.layering = Layering(system, self.start[0, :machines].tolist())

    def arrays(self) -> Arrays:
        """The tables as the kernels read them, at this moment: fetch them anew after each `fill`."""
        return self.flat.arrays()

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
            self.flat.hold_local(machine, number)
            self.predicates.local(machine, local)
            if "crash" in self.kinds and not local.crashed:
                after = self.local(machine, crash(machine, local).after)
                self.flat.crashed[self.flat.of_local(machine, number)] = after
        return number

    def message(self, channel: int, message: Message, position: int = 0) -> int:
        """The number of a message on a channel (with its position, where a claim of the user's may look at that)."""
        key = (message, position if self.predicates.positions else 0)
        ids = self._message_ids[channel]
        number = ids.get(key)
        if number is None:
            number = ids[key] = len(ids)
            self.messages[channel].append(key)
            self.flat.hold_message(channel, number)
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
            flat = self.flat
            flat.hold_contents(channel, number)
            place = flat.of_contents(channel, number)
            flat.offer_start[place] = flat.offer_message.size
            for message, after in offers:
                flat.offer_message.append(message)
                flat.offer_after.append(after)
            flat.offer_end[place] = flat.offer_message.size
            self.predicates.content(channel, content)
        return number

    def _left(self, left: tuple[int, ...]) -> int:
        number = self._left_ids.get(left)
        if number is None:
            number = self._left_ids[left] = len(self._left_ids)
            self.left.append(left)
            self.flat.hold_left(number)
            for kind, amount in enumerate(left):
                if amount:
                    self.flat.left_after[number * len(left) + kind] = NOT_ASKED
        return number

    # -- filling -------------------------------------------------------------------------------------------------

    def fill(self, misses: NDArray[np.int64]) -> None:
        """Answer the questions `int64[n, 5]` that a kernel could not."""
        for kind, where, a, b, _ in dict.fromkeys(map(tuple, misses.tolist())):
            if kind == NOTHING:
                found = self._configuration(where, a, ())
                self.flat.nothing[self.flat.of_local(where, a)] = found
            elif kind == ACCEPT:
                machine = self.system.channels[where][1]
                found = self._configuration(machine, a, ((where, b),))
                self.flat.accept[self.flat.of_accept(where, a, b)] = found
            elif kind == CHILD:
                machine, local, accepted = self.configurations[a]
                found = self._configuration(machine, local, (*accepted, (where, b)))
                self.flat.children.add(a, where, b, found, self.flat.message_base)
            elif kind == PUSH:
                self._push(where, a, b)
            elif kind == SYNCHRONOUS:
                found = self._synchronous(where, a)
                self.flat.synchronous[self.flat.of_local(where, a)] = found
            elif kind == FAULTS:
                self._faults(where, a)
            elif kind == LEFT:
                left = self.left[a]
                less = self._left((*left[:where], left[where] - 1, *left[where + 1 :]))
                self.flat.left_after[a * len(left) + where] = less

    def _configuration(self, machine: int, local: int, accepted: Accepts) -> int:
        key = (machine, local, accepted)
        number = self._configuration_ids.get(key)
        if number is None:
            before = self.locals[machine][local]
            taken = tuple(
                Accepted(c, position, message) for c, q in accepted for message, position in (self.messages[c][q],)
            )
            steps = () if before.crashed else self.system.steps(machine, before, uncoloured(taken))
            number = self._transitions(key, [move(machine, before, taken, step) for step in steps])
        return number

    def _synchronous(self, machine: int, local: int) -> int:
        before = self.locals[machine][local]
        step = None if before.crashed else self.system.protocol.synchronous_step(machine, before)
        return self._transitions(
            (machine, local, ((-1, -1),)), [] if step is None else [move(machine, before, (), step)]
        )

    def _transitions(self, key: tuple[int, int, Accepts], moves: list[Move]) -> int:
        """Write down a configuration's moves as transitions; its number."""
        for made in moves:
            local = self.local(made.machine, made.after)
            sends = [(channel, self.message(channel, message)) for channel, message in made.sends]
            self.flat.transition_local.append(local)
            self.layering.transition(made.machine, key[1], local)
            for channel, number in sends:
                self.flat.send_channel.append(channel)
                self.flat.send_message.append(number)
            self.flat.send_start.append(self.flat.send_channel.size)
            self.predicates.row(made)
        number = self._configuration_ids[key] = len(self.configurations)
        self.configurations.append(key)
        self.flat.transition_start.append(self.flat.transition_local.size)
        return number

    def _push(self, channel: int, content: int, message: int) -> None:
        pushed = self.system.discipline(channel).push(
            self.contents[channel][content], self.messages[channel][message][0]
        )
        after = self.content(channel, pushed)
        self.flat.push[self.flat.of_push(channel, content, message)] = after

    def _faults(self, channel: int, content: int) -> None:
        held = self.contents[channel][content]
        faults: list[tuple[int, int]] = []
        if channel < len(self.system.topology.channels):
            every = (1,) * len(self.kinds)
            for kind, fault in self.system.assumptions.channel_faults(channel, held, every):
                faults.append((kind, self.content(channel, self.system.assumptions.struck(held, fault))))
        flat = self.flat
        place = flat.of_contents(channel, content)
        flat.fault_start[place] = flat.fault_kind.size
        for kind, after in faults:
            flat.fault_kind.append(kind)
            flat.fault_after.append(after)
        flat.fault_end[place] = flat.fault_kind.size
