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

from checker.engines.search_options import Progress, SearchOptions, silent
from checker.engines.symbolic.claims import Claims
from checker.engines.symbolic.clauses import STOPS, Clauses, SolverStopped, why_stopped
from checker.engines.symbolic.engine import DEPTH, Search
from checker.engines.symbolic.unrolling import Unrolling
from model.errors import InputError
from model.property import Property
from model.system import System
from model.topology import Topology
from model.verdict import Coverage, Verdict

MOST_MACHINES = 5
MOST_NETWORKS = 2000
"""On how many networks it is looked whether a snapshot completes."""

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
        options: SearchOptions,
        progress: Progress = silent,
    ) -> None:
        self.machines = machines
        self.build = build
        self.properties = properties
        self.options = options
        self.progress = progress
        self.started = time.monotonic()
        self.channels = tuple(permutations(range(machines), 2))
        self.clauses = Clauses()
        self.there = self._strongly_connected(self.clauses)
        systems: list[list[System]] = []
        chosen: list[list[int]] = []
        for m in range(machines):
            alternatives = list(self._alternatives(m))
            systems.append([system for system, _ in alternatives])
            chosen.append([literal for _, literal in alternatives])
        self.pinned = _pinned(systems[0][0])
        self._pin(self.clauses, self.there)
        self.unrolling = Unrolling(systems, self.clauses, chosen)
        self.claims = Claims(self.unrolling)
        self.judged = properties(self.unrolling.system)
        self.snapshots = Completing(self.there, self.clauses)
        self.doubts: list[str] = []
        self.begun = False

    def _strongly_connected(self, clauses: Clauses) -> list[int]:
        """A literal for each channel: it is there; out of each set of machines a channel leads."""
        there = [clauses.new() for _ in self.channels]
        for inner in chain.from_iterable(combinations(range(self.machines), size) for size in range(1, self.machines)):
            clauses.add(
                *(lit for (a, b), lit in zip(self.channels, there, strict=True) if a in inner and b not in inner)
            )
        return there

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

    def _pin(self, clauses: Clauses, there: list[int]) -> None:
        """A protocol that names channel c numbers the network's channels: those up to c are there, so numbers agree."""
        for literal in there[: self.pinned]:
            clauses.add(literal)

    # -- the search --------------------------------------------------------------------------------------------

    def verdict(self) -> OpenVerdict:
        """Look deeper, action by action, until some network fails."""
        most = DEPTH if self.options.max_depth is None else self.options.max_depth
        looked = -1
        try:
            while True:
                failing = self._look()
                if failing is not None:
                    return self._answer(Coverage("bounded", (("depth", self.unrolling.depth),)), None, failing)
                looked = self.unrolling.depth
                self.progress(0, 0, looked)
                if looked >= most:
                    return self._answer(bounded(looked), f"the depth bound of {most} actions was met")
                self.unrolling.extend()
                self.claims.advance()
                if not self._check([self.unrolling.ordered]):
                    return self._answer(Coverage("inductive", (("longest_run", looked),)), self._limits())
        except STOPS as stopped:
            return self._answer(bounded(max(looked, 0)), why_stopped(stopped, self.options.timeout, self._left() == 0))

    def _look(self) -> Verdict | None:
        """The verdict on a network that fails at this depth; None if there is none.

        What clauses encode exactly comes first. Where they mean only that a property may be broken, each network on
        which it may is searched by itself, until one fails.
        """
        if any(judged.over_snapshots for judged in self.judged) and self.unrolling.system.protocol.snapshots:
            self.snapshots.look(self.claims.completes(), self.unrolling.ordered, self._check)
        self.begun = self.begun or self._check([self.claims.begins(), self.unrolling.ordered])
        parts = [part for judged in self.judged for part in self.claims.parts(judged)]
        for exact in (True, False):
            broken = self.clauses.either(part.broken() for part in parts if part.exact() == exact)
            fixed = [broken, self.unrolling.ordered]
            while self._check(fixed):
                topology, chosen = self._smallest(fixed)
                found = self._closed(topology)
                if found.counterexample is not None or self._left() == 0:
                    return found
                if exact:
                    raise InputError(
                        f"any:{self.machines}: on {topology.name} nothing fails after {self.unrolling.depth} actions,"
                        " though it would if each machine saw its own channels only: give the topology itself"
                    )
                fixed.append(another := self.clauses.new())
                self.clauses.implies(another, *(-literal for literal in chosen))
        return None

    def _smallest(self, fixed: list[int]) -> tuple[Topology, list[int]]:
        """The network of least cost on which it is so, then of fewest channels, then the first in order."""
        fixed = [*fixed, *self._least(self.unrolling.costs[-1], fixed)]
        fixed += self._least(self.clauses.add_up((), self.there, len(self.there)), fixed)
        chosen: list[int] = []
        for literal in self.there:
            chosen.append(literal if self._check([*fixed, *chosen, literal]) else -literal)
        return self._network(chosen), chosen

    def _network(self, chosen: list[int]) -> Topology:
        channels = tuple(ends for ends, literal in zip(self.channels, chosen, strict=True) if literal > 0)
        return Topology(self.machines, channels, name="edges:" + ",".join(f"{a}>{b}" for a, b in channels))

    def _closed(self, topology: Topology) -> Verdict:
        """The search on the network alone, as deep as here."""
        system = self.build(topology)
        options = SearchOptions(self.options.max_states, self.unrolling.depth, self._left(), first=True)
        search = Search(system, self.properties(system), options, cheapest=True)
        found = search.verdict()
        self.doubts += [f"on {topology.name}: {why}" for why in search.not_judged.values()]
        return found

    def _limits(self) -> str | None:
        """Why not all of it holds though no run goes on; None if all does."""
        limits = ((judged.name, self.claims.limit(judged, covered=True, followed=True)) for judged in self.judged)
        notes = [*self.doubts, *(f"{name}: {limit}" for name, limit in limits if limit is not None)]
        if not self.begun and any(
            judged.witness(self.unrolling.system, True, False) is False for judged in self.judged
        ):
            notes.append("no run begins a snapshot")
        if any(judged.witness(self.unrolling.system, False, True) is False for judged in self.judged):
            others = Clauses()
            there = self._strongly_connected(others)
            self._pin(others, there)
            without = self.snapshots.missing(others, there)
            if without is not None:
                notes.append(f"no snapshot completes on {self._network(without).name}")
        return "; ".join(notes) or None

    def _least(self, count: list[int], fixed: list[int]) -> list[int]:
        return next(([-literal] for literal in count if self._check([*fixed, -literal])), [])

    def _left(self) -> float | None:
        if self.options.timeout is None:
            return None
        return max(0.0, self.options.timeout - (time.monotonic() - self.started))

    def _check(self, assumptions: list[int]) -> bool:
        left = self._left()
        if left == 0:
            raise SolverStopped("timeout")
        return self.clauses.check(assumptions, left)

    def _answer(self, coverage: Coverage, reason: str | None, failing: Verdict | None = None) -> OpenVerdict:
        return OpenVerdict(self.machines, coverage, time.monotonic() - self.started, reason, failing)


