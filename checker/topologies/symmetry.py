"""The symmetries of a topology: relabellings of machines and channels that leave the network as it is.

Found by backtracking over machines, held down by colour refinement: the groups of networks small enough to be explored
are found in microseconds to milliseconds, with nothing to install.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import permutations, product

from model.errors import InputError
from model.topology import Dataflow, Topology

MOST_AUTOMORPHISMS = 100_000

Bundle = tuple[int, ...]  # the colours of the parallel channels between two machines, ascending


@dataclass(frozen=True, slots=True, order=True)
class Automorphism:
    """Machine m becomes `machines[m]`, channel c becomes `channels[c]`, and the topology stays the same."""

    machines: tuple[int, ...]
    channels: tuple[int, ...]


def automorphisms(
    topology: Topology,
    machine_colours: Sequence[int] | None = None,
    channel_colours: Sequence[int] | None = None,
) -> list[Automorphism]:
    """All automorphisms that keep the colours, ascending, so that the identity is the first.

    Parallel channels of one colour may be swapped. The channels of a `Dataflow` are coloured by its routing as well.
    Raises `InputError` for a wrong number of colours, or for more than 100,000 automorphisms.
    """
    network = _Network(topology, machine_colours, channel_colours)
    found: list[Automorphism] = []
    for machines in network.machine_permutations():
        for channels in network.channel_permutations(machines):
            found.append(Automorphism(machines, channels))
            if len(found) > MOST_AUTOMORPHISMS:
                raise InputError(
                    f"more than {MOST_AUTOMORPHISMS:,} automorphisms of {topology.name or 'this topology'}"
                )
    return sorted(found)


def machine_orbits(
    topology: Topology,
    machine_colours: Sequence[int] | None = None,
    channel_colours: Sequence[int] | None = None,
) -> tuple[tuple[int, ...], ...]:
    """The machines in classes of those that automorphisms take to each other, ascending; the whole group is not listed.

    What is shown for one initiator of an orbit holds for all of it. Raises `InputError` for a wrong number of colours.
    """
    network = _Network(topology, machine_colours, channel_colours)
    orbits: list[list[int]] = []
    for machine in range(topology.machines):
        for orbit in orbits:
            if any(True for _ in network.machine_permutations(fixed=(orbit[0], machine))):
                orbit.append(machine)
                break
        else:
            orbits.append([machine])
    return tuple(map(tuple, orbits))


class _Network:
    """A coloured topology prepared for the search: bundles of parallel channels, refined colours, a connected order."""

    def __init__(
        self, topology: Topology, machine_colours: Sequence[int] | None, channel_colours: Sequence[int] | None
    ) -> None:
        self.topology = topology
        self.colours = _colours("machine", machine_colours, topology.machines)
        self.channel_colours = list(
            zip(_colours("channel", channel_colours, len(topology.channels)), _routing(topology), strict=True)
        )
        ranks = {colour: rank for rank, colour in enumerate(sorted(set(self.channel_colours)))}
        self.members: dict[tuple[int, int], list[int]] = {}
        for c in sorted(range(len(topology.channels)), key=lambda c: (ranks[self.channel_colours[c]], c)):
            self.members.setdefault(topology.channels[c], []).append(c)
        self.bundles: dict[tuple[int, int], Bundle] = {
            ends: tuple(ranks[self.channel_colours[c]] for c in members) for ends, members in self.members.items()
        }
        self._refine()
        self.order = self._connected_order()

    def _refine(self) -> None:
        """Split colour classes until machines of one colour have the same bundles to and from each colour."""
        while True:
            near: list[list[tuple[int, Bundle, int]]] = [[] for _ in self.colours]
            for (source, destination), bundle in self.bundles.items():
                near[source].append((0, bundle, self.colours[destination]))
                near[destination].append((1, bundle, self.colours[source]))
            seen = [(colour, tuple(sorted(near[machine]))) for machine, colour in enumerate(self.colours)]
            ranks = {view: rank for rank, view in enumerate(sorted(set(seen)))}
            settled = len(ranks) == len(set(self.colours))
            self.colours = [ranks[view] for view in seen]
            if settled:
                return

    def _connected_order(self) -> list[int]:
        """All machines, rarest colour first, each next to earlier ones where it can be: a wrong start shows soon."""
        size = Counter(self.colours)
        neighbours: list[set[int]] = [set() for _ in self.colours]
        for source, destination in self.bundles:
            neighbours[source].add(destination)
            neighbours[destination].add(source)
        order: list[int] = []
        left = set(range(len(self.colours)))
        touched: set[int] = set()
        while left:
            machine = min(touched & left or left, key=lambda m: (size[self.colours[m]], m))
            order.append(machine)
            left.remove(machine)
            touched |= neighbours[machine]
        return order

    def machine_permutations(self, fixed: tuple[int, int] | None = None) -> Iterator[tuple[int, ...]]:
        """The machine permutations that keep bundles and colours; with `fixed=(a, b)` those that take a to b."""
        order = self.order if fixed is None else [fixed[0], *(m for m in self.order if m != fixed[0])]
        machines = range(len(order))
        image: dict[int, int] = {}

        def fits(machine: int, candidate: int) -> bool:
            bundle = self.bundles.get
            return bundle((machine, machine)) == bundle((candidate, candidate)) and all(
                bundle((machine, other)) == bundle((candidate, other_image))
                and bundle((other, machine)) == bundle((other_image, candidate))
                for other, other_image in image.items()
            )

        def extend(depth: int) -> Iterator[tuple[int, ...]]:
            if depth == len(order):
                yield tuple(image[m] for m in machines)
                return
            machine = order[depth]
            taken = set(image.values())
            for candidate in machines if fixed is None or depth else (fixed[1],):
                same_colour = self.colours[candidate] == self.colours[machine]
                if same_colour and candidate not in taken and fits(machine, candidate):
                    image[machine] = candidate
                    yield from extend(depth + 1)
                    del image[machine]

        return extend(0)

    def channel_permutations(self, machines: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
        """The channel permutations that go with a machine permutation: parallel channels of one colour in any order."""
        sources: list[int] = []
        choices = []
        for (source, destination), members in self.members.items():
            sources.extend(members)
            targets = self.members[machines[source], machines[destination]]
            choices.append(self._colour_keeping(targets))
        for choice in product(*choices):
            images = dict(zip(sources, (c for targets in choice for c in targets), strict=True))
            yield tuple(images[c] for c in range(len(sources)))

    def _colour_keeping(self, targets: list[int]) -> list[tuple[int, ...]]:
        """The orders of a bundle's channels, given by colour, that leave each place its colour."""
        by_colour: dict[tuple[int, str], list[int]] = {}
        for c in targets:
            by_colour.setdefault(self.channel_colours[c], []).append(c)
        parts = product(*(permutations(group) for group in by_colour.values()))
        return [tuple(c for group in part for c in group) for part in parts]


def _colours(what: str, colours: Sequence[int] | None, count: int) -> list[int]:
    if colours is None:
        return [0] * count
    if len(colours) != count:
        raise InputError(f"{len(colours)} {what} colours: accepted is one for each of the {count} {what}s")
    return list(colours)


def _routing(topology: Topology) -> list[str]:
    """Which records a channel of a `Dataflow` carries, in words; nothing in a plain topology."""
    carried = [""] * len(topology.channels)
    for routes in topology.routes if isinstance(topology, Dataflow) else ():
        for route in routes:
            for place, c in enumerate(route.channels):
                # Where all channels get a copy, or all but the first get nothing, their order is no difference.
                alike = route.strategy == "BROADCAST" or (route.strategy == "GLOBAL" and place > 0)
                carried[c] = f"{route.strategy} {'any' if alike else place} of {len(route.channels)}"
    return carried
