"""A relabelling: the same network with other names for its machines and channels, and what that does to tuples.

A program or protocol says with `relabelled` what it does to a state or a memory; an engine that relies on it checks
that the relabelled configuration can do exactly what the configuration can do, relabelled.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from model.topology import Topology

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Relabelling:
    """Machine m is called `machines[m]` and channel c `channels[c]` (the protocol's own channels last).

    inputs[m][i], outputs[m][i]: which of m's channels takes place i at the machine that m becomes.
    """

    machines: tuple[int, ...]
    channels: tuple[int, ...]
    inputs: tuple[tuple[int, ...], ...]
    outputs: tuple[tuple[int, ...], ...]

    @staticmethod
    def of(topology: Topology, machines: tuple[int, ...], channels: tuple[int, ...]) -> Relabelling:
        """The relabelling by an automorphism of the topology."""

        def places(own: Sequence[tuple[int, ...]]) -> tuple[tuple[int, ...], ...]:
            return tuple(
                tuple([channels[c] for c in own[m]].index(c) for c in own[image]) for m, image in enumerate(machines)
            )

        return Relabelling(machines, channels, places(topology.inputs), places(topology.outputs))

    def per_input(self, machine: int, values: Sequence[T]) -> tuple[T, ...]:
        """One value for each input of the machine, in the order of the inputs of the machine that it becomes."""
        return tuple(values[i] for i in self.inputs[machine])

    def per_output(self, machine: int, values: Sequence[T]) -> tuple[T, ...]:
        """The same for its outputs."""
        return tuple(values[i] for i in self.outputs[machine])

    def ascending(self, channels: Iterable[int]) -> tuple[int, ...]:
        """What these channels are called, ascending."""
        return tuple(sorted(self.channels[c] for c in channels))
