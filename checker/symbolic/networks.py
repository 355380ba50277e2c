"""Open topologies: which channels there are is unknown too, and z3 chooses the network on which something fails.

`any:N` stands for every strongly connected network of N machines with at most one channel from one to another. A
machine sees its own channels only, so it has one alternative for each set of channels at it, and a literal for each
channel says which alternative it is. What is found is searched again on the network itself, as a closed system: the
answer is that search's. A protocol or program that looks beyond its machine's channels is found out there, and refused.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import chain, combinations, permutations, product

from checker.bounds import Bounds, Progress, silent
from checker.symbolic.claims import Claims
from checker.symbolic.clauses import Clauses, SolverStopped
from checker.symbolic.search import DEPTH, Search
from checker.symbolic.unrolling import Unrolling
from model.errors import InputError
from model.property import Property
from model.system import System
from model.topology import Topology
from model.verdict import Coverage, Verdict

MOST_MACHINES = 5

Build = Callable[[Topology], System]


@dataclass(frozen=True, slots=True)
class Partial(Topology):
    """Some of the channels of a larger topology: all keep their numbers, but only those present are at a machine."""

    present: frozenset[int] = frozenset()

    def _ends(self, end: int) -> tuple[tuple[int, ...], ...]:
        return tuple(
            tuple(c for c, channel in enumerate(self.channels) if channel[end] == m and c in self.present)
            for m in range(self.machines)
        )


@dataclass(frozen=True, slots=True)
class OpenVerdict:
    """What was found over all networks: the verdict on the network that fails, or how deep all were looked at."""

    machines: int
    coverage: Coverage
    seconds: float
    reason: str | None
    failing: Verdict | None


def parse_any(text: str) -> int | None:
    """The number of machines of `any:N`; None if the text is no such word."""
    if not text.startswith("any:"):
        return None
    number = re.fullmatch(r"any:([0-9]{1,9})", text)
    if not number or not 2 <= int(number[1]) <= MOST_MACHINES:
        raise InputError(f"{text!r}: accepted is any:N with N from 2 to {MOST_MACHINES}")
    return int(number[1])


class Networks:
    """The search over all strongly connected networks of some machines; `build` makes a system of a topology."""

    def __init__(
        self,
        machines: int,
        build: Build,
        properties: Callable[[System], list[Property]],
        bounds: Bounds,
        progress: Progress = silent,
    ) -> None:
        self.machines = machines
        self.build = build
        self.properties = properties
        self.bounds = bounds
        self.progress = progress
        self.started = time.monotonic()
        self.channels = tuple(permutations(range(machines), 2))
        self.clauses = Clauses()
        self.there = [self.clauses.new() for _ in self.channels]
        for inner in chain.from_iterable(combinations(range(machines), size) for size in range(1, machines)):
            leaving = (
                lit for (a, b), lit in zip(self.channels, self.there, strict=True) if a in inner and b not in inner
            )
            self.clauses.add(*leaving)
        systems: list[list[System]] = []
        chosen: list[list[int]] = []
        for m in range(machines):
            alternatives = list(self._alternatives(m))
            systems.append([system for system, _ in alternatives])
            chosen.append([literal for _, literal in alternatives])
        self._pin(systems[0][0])
        self.unrolling = Unrolling(systems, self.clauses, chosen)
        self.claims = Claims(self.unrolling)

    def _alternatives(self, m: int) -> Iterator[tuple[System, int]]:
        """Each set of channels at the machine, as a system in which it has these, and the literal that it has."""
        own = [c for c, ends in enumerate(self.channels) if m in ends]
        others = frozenset(range(len(self.channels))) - frozenset(own)
        for present in product((True, False), repeat=len(own)):
            here = {c for c, is_there in zip(own, present, strict=True) if is_there}
            if {self.channels[c][0] == m for c in here} == {True, False}:  # strongly connected: one in, one out
                system = self.build(Partial(self.machines, self.channels, present=others | here))
                if system.protocol.control_channels():
                    raise InputError(f"any:{self.machines}: a protocol with channels of its own needs a topology")
                literal = self.clauses.both(self.there[c] if c in here else -self.there[c] for c in own)
                yield system, literal

    def _pin(self, system: System) -> None:
        """A protocol that names channel c numbers the network's channels: those up to c are there, so numbers agree."""
        named = getattr(system.protocol, "channel", None)
        if isinstance(named, int):
            for literal in self.there[: named + 1]:
                self.clauses.add(literal)

    # -- the search --------------------------------------------------------------------------------------------

    def verdict(self) -> OpenVerdict:
        """Look deeper, action by action, until some network fails."""
        most = DEPTH if self.bounds.max_depth is None else self.bounds.max_depth
        wanted = self.properties(self.unrolling.system)
        parts = [part for judged in wanted for part in self.claims.parts(judged) if part.exact]
        looked = -1
        try:
            while True:
                broken = self.clauses.either(part.broken() for part in parts)
                if self._check([broken, self.unrolling.ordered]):
                    failing = self._failing(broken)
                    return self._answer(Coverage("bounded", (("depth", self.unrolling.depth),)), None, failing)
                looked = self.unrolling.depth
                self.progress(0, 0, looked)
                if looked >= most:
                    return self._answer(bounded(looked), f"the depth bound of {most} actions was met")
                self.unrolling.extend()
                self.claims.advance()
                if not self._check([self.unrolling.ordered]):
                    return self._answer(Coverage("inductive", (("longest_run", looked),)), None)
        except (SolverStopped, KeyboardInterrupt):
            late = self._left() == 0
            return self._answer(
                bounded(max(looked, 0)),
                f"the time limit of {self.bounds.timeout:g} s was met" if late else "interrupted",
            )

    def _failing(self, broken: int) -> Verdict:
        """The verdict on the network chosen: of least cost, then fewest channels, then the first in order."""
        fixed = [broken, self.unrolling.ordered]
        fixed += self._least(self.unrolling.costs[-1], fixed)
        fixed += self._least(self.clauses.add_up((), self.there, len(self.there)), fixed)
        for literal in self.there:
            fixed.append(literal if self._check([*fixed, literal]) else -literal)
        channels = tuple(ends for ends, literal in zip(self.channels, self.there, strict=True) if literal in fixed)
        topology = Topology(self.machines, channels, name="edges:" + ",".join(f"{a}>{b}" for a, b in channels))
        system, depth = self.build(topology), self.unrolling.depth
        left = self._left()
        bounds = Bounds(self.bounds.max_states, depth, left, first=True)
        found = Search(system, self.properties(system), bounds, cheapest=True).verdict()
        if left != 0 and found.counterexample is None:
            raise InputError(
                f"any:{self.machines}: on {topology.name} nothing fails after {depth} actions, though it would if each"
                " machine saw its own channels only: give the topology itself"
            )
        return found

    def _least(self, count: list[int], fixed: list[int]) -> list[int]:
        return next(([-literal] for literal in count if self._check([*fixed, -literal])), [])

    def _left(self) -> float | None:
        if self.bounds.timeout is None:
            return None
        return max(0.0, self.bounds.timeout - (time.monotonic() - self.started))

    def _check(self, assumptions: list[int]) -> bool:
        left = self._left()
        if left == 0:
            raise SolverStopped("timeout")
        return self.clauses.check(assumptions, left)

    def _answer(self, coverage: Coverage, reason: str | None, failing: Verdict | None = None) -> OpenVerdict:
        return OpenVerdict(self.machines, coverage, time.monotonic() - self.started, reason, failing)


def bounded(depth: int) -> Coverage:
    """All runs of up to so many actions were looked at."""
    return Coverage("bounded", (("depth", depth),))
