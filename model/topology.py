"""The network: machines and an ordered tuple of uni-directional channels (EWD864a: machines and buffers)."""

from __future__ import annotations

from dataclasses import dataclass, field

from model.errors import InputError


@dataclass(frozen=True, slots=True)
class Topology:
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
        if self.machines < 1:
            raise InputError(f"{self.machines} machines: a topology has at least 1")
        for source, destination in self.channels:
            if not (0 <= source < self.machines and 0 <= destination < self.machines):
                raise InputError(f"channel {source}>{destination}: machines are 0..{self.machines - 1}")
        if self.labels and len(self.labels) != self.machines:
            raise InputError(f"{len(self.labels)} labels for {self.machines} machines: one label per machine")
        object.__setattr__(self, "inputs", self._ends(1))
        object.__setattr__(self, "outputs", self._ends(0))

    def _ends(self, end: int) -> tuple[tuple[int, ...], ...]:
        return tuple(
            tuple(c for c, channel in enumerate(self.channels) if channel[end] == m) for m in range(self.machines)
        )

    def label(self, machine: int) -> str:
        """The machine's name as shown to people: its label in the source file, or P0, P1, ..."""
        return self.labels[machine] if self.labels else f"P{machine}"
