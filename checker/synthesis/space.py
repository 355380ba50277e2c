"""The space of rules: each hole of the sketch with its fillings, what a rule costs, and what is ruled out already.

A rule's cost is compared part by part: control messages of one snapshot, bits that each message carries, bits that
machines keep besides what they record; each summed over the topologies. z3 gives the cheapest rule that is left.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, NamedTuple

import z3

from model.errors import InputError, like
from model.protocols.sketch import HOLES
from model.topology import Topology

Rule = Mapping[str, str]
Fillings = Mapping[str, frozenset[str]]
"""For each hole, some of its fillings: all rules that are made of these."""


class Cost(NamedTuple):
    """What a rule costs on all topologies together: markers of one snapshot at most, bits a message, bits kept."""

    control_messages: int
    message_bits: int
    memory_bits: int


@dataclass(frozen=True, slots=True)
class Network:
    """What a rule's cost depends on, of one topology: for each machine its inputs, its outputs, and those `onward`."""

    inputs: tuple[int, ...]
    outputs: tuple[int, ...]
    onward: tuple[int, ...]
    initiators: frozenset[int]


def network(topology: Topology, initiators: Sequence[int]) -> Network:
    """The degrees of each machine; `onward`: the most outputs that do not go back to one input's source."""
    ends = topology.channels

    def onward(machine: int) -> int:
        targets = [ends[channel][1] for channel in topology.outputs[machine]]
        if machine in initiators:
            return len(targets)
        sources = {ends[channel][0] for channel in topology.inputs[machine]}
        return max((sum(target != source for target in targets) for source in sources), default=len(targets))

    machines = range(topology.machines)
    return Network(
        tuple(len(topology.inputs[m]) for m in machines),
        tuple(len(topology.outputs[m]) for m in machines),
        tuple(onward(m) for m in machines),
        frozenset(initiators),
    )


def cost(rule: Rule, networks: Sequence[Network]) -> Cost:
    """What the rule costs."""
    markers = sum(_markers(rule, net) for net in networks)
    flags = sum(sum(net.inputs) for net in networks) if _keeps_flags(rule) else 0
    unsent = sum(sum(net.outputs) for net in networks) if rule["sends"] in ("held", "later") else 0
    return Cost(markers, int(rule["tags"] == "colour"), flags + unsent)


def _markers(rule: Rule, net: Network) -> int:
    if rule["sends"] == "never":
        return 0
    sent = {"all": net.outputs, "onward": net.onward, "one": tuple(min(1, n) for n in net.outputs)}[rule["outputs"]]
    return sum(n for m, n in enumerate(sent) if rule["senders"] == "everyone" or m in net.initiators)


def _keeps_flags(rule: Rule) -> bool:
    recorded = rule["records"] != "nothing" and rule["until"] != "end"
    return recorded or rule["complete"] in ("closed", "some") or rule["marker"] == "last"


COUNTED = ("marker", "sends", "outputs", "senders", "tags", "records", "until", "complete")
"""The holes that the cost depends on."""


class Space:
    """All rules that agree with what is fixed; `exclude` takes some out, `cheapest` gives one of the rest."""

    def __init__(self, fixed: Rule, networks: Sequence[Network], most: int | None = None) -> None:
        for name, value in fixed.items():
            if name not in HOLES:
                raise InputError(f"hole {name!r}: {like(name, HOLES)}accepted are {', '.join(HOLES)}")
            if value not in HOLES[name]:
                raise InputError(f"{name}={value}: {like(value, HOLES[name])}accepted are {', '.join(HOLES[name])}")
        self.choices = {name: (fixed[name],) if name in fixed else tuple(values) for name, values in HOLES.items()}
        self.networks = tuple(networks)
        self.holes = {name: z3.Int(name) for name in HOLES}
        self.solver = z3.Optimize()
        for name, choices in self.choices.items():
            self.solver.add(z3.Or([self.holes[name] == self._number(name, value) for value in choices]))
        self._price(most)

    @property
    def size(self) -> int:
        """How many rules there are."""
        size = 1
        for choices in self.choices.values():
            size *= len(choices)
        return size

    def _number(self, name: str, value: str) -> int:
        return list(HOLES[name]).index(value)

    def _price(self, most: int | None) -> None:
        """Tell z3 what each combination of the holes that count costs, and to prefer the cheapest."""
        parts = [z3.Int(part) for part in Cost._fields]
        rest = {name: next(iter(values)) for name, values in HOLES.items()}
        for values in product(*(self.choices[name] for name in COUNTED)):
            rule = {**rest, **dict(zip(COUNTED, values, strict=True))}
            given = z3.And([self.holes[name] == self._number(name, rule[name]) for name in COUNTED])
            price = cost(rule, self.networks)
            self.solver.add(z3.Implies(given, z3.And([part == n for part, n in zip(parts, price, strict=True)])))
        if most is not None:
            self.solver.add(parts[0] <= most)
        self.parts = parts
        for part in parts:
            self.solver.minimize(part)  # in this order: z3 minimises lexicographically
        # Of equally cheap ones, that which differs least from the first filling of each hole.
        self.solver.minimize(z3.Sum([z3.If(hole == 0, 0, 1) for hole in self.holes.values()]))

    def cheapest(self) -> dict[str, str] | None:
        """A rule of least cost among those left; None if none is left."""
        if self.solver.check() != z3.sat:
            return None
        model: Any = self.solver.model()
        return {name: list(HOLES[name])[model.eval(hole).as_long()] for name, hole in self.holes.items()}

    def exclude(self, fillings: Fillings) -> int:
        """Take out every rule that is made of these fillings; how many such rules the space has."""
        some = {name: sorted(fillings[name]) for name in HOLES if len(fillings[name]) < len(HOLES[name])}
        self.solver.add(
            z3.Or([z3.And([self.holes[n] != self._number(n, v) for v in values]) for n, values in some.items()])
        )
        size = 1
        for name, choices in self.choices.items():
            size *= len(fillings[name].intersection(choices))
        return size

    def limit(self, price: Cost) -> None:
        """From now on only rules of this cost."""
        self.solver.add([part == n for part, n in zip(self.parts, price, strict=True)])
