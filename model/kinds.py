"""Kinds of predicates: what each depends on, which is all that an engine, a report or a reduction need know of it.

A property is made of predicates (see `Property`). A plain function is of the general kind and is asked wherever the
property may be broken. One of these kinds says more of itself, so that an engine may ask it less often, or not at all.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from enum import Enum

from model.action import Message, Move
from model.channels import Content
from model.program import Underlying
from model.property import CompletedSnapshot, Reason
from model.system import State, System
from model.values import Value
from model.views import View


@dataclass(frozen=True, slots=True, eq=False)
class ByEffect:
    """Of a transition, by what it does to the underlying computation alone: see `effect`."""

    why: Callable[[System, Move], Reason | None]

    def __call__(self, system: System, move: Move) -> Reason | None:
        """Why the transition breaks the claim."""
        return self.why(system, move)


def effect(move: Move) -> Hashable:
    """What the transition does to the underlying computation: all that a predicate `ByEffect` depends on."""
    accepted = tuple((c, m.payload) for c, _, m in move.accepts if not m.control)
    sent = tuple((c, m.payload) for c, m in move.sends if not m.control)
    return move.machine, move.before.state, move.after.state, move.step.action, accepted, sent


@dataclass(frozen=True, slots=True, eq=False)
class AtMostOne:
    """Of a state: no channel holds two messages of one class; a message of class None does not count."""

    kind: str
    class_of: Callable[[System, Message], int | None]

    def __call__(self, system: System, state: State) -> Reason | None:
        """The first channel that holds two."""
        for channel, content in enumerate(state.channels):
            if self.crowded(system, content):
                return {"kind": self.kind, "channel": channel}
        return None

    def crowded(self, system: System, content: Content) -> bool:
        """Whether a channel with these contents holds two messages of one class."""
        classes = [one for message in content if (one := self.class_of(system, message)) is not None]
        return len(set(classes)) < len(classes)


@dataclass(frozen=True, slots=True, eq=False)
class Amount:
    """A sum over machines and channels: what a machine holds, as it would be recorded, and what a payload carries."""

    name: Callable[[System], str | None]
    held: Callable[[System, int, Value], int]
    carried: Callable[[System, Value], int]

    def total(self, system: System, view: Underlying) -> int:
        """How much of it there is in a state, as it would be recorded."""
        held = sum(self.held(system, m, recorded) for m, recorded in enumerate(view.machines))
        return held + sum(self.carried(system, payload) for content in view.channels for payload in content)

    def at_start(self, system: System) -> int:
        """How much of it there is at the start."""
        return self.total(system, system.view(system.project(system.initial_states()[0])))

    def changed(self, system: System, view: Underlying, where: str) -> Reason | None:
        """Why there is not as much of it as at the start."""
        found, start = self.total(system, view), self.at_start(system)
        if found == start:
            return None
        kind = f"{where} has {found} {self.name(system)}, the computation began with {start}"
        return {"kind": kind, "found": found, "expected": start}


@dataclass(frozen=True, slots=True, eq=False)
class Conserved:
    """Of a state: there is as much of an amount as at the start."""

    amount: Amount

    def __call__(self, system: System, state: State) -> Reason | None:
        """Why there is not."""
        return self.amount.changed(system, system.view(system.project(state)), "the state")


@dataclass(frozen=True, slots=True, eq=False)
class ConservedInRecords:
    """Of a recorded state SSS: there is as much of an amount as at the start."""

    amount: Amount

    def __call__(self, system: System, snapshot: int, recorded: Underlying) -> Reason | None:
        """Why there is not."""
        return self.amount.changed(system, recorded, "the recorded state SSS")


@dataclass(frozen=True, slots=True, eq=False)
class KeepsGoing:
    """Of a state: where nothing but a fault can happen, nothing could in the computation alone.

    It depends on the underlying part of a terminal state, and on who has crashed.
    """

    def __call__(self, system: System, state: State) -> Reason | None:
        """What the computation alone could do where the system cannot go on."""
        if any(event.fault is None for event in system.events(state)):
            return None
        alone = system.alone()
        underlying = alone.embed(system.project(state), tuple(local.crashed for local in state.machines))
        for event in alone.events(underlying):
            if event.fault is None:
                return {
                    "kind": f"nothing can happen, yet alone the computation could go on with {event.name!r}",
                    "machine": event.actor,
                }
        return None


class Formula(ABC):
    """A predicate of a state that notes what it reads of it (see `model.claims`)."""

    @abstractmethod
    def view(self, system: System, state: State, begun: bool | None = None) -> tuple[bool, View]:
        """Its answer, and the view with what it read."""


@dataclass(frozen=True, slots=True, eq=False)
class ByReading:
    """Of a state: a formula, a pure function of what it reads of the state, has the answer `wanted`."""

    formula: Formula
    wanted: bool
    why: Callable[[View], Reason]

    def __call__(self, system: System, state: State) -> Reason | None:
        """Why it has the other answer: what it read."""
        answer, view = self.formula.view(system, state)
        return None if answer is self.wanted else self.why(view)


class Defect(Enum):
    """What may be wrong with the cut of a completed snapshot.

    CROSSED: a message is sent after the cut and accepted before it. CHANNELS: a channel is not recorded as what is in
    transit at the cut. ORDER: the run with its white actions first is no run, or is not in SSS between.
    """

    CROSSED = "crossed"
    CHANNELS = "channels"
    ORDER = "order"


Predicates = Mapping[str, Callable[[Underlying], bool]]
"""Predicates of the underlying computation, by name."""


@dataclass(frozen=True, slots=True, eq=False)
class OfCut:
    """Of a completed snapshot: it is broken only where the cut has the `defect`; None: nothing is known of that.

    exactly: it is broken wherever the cut has the defect. given: without the defect it holds only if these are stable.
    by_states: it depends on S0, SSS and S1 alone.
    """

    why: Callable[[System, int, CompletedSnapshot], Reason | None]
    defect: Defect | None = None
    exactly: bool = False
    given: Callable[[System], Predicates] | None = None
    by_states: bool = False

    def __call__(self, system: System, snapshot: int, taken: CompletedSnapshot) -> Reason | None:
        """Why the snapshot breaks the claim."""
        return self.why(system, snapshot, taken)


def stable_through(predicates: Callable[[System], Predicates]) -> OfCut:
    """Of a completed snapshot: what holds in S0 holds in SSS, and what holds in SSS holds in S1."""

    def why(system: System, snapshot: int, taken: CompletedSnapshot) -> Reason | None:
        start = taken.cut.start
        assert start is not None
        views = (system.view(start), taken.recorded, system.view(taken.end))
        for name, predicate in predicates(system).items():
            before, recorded, after = map(predicate, views)
            if before and not recorded:
                return {"kind": f"{name} holds in S0 but not in SSS", "predicate": name}
            if recorded and not after:
                return {"kind": f"{name} holds in SSS but not in S1", "predicate": name}
        return None

    return OfCut(why, Defect.ORDER, given=predicates, by_states=True)
