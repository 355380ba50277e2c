"""A walk through a system: the choices made so far, what they led to, and which properties still hold.

The server keeps nothing of a walk: a walk is the list of its choices (indices into the enabled events), sent with each
request and replayed.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from copy import copy
from threading import Thread
from typing import Any

from checker.draw.layout import layout_of
from checker.draw.page import PHONE, run_data
from checker.draw.svg import drawn, offending
from checker.engines import engine
from checker.engines.search_options import SearchOptions
from checker.judging.reachability import CutOff, SearchedReachability
from checker.judging.rejudge import RunJudge
from checker.report.claims import WALK, breaks
from checker.report.explain import explain, sentences, values_read
from checker.report.names import machine_name
from checker.report.run import Run, judged_run
from checker.report.words import event_words
from model.action import Event
from model.errors import InputError
from model.kinds import ByReading
from model.monitor import SETTLED
from model.property import Property, Reason
from model.system import System
from model.trace import Counterexample, Trace
from model.values import to_json
from model.verdict import Verdict

LONGEST = 400
"""Choices of one walk at the most."""
SEARCH = SearchOptions(max_states=200_000, timeout=30.0)
"""How far a search for a witness or a counterexample goes."""


class Walks:
    """All walks through one system, and one search of it beside them; `opened` are the choices to begin with."""

    def __init__(self, system: System, properties: list[Property], opened: Sequence[int] = ()) -> None:
        self.system = system
        self.properties = properties
        self.opened = list(opened)
        self.oracle = SearchedReachability(system, max_states=20_000)
        self.verdict: Verdict | None = None
        self._failed = ""
        self._thread: Thread | None = None
        self._stopped = False
        self._states = 0

    # -- a search beside the walks -----------------------------------------------------------------------------

    def search(self) -> dict[str, Any]:
        """How the search stands, which the first call begins: where one can jump to, and what was covered."""
        if self._thread is None:
            self._thread = Thread(target=self._search, daemon=True)
            self._thread.start()
        if self._failed:
            return {"running": False, "targets": [], "said": self._failed}
        if self.verdict is None:
            return {"running": True, "targets": [], "said": f"searching: {self._states:,} states so far"}
        return {"running": False, "targets": self.targets(), "said": self._said(self.verdict)}

    def _search(self) -> None:
        try:
            self.verdict = engine("auto")(self.system, self.properties, SEARCH, self._progress)
        except InputError as error:
            self._failed = str(error)
        except KeyboardInterrupt:
            self._failed = "the search was stopped"

    def _progress(self, states: int, queue: int, depth: int) -> None:
        self._states = states
        if self._stopped:
            raise KeyboardInterrupt

    def stop(self) -> bool:
        """End the search, if it is going on; whether it ended, within seconds."""
        self._stopped = True
        if self._thread is not None:
            self._thread.join(2.0)
        return self._thread is None or not self._thread.is_alive()

    def _said(self, verdict: Verdict) -> str:
        broken = sum(p.counterexample is not None for p in verdict.properties)
        found = f"{broken} violated" if broken else "none violated"
        states = f"{verdict.counts.states:,} states"
        if verdict.reason is not None:
            return f"{found} in {states}; the search was cut off ({verdict.reason}), so there may be more"
        return f"{found}; all {states} were searched"

    def targets(self) -> list[str]:
        """Where one can jump to: each broken property, each witness."""
        return [found.property for found in self._found()]

    def _found(self) -> list[Counterexample]:
        if self.verdict is None:
            return []
        broken = [p.counterexample for p in self.verdict.properties if p.counterexample is not None]
        return [*broken, *self.verdict.witnesses]

    def jump(self, name: str) -> dict[str, Any]:
        """The view of the counterexample or witness of this name."""
        for found in self._found():
            if found.property == name:
                if found.trace.system is not self.system:
                    raise InputError(f"{name!r} is shown by a run of the computation alone: see `redwhite check`")
                return self.view(self.choices(found.trace), found if breaks(found) else None)
        raise InputError(f"no counterexample or witness {name!r}: found are {', '.join(self.targets()) or 'none'}")

    # -- walks -------------------------------------------------------------------------------------------------

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

    def view(self, choices: list[int], found: Counterexample | None = None) -> dict[str, Any]:
        """Everything the page shows of a walk; `found` is the counterexample that it is, if a search found it."""
        trace = self.trace(choices)
        judged = [Judged(self.system, claim, trace, self.oracle) for claim in self.properties]
        found = found or self._first(trace, judged)
        walk = self.saved(trace)
        run = Run(trace) if found is None else judged_run(found)
        if found is not None and len(found.trace) < len(trace):
            run = Run(trace, run.snapshot)  # the walk went on
        enabled = list(self.system.events(run.states[-1]))
        return {
            "choices": choices,
            "picture": drawn(layout_of(run, (), frozenset() if found is None else offending(found), least=PHONE)),
            "steps": run_data(walk, run, explain(walk))["steps"],
            "enabled": [
                {**self._event(event), "breaks": [j.name for j in judged if not j.claim.sought and j.breaks(event)]}
                for event in enabled
            ],
            "properties": [
                {"name": j.name, "claim": j.claim.claim, "status": j.status(), "read": j.read()} for j in judged
            ],
            "violation": None if found is None else {"property": found.property, "why": sentences(explain(found))},
        }

    def _first(self, trace: Trace, judged: list[Judged]) -> Counterexample | None:
        """The first violation of the walk, as the run that leads there."""
        broken = [j for j in judged if j.found is not None and not j.claim.sought]
        if not broken:
            return None
        first = min(broken, key=lambda j: j.found[0] if j.found else 0)
        assert first.found is not None
        length, reason = first.found
        return Counterexample(first.name, Trace(self.system, trace.initial, trace.events[:length]), reason)

    def saved(self, trace: Trace) -> Counterexample:
        """The walk as a trace to keep."""
        return Counterexample(WALK, trace, {"kind": f"a walk of {len(trace)} actions, chosen by hand"})

    def _event(self, event: Event) -> dict[str, Any]:
        who = machine_name(self.system, event.moves[0].machine) if len(event.moves) == 1 else "channel"
        return {
            "who": who if event.fault is None or event.moves else "a fault",
            "words": event_words(self.system, event),
        }


class Judged:
    """What a walk says of one property: where it is violated, if it is, and which next events would violate it."""

    def __init__(self, system: System, claim: Property, trace: Trace, oracle: SearchedReachability) -> None:
        self.name, self.claim = claim.name, claim
        self.judge = RunJudge(system, claim, oracle)
        self.found: tuple[int, Reason] | None = None
        self.undecided: str | None = None
        for number in range(len(trace) + 1):
            if number:
                self.judge.follow(trace.events[number - 1])
            reason = self._broken(self.judge, number == len(trace))
            if reason is not None:
                self.found = number, reason
                break

    def _broken(self, judge: RunJudge, ended: bool) -> Reason | None:
        try:
            return judge.broken(ended)
        except CutOff as cut:
            self.undecided = str(cut)
            return None

    def breaks(self, event: Event) -> bool:
        """Whether this event, which is enabled now, would violate the property for the first time."""
        if self.found is not None:
            return False
        trial = copy(self.judge)
        trial.completed = set(trial.completed)
        trial.follow(event)
        return self._broken(trial, True) is not None

    def status(self) -> str:
        """In words."""
        if self.found is not None:
            word = "found" if self.claim.sought else "violated"
            return f"{word} in action {self.found[0]}" if self.found[0] else f"{word} at the start"
        if self.undecided is not None:
            return f"unknown: {self.undecided}"
        if self.claim.over_snapshots:
            return "not violated by this snapshot" if self.judge.completed else "no snapshot is complete yet"
        if self.claim.sought:
            return "not found so far"
        return "told by a search only" if self.claim.goal or self.claim.preserves else "not violated so far"

    def read(self) -> str:
        """The values that a claim of one's own is judged by: where it was broken, else here."""
        judge, reason = self.judge, {} if self.found is None else self.found[1]
        claim = self.claim.on_state
        if "read" in reason:
            return values_read(reason["read"])
        found: dict[str, Any] = {}
        if isinstance(claim, ByReading):
            found = claim.formula.view(judge.system, judge.state)[1].shown
        elif judge.monitor is not None and judge.value is not SETTLED:
            found = judge.monitor.read(judge.system, judge.state, judge.value)
        return values_read({name: to_json(value) for name, value in found.items()})
