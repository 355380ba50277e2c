"""A stream dataflow: sources emit numbered records, every other machine processes each record and sends it on.

Carbone et al. 2015, section 3 (tasks, sources and sinks; a task's state, its records and its outputs). The state of a
task is the multiset of the records it has processed, kept sorted, so that a lost or a doubled effect can be seen; a
source's state is its offset, the number of records emitted.

Choices: a record is (source, its number from 0), forwarded unchanged. `rr`: output number position mod out-degree,
where the position counts what the machine has processed (a source: emitted) before. On a job plan each machine feeds
every one of its routes by that route's strategy, HASH by the record's number, so equally at every sender. A source with
back-edges is a loop head too: it holds its offset and what it has processed. Records that could go round for ever are
refused, since there are then infinitely many states.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from model.action import Action
from model.dataflow import back_edges, runs_out, sources
from model.errors import InputError
from model.program import Program
from model.topology import Dataflow as Plan
from model.topology import Topology
from model.values import Value

Record = tuple[int, int]
Records = tuple[Record, ...]
"""A multiset of records, sorted."""

SINKS = ("none", "direct", "two-phase", "idempotent", "eager")


class Head(NamedTuple):
    """The state of a source with back-edges."""

    offset: int
    processed: Records


class Dataflow(Program):
    """Sources emit `records` each; `routing` says where machines send; `sink` how output becomes visible."""

    def __init__(
        self, topology: Topology, *, records: int | tuple[int, ...] = 2, routing: str = "", sink: str = "none"
    ) -> None:
        super().__init__(topology)
        plan = isinstance(topology, Plan)
        accepted = ("rr", "broadcast", "plan") if plan else ("rr", "broadcast")
        self.routing = routing or ("plan" if plan else "rr")
        if self.routing not in accepted:
            raise InputError(f"routing={routing}: {' or '.join(accepted)}")
        if sink not in SINKS:
            raise InputError(f"sink={sink}: choose from {', '.join(SINKS)}")
        self.sink = sink
        self.sources = sources(topology)
        self.records = _per_source(records, topology, self.sources)
        if back_edges(topology) and (self.routing != "rr" or not runs_out(topology)):
            raise InputError(
                f"program dataflow on {topology.name or 'this topology'}, routing={self.routing}: records go round for"
                " ever; accepted with back-edges is routing=rr where every machine leads to one without outputs"
            )

    def readings(self) -> Mapping[str, str]:
        """How machines send: on a job plan as it says, else by turns, unless the option says otherwise."""
        return {"routing": self.routing}

    def initial(self, machine: int) -> Value:
        """No record emitted, none processed."""
        if machine not in self.sources:
            return ()
        return Head(0, ()) if self.topology.inputs[machine] else 0

    def actions(self, machine: int, state: Value, offered: Mapping[int, Value]) -> Iterator[Action]:
        """emit: a source's next record. process: the record offered, sent on."""
        if not offered and self.offset(machine, state) < self.records[machine]:
            record = (machine, self.offset(machine, state))
            yield Action("emit", self._emitted(state), (), self._sends(machine, state, record))
        for channel, payload in offered.items():
            assert isinstance(payload, tuple)
            yield Action("process", _added(state, payload), {channel: payload}, self._sends(machine, state, payload))

    def offset(self, machine: int, state: Value) -> int:
        """How many records the machine has emitted of itself."""
        if isinstance(state, Head):
            return state.offset
        return state if isinstance(state, int) else self.records[machine]

    def processed(self, state: Value) -> Records:
        """The records that have had their effect on this state."""
        if isinstance(state, Head):
            return state.processed
        return state if isinstance(state, tuple) else ()

    def _emitted(self, state: Value) -> Value:
        if isinstance(state, Head):
            return state._replace(offset=state.offset + 1)
        assert isinstance(state, int)
        return state + 1

    def _sends(self, machine: int, state: Value, record: Record) -> dict[int, Value]:
        """The channels on which the record goes."""
        outputs = self.topology.outputs[machine]
        position = len(self.processed(state)) + (self.offset(machine, state) if machine in self.sources else 0)
        if self.routing == "plan":
            assert isinstance(self.topology, Plan)
            routes = self.topology.routes[machine]
            numbers = (record[1] if route.strategy == "HASH" else position for route in routes)
            channels = [c for route, number in zip(routes, numbers, strict=True) for c in route.targets(number)]
        elif self.routing == "broadcast":
            channels = list(outputs)
        else:
            channels = [outputs[position % len(outputs)]] if outputs else []
        return dict.fromkeys(channels, record)


def _added(state: Value, record: Record) -> Value:
    if isinstance(state, Head):
        return state._replace(processed=tuple(sorted((*state.processed, record))))
    assert isinstance(state, tuple)
    return tuple(sorted((*state, record)))


def _per_source(value: int | tuple[int, ...], topology: Topology, of: tuple[int, ...]) -> tuple[int, ...]:
    """How many records each machine emits, from one number for all sources, one a source, or one a machine."""
    numbers = (value,) * len(of) if isinstance(value, int) else value
    if len(numbers) == topology.machines != len(of) and not any(numbers[m] for m in set(range(len(numbers))) - set(of)):
        numbers = tuple(numbers[m] for m in of)
    if len(numbers) != len(of):
        text = "-".join(map(str, numbers))
        raise InputError(f"records={text}: one whole number, or one for each of the sources {list(of)}")
    emitted = dict(zip(of, numbers, strict=True))
    return tuple(emitted.get(machine, 0) for machine in range(topology.machines))
