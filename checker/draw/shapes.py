"""What a space-time diagram is made of, and where each part goes, in pixels; nothing here knows SVG."""

from __future__ import annotations

from dataclasses import dataclass, field
from unicodedata import east_asian_width

from checker.draw.boxes import Box
from checker.draw.courses import Course, Point

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
        width = breadth(self.text) + 6
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
    """A message's way; `end`: accepted, lost, or waiting where it is still under way.

    offends: it is what breaks the property. crosses: it was in its channel at the cut. copied: it starts as a copy.
    """

    lifeline: int
    course: Course
    control: bool = False
    red: bool = False
    end: str = "accepted"
    offends: bool = False
    crosses: bool = False
    copied: bool = False
    title: str = ""

    @property
    def start(self) -> Point:
        """Where it begins."""
        return self.course[0][0]

    @property
    def stop(self) -> Point:
        """Where it ends."""
        return self.course[-1][3]


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
    """A line that leaves what was done before recording on its left; `main`: the one judged.

    points: per machine where the line crosses its lane, None where the machine records nothing; there the line is open,
    and falls into `pieces`.
    """

    points: tuple[Point | None, ...]
    pieces: tuple[Course, ...]
    main: bool
    name: str


@dataclass(frozen=True, slots=True)
class Sample:
    """An entry of the legend: a small shape drawn as in the picture, and what it means, written from (x, y) on."""

    shape: Arrow | Lane | Cut
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
