"""The course of a line: cubic curves from point to point, and which of several courses is the clearest.

A space-time diagram lies when an arrow comes near an event that is not its own: it then reads as a relay. A message is
drawn straight where that is clear of all other events and of the lines drawn before it. Otherwise it leaves its lane
upright, passes through every lane between midway between two events of that lane, and arrives upright: with columns of
at least 24 pixels there is always such a way.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise, product
from math import ceil, hypot

from checker.draw.boxes import Box

Point = tuple[float, float]
Curve = tuple[Point, Point, Point, Point]
"""A cubic: where it starts, its two handles, where it ends."""
Course = tuple[Curve, ...]

CLEAR, CLEAR_OF_END = 12.0, 9.0
"""How far a line stays from the middle of an event that is not its own, whose radius is at most 7; and from the open or
crossed end of another line."""
STEP = 3.0
"""From one point of a line to the next, where it is measured."""
SHIFT = 2 * CLEAR
"""Between the places in one gap of a lane through which a line may pass."""
CELL = 4.0
"""The side of the squares in which lines are noted."""
AROUND = tuple(product((-1, 0, 1), repeat=2))
"""The cells so near that lines in them look like one, if they go on so for longer than they need to cross."""


def straight(start: Point, end: Point) -> Curve:
    """The straight line as a curve."""
    (x1, y1), (x2, y2) = start, end
    return start, (x1 + (x2 - x1) / 3, y1 + (y2 - y1) / 3), (x2 - (x2 - x1) / 3, y2 - (y2 - y1) / 3), end


def bent(start: Point, end: Point, bend: float) -> Curve:
    """An arc that is lifted to its left by three quarters of `bend`."""
    (x1, y1), (x2, y2) = start, end
    length = hypot(x2 - x1, y2 - y1) or 1.0
    across, up = (y2 - y1) / length * bend, (x1 - x2) / length * bend
    _, (ax, ay), (bx, by), _ = straight(start, end)
    return start, (ax + across, ay + up), (bx + across, by + up), end


def upright(start: Point, end: Point, steep: float = 1.0, height: float = 0.5) -> Curve:
    """A swing from lane to lane, upright at both ends; with `steep` 0 as it would be straight, `height` is where
    between the lanes it goes across."""
    (x1, y1), (x2, y2) = start, end
    lean, at = (1 - steep) * (x2 - x1) / 3, y1 + (y2 - y1) * height
    return start, (x1 + lean, at), (x2 - lean, at), end


def swing(stations: Sequence[Point], steep: float, height: float, to_lane: bool) -> Course:
    """Swings from station to station, without a kink; an end that is on no lane is reached along the lanes."""
    wide = [x2 - x1 for (x1, _), (x2, _) in pairwise(stations)]
    course: list[Curve] = []
    for number, ((x1, y1), (x2, y2)) in enumerate(pairwise(stations)):
        out, into = (
            (1 - steep) * min(wide[max(0, min(other, len(wide) - 1))], wide[number]) / 1.5
            for other in (number - 1, number + 1)
        )
        at = y1 + (y2 - y1) * height
        course.append(((x1, y1), (x1 + out * height, at), (x2 - into * (1 - height), at), (x2, y2)))
    if not to_lane:
        first, handle, _, (x, y) = course[-1]
        course[-1] = first, handle, ((x + first[0]) / 2, y), (x, y)
    return tuple(course)


def stepped(stations: Sequence[Point], height: float, to_lane: bool) -> Course:
    """From station to station in steps with round corners, across at `height`: far, and off both lanes at once."""
    course: list[Curve] = []
    for start, end in pairwise(stations):
        (x1, y1), (x2, y2) = start, end
        at, turn = y1 + (y2 - y1) * height, min(26.0, (x2 - x1) / 2)
        left, right = (x1 + turn, at), (x2 - turn, at)
        course.append((start, (x1, at), (x1 + turn / 4, at), left))
        course.append(straight(left, right))
        course.append((right, (x2 - turn / 4, at), (x2, at), end))
    if not to_lane:
        right, (x, y) = course[-1][0], course[-1][3]
        course[-1] = right, (right[0] + turn / 2, right[1]), (x - turn / 2, y), (x, y)
    return tuple(course)


def points(course: Course) -> list[Point]:
    """Points along the course, about `STEP` apart or nearer."""
    found = [course[0][0]]
    for curve in course:
        long = sum(hypot(x2 - x1, y2 - y1) for (x1, y1), (x2, y2) in pairwise(curve))
        many = max(4, ceil(long / STEP))
        found += [_at(curve, number / many) for number in range(1, many + 1)]
    return found


def _at(curve: Curve, t: float) -> Point:
    s = 1 - t
    a, b, c, d = s * s * s, 3 * t * s * s, 3 * t * t * s, t * t * t
    (x0, y0), (x1, y1), (x2, y2), (x3, y3) = curve
    return a * x0 + b * x1 + c * x2 + d * x3, a * y0 + b * y1 + c * y2 + d * y3


Cell = tuple[int, int]


@dataclass(slots=True)
class Ink:
    """Where lines have been drawn: the square cells of the sheet that they pass through, and that they are near to."""

    lines: int = 0
    on: dict[Cell, set[int]] = field(default_factory=dict)
    by: dict[Cell, set[int]] = field(default_factory=dict)

    def draw(self, line: Sequence[Point]) -> None:
        """Note a line, given by points at most `STEP` apart."""
        cells = {_cell(point) for point in line}
        for cell in cells:
            self.on.setdefault(cell, set()).add(self.lines)
        for cell in {(x + i, y + j) for x, y in cells for i, j in AROUND}:
            self.by.setdefault(cell, set()).add(self.lines)
        self.lines += 1

    def touches(self, box: Box) -> bool:
        """Whether a line runs through the box."""
        (left, top), (right, bottom) = _cell((box.x, box.y)), _cell((box.x + box.width, box.y + box.height))
        return any((x, y) in self.on for x in range(left, right + 1) for y in range(top, bottom + 1))

    def crossed(self, line: Sequence[Point]) -> set[int]:
        """The numbers, in the order in which they were drawn, of the lines that this one meets."""
        return set().union(*(self.on.get(_cell(point), ()) for point in line))

    def beside(self, line: Sequence[Point]) -> float:
        """Over what length the line runs along others, in pixels, summed; crossing one, or parting from it, is none."""
        near: dict[int, float] = {}
        (x1, y1), (x2, y2) = line[0], line[-1]
        for (x, y), (after_x, after_y) in zip(line[::2], line[2::2], strict=False):
            others = self.by.get(_cell((x, y)))
            if others and hypot(x - x1, y - y1) > 24 and hypot(x - x2, y - y2) > 24:
                length = hypot(after_x - x, after_y - y)
                for other in others:
                    near[other] = near.get(other, 0.0) + length
        return sum(max(0.0, length - 30.0) for length in near.values())


def _cell(point: Point) -> Cell:
    return int(point[0] // CELL), int(point[1] // CELL)


class Router:
    """Finds courses between lanes, clear of the `events` on them and of lines' `ends` between them."""

    def __init__(self, lanes: Sequence[float], events: Iterable[Point], ends: Iterable[Point], ink: Ink) -> None:
        self.lanes = tuple(lanes)
        self.clear = {**dict.fromkeys(ends, CLEAR_OF_END), **dict.fromkeys(events, CLEAR)}
        self.events = tuple(sorted(self.clear))
        self.ink = ink
        self.around: dict[Cell, list[Point]] = {}
        reach = int(CLEAR // CELL) + 1
        for event in self.events:
            x, y = _cell(event)
            for cell in product(range(x - reach, x + reach + 1), range(y - reach, y + reach + 1)):
                self.around.setdefault(cell, []).append(event)

    def course(self, start: Point, end: Point) -> Course:
        """The first course that is clear of events and of other lines, or else the best; it is drawn."""
        return self._best(start, end, self._courses(start, end), frozenset())

    def part(self, start: Point, end: Point, whole: frozenset[int]) -> Course:
        """A course of a cut from lane to lane, that best keeps off the lines of these numbers."""
        courses = [(upright(start, end, 1.0, height),) for height in (0.5, 0.65, 0.35, 0.8, 0.2)]
        return self._best(start, end, [(straight(start, end),), *courses], whole)

    def _best(self, start: Point, end: Point, courses: Iterable[Course], whole: frozenset[int]) -> Course:
        best: tuple[float, Course, list[Point]] | None = None
        for course in courses:
            line = points(course)
            cost = 10_000.0 * self._near(line, start, end)
            if best is not None and cost > best[0]:
                continue
            cost += self.ink.beside(line)
            cost += 300.0 * len(whole & self.ink.crossed(line)) if whole else 0.0
            if best is None or cost < best[0]:
                best = (cost, course, line)
            if cost == 0:
                break
        assert best is not None
        self.ink.draw(best[2])
        return best[1]

    def _near(self, line: Sequence[Point], start: Point, end: Point) -> int:
        """How many events that are not its own the line comes near to."""
        found: set[Point] = set()
        for x, y in line:
            for event in self.around.get(_cell((x, y)), ()):
                if event not in (start, end) and hypot(x - event[0], y - event[1]) < self.clear[event]:
                    found.add(event)
        return len(found)

    def _courses(self, start: Point, end: Point) -> Iterator[Course]:
        if start[1] == end[1] and end[1] in self.lanes:
            for bend in (46.0, -46.0, 62.0, -62.0, 78.0, -78.0):  # to itself: above its lane, or below
                yield ((start, (start[0], start[1] - bend), (end[0], end[1] - bend), end),)
            for high in (30.0, -30.0, 42.0, -42.0, 22.0, -22.0, 54.0, -54.0):
                over = start[1] - high
                left, right = (start[0] + 13.0, over), (end[0] - 13.0, over)
                up, down = (start[0], over), (end[0], over)
                yield (start, up, up, left), straight(left, right), (right, down, down, end)
            return
        yield (straight(start, end),)
        for curve in (bent(start, end, bend) for bend in (14.0, -14.0, 26.0, -26.0)):
            if all(start[0] <= x <= end[0] for x, _ in curve):
                yield (curve,)
        to_lane = end[1] in self.lanes
        for aside in (0, 1, -1, 2, -2, 3, -3):
            stations = [start, *self._between(start, end, aside), end]
            for steep, height in product((0.4, 0.7, 1.0), (0.5, 0.7, 0.3, 0.9)):
                yield swing(stations, steep, height, to_lane)
            for height in (0.5, 0.65, 0.35) if abs(end[1] - start[1]) > 40 else (1.0, 2.0, 2.6):
                yield stepped(stations, height, to_lane)

    def _between(self, start: Point, end: Point, aside: int) -> list[Point]:
        """Where to pass through each lane between: as near to the straight way as its events allow; `aside` takes the
        next gap but so many, to the right or left, and where there are no more of them another place in the last."""
        (x1, y1), (x2, y2) = start, end
        found, last = [], x1
        for y in sorted(self.lanes, reverse=y2 < y1):
            if not min(y1, y2) < y < max(y1, y2):
                continue
            ideal = x1 + (x2 - x1) * (y - y1) / (y2 - y1)
            stops = sorted(e[0] for e in self.events if e[1] == y and last - 40 < e[0] < x2 + 40)
            gaps = [
                (max(a + CLEAR + 1, last), min(b - CLEAR - 1, x2)) for a, b in pairwise([last - 99, *stops, x2 + 99])
            ]
            open_gaps = [(a, b) for a, b in gaps if a <= b] or [(last, x2)]
            nearest = sorted(open_gaps, key=lambda gap: abs(min(max(ideal, gap[0]), gap[1]) - ideal))
            kept = [gap for gap in nearest if (min(max(ideal, gap[0]), gap[1]) - ideal) * aside >= 0] or nearest
            number = min(abs(aside), len(kept) - 1)
            left, right = kept[number]
            within = (abs(aside) - number) * (SHIFT if aside > 0 else -SHIFT)
            last = min(max(min(max(ideal, left), right) + within, left), right)
            found.append((last, y))
        return found
