"""Monitors: what a claim about whole runs remembers of a run, beside the state.

A monitor has a value, which each event of the run may change. A run breaks the claim if it comes to a value that is an
error, or if it ends, or goes on for ever under weak fairness, in values that are hot (something is outstanding). What a
monitor remembers is history: two runs to one state may differ in it, so a search for what breaks such a claim goes
over pairs of a state and a value, wherever the value does not follow from the state.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Any

from model.action import Event, Local, Message, Move
from model.system import State, System, crash

SETTLED = None
"""The value of a run that can no longer break the claim, however it goes on."""


def ends_short() -> dict[str, Any]:
    """Why a run that can only end in a hot value breaks the claim."""
    return {"kind": "the run ends here, and the goal was not reached"}


def goes_round(before: int) -> dict[str, Any]:
    """Why a run breaks it that after so many actions goes round in hot values for ever."""
    return {"kind": f"from action {before + 1} on the run repeats for ever, and never reaches the goal"}


class RunMonitor(ABC):
    """A claim about runs. Its functions are pure; `observe` is all that it sees of a state, `sees` of an event."""

    fair: bool = True
    """Whether only weakly fair runs are meant; otherwise every maximal run is."""

    sees_faults: bool = True
    """Whether it tells one fault from another, or from an event that is none of its business."""

    errs: bool = True
    """Whether there may be an error."""

    lasting: bool = False
    """Whether a hot value is left only for `SETTLED` or a cool one, by what is observed of the next state alone."""

    def observe(self, system: System, state: State) -> Hashable:
        """What it looks at in a state."""
        return None

    def sees(self, system: System, event: Event) -> Hashable:
        """What it looks at in an event."""
        return None

    @abstractmethod
    def start(self, observed: Hashable) -> Hashable:
        """The value at an initial state."""

    @abstractmethod
    def after(self, value: Hashable, seen: Hashable, observed: Hashable) -> Hashable:
        """The value after an event, given what is observed of the state that it leads to; `SETTLED` is never asked."""

    def error(self, value: Hashable) -> dict[str, Any] | None:
        """Why a run that has come to this value breaks the claim, if it does."""
        return None

    def explain(self, system: System, state: State, value: Hashable) -> dict[str, Any] | None:
        """The same, where the run has come to this state: with what the state tells."""
        return self.error(value)

    def read(self, system: System, state: State, value: Hashable) -> dict[str, Any]:
        """What it is judged by where the run has come to this state, by name; nothing, where that is no news."""
        return {}

    def hot(self, value: Hashable) -> bool:
        """Whether a run that stays in such values for ever, or ends in one, breaks the claim."""
        return False

    def cool(self, observed: Hashable) -> bool:
        """Whether no value is hot in a state of which this is observed."""
        return False


@dataclass(frozen=True, slots=True, eq=False)
class Condition:
    """A condition on a state, said part by part: of each machine, of each message, and of sums over the machines.

    It holds if `machine` holds of every machine, `message` of every message in a channel, and each of the numbers that
    `outstanding` gives for a machine adds up to 0 over all machines.
    """

    machine: Callable[[System, int, Local], bool]
    outstanding: Callable[[System, int, Local], tuple[int, ...]] = lambda system, machine, local: ()
    message: Callable[[System, Message], bool] = lambda system, message: True

    def __call__(self, system: System, state: State) -> bool:
        """Whether it holds in the state."""
        if not all(self.machine(system, m, local) for m, local in enumerate(state.machines)):
            return False
        if any(
            map(sum, zip(*(self.outstanding(system, m, local) for m, local in enumerate(state.machines)), strict=True))
        ):
            return False
        return all(self.message(system, message) for content in state.channels for message in content)

    def kept_by(self, system: System, move: Move) -> bool:
        """Whether the condition, holding before the move, must hold after it: the move alone shows that."""
        machine, before, after = move.machine, move.before, move.after
        if not self.machine(system, machine, before):
            return True
        return (
            self.machine(system, machine, after)
            and self.outstanding(system, machine, before) == self.outstanding(system, machine, after)
            and all(self.message(system, message) for _, message in move.sends)
        )

    def outlives_crash(self, system: System, machine: int, local: Local) -> bool:
        """The same of the machine's crash."""
        return self.kept_by(system, crash(machine, local))


def _every(system: System) -> int:
    return (1 << system.protocol.snapshots) - 1


def _all_red(system: System, machine: int, local: Local) -> bool:
    return local.red & _every(system) == _every(system)


def _done(system: System, machine: int, local: Local) -> bool:
    return all(system.protocol.done(machine, local, s) for s in range(system.protocol.snapshots))


def _outstanding(system: System, machine: int, local: Local) -> tuple[int, ...]:
    return tuple(system.protocol.outstanding(machine, local, s) for s in range(system.protocol.snapshots))


def _not_awaited(system: System, message: Message) -> bool:
    waited = system.protocol.completes_on_empty_channels and not message.control
    return not waited or message.red & _every(system) == _every(system)


ALL_RED = Condition(_all_red)
"""Every machine has recorded its state, for each snapshot."""

COMPLETE = Condition(_done, _outstanding, _not_awaited)
"""Each snapshot is complete, as `System.complete` says."""


class Reaches(RunMonitor):
    """Once a snapshot has begun in a run, some state from then on meets the condition.

    The value says whether a snapshot has begun. Nothing is outstanding before, and nothing after the condition was met.
    """

    errs = sees_faults = False
    lasting = True

    def __init__(self, condition: Condition, fair: bool) -> None:
        self.condition, self.fair = condition, fair

    def observe(self, system: System, state: State) -> Hashable:
        """Whether the condition is met."""
        return self.condition(system, state)

    def sees(self, system: System, event: Event) -> Hashable:
        """Whether a snapshot begins, if none has."""
        return begins(event)

    def start(self, observed: Hashable) -> Hashable:
        """No snapshot has begun."""
        return False

    def after(self, value: Hashable, seen: Hashable, observed: Hashable) -> Hashable:
        """A beginning is for good; so is having met the condition since."""
        begun = value is True or seen is True
        return SETTLED if begun and observed is True else begun

    def hot(self, value: Hashable) -> bool:
        """A snapshot has begun, and the condition was not met since."""
        return value is True

    def cool(self, observed: Hashable) -> bool:
        """Where the condition is met."""
        return observed is True


def begins(event: Event) -> bool:
    """Whether a snapshot begins with this event, if none has begun before (CONTRACT section 5)."""
    return any(map(begins_with, event.moves))


def begins_with(move: Move) -> bool:
    """Whether the machine turns red in the move, or sends a control message."""
    return bool(move.step.turns) or any(message.control for _, message in move.sends)
