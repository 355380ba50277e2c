"""Logs for load: random walks of any system, written as its implementation would have logged them.

Faults are asked for as everywhere: a relaxation for the channels, a mutant for the protocol. Walks repeat under new
names after the first DISTINCT of them: such a log is for measuring, and covers no more than those.
"""

from __future__ import annotations

import json
import random
from pathlib import Path

from checker.export.log import lines
from model.action import Event
from model.errors import InputError
from model.system import System
from model.trace import Trace

DISTINCT = 200
LONGEST = 300
"""The most walks, and the most actions of one."""


def walk(system: System, chooser: random.Random, longest: int = LONGEST) -> Trace:
    """A run by a random choice among what may happen, until nothing may."""
    state = initial = system.initial_states()[0]
    events: list[Event] = []
    while len(events) < longest and (enabled := list(system.events(state))):
        events.append(chooser.choice(enabled))
        state = system.step(state, events[-1])
    return Trace(system, initial, tuple(events))


def make(path: str, system: System, runs: int, seed: int) -> int:
    """Write a log of so many runs, named 0, 1, ...; how many lines it has."""
    walks = []
    for number in range(min(runs, DISTINCT)):
        trace = walk(system, random.Random(f"{seed}/{number}"))
        walks.append([json.dumps(line)[1:] for line in lines(trace)])
    written = 0
    try:
        with Path(path).open("w", encoding="utf-8") as file:
            for number in range(runs):
                start = f'{{"run": "{number}", '
                own = walks[number % len(walks)]
                file.write("".join(f"{start}{rest}\n" for rest in own))
                written += len(own)
    except OSError as error:
        raise InputError(f"log {path!r}: cannot be written ({error.strerror or error})") from None
    return written
