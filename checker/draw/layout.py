"""Where everything of a space-time diagram goes: lanes, events, arrows, the cut, and labels that do not overlap.

Time runs from left to right, one column an event; machines are lanes from top to bottom. All lengths are in pixels of
the drawing. Nothing here knows SVG.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from math import hypot

from checker.draw.boxes import Box, Line
from checker.report.names import content_name, machine_name, message_name, printable, value_name
from checker.report.run import Run
from checker.report.words import PLAIN
from model.action import Event

COLUMN, LANE = 46.0, 84.0
LEFT, TOP, RIGHT = 24.0, 46.0, 34.0
FONT, CHARACTER = 13.0, 7.6
LONGEST = 14
"""Characters of a label in the picture; the rest is in its title."""


@dataclass(frozen=True, slots=True)
class Label:
    """A text centred on (x, y), its middle; `title` is the whole of it where it had to be shortened."""

    text: str
    x: float
    y: float
    kind: str
    title: str = ""

    @property
    def box(self) -> Box:
        """What it covers."""
        width = CHARACTER * len(self.text) + 2
        return Box(self.x - width / 2, self.y - FONT / 2 - 1, width, FONT + 2)


@dataclass(frozen=True, slots=True)
class Dot:
    """An event of a machine; `turns`: it records its state there."""

    event: int
    machine: int
    x: float
    y: float
    red: bool
    turns: bool
    title: str = ""


@dataclass(frozen=True, slots=True)
class Arrow:
    """A message's way; end: accepted, lost, or waiting where it is still under way; `bend` lifts one to oneself."""

    journey: int
    x1: float
    y1: float
    x2: float
    y2: float
    control: bool
    red: bool
    end: str
    offends: bool
    copied: bool
    bend: float = 0.0
    title: str = ""

    @property
    def lines(self) -> list[Line]:
        """Its way as straight lines; an arc as eight."""
        shares = [i / 8 for i in range(9)] if self.bend else [0.0, 1.0]
        points = [
            (
                self.x1 + (self.x2 - self.x1) * share,
                self.y1 + (self.y2 - self.y1) * share - 3 * self.bend * share * (1 - share),
            )
            for share in shares
        ]
        return list(pairwise(points))


@dataclass(frozen=True, slots=True)
class Lane:
    """A machine's line: white from `start` to `turn`, red from there to `end`; `turn` is `end` if it stays white."""

    machine: int
    name: str
    y: float
    start: float
    turn: float
    end: float
    crash: float | None = None


@dataclass(slots=True)
class Layout:
    """A whole diagram; `recorded` are lines of text under it, `control` names the
    protocol's own messages, `caption` says what it shows or why it fails."""

    width: float
    height: float
    lanes: list[Lane] = field(default_factory=list)
    dots: list[Dot] = field(default_factory=list)
    arrows: list[Arrow] = field(default_factory=list)
    labels: list[Label] = field(default_factory=list)
    cut: list[tuple[float, float]] = field(default_factory=list)
    ticks: list[tuple[int, float]] = field(default_factory=list)
    recorded: list[str] = field(default_factory=list)
    control: str = ""
    caption: str = ""
    loop: float | None = None


