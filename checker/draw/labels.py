"""Labels beside what they name, at places where they cover nothing."""

from __future__ import annotations

from collections.abc import Iterable

from checker.draw.boxes import Box, Line
from checker.draw.shapes import CHARACTER, FONT, Arrow, Label, breadth

LONGEST = 14
"""Letters of a label in the picture; the rest is in its title."""


class Labels:
    """The labels put so far; none overlaps another or one of the `taken` boxes, or leaves the sheet."""

    def __init__(self, width: float, taken: Iterable[Box], lines: Iterable[Line]) -> None:
        self.width = width
        self.taken = list(taken)
        self.lines = list(lines)
        self.placed: list[Label] = []

    def put(self, text: str, places: Iterable[tuple[float, float]], kind: str) -> None:
        """The label at the first place free of labels, dots and lines, else of labels and dots; else its arrow's or
        dot's title alone says it."""
        short = shortened(text)
        labels = [Label(short, x, y, kind, "" if text == short else text) for x, y in places]
        free = [label for label in labels if self._free(label.box)]
        clear = (label for label in free if not any(label.box.crossed(line) for line in self.lines))
        best = next(clear, free[0] if free else None)
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
    sides = (0.0, half, -half)
    return [(x + aside, y + away) for away in (-17.0, 17.0, -31.0, 31.0) for aside in sides]


def along(arrow: Arrow, text: str) -> list[tuple[float, float]]:
    """Places for an arrow's label, clear of its line: beside its middle first, then nearer its ends, then farther."""
    across, up = arrow.aside
    clear = breadth(text) / 2 * abs(across) + FONT / 2 * abs(up) + 3
    places = []
    for away in (clear, clear + 6, clear + 12, clear + 18):
        for share in (0.5, 0.38, 0.62, 0.28, 0.72, 0.2, 0.8, 0.12, 0.88):
            lifted = 3 * arrow.bend * share * (1 - share)
            x = arrow.x1 + (arrow.x2 - arrow.x1) * share + across * lifted
            y = arrow.y1 + (arrow.y2 - arrow.y1) * share + up * lifted
            places += [(x + across * away, y + up * away), (x - across * away, y - up * away)]
    return places
