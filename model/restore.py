"""Restoring: a recorded SSS is made an initial state, the computation runs on from it, and its effects are counted.

After a failure every source replays from its recorded offset, every machine has its recorded state, and the records
of a channel are put back into it (Carbone et al. 2015, section 5). The snapshot was right if the restored run ends as
one without failure would: each record's effect is then there exactly once.

Choices: the restored run and the failure-free one are on channels of the same discipline, without further faults: what
a faulty channel lost before the failure must have been saved by the snapshot or is lost. Where the interleaving decides
which machine gets which record, the failure-free run has several ends; any one of them will do to compare with.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

from model.action import Event
from model.program import Underlying
from model.programs.dataflow import Dataflow, Record, Records
from model.property import Reason
from model.protocol import NoSnapshot
from model.system import State, System
from model.values import to_json

Ends = frozenset[tuple[Records, ...]]
"""How runs may end: for each machine, what it has processed."""
Compare = Callable[[Counter[Any], Counter[Any]], bool]

COMPARISONS: dict[str, Compare] = {
    "exactly": Counter.__eq__,
    "at least": Counter.__ge__,
    "at most": Counter.__le__,
}
"""Found effects against wanted ones, as multisets."""


class Restorer:
    """Runs a system's underlying computation from any of its states to all its ends, remembering both."""

    def __init__(self, system: System) -> None:
        self.program = program_of(system)
        topology = system.topology
        assumptions = replace(system.assumptions, faults=())
        self.alone = System(topology, self.program, NoSnapshot(topology, self.program, ()), assumptions)
        self.start = system.project(system.initial_states()[0])
        self._ends: dict[State, Ends] = {}

    def ends(self, underlying: Underlying) -> Ends:
        """All ends of runs from `underlying`; the graph has no cycles, since no record is processed backwards."""
        start = self.alone.embed(underlying)
        path = [start]
        while path:
            state = path[-1]
            if state in self._ends:
                path.pop()
                continue
            successors = [self.alone.step(state, event) for event in self.alone.events(state)]
            waiting = [successor for successor in successors if successor not in self._ends]
            if waiting:
                path.extend(waiting)
                continue
            here = frozenset({tuple(self.program.processed(local.state) for local in state.machines)})
            self._ends[state] = frozenset().union(*(self._ends[s] for s in successors)) if successors else here
        return self._ends[start]

    def run_to(self, underlying: Underlying, end: tuple[Records, ...]) -> list[dict[str, Any]]:
        """The first of the shortest runs from `underlying` to that end, one of its ends: who acts, and how."""
        self.ends(underlying)
        start = self.alone.embed(underlying)
        came: dict[State, tuple[State, Event] | None] = {start: None}
        waiting = deque([start])
        while events := list(self.alone.events(waiting[0])):
            state = waiting.popleft()
            for event in events:
                after = self.alone.step(state, event)
                if end in self._ends[after] and after not in came:
                    came[after] = state, event
                    waiting.append(after)
        run, before = list[dict[str, Any]](), came[waiting[0]]
        while before is not None:
            state, event = before
            run.append({"machine": event.actor, "name": event.name})
            before = came[state]
        return run[::-1]

    def failure_free(self) -> Ends:
        """The ends of runs without failure."""
        return self.ends(self.start)


def program_of(system: System) -> Dataflow:
    """The dataflow that the system runs."""
    assert isinstance(system.program, Dataflow)
    return system.program


def restorer(system: System) -> Restorer:
    """The system's restorer, made once."""
    found = system.remember("restorer", lambda: Restorer(system))
    assert isinstance(found, Restorer)
    return found


def restored_effects(compare: Compare) -> Callable[[System, int, Underlying], Reason | None]:
    """Why a restored run can end with effects that do not compare with any failure-free end, at every machine."""

    def on_recorded(system: System, snapshot: int, recorded: Underlying) -> Reason | None:
        runs = restorer(system)
        wanted = runs.failure_free()
        for end in sorted(runs.ends(recorded) - wanted):
            if not any(all(map(compare, map(Counter, end), map(Counter, free))) for free in wanted):
                return _difference(system, recorded, end, min(wanted, key=lambda free: _distance(end, free)))
        return None

    return on_recorded


def _distance(end: tuple[Records, ...], free: tuple[Records, ...]) -> tuple[int, tuple[Records, ...]]:
    """How many effects are lost or doubled; ties are broken by the end itself."""
    pairs = zip(map(Counter, end), map(Counter, free), strict=True)
    return sum((found - wanted).total() + (wanted - found).total() for found, wanted in pairs), free


def _difference(system: System, recorded: Underlying, end: tuple[Records, ...], free: tuple[Records, ...]) -> Reason:
    machines = []
    for machine, (found, wanted) in enumerate(zip(map(Counter, end), map(Counter, free), strict=True)):
        lost, doubled = listed(wanted - found), listed(found - wanted)
        if lost or doubled:
            machines.append({"machine": machine, "lost": to_json(lost), "doubled": to_json(doubled)})
    said = "; ".join(words(system.topology.label(int(m["machine"])), m["lost"], m["doubled"]) for m in machines)
    return {
        "kind": f"restored from SSS, the run can end so: {said}",
        "machines": machines,
        "restored_run": restorer(system).run_to(recorded, end),
        "SSS": to_json(recorded),
    }


def words(where: str, lost: Iterable[Iterable[int]], doubled: Iterable[Iterable[int]]) -> str:
    """`at P2 record 0.1 is lost`: the record's source and number."""
    parts = []
    for what, records in (("lost", lost), ("doubled", doubled)):
        for record, times in Counter(".".join(map(str, record)) for record in records).items():
            parts.append(f"record {record} is {what}" + (f" {times} times" if times > 1 else ""))
    return f"at {where} {' and '.join(parts)}"


def listed(records: Counter[Record]) -> tuple[Record, ...]:
    return tuple(sorted(records.elements()))


def restorable(system: System) -> bool:
    """Whether there are records to count and a snapshot to restore."""
    return isinstance(system.program, Dataflow) and not isinstance(system.protocol, NoSnapshot)
