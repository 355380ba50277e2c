"""What one local state, one content or one row says by itself about the claims: judged once, when it is first met.

Whatever is local is decided here: that a row breaks a claim about moves, that a machine's part of the snapshot is
done, that a content holds a white message or two markers. It also notes where a row departs from what the argument of
`checker.judging.refinement` needs, and in which level each was first met: only reachable configurations are ever asked
about, so a row that breaks a claim is a transition that breaks it.
"""

from __future__ import annotations

from collections.abc import Hashable

import numpy as np
from numpy.typing import NDArray

from checker.judging.local_columns import Column, Crowded, Interner, Summed
from checker.judging.premises import Premise, Premises
from model.action import Local, Move
from model.channels import Content
from model.errors import InputError
from model.growth import Growth
from model.kinds import AtMostOne, ByEffect, Conserved, effect
from model.monitor import Condition, begins_with
from model.property import Property
from model.superposition import INTERFERENCE
from model.system import System
from model.values import Value

MOST_SNAPSHOTS = 63
"""Sets of snapshots are the bits of a signed word."""


class LocalPredicates:
    """All such predicates of one system, for the properties to be judged."""

    def __init__(self, system: System, properties: list[Property]) -> None:
        if system.protocol.snapshots > MOST_SNAPSHOTS:
            raise InputError(f"{system.protocol.snapshots} snapshots at once: native takes at most {MOST_SNAPSHOTS}")
        self.system = system
        self.moving = [p for p in properties if p.on_move is not None]
        self.positions = any(p.positions for p in self.moving)
        states = [p.on_state for p in properties]
        self.amounts = {c.amount: Summed(system, c.amount) for c in states if isinstance(c, Conserved)}
        self.crowding = {c: Crowded(len(system.channels)) for c in states if isinstance(c, AtMostOne)}
        self.conditions = {p.goal: True for p in properties if p.goal is not None}
        self.crashing = any(kind == "crash" for kind, _ in system.assumptions.faults)
        self.forgets = False
        self.row_begins: list[bool] = []
        self.level = 0
        self.growth = Growth(system)
        self.broken: dict[str, int] = {}
        self.row_breaks: list[int] = []
        self.row_own: list[bool] = []
        self.moves: list[Move] = []
        self.premises = Premises(system, any(p.on_completed is not None for p in properties))
        self._by_effect: dict[tuple[ByEffect, Hashable], bool] = {}
        machines, channels = system.topology.machines, len(system.channels)
        snapshots = range(system.protocol.snapshots)
        self.red, self.done, self.state = (Column(machines) for _ in range(3))
        self.recorded = [Column(machines) for _ in snapshots]
        self.outstanding = [Column(machines) for _ in snapshots]
        self.with_message = Column(machines)
        self.white, self.payloads = (Column(channels) for _ in range(2))
        self.records = [Interner() for _ in range(machines)]
        self.states = [Interner() for _ in range(machines)]
        self.sequences = [Interner() for _ in range(channels)]
        self.kinds_of_payload: list[set[Value]] = [set() for _ in range(channels)]

    def local(self, machine: int, local: Local) -> None:
        """A new local state of the machine."""
        self.growth.local(machine, local, self.level)
        protocol = self.system.protocol
        done = with_message = 0
        for snapshot in range(protocol.snapshots):
            recorded = self.system.recorded_by(machine, local, snapshot)
            finished = protocol.done(machine, local, snapshot)
            done |= bool(finished) << snapshot
            with_message |= bool(recorded is not None and any(recorded.channels)) << snapshot
            self.recorded[snapshot].parts[machine].append(self.records[machine](recorded))
            self.outstanding[snapshot].parts[machine].append(protocol.outstanding(machine, local, snapshot))
            if (recorded is None) == bool(local.red >> snapshot & 1):
                self.premises.failed.add(Premise.RECORDS_AS_IT_TURNS)
        self.red.parts[machine].append(local.red)
        self.done.parts[machine].append(done)
        self.with_message.parts[machine].append(with_message)
        self.state.parts[machine].append(self.states[machine](local.state))
        for condition, kept in self.conditions.items() if self.crashing and not local.crashed else ():
            self.conditions[condition] = kept and condition.outlives_crash(self.system, machine, local)
        for summed in self.amounts.values():
            summed.held.parts[machine].append(summed.held_by(machine, local))

    def content(self, channel: int, content: Content) -> None:
        """A new content of the channel."""
        self.growth.content(channel, content, self.level)
        system = self.system
        white = 0
        for snapshot in range(system.protocol.snapshots):
            white |= system.has_white(content, snapshot) << snapshot
        of_topology = channel < len(system.topology.channels)
        payloads = system.normal(tuple(m.payload for m in content if not m.control)) if of_topology else ()
        for claim, crowded in self.crowding.items():
            crowded.add(channel, claim.crowded(system, content), self.level)
        for amount, summed in self.amounts.items():
            summed.carried.parts[channel].append(sum(amount.carried(system, payload) for payload in payloads))
        self.white.parts[channel].append(white)
        self.payloads.parts[channel].append(self.sequences[channel](payloads))
        self.kinds_of_payload[channel].update(payloads)

    def row(self, move: Move) -> None:
        """A new row: a move that some reachable state can make."""
        breaks = 0
        for number, broken in enumerate(self.moving):
            asked = broken.on_move
            assert asked is not None
            if self._breaks(asked, move) if isinstance(asked, ByEffect) else asked(self.system, move) is not None:
                breaks |= 1 << number
                self.broken.setdefault(broken.name, self.level)
        self.row_breaks.append(breaks)
        self.moves.append(move)
        self.row_own.append(move.step.action is None and not move.accepts)
        self.row_begins.append(begins_with(move))
        self.forgets |= self.row_begins[-1] and not move.after.red
        for condition, kept in self.conditions.items():
            self.conditions[condition] = kept and condition.kept_by(self.system, move)
        for summed in self.amounts.values():
            summed.row(move, self.level)
        if self.premises.wanted:
            self.premises.row(move, interferes=self._breaks(INTERFERENCE, move))

    def follows(self, condition: Condition) -> bool:
        """Whether a state tells of every run to it whether a snapshot has begun and the condition was met since.

        By induction over the run: if each beginning leaves its machine red, a snapshot has begun if and only if some
        machine is red, since machines stay red; if moreover each move keeps the condition, it was met if and only if
        it is met. Faults of channels add no message of a new kind, so they keep it too.
        """
        return not self.forgets and self.conditions[condition]

    def _breaks(self, asked: ByEffect, move: Move) -> bool:
        """Whether the move breaks the claim: asked once for all moves that differ in memory and colour only."""
        key = (asked, effect(move))
        found = self._by_effect.get(key)
        if found is None:
            found = self._by_effect[key] = asked(self.system, move) is not None
        return found

    # -- as arrays -------------------------------------------------------------------------------------------------

    def local_bases(self) -> NDArray[np.int64]:
        """Where each machine's part begins in a flat column of locals."""
        return np.cumsum([0, *map(len, self.red.parts)], dtype=np.int64)[:-1]

    def content_bases(self) -> NDArray[np.int64]:
        """Where each channel's part begins in a flat column of contents."""
        return np.cumsum([0, *map(len, self.white.parts)], dtype=np.int64)[:-1]