class Completing:
    """The networks on which a snapshot has been seen to complete."""

    def __init__(self, there: list[int], clauses: Clauses) -> None:
        self.there = there
        self.clauses = clauses
        self.seen: list[list[bool]] = []
        self.fresh = clauses.new()

    def look(self, completes: int, ordered: int, check: Callable[[list[int]], bool]) -> None:
        """Add those on which one completes at this depth; no more than so many are told apart."""
        while len(self.seen) < MOST_NETWORKS and check([self.fresh, completes, ordered]):
            network = [self.clauses.true(literal) for literal in self.there]
            self.seen.append(network)
            self.clauses.implies(self.fresh, *_unlike(self.there, network))

    def missing(self, clauses: Clauses, there: list[int]) -> list[int] | None:
        """A network of those that the clauses allow on which none was seen, as literals of `there`."""
        for network in self.seen:
            clauses.add(*_unlike(there, network))
        if not clauses.check():
            return None
        return [literal if clauses.true(literal) else -literal for literal in there]


def _unlike(there: list[int], network: list[bool]) -> list[int]:
    return [-literal if present else literal for literal, present in zip(there, network, strict=True)]


def _pinned(system: System) -> int:
    """How many channels keep their numbers because the protocol names one."""
    named = getattr(system.protocol, "channel", None)
    return named + 1 if isinstance(named, int) else 0


def family(machines: int, pinned: int) -> str:
    """Which networks `any:N` stands for, in words."""
    kept = "" if not pinned else f"; channels 0 to {pinned - 1} are there, since the protocol names one by its number"
    kept = "; channel 0 is 0>1, since the protocol names it" if pinned == 1 else kept
    return (
        f"every strongly connected network of {machines} machines with at most one channel from each machine to each "
        f"other one, and none from a machine to itself{kept}"
    )


def bounded(depth: int) -> Coverage:
    """All runs of up to so many actions were looked at."""
    return Coverage("bounded", (("depth", depth),))
