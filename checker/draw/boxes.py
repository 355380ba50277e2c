"""Rectangles of a drawing: which of them overlap, and which a line runs through."""

from __future__ import annotations

from dataclasses import dataclass

Line = tuple[tuple[float, float], tuple[float, float]]


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle from (x, y), its upper left corner."""

    x: float
    y: float
    width: float
    height: float

    def overlaps(self, other: Box) -> bool:
        """Whether the two share more than an edge."""
        across = self.x < other.x + other.width and other.x < self.x + self.width
        return across and self.y < other.y + other.height and other.y < self.y + self.height

    def crossed(self, line: Line) -> bool:
        """Whether part of the line runs inside: the share of it between the left and right edge is also between
        top and bottom (Liang and Barsky's clipping)."""
        (x1, y1), (x2, y2) = line
        first, last = 0.0, 1.0
        for start, by, low, high in (
            (x1, x2 - x1, self.x, self.x + self.width),
            (y1, y2 - y1, self.y, self.y + self.height),
        ):
            if by == 0:
                if not low < start < high:
                    return False
                continue
            enter, leave = sorted(((low - start) / by, (high - start) / by))
            first, last = max(first, enter), min(last, leave)
        return first < last
