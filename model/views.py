"""What a property of one's own sees: a state of a run, or an action of it, in a user's words; and what it looked at.

A view notes each machine and each channel that is read, so that a claim is explained by the values it read, and so
that an engine asks about each distinct tuple of them once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Generic, NamedTuple, TypeVar, overload

from model.action import Event, Move
from model.errors import InputError
from model.system import State, System
from model.values import to_json

Item = TypeVar("Item")

MACHINE, CHANNEL, RED, RECORDED, BEGUN, COMPLETE = "machines", "channels", "red", "recorded", "begun", "complete"

Read = tuple[str, int]
"""What is read of a state: one of these words, and the number of the machine or channel (0 where there is none)."""


class Row(Sequence[Item], Generic[Item]):
    """One item for each machine or channel; an item is looked up, and noted, when it is asked for."""

    __slots__ = ("_count", "_item")

    def __init__(self, count: int, item: Callable[[int], Item]) -> None:
        self._count, self._item = count, item

    @overload
    def __getitem__(self, index: int) -> Item: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Item, ...]: ...
    def __getitem__(self, index: int | slice) -> Item | tuple[Item, ...]:
        if isinstance(index, slice):
            return tuple(self._item(i) for i in range(*index.indices(self._count)))
        if not -self._count <= index < self._count:
            raise IndexError(f"{index}: there are {self._count}, from 0 on")
        return self._item(index % self._count)

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[Item]:
        return (self._item(i) for i in range(self._count))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and tuple(self) == tuple(other)

    def __hash__(self) -> int:
        return hash(tuple(self))

    def __repr__(self) -> str:
        return repr(tuple(self))


class View:
    """A state of a run.

    machines[m]: the program's state of machine m. channels[c]: the payloads in channel c, those to be accepted first
    first. red[m]: whether machine m has turned red. recorded[m]: the state that it recorded; None before.
    begun: whether a snapshot has begun in the run. complete: whether the snapshot is complete in this state.
    `read` holds what was looked at, in order, with its value.
    """

    __slots__ = ("_begun", "_state", "_system", "channels", "machines", "read", "recorded", "red", "shown")

    def __init__(self, system: System, state: State, begun: bool | None = None) -> None:
        self._system, self._state, self._begun = system, state, begun
        self.read: dict[Read, None] = {}
        self.shown: dict[str, Any] = {}
        machines = len(state.machines)
        self.machines: Row[Any] = Row(machines, self._machine)
        self.channels: Row[tuple[Any, ...]] = Row(len(system.topology.channels), self._channel)
        self.red: Row[bool] = Row(machines, self._red)
        self.recorded: Row[Any] = Row(machines, self._recorded)

    def _machine(self, machine: int) -> Any:
        return self._noted(MACHINE, machine, self._state.machines[machine].state)

    def _channel(self, channel: int) -> tuple[Any, ...]:
        payloads = tuple(m.payload for m in self._state.channels[channel] if not m.control)
        found: tuple[Any, ...] = self._noted(CHANNEL, channel, self._system.normal(payloads))
        return found

    def _red(self, machine: int) -> bool:
        return bool(self._noted(RED, machine, bool(self._state.machines[machine].red)))

    def _recorded(self, machine: int) -> Any:
        recorded = None
        if self._system.protocol.snapshots:
            recorded = self._system.protocol.recorded(machine, self._state.machines[machine])
        return self._noted(RECORDED, machine, None if recorded is None else recorded.state)

    @property
    def begun(self) -> bool:
        """Whether a snapshot has begun in the run, whatever became of it."""
        if self._begun is None:
            raise InputError(
                "view.begun is history, which is not looked at here: it must be read by the predicate itself, by name"
            )
        return bool(self._noted(BEGUN, 0, self._begun))

    @property
    def complete(self) -> bool:
        """Whether each snapshot is complete in this state."""
        snapshots = self._system.protocol.snapshots
        complete = snapshots > 0 and all(self._system.complete(self._state, s) for s in range(snapshots))
        return bool(self._noted(COMPLETE, 0, complete))

    def _noted(self, word: str, index: int, value: Any) -> Any:
        self.read[word, index] = None
        self.shown[word if word in (BEGUN, COMPLETE) else f"{word}[{index}]"] = value
        return value


class Act(NamedTuple):
    """An action of one machine, or a fault.

    accepts, sends: channel -> payload (no control messages: `markers_accepted`, `markers_sent` say on which channels
    these are; `red_accepted`, on which it accepts what a red action sent). before, after: the program's state of the
    machine. red: the colour of the action; turns_red: whether the machine turns red in it. fault: its kind (`loss`,
    `crash`, ...), None of what a machine does; then machine is the one that crashes, or None.
    """

    name: str
    machine: int | None
    before: Any = None
    after: Any = None
    accepts: Mapping[int, Any] = {}
    sends: Mapping[int, Any] = {}
    markers_accepted: tuple[int, ...] = ()
    markers_sent: tuple[int, ...] = ()
    red: bool = False
    turns_red: bool = False
    fault: str | None = None
    red_accepted: tuple[int, ...] = ()

    def shown(self) -> dict[str, Any]:
        """It as plain data."""
        found = {"name": self.name, "machine": self.machine, "before": to_json(self.before)}
        carried = {"accepts": self.accepts, "sends": self.sends}
        return {
            **found,
            "after": to_json(self.after),
            **{word: {str(c): to_json(p) for c, p in own.items()} for word, own in carried.items()},
        }


def act_of(move: Move, fault: str | None = None) -> Act:
    """The move as its user sees it."""
    return Act(
        move.step.name,
        move.machine,
        move.before.state,
        move.after.state,
        {c: m.payload for c, _, m in move.accepts if not m.control},
        {c: m.payload for c, m in move.sends if not m.control},
        tuple(c for c, _, m in move.accepts if m.control),
        tuple(c for c, m in move.sends if m.control),
        bool(move.acting),
        bool(move.step.turns),
        fault,
        tuple(c for c, _, m in move.accepts if not m.control and m.red),
    )


def acts_of(event: Event) -> tuple[Act, ...]:
    """What happens in the event: one act, one of each machine where all act together, or a fault."""
    fault = None if event.fault is None else event.fault.kind
    if event.moves:
        return tuple(act_of(move, fault) for move in event.moves)
    return (Act(event.name, None, fault=fault),)
