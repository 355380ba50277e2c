"""Where everything of a space-time diagram goes.

Time runs from left to right, one column an event; machines are lanes from top to bottom. Under them come the caption,
the legend, and what each machine recorded.
"""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Sequence
from itertools import groupby, pairwise

from checker.draw.boxes import Box
from checker.draw.courses import Course, Ink, Point, Router, points, straight
from checker.draw.labels import Labels, along, around, shortened
from checker.draw.legend import STEP, legend
from checker.draw.shapes import CHARACTER, Arrow, Cut, Dot, Label, Lane, Layout, Mark, Row, breadth
from checker.report.lifelines import Lifeline
from checker.report.names import content_name, control_name, machine_name, message_name, printable, value_name
from checker.report.run import Run
from checker.report.words import PLAIN
from model.action import Event

LANE = 84.0
LEFT, TOP, RIGHT = 24.0, 46.0, 34.0
COLUMN, NARROW, WIDE = 46.0, 30.0, 128.0
"""The width of an event: of the many of a long run, so that it still fits a sheet of paper, at least NARROW."""
SHEET = 1150.0
"""The width beyond which columns become narrower."""


class Diagram:
    """The layout of one run in the making."""

    def __init__(self, run: Run, captions: Sequence[str], offending: frozenset[int], least: float) -> None:
        self.run = run
        self.offending = offending
        crossing = run.crossing() if all(run.recorded) else []
        self.crossing = frozenset(number for number in crossing if run.lifelines[number].lost is None)
        self.names = [machine_name(run.system, m) for m in range(run.system.topology.machines)]
        self.start = LEFT + max(breadth(shortened(name)) for name in self.names) + 14
        events = len(run.trace.events)
        usual = min(COLUMN, max(NARROW, SHEET / (events + 1)))
        self.column = max(usual, min(WIDE, (least - RIGHT - self.start) / (events + 1)))
        self.end = max(self.start + self.column * (events + 1), least - RIGHT)
        bottom = TOP + LANE * (len(self.names) - 1)
        self.ink = Ink()
        self.waiting: Counter[tuple[int, bool]] = Counter()
        self.behind = self._behind()
        self.captions = [printable(text) for text in captions]
        self.layout = Layout(self.end + RIGHT, 0.0, bottom, self.captions[0] if self.captions else f"{events} actions")

    def made(self) -> Layout:
        """The layout."""
        layout, run = self.layout, self.run
        layout.ticks = [(number + 1, self.x(number)) for number in range(len(run.trace.events))]
        for number, event in enumerate(run.trace.events):
            self._dots(number, event)
        self._lanes()
        self._arrows()
        layout.cuts = self._cuts()
        self._moments()
        layout.labels = self._labels()
        self._texts()
        return layout

    def x(self, event: float) -> float:
        """Where event number `event` stands in time."""
        return self.start + self.column * (event + 0.75)

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
            crashes = (n for n, event in enumerate(self.run.trace.events) if _crashes(event) and event.actor == machine)
            crash = next(crashes, None)
            at = None if crash is None else self.x(crash)
            self.layout.lanes.append(Lane(machine, name, self.y(machine), self.start, turn, self.end, at))

    # -- messages ----------------------------------------------------------------------------------------------

    def _arrows(self) -> None:
        """Every message's course, the shortest first: what is near in time is drawn straight."""
        ends = [self._ends(number, lifeline) for number, lifeline in enumerate(self.run.lifelines)]
        events = [(dot.x, dot.y) for dot in self.layout.dots]
        between = [place for pair in ends for place in pair]
        self.router = Router([self.y(machine) for machine in range(len(self.names))], events, between, self.ink)
        order = sorted(range(len(ends)), key=lambda n: (ends[n][1][0] - ends[n][0][0], n))
        courses = {number: self.router.course(*ends[number]) for number in order}
        self.markers = frozenset(n for n, j in enumerate(order) if self.run.lifelines[j].message.control)
        self.layout.arrows = [self._arrow(n, j, courses[n]) for n, j in enumerate(self.run.lifelines)]

    def _ends(self, number: int, lifeline: Lifeline) -> tuple[Point, Point]:
        """Where a message's arrow starts and stops: on lanes, or between two where it is copied, lost or waits."""
        source, destination = self.run.system.channels[lifeline.channel]
        down = 1 if source <= destination else -1
        x, y = self.start, self.y(source)
        if lifeline.sent is not None:
            x = self.x(lifeline.sent)
        if lifeline.copied is not None:
            x, y = (
                self.x(lifeline.copied),
                y + (down if source != destination else -1) * 0.5 * LANE,
            )  # where its original is
        if lifeline.accepted is not None:
            return (x, y), (self.x(lifeline.accepted), self.y(destination))
        if lifeline.lost is not None:
            short = 0.45 if lifeline.copied is None else 0.25
            return (x, y), (self.x(lifeline.lost), self.y(destination) - down * short * LANE)
        return (x, y), self._waits(number, destination, source <= destination)

    def _waits(self, number: int, lane: int, down: bool) -> Point:
        """Where a message still under way is drawn at the end: those that come to a lane from one side are ranged
        from the lane on, a channel's head first; those that come to the next lane from the other side lie opposite."""
        between = self.waiting[lane, down] + self.waiting[(lane - 1, False) if down else (lane + 1, True)]
        away = 15.0 + self.behind[number] * min(13.5, (LANE - 30.0) / max(1, between - 1))
        return self.end, self.y(lane) + (-away if down else away)

    def _arrow(self, number: int, lifeline: Lifeline, course: Course) -> Arrow:
        run, message = self.run, lifeline.message
        source, destination = run.system.channels[lifeline.channel]
        name = printable(f"{message_name(message)}, {self.names[source]} to {self.names[destination]}")
        end = "accepted" if lifeline.accepted is not None else "waiting" if lifeline.lost is None else "lost"
        red, copied = bool(message.red >> run.snapshot & 1), lifeline.copied is not None
        offends, crosses = number in self.offending, number in self.crossing
        return Arrow(number, course, message.control, red, end, offends, crosses, copied, name)

    def _behind(self) -> dict[int, int]:
        """Of each message still under way, how many there are before it of those that come to a lane from one side;
        over a channel from a machine to itself it comes from above."""
        run, places = self.run, {}
        for channel, waiting in enumerate(run.follower.waiting):
            source, destination = run.system.channels[channel]
            side = destination, source <= destination
            for _, lifeline in waiting:
                places[lifeline] = self.waiting[side]
                self.waiting[side] += 1
        return places

    # -- the cut, S0, S1, the loop -----------------------------------------------------------------------------

    def _cuts(self) -> list[Cut]:
        """The cut of the snapshot judged, then those of others in progress beside it."""
        several = range(self.run.system.protocol.snapshots)
        runs = [self.run] + [Run(self.run.trace, other) for other in several if other != self.run.snapshot]
        cuts = []
        for run in runs:
            if not any(run.recorded):
                continue
            places = tuple(self._recording(run, machine) for machine in range(len(self.names)))
            name = "cut" if len(several) < 2 else f"cut {run.snapshot}"
            cuts.append(Cut(places, self._pieces(places), run is self.run, f"{name}: SSS" if run.sss else name))
        return cuts

    def _pieces(self, places: Sequence[Point | None]) -> tuple[Course, ...]:
        """The courses of a cut through these places, as clear of messages as can be; None interrupts it."""
        pieces: list[Course] = []
        for _, group in groupby(places, key=lambda place: place is not None):
            through = [place for place in group if place is not None]
            if through:
                (x, y), (end_x, end_y) = through[0], through[-1]
                between = [c for one, other in pairwise(through) for c in self.router.part(one, other, self.markers)]
                first, last = straight((x, y - 24), (x, y)), straight((end_x, end_y), (end_x, end_y + 24))
                self.ink.draw(points((first,)))
                self.ink.draw(points((last,)))
                pieces.append((first, *between, last))
        return tuple(pieces)

    def _recording(self, run: Run, machine: int) -> Point | None:
        """Where the cut crosses a machine's lane: left of the event that records, or right of it where the event does
        something first that is recorded; nowhere if the machine records nothing."""
        recorded = run.recorded[machine]
        if recorded is None:
            return None
        moves = run.trace.events[recorded.event].moves
        first = recorded.before or all(move.step.action is None for move in moves)
        return self.beside(recorded.event, first), self.y(machine)

    def beside(self, event: int, before: bool) -> float:
        """Where the cut passes an event: left of it, or right."""
        return self.x(event) + min(20.0, 0.45 * self.column) * (-1 if before else 1)

    def _moments(self) -> None:
        run, layout = self.run, self.layout
        if run.start_event is not None:
            layout.marks.append(Mark("S0", self.x(run.start_event - 0.5)))
        if run.sss is not None:
            layout.marks.append(Mark("S1", self.x(len(run.trace.events) - 0.5)))
        loop = run.trace.loop
        if loop is not None and loop < len(run.trace.events):
            layout.loop = (self.x(loop - 0.5), self.x(len(run.trace.events) - 0.5))

    # -- labels and texts --------------------------------------------------------------------------------------

    def _labels(self) -> list[Label]:
        layout, run = self.layout, self.run
        for lane in layout.lanes:
            self.ink.draw(points((straight((lane.start, lane.y), (lane.end, lane.y)),)))
        labels = Labels(layout.width, (Box(x - 7, y - 7, 14, 14) for x, y in self.router.events), self.ink)
        for lane in layout.lanes:
            labels.put(lane.name, [(self.start - 12 - breadth(shortened(lane.name)) / 2, lane.y)], "lane", True)
        for cut in layout.cuts:
            (x, y), half = cut.pieces[0][0][0], breadth(cut.name) / 2
            top = y + 24
            aside = min(x, layout.width - half - 4)
            labels.put(cut.name, [(aside, top - 33), (x - half - 5, top - 20), (x + half + 5, top - 20)], "cut", True)
        for dot in layout.dots:
            name = self._event_name(dot.event, dot.machine)
            if name:
                labels.put(name, around(dot.x, dot.y, shortened(name)), "event", name == "crash")
        for arrow in layout.arrows:
            if arrow.end == "lost":
                labels.put("lost", around(*arrow.stop, "lost"), "offends", True)
            if arrow.copied:
                labels.put("copy", around(*arrow.start, "copy"), "offends", True)
        several = len({j.message.tag for j in run.lifelines if j.message.control}) > 1
        for arrow in layout.arrows:
            if arrow.control and not several:
                continue  # all dashed arrows are the same; the legend names them
            text = message_name(run.lifelines[arrow.lifeline].message)
            labels.put(text, along(arrow, shortened(text)), kind_of(arrow))
        return labels.placed

    def _event_name(self, event: int, machine: int) -> str:
        """The name that the program gave the action, where that says more than the picture does."""
        if _crashes(self.run.trace.events[event]):
            return "crash"
        for move in self.run.trace.events[event].moves:
            if move.machine == machine and move.step.action is not None and move.step.action.name not in PLAIN:
                return printable(move.step.action.name)
        return ""

    def _texts(self) -> None:
        """Caption, legend and what was recorded, under the lanes and their numbers."""
        layout = self.layout
        most = int((layout.width - 1.5 * LEFT) / CHARACTER)
        y = layout.bottom + (88 if layout.marks or layout.loop else 70)
        for number, caption in enumerate(self.captions):
            y = self._write("more" if number else "caption", caption, most, y)
        names = dict.fromkeys(control_name(j.message) for j in self.run.lifelines if j.message.control)
        shown = ", ".join(names)
        fits = len(shown) <= (layout.width - 2 * LEFT) / CHARACTER - 10
        layout.legend, y = legend(layout, shown if fits else "the protocol's messages", LEFT, y)
        for line in self._recorded():
            y = self._write("label-cut", line, most, y)
        layout.height = y

    def _write(self, kind: str, text: str, most: int, y: float) -> float:
        rows = textwrap.wrap(text, int(most * len(text) * CHARACTER / breadth(text)))
        self.layout.rows += [Row(kind, row, y + STEP * number) for number, row in enumerate(rows)]
        return y + STEP * len(rows)

    def _recorded(self) -> list[str]:
        """A line for each machine: where it recorded what."""
        run, lines = self.run, []
        for machine, recorded in enumerate(run.recorded):
            if recorded is None:
                if any(run.recorded):
                    lines.append(f"{self.names[machine]} has recorded nothing")
                continue
            own = run.system.recorded_by(machine, run.states[-1].machines[machine], run.snapshot)
            if own is None:  # a failed task drops its snapshot
                lines.append(f"{self.names[machine]} recorded in action {recorded.event + 1}, and has it no more")
                continue
            line = f"{self.names[machine]} recorded {value_name(own.state)} in action {recorded.event + 1}"
            for channel, content in zip(run.system.topology.inputs[machine], own.channels, strict=True):
                if content:
                    source = self.names[run.system.channels[channel][0]]
                    line += f"; from {source}: {content_name(content)}"
            lines.append(line)
        return lines


def kind_of(arrow: Arrow) -> str:
    """What an arrow is above all: what offends, the protocol's own, in its channel at the cut, or any message."""
    if arrow.offends:
        return "offends"
    return "control" if arrow.control else "crossing" if arrow.crosses else "message"


def _crashes(event: Event) -> bool:
    return event.fault is not None and event.fault.kind == "crash"


def layout_of(
    run: Run,
    captions: Sequence[str] = (),
    offending: frozenset[int] = frozenset(),
    least: float = 600.0,
    bare: bool = False,
) -> Layout:
    """The diagram of a run: under it the captions, of which the first stands out; `offending` are the lifelines to
    highlight; `least` is the smallest width; `bare`: nothing is written under it."""
    layout = Diagram(run, captions, offending, least).made()
    if bare:
        layout.legend, layout.rows = [], []
        layout.height = layout.bottom + (70 if layout.marks or layout.loop else 52)
    return layout
