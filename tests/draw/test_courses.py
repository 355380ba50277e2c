"""No arrow comes near an event or a label that is not its own; no two run as one; measured on random runs.

The measure is the test's own: curves are evaluated at many points, whatever the drawing takes them for.
"""

from __future__ import annotations

import random
from itertools import combinations, pairwise
from math import hypot

import pytest

from checker.draw.layout import layout_of
from checker.draw.shapes import Arrow, Layout
from checker.report.run import Run
from checker.topologies import parse
from model.catalogue import build_system
from model.system import System
from model.trace import Trace

SYSTEMS = [
    ("ring:3", "transfer,b=2,s=2", "marker", "0", ""),
    ("complete:3", "free,s=2", "marker", "any", ""),
    ("complete:4", "transfer", "marker", "0", "fifo"),
    ("star:5", "free,s=2", "marker", "0", "loss:1,duplication:2"),
    ("line:4", "free,s=3", "marker", "0,2", "overtake:1"),
    ("edges:0>1,0>1,1>0,1>1,0>2,2>0", "transfer,b=2,s=3", "marker", "0", "fifo"),
    ("ring:4", "transfer,b=2,s=2", "marker", "0", "loss:2,marker-duplication:2,crash:1"),
    ("complete:3", "transfer,atomic=joint", "marker,mixed=true", "any", ""),
    ("complete:3", "kuper", "marker", "0", ""),
    ("complete:4", "diffusing,s=2", "simultaneous", "any", ""),
    ("vee", "dataflow,records=2", "barrier", "any", "marker-loss:1"),
    ("diamond", "dataflow,records=3", "unaligned", "any", ""),
    ("complete:3", "transfer", "observer", "0", ""),
    ("ring:3", "transfer", "concurrent,k=2", "any", ""),
]
Point = tuple[float, float]


def system(number: int) -> System:
    topology, program, protocol, initiators, relax = SYSTEMS[number % len(SYSTEMS)]
    return build_system(parse(topology)[0], program, protocol, initiators, relax)


def drawn(seed: int, known: dict[int, System]) -> Layout:
    """A random run, drawn; the longest are wider than a sheet of paper."""
    choose = random.Random(seed)
    chosen = known.setdefault(seed % len(SYSTEMS), system(seed))
    (state,) = chosen.initial_states()
    initial, events = state, []
    for _ in range(choose.choice((6, 12, 20, 30, 45))):
        enabled = list(chosen.events(state))
        if not enabled:
            break
        events.append(choose.choice(enabled))
        state = chosen.step(state, events[-1])
    return layout_of(Run(Trace(chosen, initial, tuple(events))), least=choose.choice((336.0, 600.0)))


def evaluated(arrow: Arrow) -> list[Point]:
    """Points on the arrow's curves, by de Casteljau's rule."""
    found = []
    for curve in arrow.course:
        for step in range(41):
            row = list(curve)
            while len(row) > 1:
                row = [tuple(p + (q - p) * step / 40 for p, q in zip(a, b, strict=True)) for a, b in pairwise(row)]  # type: ignore[misc]
            found.append(row[0])
    return found


def near(point: Point, line: list[Point]) -> float:
    """The distance of a point from a line through these points."""
    best = 1e9
    for (x1, y1), (x2, y2) in pairwise(line):
        dx, dy = x2 - x1, y2 - y1
        share = ((point[0] - x1) * dx + (point[1] - y1) * dy) / ((dx * dx + dy * dy) or 1.0)
        share = max(0.0, min(1.0, share))
        best = min(best, hypot(point[0] - x1 - share * dx, point[1] - y1 - share * dy))
    return best


def faults(layout: Layout) -> list[str]:
    """What is wrong with a diagram's arrows."""
    lines = [evaluated(arrow) for arrow in layout.arrows]
    open_ends = [arrow for arrow in layout.arrows if arrow.end == "waiting"]
    found = []
    for arrow, line in zip(layout.arrows, lines, strict=True):
        if any(x2 < x1 - 0.01 for (x1, _), (x2, _) in pairwise(line)):
            found.append("an arrow goes back in time")
        for dot in layout.dots:
            if (dot.x, dot.y) not in (arrow.start, arrow.stop) and near((dot.x, dot.y), line) < 11:
                found.append(f"{arrow.title} comes near event {dot.event + 1}")
        for other in layout.arrows:
            ranged = sum(hypot(a.stop[0] - other.stop[0], a.stop[1] - other.stop[1]) < 84 for a in open_ends)
            if other is not arrow and other.end != "accepted" and near(other.stop, line) < 6.5 and ranged < 6:
                found.append(f"{arrow.title} comes near the end of {other.title}")
        for label in layout.labels:
            box = label.box
            inside = [1 for x, y in line if box.x + 3 < x < box.x + box.width - 3 and box.y < y < box.y + box.height]
            if inside and label.kind not in ("lane", "cut") and label.text not in ("lost", "copy", "crash"):
                found.append(f"{arrow.title} runs through the label {label.text}")
    for (a, one), (b, other) in combinations(zip(layout.arrows, lines, strict=True), 2):
        inner = [p for p in one if min(hypot(p[0] - x, p[1] - y) for x, y in (a.start, a.stop)) > 24]
        if len(inner) > 20 and sum(near(p, other) < 3 for p in inner) > 0.6 * len(inner):
            found.append(f"{a.title} and {b.title} look like one")
    return found


def judged(seeds: range) -> None:
    known: dict[int, System] = {}
    wrong = {seed: found for seed in seeds if (found := faults(drawn(seed, known)))}
    assert not wrong, wrong


def test_no_arrow_lies() -> None:
    judged(range(70))


@pytest.mark.slow
def test_no_arrow_lies_in_thousands_of_runs() -> None:
    judged(range(70, 3000))


def test_a_message_does_not_pass_through_another_machine_s_event() -> None:
    """The straight way from P0 to P2 runs through P1's event."""
    vee = build_system(parse("edges:0>2,0>1,1>2")[0], "free,s=1", "none")
    (state,) = vee.initial_states()
    initial, events = state, []
    for name, machine in (("send", 0), ("send", 1), ("accept", 2)):
        event = next(
            e
            for e in vee.events(state)
            if e.actor == machine and e.name.startswith(name) and (machine != 2 or e.moves[0].accepts[0].channel == 0)
        )
        events.append(event)
        state = vee.step(state, event)
    layout = layout_of(Run(Trace(vee, initial, tuple(events))))
    middle = layout.dots[1]
    arrow = layout.arrows[0]
    assert (arrow.start[0] + arrow.stop[0]) / 2 == middle.x and (arrow.start[1] + arrow.stop[1]) / 2 == middle.y
    assert near((middle.x, middle.y), evaluated(arrow)) > 11
