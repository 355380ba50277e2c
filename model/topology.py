"""The network: machines and an ordered tuple of uni-directional channels (EWD864a: machines and buffers)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from model.display import DisplayedAsDiagram
from model.errors import InputError


@dataclass(frozen=True, slots=True)
class Topology(DisplayedAsDiagram):
    """Machines 0..machines-1 and the channels between them, in their order; parallel and self-channels allowed.

    A channel is named by its index in `channels`; `inputs[m]` and `outputs[m]` hold the indices of the channels
    into and out of machine m, ascending. Raises `InputError` for no machines or a channel to nowhere.
    """

    machines: int
    channels: tuple[tuple[int, int], ...]
    name: str = field(default="", compare=False)
    labels: tuple[str, ...] = field(default=(), compare=False)
    inputs: tuple[tuple[int, ...], ...] = field(init=False, repr=False, compare=False)
    outputs: tuple[tuple[int, ...], ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        machines: object = self.machines
        if not isinstance(machines, int) or machines < 1:
            raise InputError(f"{self.machines!r} machines: a topology has at least 1")
        object.__setattr__(self, "channels", _pairs(self.channels))
        object.__setattr__(self, "labels", tuple(self.labels))
        for source, destination in self.channels:
            if not (0 <= source < self.machines and 0 <= destination < self.machines):
                raise InputError(f"channel {source}>{destination}: machines are 0..{self.machines - 1}")
        if self.labels and len(self.labels) != self.machines:
            raise InputError(f"{len(self.labels)} labels for {self.machines} machines: one label per machine")
        object.__setattr__(self, "inputs", self._ends(1))
        object.__setattr__(self, "outputs", self._ends(0))

    def _ends(self, end: int) -> tuple[tuple[int, ...], ...]:
        ends: list[list[int]] = [[] for _ in range(self.machines)]
        for c, channel in enumerate(self.channels):
            ends[channel[end]].append(c)
        return tuple(map(tuple, ends))

    def label(self, machine: int) -> str:
        """The machine's name as shown to people: its label in the source file, or P0, P1, ..."""
        return self.labels[machine] if self.labels else f"P{machine}"

    def reachable_from(self, initiators: Iterable[int]) -> frozenset[int]:
        """The machines that a chain of channels leads to from some initiator, the initiators included.

        Raises `InputError` for an initiator that is no machine.
        """
        reached = set(initiators)
        for machine in sorted(reached):
            if not 0 <= machine < self.machines:
                raise InputError(f"machine {machine}: machines are 0..{self.machines - 1}")
        frontier = list(reached)
        while frontier:
            for c in self.outputs[frontier.pop()]:
                destination = self.channels[c][1]
                if destination not in reached:
                    reached.add(destination)
                    frontier.append(destination)
        return frozenset(reached)

    def strongly_connected(self) -> bool:
        """Whether a chain of channels leads from every machine to every other one; a lone machine is."""
        backwards = Topology(self.machines, tuple((destination, source) for source, destination in self.channels))
        return len(self.reachable_from([0])) == self.machines == len(backwards.reachable_from([0]))


def _pairs(channels: object) -> tuple[tuple[int, int], ...]:
    """The channels as a tuple of pairs, given as any list of pairs."""
    found = [tuple(pair) if isinstance(pair, Iterable) else (pair,) for pair in _listed(channels)]
    for pair in found:
        if len(pair) != 2 or not all(isinstance(end, int) for end in pair):
            raise InputError(f"channel {pair!r}: a pair of machines, source and destination, as in (0, 1)")
    return tuple((source, destination) for source, destination in found)


def _listed(channels: object) -> Iterable[object]:
    if isinstance(channels, Iterable) and not isinstance(channels, str):
        return channels
    raise InputError(f"channels {channels!r}: a list of pairs of machines, as in [(0, 1), (1, 0)]")


@dataclass(frozen=True, slots=True)
class Route:
    """One logical output of a dataflow machine: the channels to the next operator's machines, and how they are fed.

    `strategy` is the ship strategy in Flink's word: FORWARD, RESCALE, REBALANCE, SHUFFLE, HASH, CUSTOM, RANGE,
    BROADCAST or GLOBAL; `channels` are indices of channels, ascending, never empty.
    """

    strategy: str
    channels: tuple[int, ...]

    def targets(self, number: int) -> tuple[int, ...]:
        """The channels on which record `number` goes: all under BROADCAST, the first under GLOBAL, else one, in turn.

        What `number` counts is the program's choice: a position in the sender's output makes it a round robin, a
        record's key (the same at every sender) a partitioning by hash.
        """
        if self.strategy == "BROADCAST":
            return self.channels
        if self.strategy == "GLOBAL":
            return self.channels[:1]
        return (self.channels[number % len(self.channels)],)


@dataclass(frozen=True, slots=True)
class Dataflow(Topology):
    """A topology that knows how its machines route: a record goes once to each of `routes[m]`, machine m's outputs.

    Every output channel of a machine belongs to exactly one of its routes. Raises `InputError` where that is not so.
    """

    routes: tuple[tuple[Route, ...], ...] = ()

    def __post_init__(self) -> None:
        Topology.__post_init__(self)  # not super(): a slotted dataclass is a copy of the class that super() remembers
        if len(self.routes) != self.machines:
            raise InputError(f"routes for {len(self.routes)} of {self.machines} machines: one tuple per machine")
        for machine, routes in enumerate(self.routes):
            routed = tuple(sorted(c for route in routes for c in route.channels))
            if routed != self.outputs[machine] or not all(route.channels for route in routes):
                raise InputError(
                    f"machine {machine} routes over channels {list(routed)}: "
                    f"accepted is each of its outputs {list(self.outputs[machine])} once"
                )
