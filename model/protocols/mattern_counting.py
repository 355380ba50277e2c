"""Mattern 1993, "Efficient algorithms for distributed snapshots and global virtual time approximation": counting.

As in `mattern-vector`, but the control message carries one number: on its way round it sums up messages sent before the
cut less messages accepted of them. If that is 0 when it is back, none is under way, and the snapshot is complete; if
not it goes round again.

Choices: as in `mattern-vector`. Without fairness it may go round for ever (`completes-unfair`). Broken: `heeds=false`;
`rounds=1`, one round is taken to be enough.
"""

from __future__ import annotations

from model.protocols.counting import Counted
from model.protocols.laiyang import Sends
from model.protocols.mattern_vector import Collected, MatternVector


class MatternCounting(MatternVector):
    """As mattern-vector, with one counter; the control message goes round until it is 0."""

    def added(self, machine: int, memory: Counted, counts: tuple[int, ...]) -> tuple[int, ...]:
        """The sum with the machine's own: sent less accepted."""
        return ((counts[0] if counts else 0) + memory.balance,)

    def waits(self, machine: int, memory: Counted, number: int, counts: tuple[int, ...]) -> bool:
        """Never."""
        return False

    def collect(self, machine: int, memory: Counted, number: int, counts: tuple[int, ...]) -> tuple[Counted, Sends]:
        """Passed on; back at the initiator with 0, the snapshot is complete, else it goes round again."""
        if machine not in self.initiators:
            return memory, self.passed_on(machine, number, self.added(machine, memory, counts))
        if self.rounds == 1 or not any(counts):
            return memory._replace(more=Collected(0, True)), ()
        return memory, self.passed_on(machine, 1, self.added(machine, memory, ()))
