"""What the argument of `refinement` needs of every local state and local transition, and which of it fails."""

from __future__ import annotations

from enum import Enum, auto

from model.action import Move
from model.protocol import Recorded
from model.system import System


class Premise(Enum):
    """The premises, as `refinement` numbers them.

    1 UNDERLYING_STEPS; 2 NO_RED_IN_WHITE; 3 RECORDS_AS_IT_TURNS, RECORDS_ITS_STATE, STAYS_RED; 4 RECORDS_ITS_CHANNELS;
    6 DRAINED: no channel holds a white message where a snapshot is complete.
    """

    UNDERLYING_STEPS = auto()
    NO_RED_IN_WHITE = auto()
    RECORDS_AS_IT_TURNS = auto()
    RECORDS_ITS_STATE = auto()
    STAYS_RED = auto()
    RECORDS_ITS_CHANNELS = auto()
    DRAINED = auto()


class Premises:
    """Those that failed; they are looked at if `wanted`."""

    def __init__(self, system: System, wanted: bool) -> None:
        self.system, self.wanted = system, wanted
        self.failed: set[Premise] = set()

    def row(self, move: Move, interferes: bool) -> None:
        """A new local transition; interferes: it is no underlying step."""
        if interferes:
            self.failed.add(Premise.UNDERLYING_STEPS)
        for snapshot in range(self.system.protocol.snapshots):
            reds = (not a.message.control and a.message.red >> snapshot & 1 for a in move.accepts)
            if not move.acting >> snapshot & 1 and any(reds):
                self.failed.add(Premise.NO_RED_IN_WHITE)
            if move.after.red >> snapshot & 1:
                self._record(move, snapshot)
            elif move.before.red >> snapshot & 1:
                self.failed.add(Premise.STAYS_RED)

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
            self.failed.add(Premise.RECORDS_ITS_STATE)
        elif after.channels != expected.channels:
            self.failed.add(Premise.RECORDS_ITS_CHANNELS)
