"""Labels beside what they name, at places where they cover nothing."""

from __future__ import annotations

from collections.abc import Iterable
from math import hypot

from checker.draw.boxes import Box
from checker.draw.courses import Ink, points
from checker.draw.shapes import CHARACTER, FONT, Arrow, Label, breadth

LONGEST = 14
"""Letters of a label in the picture; the rest is in its title."""


class Labels:
    """The labels put so far; none overlaps another or one of the `taken` boxes, touches a line or leaves the sheet."""

    def __init__(self, width: float, taken: Iterable[Box], ink: Ink) -> None:
        self.width = width
        self.taken = list(taken)
        self.ink = ink
        self.placed: list[Label] = []

    def put(self, text: str, places: Iterable[tuple[float, float]], kind: str, needed: bool = False) -> None:
        """The label at the first place free of labels, dots and lines. Where there is none, its arrow's or dot's title
        alone says it; one that is `needed` goes where it covers neither label nor dot."""
        short = shortened(text)
        labels = [Label(short, x, y, kind, "" if text == short else text) for x, y in places]
        free = [label for label in labels if self._free(label.box)]
        clear = (label for label in free if not self.ink.touches(label.box))
        best = next(clear, free[0] if free and needed else None)
        if best is not None:
            self.taken.append(best.box)
            self.placed.append(best)

    def _free(self, box: Box) -> bool:
        inside = box.x >= 0 and box.x + box.width <= self.width and box.y >= 0
        return inside and not any(box.overlaps(other) for other in self.taken)


def shortened(text: str) -> str:
    """As broad as `LONGEST` letters at most."""
    if breadth(text) <= CHARACTER * LONGEST:
        return text
    while breadth(text) > CHARACTER * (LONGEST - 1):
        text = text[:-1]
    return text + "…"


def around(x: float, y: float, text: str) -> list[tuple[float, float]]:
    """Places for the label of a dot or cross: above it, below it, beside these, and farther."""
    half = breadth(text) / 2
    sides = (0.0, half, -half, half + 8, -half - 8)
    return [(x + aside, y + away) for away in (-17.0, 17.0, -24.0, 24.0, -31.0, 31.0, -38.0, 38.0) for aside in sides]


def along(arrow: Arrow, text: str) -> list[tuple[float, float]]:
    """Places for an arrow's label, clear of its line: beside its middle first, then nearer its ends, then farther."""
    line = points(arrow.course)
    places = []
    for away in (3.0, 9.0, 15.0, 21.0):
        for share in (0.5, 0.38, 0.62, 0.28, 0.72, 0.2, 0.8, 0.12, 0.88):
            at = round(share * (len(line) - 1))
            (x, y), (x1, y1), (x2, y2) = line[at], line[max(0, at - 1)], line[min(len(line) - 1, at + 1)]
            length = hypot(x2 - x1, y2 - y1) or 1.0
            across, up = (y2 - y1) / length, (x1 - x2) / length
            clear = breadth(text) / 2 * abs(across) + FONT / 2 * abs(up) + away
            places += [(x + across * clear, y + up * clear), (x - across * clear, y - up * clear)]
    return places
