"""The cut of runs in which every machine recorded its state, whether or not the protocol ever says it is complete.

`--protocol NAME,cut=recorded` keeps the protocol as it is and changes only who decides completion: an outside observer,
who sees that every machine has recorded and that no white message is left in a channel (so nothing can be added to a
record that ought to be there). With a lost marker, say, the marker algorithm never completes, and every claim over its
snapshots is vacuous; the cut that its machines recorded can still be judged, and that is what this is for.

Choices: a channel that stays open counts as recorded by what was accepted from it while white messages came.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from model.action import Local, Message, Step
from model.protocol import Protocol, Recorded
from model.relabelling import Relabelling
from model.values import Value


class RecordedCut(Protocol):
    """Another protocol, its snapshots judged as soon as all machines have recorded and all white messages arrived."""

    completes_on_empty_channels = True

    def __init__(self, inner: Protocol) -> None:
        super().__init__(inner.topology, inner.program, inner.initiators)
        self.inner = inner
        self.snapshots = inner.snapshots
        self.marks = inner.marks
        self.records = inner.records
        self.everyone = inner.everyone
        self.synchronous = inner.synchronous
        self.multi_channel = inner.multi_channel
        self.overtakes = inner.overtakes

    def done(self, machine: int, local: Local, snapshot: int = 0) -> bool:
        """Its state is recorded; nothing more is asked of the protocol (`outstanding` stays 0)."""
        return self.inner.recorded(machine, local, snapshot) is not None

    # Everything else is the other protocol's.

    def readings(self) -> Mapping[str, Any]:
        """The other protocol's."""
        return self.inner.readings()

    def control_channels(self) -> tuple[tuple[int, int], ...]:
        """The other protocol's."""
        return self.inner.control_channels()

    def control_content(self, channel: int) -> tuple[Message, ...]:
        """The other protocol's."""
        return self.inner.control_content(channel)

    def initial(self, machine: int) -> Value:
        """The other protocol's."""
        return self.inner.initial(machine)

    def steps(self, machine: int, local: Local, offered: Mapping[int, Message]) -> Iterable[Step]:
        """The other protocol's."""
        return self.inner.steps(machine, local, offered)

    def synchronous_step(self, machine: int, local: Local) -> Step | None:
        """The other protocol's."""
        return self.inner.synchronous_step(machine, local)

    def recorded(self, machine: int, local: Local, snapshot: int = 0) -> Recorded | None:
        """The other protocol's."""
        return self.inner.recorded(machine, local, snapshot)

    def closed(self, machine: int, local: Local, channel: int) -> bool:
        """The other protocol's."""
        return self.inner.closed(machine, local, channel)

    def had_marker(self, machine: int, local: Local, channel: int, marker: Message) -> bool:
        """The other protocol's."""
        return self.inner.had_marker(machine, local, channel, marker)

    def relabelled(self, machine: int, memory: Value, by: Relabelling) -> Value:
        """The other protocol's."""
        return self.inner.relabelled(machine, memory, by)
