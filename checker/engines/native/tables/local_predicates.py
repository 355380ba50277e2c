"""What one local state, one content or one row says by itself about the claims: judged once, when it is first met.

Whatever is local is decided here: that a row breaks a claim about moves, that a machine's part of the snapshot is
done, that a content holds a white message or two markers. It also notes where a row departs from what the argument of
`checker.judging.refinement` needs, and in which level each was first met: only reachable configurations are ever asked
about, so a row that breaks a claim is a transition that breaks it.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from model.action import Local, Move
from model.channels import Content
from model.errors import InputError
from model.growth import Growth
from model.monitor import Condition, begins_with
from model.properties import PROPERTIES
from model.property import Property
from model.protocol import Recorded
from model.system import State, System
from model.values import Value

CONSERVATION, ONE_MARKER, NO_DEADLOCK = "conservation", "one-marker-per-channel", "no-new-deadlock"
INTERFERENCE = "non-interference"
MOST_SNAPSHOTS = 63
"""Sets of snapshots are the bits of a signed word."""


class Column:
    """One fact of every local state of each machine (or of every content of each channel), as integers."""

    __slots__ = ("parts",)

    def __init__(self, parts: int) -> None:
        self.parts: list[list[int]] = [[] for _ in range(parts)]

    def flat(self) -> NDArray[np.int64]:
        """All parts, one after another; where each begins is `LocalPredicates.local_bases` or `content_bases`."""
        return np.array([value for part in self.parts for value in part], np.int64)


class Numbering:
    """Equal values share a number, from 0 in the order met."""

    __slots__ = ("_ids", "values")

    def __init__(self) -> None:
        self.values: list[Any] = []
        self._ids: dict[Hashable, int] = {}

    def __call__(self, value: Hashable) -> int:
        number = self._ids.get(value)
        if number is None:
            number = self._ids[value] = len(self.values)
            self.values.append(value)
        return number


class LocalPredicates:
    """All such predicates of one system, for the properties to be judged."""

    def __init__(self, system: System, properties: list[Property]) -> None:
        if system.protocol.snapshots > MOST_SNAPSHOTS:
            raise InputError(f"{system.protocol.snapshots} snapshots at once: native takes at most {MOST_SNAPSHOTS}")
        self.system = system
        self.moving = [p for p in properties if p.on_move is not None]
        self.positions = any(p.positions for p in self.moving)
        self.recording = any(p.on_completed is not None for p in properties)
        self.conserving = any(p is PROPERTIES[CONSERVATION] for p in properties)
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
        self.departures: set[str] = set()
        self.unconserved: int | None = None
        self._interfering: dict[Hashable, bool] = {}
        self.two_markers: int | None = None
        machines, channels = system.topology.machines, len(system.channels)
        snapshots = range(system.protocol.snapshots)
        self.red, self.done, self.state, self.weight = (Column(machines) for _ in range(4))
        self.recorded = [Column(machines) for _ in snapshots]
        self.outstanding = [Column(machines) for _ in snapshots]
        self.with_message = Column(machines)
        self.white, self.double, self.payloads, self.carried = (Column(channels) for _ in range(4))
        self.records = [Numbering() for _ in range(machines)]
        self.states = [Numbering() for _ in range(machines)]
        self.sequences = [Numbering() for _ in range(channels)]
        self.kinds_of_payload: list[set[Value]] = [set() for _ in range(channels)]

    def local(self, machine: int, local: Local) -> None:
        """A new local state of the machine."""
        self.growth.local(machine, local, self.level)
        protocol, program = self.system.protocol, self.system.program
        done = with_message = 0
        for snapshot in range(protocol.snapshots):
            recorded = self.system.recorded_by(machine, local, snapshot)
            finished = protocol.done(machine, local, snapshot)
            done |= bool(finished) << snapshot
            with_message |= bool(recorded is not None and any(recorded.channels)) << snapshot
            self.recorded[snapshot].parts[machine].append(self.records[machine](recorded))
            self.outstanding[snapshot].parts[machine].append(protocol.outstanding(machine, local, snapshot))
            if (recorded is None) == bool(local.red >> snapshot & 1):
                self.departures.add("a machine records exactly when it turns red")
        self.red.parts[machine].append(local.red)
        self.done.parts[machine].append(done)
        self.with_message.parts[machine].append(with_message)
        self.state.parts[machine].append(self.states[machine](local.state))
        for condition, kept in self.conditions.items() if self.crashing and not local.crashed else ():
            self.conditions[condition] = kept and condition.outlives_crash(self.system, machine, local)
        held = program.held(machine, program.record(machine, local.state)) if self.conserving else 0
        self.weight.parts[machine].append(held)

    def content(self, channel: int, content: Content) -> None:
        """A new content of the channel."""
        self.growth.content(channel, content, self.level)
        system = self.system
        white = 0
        for snapshot in range(system.protocol.snapshots):
            white |= system.has_white(content, snapshot) << snapshot
        of_topology = channel < len(system.topology.channels)
        payloads = system.normal(tuple(m.payload for m in content if not m.control)) if of_topology else ()
        two_markers = PROPERTIES[ONE_MARKER].on_state
        assert two_markers is not None
        double = two_markers(system, State((), (content,))) is not None
        self.white.parts[channel].append(white)
        self.double.parts[channel].append(double)
        self.payloads.parts[channel].append(self.sequences[channel](payloads))
        self.carried.parts[channel].append(sum(map(system.program.carried, payloads)) if self.conserving else 0)
        self.kinds_of_payload[channel].update(payloads)
        if double and self.two_markers is None:
            self.two_markers = self.level

    def row(self, move: Move) -> None:
        """A new row: a move that some reachable state can make."""
        breaks = 0
        for number, broken in enumerate(self.moving):
            assert broken.on_move is not None
            known = broken is PROPERTIES[INTERFERENCE]
            if self._interferes(move) if known else broken.on_move(self.system, move) is not None:
                breaks |= 1 << number
                self.broken.setdefault(broken.name, self.level)
        self.row_breaks.append(breaks)
        self.moves.append(move)
        self.row_own.append(move.step.action is None and not move.accepts)
        self.row_begins.append(begins_with(move))
        self.forgets |= self.row_begins[-1] and not move.after.red
        for condition, kept in self.conditions.items():
            self.conditions[condition] = kept and condition.kept_by(self.system, move)
        self._conserves(move)
        if self.recording:
            self._records(move)

    def follows(self, condition: Condition) -> bool:
        """Whether a state tells of every run to it whether a snapshot has begun and the condition was met since.

        By induction over the run: if each beginning leaves its machine red, a snapshot has begun if and only if some
        machine is red, since machines stay red; if moreover each move keeps the condition, it was met if and only if
        it is met. Faults of channels add no message of a new kind, so they keep it too.
        """
        return not self.forgets and self.conditions[condition]

    def _interferes(self, move: Move) -> bool:
        """Whether the move is no underlying step: asked once for all moves that differ in memory and colour only."""
        accepted = tuple((c, m.payload) for c, _, m in move.accepts if not m.control)
        sent = tuple((c, m.payload) for c, m in move.sends if not m.control)
        key = (move.machine, move.before.state, move.after.state, move.step.action, accepted, sent)
        found = self._interfering.get(key)
        if found is None:
            asked = PROPERTIES[INTERFERENCE].on_move
            assert asked is not None
            found = self._interfering[key] = asked(self.system, move) is not None
        return found

    def _conserves(self, move: Move) -> None:
        if not self.conserving or self.unconserved is not None:
            return
        program, machine = self.system.program, move.machine
        before, after = (program.held(machine, program.record(machine, own.state)) for own in (move.before, move.after))
        change = after - before
        own = len(self.system.topology.channels)  # what is on the protocol's channels is not in the computation's state
        change += sum(program.carried(m.payload) for c, m in move.sends if c < own and not m.control)
        change -= sum(program.carried(m.payload) for c, _, m in move.accepts if c < own and not m.control)
        if change:
            self.unconserved = self.level

    # -- what the simulation needs of every row (the argument is in checker.judging.refinement) ---------------------

    def _records(self, move: Move) -> None:
        if self._interferes(move):
            self.departures.add("each step is an underlying step or none")
        for snapshot in range(self.system.protocol.snapshots):
            reds = (not a.message.control and a.message.red >> snapshot & 1 for a in move.accepts)
            if not move.acting >> snapshot & 1 and any(reds):
                self.departures.add("no red message is accepted in a white action")
            if move.after.red >> snapshot & 1:
                self._record(move, snapshot)
            elif move.before.red >> snapshot & 1:
                self.departures.add("red machines stay red")

    def _record(self, move: Move, snapshot: int) -> None:
        """Record what the white projection needs: the state at turning red, then each white message accepted in red."""
        protocol, machine = self.system.protocol, move.machine
        inputs = self.system.topology.inputs[machine]
        after = protocol.recorded(machine, move.after, snapshot)
        if move.before.red >> snapshot & 1:
            expected = protocol.recorded(machine, move.before, snapshot)
        else:
            state = move.before.state if move.step.turns_first else move.after.state
            expected = Recorded(self.system.program.record(machine, state), ((),) * len(inputs))
        if expected is not None and move.acting >> snapshot & 1:
            channels = list(expected.channels)
            for channel, _, message in move.accepts:
                if not message.control and not message.red >> snapshot & 1 and channel in inputs:
                    index = inputs.index(channel)
                    channels[index] = (*channels[index], message.payload)
            expected = expected._replace(channels=tuple(channels))
        if after is None or expected is None or after.state != expected.state:
            self.departures.add("a machine records the state in which it turns red")
        elif after.channels != expected.channels:
            self.departures.add("a red machine records each white message it accepts, and nothing else")

    # -- as arrays -------------------------------------------------------------------------------------------------

    def local_bases(self) -> NDArray[np.int64]:
        """Where each machine's part begins in a flat column of locals."""
        return np.cumsum([0, *map(len, self.red.parts)], dtype=np.int64)[:-1]

    def content_bases(self) -> NDArray[np.int64]:
        """Where each channel's part begins in a flat column of contents."""
        return np.cumsum([0, *map(len, self.white.parts)], dtype=np.int64)[:-1]
