"""Programs: the underlying computation, as pure functions of one machine's local state and what is offered to it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from model.action import Action
from model.errors import InputError
from model.relabelling import Relabelling
from model.topology import Topology
from model.values import Value, alike

if TYPE_CHECKING:
    from model.property import Property


class Underlying(NamedTuple):
    """A state of the underlying computation: each machine's state, each channel's payloads."""

    machines: tuple[Value, ...]
    channels: tuple[tuple[Value, ...], ...]


class Program(ABC):
    """An underlying computation on a topology; subclass it to write your own.

    The constructor takes the topology and keyword options (those of the command line's `name,key=value`). All
    functions are pure, and see one machine only: that is what lets an engine ask each question once.
    """

    multi_channel: bool = False
    """Whether one action may accept from several channels; if so `offered` may hold several messages."""

    conserves: ClassVar[str | None] = None
    """What the program conserves, if anything; then `held` and `carried` say how much of it there is where."""

    labels: tuple[str, ...] = ()
    """Names for the machines, where the program has its own."""

    def __init__(self, topology: Topology) -> None:
        self.topology = topology

    def readings(self) -> Mapping[str, Any]:
        """The values of options that the constructor worked out itself, by name, for the description of the system."""
        return {}

    @abstractmethod
    def initial(self, machine: int) -> Value:
        """The machine's state at the start."""

    @abstractmethod
    def actions(self, machine: int, state: Value, offered: Mapping[int, Value]) -> Iterable[Action]:
        """The atomic actions of the machine in `state` that accept exactly what is `offered` (channel -> payload).

        With nothing offered these are the actions that accept nothing. An action depends on what it accepts, not on
        what else waits; one that accepts another set than `offered` is passed over here and asked for when that set
        is offered. The order of the answer is the order in which counterexamples are compared.
        """

    def record(self, machine: int, state: Value) -> Value:
        """What the machine records of its state; all of it, unless a part only bounds the exploration (sends left)."""
        return state

    def may_initiate(self, machine: int, state: Value) -> bool:
        """Whether an initiator may begin a snapshot in this state; always, unless the program pins the moment."""
        return True

    def held(self, machine: int, recorded: Value) -> int:
        """How much of what the program conserves is in this recorded state of the machine."""
        return 0

    def carried(self, payload: Value) -> int:
        """How much of what the program conserves the message carries."""
        return 0

    def relabelled(self, machine: int, state: Value, by: Relabelling) -> Value:
        """What the machine's state (or what was recorded of one) is called at the machine that takes its place.

        The same, unless a state names channels or holds a value for each: see `model.relabelling`.
        """
        return state

    def properties(self) -> Iterable[Property]:
        """Properties that the program brings along: they are judged wherever it runs, unless others are named.

        They are made by the words of `model.claims`. `conserves` and `stable_predicates` are short for the two that
        most programs have, and judged as the catalogue's own.
        """
        return ()

    def stable_predicates(self) -> Mapping[str, Callable[[Underlying], bool]]:
        """Predicates that, once true, stay true, by name: what a snapshot is taken for.

        They see each machine as it would be recorded, and each channel's payloads.
        """
        return {}


def exact_actions(program: Program, machine: int, state: Value, offered: Mapping[int, Value]) -> list[Action]:
    """The program's actions that accept exactly `offered`, checked: wrong channels or non-actions are refused."""
    if len(offered) > 1 and not program.multi_channel:
        return []
    wanted = tuple(sorted(offered.items()))
    found: list[Action] = []
    given = program.actions(machine, state, offered)
    if not isinstance(given, Iterable):
        raise InputError(f"{type(program).__name__}.actions gave {given!r}: it must give model.Action values")
    for action in given:
        if not isinstance(action, Action):
            raise InputError(f"{type(program).__name__}.actions gave {action!r}: it must give model.Action values")
        inputs, outputs = program.topology.inputs[machine], program.topology.outputs[machine]
        for channels, own, word in ((action.accepts, inputs, "input"), (action.sends, outputs, "output")):
            for channel, _ in channels:
                if channel not in own:
                    raise InputError(
                        f"{type(program).__name__}: action {action.name!r} of machine {machine} uses channel {channel}:"
                        f" its {word} channels are {list(own)}"
                    )
        if action.accepts == wanted and not any(_same(action, other) for other in found):
            found.append(action)
    return found


def _same(action: Action, other: Action) -> bool:
    """Whether the actions are equal, and in kind too: of others the system says that they cannot be told apart."""
    return action == other and alike((action.state, action.sends), (other.state, other.sends))
