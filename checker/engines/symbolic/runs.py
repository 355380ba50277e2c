"""Runs of a system beside the unrolling: each event as literals, and models of the solver as traces.

A model is believed only as far as it replays: every event is one that `System.events` offers in the state before it.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from checker.engines.symbolic.encodable import PARTS
from checker.engines.symbolic.local_configurations import LocalTransition
from checker.engines.symbolic.places import Placed
from checker.engines.symbolic.unrolling import SYNCHRONOUS, Unrolling
from checker.judging.reachability import CutOff
from checker.judging.rejudge import rejudge
from model.action import Event, Move
from model.property import Property, ReachabilityOracle, Reason
from model.trace import Trace


class NotARun(Exception):
    """The model has no run of the system: the transition relation and `System.step` disagree, which is a fault here."""


class Run(Placed):
    """A run so far, beside the unrolling."""

    def __init__(self, unrolling: Unrolling) -> None:
        super().__init__(unrolling.system)
        self.unrolling = unrolling

    def options(self) -> list[tuple[Event, list[int]]]:
        """All events that may come next, in order, each with the literals that make it the next one."""
        return [(event, self.literals(event)) for event in self.system.events(self.state)]

    def literals(self, event: Event) -> list[int]:
        """Literals that make the event the next action."""
        time = len(self.events)
        if event.fault is not None and event.fault.channel is not None:
            fault, encoding = event.fault, self.unrolling.encodings[event.fault.channel]
            struck = encoding.lost[time] if fault.kind.endswith("loss") else encoding.doubled[time]
            return [struck[fault.kind][self.struck(fault)]]
        literals = []
        for move in event.moves:
            kind = "synchronous" if event.actor == SYNCHRONOUS else "crash" if event.fault is not None else "step"
            literals.append(self._fired(time, move, kind))
            for channel, position, message in move.accepts:
                literals.append(self.unrolling.encodings[channel].picked[time][self.taken(channel, position, message)])
        return literals

    def configuration(self) -> list[int]:
        """Literals all true where the run is in this state now: what machines hold, what is in which places."""
        unrolling, time = self.unrolling, len(self.events)
        literals = []
        for m, local in enumerate(self.state.machines):
            literals.append(unrolling.holds[time][m][unrolling.table.machines[m].numbers[0, local]])
        for encoding, places in zip(unrolling.encodings, self.places, strict=True):
            inside = dict(places)
            for place in range(len(encoding.filled[time])):
                is_in = encoding.inside(time, place)
                literals += [is_in, encoding.holding(place, inside[place])] if place in inside else [-is_in]
        return literals

    def _fired(self, time: int, move: Move, kind: str) -> int:
        numbers = self.unrolling.table.machines[move.machine].numbers
        before = numbers.get((0, move.before))
        wanted = tuple((channel, message) for channel, _, message in move.accepts)
        for transition, fire in self.unrolling.fired[time]:
            if self._is(transition, before, move, kind) and transition.accepts == wanted:
                return fire
        raise NotARun(f"no transition for {move.step.name!r} of machine {move.machine} at time {time}")

    @staticmethod
    def _is(transition: LocalTransition, before: int | None, move: Move, kind: str) -> bool:
        own = transition.move
        return (
            own.machine == move.machine
            and transition.before == before
            and transition.kind == kind
            and own.step == move.step
        )


def decode(unrolling: Unrolling) -> Run:
    """The run that the last model describes; `NotARun` if it does not replay."""
    clauses = unrolling.clauses
    run = Run(unrolling)
    for _ in range(unrolling.depth):
        for event, literals in run.options():
            if all(clauses.true(literal) for literal in literals):
                run.take(event)
                break
        else:
            raise NotARun(f"after {len(run.events)} actions no event of the system is the model's")
    return run


def why_broken(judged: Property, kind: str, trace: Trace, reachability: ReachabilityOracle) -> Reason | None:
    """Why the end of the trace breaks the property in this way alone; `CutOff` where that could not be told."""
    others: dict[str, Any] = {part: None for own, part in PARTS.items() if own != kind}
    found = rejudge(replace(judged, preserves=False, **others), trace, reachability)
    if found.undecided is not None:
        raise CutOff(found.undecided)
    return found.reason
