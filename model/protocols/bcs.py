"""Briatico, Ciuffoletti & Simoncini 1984, "A distributed domino-effect free recovery algorithm": indices on messages.

The rules. A machine has a sequence number, 0 at first. When it takes a basic checkpoint it adds 1 to the number, and
writes the number with the checkpoint as its index. Every message carries its sender's number. Before a message with a
higher number than the machine's own is delivered, the machine takes that number and a forced checkpoint of this index.
Recovery: for each n the machines' first checkpoints of index at least n are consistent.

Choices: of these the line goes back to the one of the highest n that every machine has reached (`line=index`); with
`line=propagated` to the latest consistent global checkpoint of all. `forces=false` (broken): the number is taken over,
without a forced checkpoint. Everything else: `model.recovery.checkpointing`.
"""

from __future__ import annotations

from collections.abc import Sequence

from model.program import Program
from model.recovery.checkpointing import Checkpointing
from model.recovery.pattern import History, Line
from model.topology import Topology
from model.values import Value


class Bcs(Checkpointing):
    """A forced checkpoint before a message of a higher index: no checkpoint is useless, and indices tell a line."""

    lines = ("index", "propagated", "latest")

    def __init__(
        self,
        topology: Topology,
        program: Program,
        initiators: tuple[int, ...],
        *,
        k: int | tuple[int, ...] = 1,
        log: bool = True,
        line: str = "index",
        forces: bool = True,
    ) -> None:
        super().__init__(topology, program, initiators, k=k, log=log, line=line)
        self.forces = forces

    # The number is 0 at first. A basic checkpoint adds 1 to it, and has the new number as its index.

    def begin(self, machine: int) -> Value:
        """Number 0."""
        return 0

    def tick(self, machine: int, clock: Value) -> Value:
        """One more."""
        assert isinstance(clock, int)
        return clock + 1

    def stamp(self, clock: Value) -> Value:
        """The index of a checkpoint is the number."""
        return clock

    # Every message carries its sender's number.

    def piggyback(self, clock: Value) -> Value:
        """The number."""
        return clock

    # Before a message of a higher number is delivered: take that number over, and a forced checkpoint of this index.

    def receive(self, machine: int, state: Value, history: History, channel: int, carried: Value) -> History:
        """A higher number is taken over, with a forced checkpoint of this index."""
        assert isinstance(carried, int) and isinstance(history.clock, int)
        if carried <= history.clock:
            return history
        if not self.forces:
            return history._replace(clock=carried)
        return self.checkpoint(machine, state, history._replace(clock=carried - 1), forced=True)

    # The checkpoints of index n, or where a machine has none its first of a higher index, are consistent.

    def recovery_line(self, histories: Sequence[History]) -> Line:
        """By index, or as asked for."""
        if self.line != "index":
            return super().recovery_line(histories)
        indices = [[c.stamp for c in history.checkpoints if isinstance(c.stamp, int)] for history in histories]
        least = min(own[-1] for own in indices)
        return tuple(next(x for x, index in enumerate(own) if index >= least) for own in indices)
