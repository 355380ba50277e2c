"""A walk through a system: the choices made so far, what they led to, and which properties still hold.

The server keeps nothing of a walk: a walk is the list of its choices (indices into the enabled events), sent with each
request and replayed.
"""

from __future__ import annotations

import random
from functools import cached_property
from typing import Any

from checker.draw.layout import lay_out
from checker.draw.page import PHONE, run_data
from checker.draw.svg import drawn
from checker.engines import engine
from checker.engines.search_options import SearchOptions, silent
from checker.judging.reachability import CutOff, SearchedReachability
from checker.report.claims import WALK
from checker.report.explain import explain
from checker.report.names import machine_name
from checker.report.run import Run
from checker.report.words import event_words
from model.action import Event
from model.errors import InputError
from model.property import CompletedSnapshot, Property
from model.system import State, System
from model.trace import Counterexample, Trace
from model.verdict import Verdict

LONGEST = 400
"""Choices of one walk at the most."""
SEARCH = SearchOptions(max_states=200_000, timeout=30.0)
"""How far a search for a witness or a counterexample goes."""


class Walks:
    """All walks through one system."""

    def __init__(self, system: System, properties: list[Property]) -> None:
        self.system = system
        self.properties = properties
        self.reachability = SearchedReachability(system, max_states=20_000)

    @cached_property
    def verdict(self) -> Verdict:
        """What a bounded search finds of the system, once."""
        return engine("auto")(self.system, self.properties, SEARCH, silent)

    def trace(self, choices: list[int]) -> Trace:
        """The run that takes these choices; `InputError` for one that is not there."""
        if len(choices) > LONGEST:
            raise InputError(f"{len(choices)} choices: a walk has at most {LONGEST}")
        (initial,) = self.system.initial_states()
        state, events = initial, []
        for number, choice in enumerate(choices):
            enabled = list(self.system.events(state))
            if not 0 <= choice < len(enabled):
                raise InputError(f"choice {choice} in step {number + 1}: {len(enabled)} events are enabled there")
            events.append(enabled[choice])
            state = self.system.step(state, enabled[choice])
        return Trace(self.system, initial, tuple(events))

    def choices(self, trace: Trace) -> list[int]:
        """The choices that give this trace."""
        found = []
        for state, event in zip(trace.states(), trace.events, strict=False):
            found.append(list(self.system.events(state)).index(event))
        return found

    def targets(self) -> list[str]:
        """Where one can jump to: each broken property, each witness."""
        return [p.name for p in self.verdict.properties if p.counterexample] + [
            w.property for w in self.verdict.witnesses
        ]

    def jump(self, name: str) -> list[int]:
        """The choices of the counterexample or witness of this name."""
        for found in [*(p.counterexample for p in self.verdict.properties), *self.verdict.witnesses]:
            if found is not None and found.property == name:
                return self.choices(found.trace)
        raise InputError(f"no counterexample or witness {name!r}: found are {', '.join(self.targets()) or 'none'}")

    def at_random(self, choices: list[int], steps: int) -> list[int]:
        """The walk gone on at random for so many steps, or until nothing is enabled."""
        state, going = self.trace(choices).states()[-1], list(choices)
        for _ in range(min(steps, LONGEST - len(choices))):
            enabled = list(self.system.events(state))
            if not enabled:
                break
            going.append(random.randrange(len(enabled)))
            state = self.system.step(state, enabled[going[-1]])
        return going

    def view(self, choices: list[int]) -> dict[str, Any]:
        """Everything the page shows of a walk."""
        trace = self.trace(choices)
        run = Run(trace)
        state = run.states[-1]
        found = self.saved(trace)
        return {
            "choices": choices,
            "picture": drawn(lay_out(run, least=PHONE)),
            "steps": run_data(found, run, explain(found))["steps"],
            "enabled": [self._event(event) for event in self.system.events(state)],
            "properties": [{"name": p.name, "status": self.status(p, run)} for p in self.properties],
        }

    def saved(self, trace: Trace) -> Counterexample:
        """The walk as a trace to keep."""
        return Counterexample(WALK, trace, {"kind": f"a walk of {len(trace)} actions, chosen by hand"})

    def _event(self, event: Event) -> dict[str, Any]:
        who = machine_name(self.system, event.moves[0].machine) if len(event.moves) == 1 else "channel"
        return {
            "who": who if event.fault is None or event.moves else "a fault",
            "words": event_words(self.system, event),
        }

    # -- what holds so far -------------------------------------------------------------------------------------

    def status(self, judged: Property, run: Run) -> str:
        """What this walk says of the property: violated in some action, not violated so far, or only a search tells."""
        for number, event in enumerate(run.trace.events):
            moves = event.moves if judged.on_move and event.fault is None else ()
            if any(judged.on_move(self.system, move) for move in moves if judged.on_move):
                return f"violated in action {number + 1}"
        for number, state in enumerate(run.states):
            if judged.on_state and judged.on_state(self.system, state):
                return f"violated after {number} actions"
        if judged.over_snapshots:
            return self._taken(judged, run, run.states[-1])
        return "told by a search only" if judged.goal else "not violated so far"

    def _taken(self, judged: Property, run: Run, state: State) -> str:
        for snapshot in range(self.system.protocol.snapshots):
            if not self.system.complete(state, snapshot):
                return "no snapshot is complete yet"
            own = Run(run.trace, snapshot)
            recorded = self.system.recorded(state, snapshot)
            taken = CompletedSnapshot(recorded, own.cut, own.end, self.reachability)
            try:
                reason = judged.on_recorded(self.system, snapshot, recorded) if judged.on_recorded else None
                reason = reason or (judged.on_completed(self.system, snapshot, taken) if judged.on_completed else None)
            except CutOff as cut:
                return f"unknown: {cut}"
            if reason:
                return f"violated: {reason['kind']}"
        return "not violated by this snapshot"