class Diagram:
    """The layout of one run in the making."""

    def __init__(self, run: Run, caption: str = "", offending: frozenset[int] = frozenset()) -> None:
        self.run = run
        self.offending = offending
        self.names = [machine_name(run.system, m) for m in range(run.system.topology.machines)]
        self.start = LEFT + CHARACTER * min(LONGEST, max(map(len, self.names))) + 14
        events = len(run.trace.events)
        self.end = self.start + COLUMN * (events + 1)
        height = TOP + LANE * (len(self.names) - 1) + 62
        self.layout = Layout(self.end + RIGHT, height, caption=caption)

    def made(self) -> Layout:
        """The layout."""
        layout, run = self.layout, self.run
        layout.ticks = [(number + 1, self.x(number)) for number in range(len(run.trace.events))]
        if run.trace.loop is not None:
            layout.loop = self.x(run.trace.loop) - COLUMN / 2
        for number, event in enumerate(run.trace.events):
            self._dots(number, event)
        self._lanes()
        self._arrows()
        self._cut()
        self._labels()
        layout.recorded = self._recorded()
        layout.control = ", ".join(dict.fromkeys(message_name(j.message) for j in run.journeys if j.message.control))
        return layout

    def x(self, event: float) -> float:
        """Where event number `event` stands in time."""
        return self.start + COLUMN * (event + 0.75)

    def y(self, machine: int) -> float:
        """The lane of a machine."""
        return TOP + LANE * machine

    def _dots(self, number: int, event: Event) -> None:
        for move in event.moves:
            red, turns = (bool(bits >> self.run.snapshot & 1) for bits in (move.acting, move.step.turns))
            dot = Dot(
                number, move.machine, self.x(number), self.y(move.machine), red or turns, turns, printable(event.name)
            )
            self.layout.dots.append(dot)

    def _lanes(self) -> None:
        for machine, name in enumerate(self.names):
            recorded = self.run.recorded[machine]
            turn = self.end if recorded is None else self.x(recorded.event)
            crash = next(
                (
                    self.x(n)
                    for n, event in enumerate(self.run.trace.events)
                    if event.fault is not None and event.fault.kind == "crash" and event.actor == machine
                ),
                None,
            )
            lane = Lane(machine, name, self.y(machine), self.start, turn, self.end, crash)
            self.layout.lanes.append(lane)

    def _arrows(self) -> None:
        run = self.run
        for number, journey in enumerate(run.journeys):
            source, destination = run.system.channels[journey.channel]
            y1, y2 = self.y(source), self.y(destination)
            x1 = self.start if journey.sent is None else self.x(journey.sent)
            end, x2 = "waiting", self.end
            if journey.accepted is not None:
                end, x2 = "accepted", self.x(journey.accepted)
            elif journey.lost is not None:
                end, x2 = "lost", self.x(journey.lost)
            if journey.copied is not None:
                x1, y1 = self.x(journey.copied), (y1 + y2) / 2
            if end != "accepted":
                y2 = y1 + (y2 - y1) * (0.55 if end == "lost" else 0.8)
            bend = 34.0 if source == destination else 0.0
            message = journey.message
            red = bool(message.red >> run.snapshot & 1)
            offends = number in self.offending
            copied = journey.copied is not None
            title = printable(f"{message_name(message)}, {self.names[source]} to {self.names[destination]}")
            arrow = Arrow(number, x1, y1, x2, y2, message.control, red, end, offends, copied, bend, title)
            self.layout.arrows.append(arrow)

    def _cut(self) -> None:
        if all(recorded is None for recorded in self.run.recorded):
            return
        points = []
        for machine, recorded in enumerate(self.run.recorded):
            if recorded is None:
                continue  # the cut goes nowhere yet
            moves = self.run.trace.events[recorded.event].moves
            alone = all(move.step.action is None for move in moves)
            shift = 0.0 if alone else -0.3 if recorded.before else 0.3
            points.append((self.x(recorded.event + shift), self.y(machine)))
        (first_x, first_y), (last_x, last_y) = points[0], points[-1]
        self.layout.cut = [(first_x, first_y - 24), *points, (last_x, last_y + 24)]

    # -- labels ------------------------------------------------------------------------------------------------

    def _labels(self) -> None:
        taken = [Box(dot.x - 7, dot.y - 7, 14, 14) for dot in self.layout.dots]
        if self.layout.cut:
            x, y = self.layout.cut[0]
            taken.append(Label("cut", x, y - 9, "cut").box)
        for lane in self.layout.lanes:
            self._put(
                taken,
                shortened(lane.name),
                [(self.start - 12 - CHARACTER * len(lane.name[:LONGEST]) / 2, lane.y)],
                "lane",
                lane.name,
            )
        for dot in self.layout.dots:
            name = self._event_name(dot.event, dot.machine)
            if name:
                places = [(dot.x, dot.y + side) for side in (-17.0, 17.0, -31.0, 31.0)]
                self._put(taken, shortened(name), places, "event", name)
        several = len({j.message.tag for j in self.run.journeys if j.message.control}) > 1
        for arrow in self.layout.arrows:
            if arrow.control and not several:
                continue  # all dashed arrows are the same; the legend names them
            text = message_name(self.run.journeys[arrow.journey].message)
            kind = "control" if arrow.control else "offends" if arrow.offends else "message"
            self._put(taken, shortened(text), along(arrow, shortened(text)), kind, text)

    def _event_name(self, event: int, machine: int) -> str:
        """The name that the program gave the action, where that says more than the picture does."""
        for move in self.run.trace.events[event].moves:
            if move.machine == machine and move.step.action is not None and move.step.action.name not in PLAIN:
                return printable(move.step.action.name)
        return ""

    def _put(self, taken: list[Box], text: str, places: list[tuple[float, float]], kind: str, whole: str) -> None:
        """The label at the first place free of labels, dots and lines, else of labels and dots; else its arrow's or
        dot's title alone says it."""
        labels = [Label(text, x, y, kind, "" if text == whole else whole) for x, y in places]
        free = [label for label in labels if not any(label.box.overlaps(box) for box in taken)]
        clear = (label for label in free if not any(label.box.crossed(line) for line in self._lines()))
        best = next(clear, free[0] if free else None)
        if best is not None:
            taken.append(best.box)
            self.layout.labels.append(best)

    def _lines(self) -> Iterator[Line]:
        """Every line that a label had better not lie on."""
        for arrow in self.layout.arrows:
            yield from arrow.lines
        yield from pairwise(self.layout.cut)
        for lane in self.layout.lanes:
            yield (lane.start, lane.y), (lane.end, lane.y)

    def _recorded(self) -> list[str]:
        """A line for each machine: where it recorded what."""
        run, lines = self.run, []
        for machine, recorded in enumerate(run.recorded):
            if recorded is None:
                if any(run.recorded):
                    lines.append(f"{self.names[machine]} has recorded nothing")
                continue
            own = run.system.protocol.recorded(machine, run.states[-1].machines[machine], run.snapshot)
            assert own is not None
            line = f"{self.names[machine]} recorded {value_name(own.state)} in action {recorded.event + 1}"
            for channel, content in zip(run.system.topology.inputs[machine], own.channels, strict=True):
                if content:
                    source = self.names[run.system.channels[channel][0]]
                    line += f"; from {source}: {content_name(content)}"
            lines.append(line)
        return lines


def lay_out(run: Run, caption: str = "", offending: frozenset[int] = frozenset()) -> Layout:
    """The diagram of a run; `offending` are the journeys to highlight."""
    return Diagram(run, caption, offending).made()


def shortened(text: str) -> str:
    """At most `LONGEST` characters."""
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"


def along(arrow: Arrow, text: str) -> list[tuple[float, float]]:
    """Places for an arrow's label, clear of its line: beside its middle first, then nearer its ends, then farther."""
    dx, dy = arrow.x2 - arrow.x1, arrow.y2 - arrow.y1
    length = hypot(dx, dy)
    across, up = dy / length, -dx / length
    clear = CHARACTER * len(text) / 2 * abs(across) + FONT / 2 * abs(up) + 3
    places = []
    for away in (clear, clear + 9, clear + 18):
        for share in (0.5, 0.38, 0.62, 0.28, 0.72, 0.2, 0.8):
            x = arrow.x1 + dx * share
            y = arrow.y1 + dy * share - arrow.bend * 0.75
            places += [(x + across * away, y + up * away), (x - across * away, y - up * away)]
    return places
