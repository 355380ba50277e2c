"""Logs made to measure and to try an audit on: random walks of any system, written as its implementation logs them.

Faults of the system are asked for as everywhere: a relaxation for the channels, a mutant for the protocol. Faults of
the log or of what is announced are those of `FAULTS`, one a run, each with the verdicts that there may be on a right
snapshot that has it. Walks repeat under new names after the first DISTINCT of them.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from checker.audit.judging import CONSISTENT, ELSEWHERE, IMPOSSIBLE, INCOMPLETE
from checker.export.log import Line, lines
from model.action import Event
from model.errors import InputError, like
from model.system import System
from model.trace import Trace

DISTINCT = 200
LONGEST = 300
"""The most walks, and the most actions of one."""


@dataclass(frozen=True, slots=True)
class Fault:
    """What it does to a log; nowhere: None, where the log has no place for it. The verdicts that it may lead to."""

    words: str
    change: Callable[[list[Line], random.Random], list[Line] | None]
    verdicts: frozenset[str]


def walk(system: System, chooser: random.Random, longest: int = LONGEST) -> Trace:
    """A run by a random choice among what may happen, until nothing may."""
    state = initial = system.initial_states()[0]
    events: list[Event] = []
    while len(events) < longest and (enabled := list(system.events(state))):
        events.append(chooser.choice(enabled))
        state = system.step(state, events[-1])
    return Trace(system, initial, tuple(events))


def make(path: str, system: System, runs: int, seed: int = 0, fault: str | None = None, joined: bool = False) -> int:
    """Write a log of so many runs, named 0, 1, ..., or joined to one of as many snapshots; how many lines it has."""
    walks = [_made(system, random.Random(f"{seed}/{number}"), fault) for number in range(min(runs, DISTINCT))]
    written = 0
    try:
        with Path(path).open("w", encoding="utf-8") as file:
            for own in (_as_one if joined else _as_many)(walks, runs):
                file.write("".join(f"{line}\n" for line in own))
                written += len(own)
    except OSError as error:
        raise InputError(f"log {path!r}: cannot be written ({error.strerror or error})") from None
    return written


def _made(system: System, chooser: random.Random, fault: str | None) -> list[Line]:
    """The lines of a walk, with the fault if there is a place for it: else of another one."""
    for _ in range(100):
        own = list(lines(walk(system, chooser), at_once=True))
        changed = own if fault is None else fault_named(fault).change(own, chooser)
        if changed is not None:
            return changed
    raise InputError(f"--fault {fault}: no run of this system has a place for it")


def _as_many(walks: list[list[Line]], runs: int) -> Iterator[list[str]]:
    """Run after run."""
    texts = [[json.dumps(line)[1:] for line in own] for own in walks]
    for number in range(runs):
        yield [f'{{"run": "{number}", {rest}' for rest in texts[number % len(texts)]]


def _as_one(walks: list[list[Line]], runs: int) -> Iterator[list[str]]:
    """One after the other in one run: what begins a walk is a step, snapshots and messages have names of their own."""
    for number in range(runs):
        made = []
        for line in walks[number % len(walks)]:
            own = dict(line)
            if own["event"] == "start" and number:
                own["event"] = "step"
                own.pop("to", None)
            for name in ("snapshot", "marker", "id"):
                if name in own:
                    own[name] = f"{number}/{own[name]}"
            made.append(json.dumps(own))
        yield made


# -- faults ----------------------------------------------------------------------------------------------------


def _somewhere(
    fits: Callable[[Line], bool], change: Callable[[Line], list[Line]]
) -> Callable[[list[Line], random.Random], list[Line] | None]:
    """A change of one line, any of those that fit."""

    def changed(log: list[Line], chooser: random.Random) -> list[Line] | None:
        places = [number for number, line in enumerate(log) if fits(line)]
        if not places:
            return None
        place = chooser.choice(places)
        return [*log[:place], *change(log[place]), *log[place + 1 :]]

    return changed


def _claim(line: Line) -> bool:
    return bool(line["event"] == "snapshot")


def _accept(line: Line) -> bool:
    return line["event"] == "accept" and "message" in line


def _other_state(line: Line) -> list[Line]:
    machine = min(line["states"])
    return [{**line, "states": {**line["states"], machine: "no state of its"}}]


def _without_state(line: Line) -> list[Line]:
    machine = min(line["states"])
    return [{**line, "states": {m: state for m, state in line["states"].items() if m != machine}}]


def _shorter(line: Line) -> list[Line]:
    """The last message of the first channel that has any is left out."""
    channel = min(name for name, content in line["channels"].items() if content)
    return [{**line, "channels": {**line["channels"], channel: line["channels"][channel][:-1]}}]


def _unsent_before(log: list[Line], chooser: random.Random) -> list[Line] | None:
    """The send of a message that was accepted before its machine recorded is not logged."""
    recorded: set[Any] = set()
    early = set()
    for line in log:
        if line["event"] == "record":
            recorded.add(line["machine"])
        elif _accept(line) and line["machine"] not in recorded:
            early.add(line["id"])
    return _somewhere(lambda line: line["event"] == "send" and line.get("id") in early, lambda line: [])(log, chooser)


WRONG = frozenset({ELSEWHERE, IMPOSSIBLE})
FAULTS = {
    "wrong-state": Fault(
        "a machine's state is announced that it never had", _somewhere(_claim, _other_state), frozenset({IMPOSSIBLE})
    ),
    "short-channel": Fault(
        "the last message of a channel is not announced, as if it were complete too early",
        _somewhere(lambda line: _claim(line) and any(line["channels"].values()), _shorter),
        WRONG,
    ),
    "lost-state": Fault(
        "a machine's state is not announced", _somewhere(_claim, _without_state), frozenset({INCOMPLETE})
    ),
    "never-announced": Fault(
        "no line announces the snapshot", _somewhere(_claim, lambda line: []), frozenset({INCOMPLETE})
    ),
    "send-not-logged": Fault(
        "the send of a message accepted before the cut is missing in the log", _unsent_before, WRONG
    ),
    "accept-logged-twice": Fault(
        "an accept is logged twice; with --once, that is all",
        _somewhere(_accept, lambda line: [line, line]),
        frozenset({CONSISTENT, *WRONG}),
    ),
}


def fault_named(name: str) -> Fault:
    """The fault; `InputError` if there is none of that name."""
    if name not in FAULTS:
        raise InputError(f"unknown fault {name!r}: {like(name, FAULTS)}choose from {', '.join(FAULTS)}")
    return FAULTS[name]
