"""Helary, Mostefaoui, Netzer & Raynal 1997/2000, "Communication-based prevention of useless checkpoints".

Machine i keeps a clock `lc`, which every checkpoint is stamped with, and of each machine k: `sent_to`, whether it sent
a message to k since its last checkpoint; `ckpt`, how many checkpoints k has taken as far as i knows; `taken`, whether
a causal chain from k's last known checkpoint to i has a checkpoint in it; `greater`, whether its clock is higher than
k's as far as it knows. The rules, in the paper's order.

Taking a checkpoint clears `sent_to`, sets `taken` and `greater` for all others, and adds 1 to the clock and to its own
`ckpt`. Sending to k sets `sent_to[k]`; the message carries clock, `greater`, `ckpt` and `taken`. Before a message m is
delivered a checkpoint is forced if (C1) m's clock is higher and m.greater[k] for a k that was sent to, so that k may
close a cycle; or (C2) m.ckpt[i] = ckpt[i] and m.taken[i]: a chain from i's last checkpoint comes back with a checkpoint
in it. Then clock and vectors are merged, and m is delivered. Stamps increase along every Z-path: no Z-cycles.

Choices: the stamp of a forced checkpoint is the clock before m's is merged, as in the paper; with `stamp=merged` the
merged one. Stamps decide no forcing, so the pattern is the same; claims about stamps may differ. `forced_by=c1`, `c2`,
`none` (broken) leave the other condition out, or both. Everything else: `model.recovery.checkpointing`.
"""

from __future__ import annotations

from typing import NamedTuple

from model.errors import InputError
from model.program import Program
from model.recovery.checkpointing import Checkpointing
from model.recovery.pattern import History
from model.topology import Topology
from model.values import Value

Flags = tuple[bool, ...]


class Carried(NamedTuple):
    """What a message carries."""

    lc: int
    greater: Flags
    ckpt: tuple[int, ...]
    taken: Flags


class Clock(NamedTuple):
    """What a machine keeps: what its messages carry, and to whom it sent since its last checkpoint."""

    now: Carried
    sent_to: Flags


class Hmnr(Checkpointing):
    """A forced checkpoint where a message might close a Z-cycle: no checkpoint is useless."""

    def __init__(
        self,
        topology: Topology,
        program: Program,
        initiators: tuple[int, ...],
        *,
        k: int | tuple[int, ...] = 1,
        log: bool = True,
        line: str = "propagated",
        stamp: str = "before",
        forced_by: str = "both",
    ) -> None:
        super().__init__(topology, program, initiators, k=k, log=log, line=line)
        if stamp not in ("before", "merged"):
            raise InputError(f"stamp={stamp}: before or merged")
        if forced_by not in ("both", "c1", "c2", "none"):
            raise InputError(f"forced_by={forced_by}: both, c1, c2 or none")
        self.merged, self.forced_by = stamp == "merged", forced_by

    def begin(self, machine: int) -> Value:
        """Nothing is known; then the first checkpoint is taken."""
        no = (False,) * self.topology.machines
        return self.tick(machine, Clock(Carried(0, no, (0,) * self.topology.machines, no), no))

    # Taking a checkpoint.

    def tick(self, machine: int, clock: Value) -> Value:
        """The clock and the own count one higher; nobody sent to; all others taken and greater."""
        now = clock_of(clock).now
        others = tuple(m != machine for m in range(self.topology.machines))
        ckpt = tuple(count + (m == machine) for m, count in enumerate(now.ckpt))
        return Clock(Carried(now.lc + 1, others, ckpt, others), (False,) * len(others))

    def stamp(self, clock: Value) -> Value:
        """The clock."""
        return clock_of(clock).now.lc

    # Sending.

    def sending(self, machine: int, clock: Value, channel: int) -> Value:
        """The receiver was sent to."""
        own, to = clock_of(clock), self.topology.channels[channel][1]
        return own._replace(sent_to=tuple(sent or m == to for m, sent in enumerate(own.sent_to)))

    def piggyback(self, clock: Value) -> Value:
        """Clock, greater, ckpt, taken."""
        return clock_of(clock).now

    # Receiving.

    def receive(self, machine: int, state: Value, history: History, channel: int, carried: Value) -> History:
        """Force a checkpoint if C1 or C2, then merge."""
        assert isinstance(carried, Carried)
        forced = self.must_checkpoint(machine, clock_of(history.clock), carried)
        if forced:
            history = self.checkpoint(machine, state, history, forced=True)
        own = clock_of(history.clock)
        history = history._replace(clock=own._replace(now=merged(machine, own.now, carried)))
        if forced and self.merged:
            last = history.checkpoints[-1]._replace(stamp=self.stamp(history.clock))
            history = history._replace(checkpoints=(*history.checkpoints[:-1], last))
        return history

    def must_checkpoint(self, machine: int, own: Clock, m: Carried) -> bool:
        """C1: it may pass the message's clock on to who has a lower one; C2: a chain comes back to its checkpoint."""
        c1 = m.lc > own.now.lc and any(sent and greater for sent, greater in zip(own.sent_to, m.greater, strict=True))
        c2 = m.ckpt[machine] == own.now.ckpt[machine] and m.taken[machine]
        return (c1 and self.forced_by in ("both", "c1")) or (c2 and self.forced_by in ("both", "c2"))


def merged(machine: int, own: Carried, m: Carried) -> Carried:
    """What the machine knows once it has the message: the higher clock, and of each machine the later checkpoint."""
    greater = own.greater
    if m.lc >= own.lc:
        greater = m.greater if m.lc > own.lc else tuple(a and b for a, b in zip(greater, m.greater, strict=True))
        greater = tuple(g and k != machine for k, g in enumerate(greater))
    ckpt, taken = list(own.ckpt), list(own.taken)
    for k in range(len(ckpt)):
        if k != machine and m.ckpt[k] >= ckpt[k]:
            taken[k] = m.taken[k] or (m.ckpt[k] == ckpt[k] and taken[k])
            ckpt[k] = m.ckpt[k]
    return Carried(max(own.lc, m.lc), greater, tuple(ckpt), tuple(taken))


def clock_of(clock: Value) -> Clock:
    """What the machine keeps."""
    assert isinstance(clock, Clock)
    return clock
