"""Traces that the export tests share: random runs with messages, markers, faults and crashes, made reproducibly."""

import random

from model.catalogue import build_system
from model.families import parse_family
from model.trace import Counterexample, Trace

SYSTEMS = [
    ("ring:3", "transfer", "marker", "0", ""),
    ("complete:3", "transfer,b=2,s=2", "marker", "any", ""),
    ("ring:2", "transfer,b=2,s=2", "marker", "0", "fifo,loss:2,duplication:2"),
    ("ring:2", "free,s=3", "marker", "any", "overtake:2,duplication:1,crash:1"),
    ("ring:3", "transfer", "simultaneous", "0", ""),
    ("edges:0>0,0>1,0>1,1>0", "transfer,s=2,atomic=joint", "marker,mixed=true", "0", "marker-loss:1"),
    ("biring:3", "kuper", "marker", "0", ""),
]


def random_trace(system_words: tuple[str, str, str, str, str], seed: int, length: int = 30) -> Counterexample:
    """A run of the system by a seeded choice among what may happen."""
    topology, program, protocol, initiators, relax = system_words
    system = build_system(parse_family(topology), program, protocol, initiators, relax)
    chooser = random.Random(seed)
    state = initial = system.initial_states()[0]
    events = []
    while len(events) < length and (enabled := list(system.events(state))):
        events.append(chooser.choice(enabled))
        state = system.step(state, events[-1])
    return Counterexample("conservation", Trace(system, initial, tuple(events)), {"kind": "a random run"})
