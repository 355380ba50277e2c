"""What a space-time diagram is made of, and where each part goes, in pixels; nothing here knows SVG."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise
from math import hypot
from unicodedata import east_asian_width

from checker.draw.boxes import Box, Line

FONT, CHARACTER = 13.0, 7.85
"""The height of letters, and the width of one: all texts are in a font of even width."""


def breadth(text: str) -> float:
    """How broad the text is, in pixels: a Chinese character or the like takes the place of two letters."""
    return CHARACTER * sum(2 if east_asian_width(letter) in "WF" else 1 for letter in text)


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
        width = breadth(self.text) + 2
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
    """A message's way; `end`: accepted, lost, or waiting where it is still under way; `bend` lifts it to its left.

    offends: it is what breaks the property. crosses: it was in its channel at the cut.
    """

    lifeline: int
    x1: float
    y1: float
    x2: float
    y2: float
    control: bool = False
    red: bool = False
    end: str = "accepted"
    offends: bool = False
    crosses: bool = False
    copied: bool = False
    bend: float = 0.0
    title: str = ""

    @property
    def aside(self) -> tuple[float, float]:
        """The direction to its left, of length 1."""
        dx, dy = self.x2 - self.x1, self.y2 - self.y1
        length = hypot(dx, dy)
        return dy / length, -dx / length

    @property
    def lines(self) -> list[Line]:
        """Its way as straight lines; an arc as eight."""
        across, up = self.aside
        points = []
        for share in [i / 8 for i in range(9)] if self.bend else [0.0, 1.0]:
            away = 3 * self.bend * share * (1 - share)
            x, y = self.x1 + (self.x2 - self.x1) * share, self.y1 + (self.y2 - self.y1) * share
            points.append((x + across * away, y + up * away))
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


@dataclass(frozen=True, slots=True)
class Cut:
    """A line through all lanes that leaves what was done before recording on its left; `main`: the one judged.

    It crosses each lane upright and swings from one to the next, so that it never lies along a straight arrow.
    """

    points: tuple[tuple[float, float], ...]
    main: bool
    name: str

    @property
    def lines(self) -> list[Line]:
        """Its way as straight lines, eight from lane to lane."""
        (first_x, first_y), (last_x, last_y) = self.points[0], self.points[-1]
        found = [((first_x, first_y - 24), (first_x, first_y)), ((last_x, last_y), (last_x, last_y + 24))]
        for (x1, y1), (x2, y2) in pairwise(self.points):
            shares = [i / 8 for i in range(9)]
            # The cubic with both handles upright at half height: x follows 3s²-2s³, y goes 1.5s(1-s) + s³ of the way.
            swung = [
                (x1 + (x2 - x1) * s * s * (3 - 2 * s), y1 + (y2 - y1) * (1.5 * s * (1 - s) + s**3)) for s in shares
            ]
            found += pairwise(swung)
        return found


@dataclass(frozen=True, slots=True)
class Sample:
    """An entry of the legend: a small shape drawn as in the picture, and what it means, written from (x, y) on."""

    shape: Arrow | Lane
    text: str
    x: float
    y: float


@dataclass(frozen=True, slots=True)
class Row:
    """A line of text under the picture: of the caption, of what comes after it, or of what was recorded."""

    kind: str
    text: str
    y: float


@dataclass(frozen=True, slots=True)
class Mark:
    """A moment between two events that has a name: S0, S1."""

    text: str
    x: float


@dataclass(slots=True)
class Layout:
    """A whole diagram; `title` names it for who cannot see it, `loop` is where the part repeated for ever starts and
    ends, `bottom` is the last lane's y."""

    width: float
    height: float
    bottom: float
    title: str
    lanes: list[Lane] = field(default_factory=list)
    dots: list[Dot] = field(default_factory=list)
    arrows: list[Arrow] = field(default_factory=list)
    labels: list[Label] = field(default_factory=list)
    cuts: list[Cut] = field(default_factory=list)
    ticks: list[tuple[int, float]] = field(default_factory=list)
    marks: list[Mark] = field(default_factory=list)
    loop: tuple[float, float] | None = None
    legend: list[Sample] = field(default_factory=list)
    rows: list[Row] = field(default_factory=list)
