"""Apache Iceberg, issue 15846: a sink loses files under unaligned checkpoints when one of them fails.

A writer names with each result the checkpoint that it belongs to. The committer keeps the results it gets by that name;
when its state is recorded for a checkpoint it writes them into one manifest a name, and commits the manifests once a
checkpoint is complete. With aligned barriers no result comes after the barrier of its checkpoint. With unaligned ones
some do: at the next checkpoint they are written into a manifest of the same name, which replaces the first one, if that
is not committed yet because its checkpoint failed. The fix proposed: results that come late go by the next name.

Choices: sinks are committers, all other machines writers. The first checkpoint fails, but its barriers are sent; the
snapshot judged is the second. A committer's recorded state is what its manifests hold. Barriers may overtake.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from model.action import Local, Message, Step, control
from model.dataflow import sinks
from model.errors import InputError
from model.program import Program
from model.programs.dataflow import Dataflow
from model.protocol import payloads
from model.protocols.unaligned import Unaligned
from model.recording import Recording
from model.topology import Topology
from model.values import Value

FIRST = control("first barrier")
Results = tuple[Value, ...]


class Ledger(NamedTuple):
    """What came by each checkpoint's name since the last manifest was written, and the manifests: (first, second)."""

    since: tuple[Results, Results] = ((), ())
    manifests: tuple[Results, Results] = ((), ())
    barriers: int = 0

    def add(self, name: int, result: Value) -> Ledger:
        """The result kept by that name."""
        since = list(self.since)
        since[name] = tuple(sorted((*since[name], result)))  # type: ignore[type-var]
        return self._replace(since=(since[0], since[1]))

    def write(self, name: int) -> Ledger:
        """What came by names up to this one written into manifests; one of the same name is replaced."""
        written = [s if s and n <= name else m for n, (s, m) in enumerate(zip(self.since, self.manifests, strict=True))]
        since = [() if n <= name else s for n, s in enumerate(self.since)]
        return Ledger((since[0], since[1]), (written[0], written[1]), name + 1)


class Committer(Unaligned):
    """Two unaligned checkpoints, of which the first fails; committers keep ledgers."""

    marks = False

    def __init__(
        self, topology: Topology, program: Program, initiators: tuple[int, ...], *, fixed: bool = False
    ) -> None:
        if not isinstance(program, Dataflow):  # no other program knows what a ledger holds
            raise InputError(f"protocol iceberg-15846 over {type(program).__name__}: accepted is program dataflow")
        super().__init__(topology, program, initiators, overtake=True)
        self.fixed = fixed
        self.committers = sinks(topology)

    def initial(self, machine: int) -> Value:
        """A committer's empty ledger; a writer's count of checkpoints begun."""
        return Ledger() if machine in self.committers else 0

    def steps(self, machine: int, local: Local, offered: Mapping[int, Message]) -> Iterable[Step]:
        """The first barrier; then as unaligned, results named and kept."""
        for channel, message in offered.items():
            if message.tag == FIRST.tag:
                yield from self.first_barrier(machine, local, channel)
                return
        if not offered and machine in self.initiators and local.memory == 0:
            yield self.begin_first("inject the first barrier", machine, local)
        for step in super().steps(machine, local, offered):
            if step.action is not None:
                name = local.memory if isinstance(local.memory, int) else 1
                step = step._replace(memory=self.kept(local.memory, step, offered), sends=payloads(step.action, name))
            yield step

    def begin_first(self, name: str, machine: int, local: Local) -> Step:
        """The first checkpoint begun: its barrier sent; what it records is not looked at, since it will fail."""
        return Step(name, local.state, 1, tuple((channel, FIRST) for channel in self.topology.outputs[machine]))

    def first_barrier(self, machine: int, local: Local, channel: int) -> Iterable[Step]:
        """A committer writes its manifest; a writer forwards the barrier; later ones change nothing."""
        memory = local.memory
        if memory == 0:
            yield self.begin_first("accept the first barrier", machine, local)
        elif isinstance(memory, Ledger) and memory.barriers == 0:
            yield Step("accept the first barrier, write a manifest", local.state, memory.write(0))
        else:
            yield Step("accept the first barrier", local.state, memory)

    def kept(self, memory: Value, step: Step, offered: Mapping[int, Message]) -> Value:
        """The ledger with the result that came: by its name, or (fixed) by the next if that is past."""
        if not isinstance(memory, Ledger):
            return step.memory
        for message in offered.values():
            assert isinstance(message.tag, int)
            memory = memory.add(max(message.tag, memory.barriers) if self.fixed else message.tag, message.payload)
        return memory

    def begin(self, machine: int, local: Local) -> Recording:
        """A committer records what its manifests hold after the second one is written."""
        recording = super().begin(machine, local)
        if isinstance(local.memory, Ledger):
            first, second = local.memory.write(1).manifests
            recording = recording._replace(state=tuple(sorted((*first, *second))))  # type: ignore[type-var]
        return recording
