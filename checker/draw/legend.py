"""The legend: of each kind of line in the picture a sample, drawn as the picture draws it."""

from __future__ import annotations

from dataclasses import replace

from checker.draw.courses import straight
from checker.draw.shapes import Arrow, Cut, Lane, Layout, Sample

SAMPLE, GAP, SMALL, STEP = 30.0, 20.0, 6.7, 19.0
"""The width of a sample, the space after its words, the width of one of their letters, and from row to row."""


def legend(layout: Layout, control: str, left: float, top: float) -> tuple[list[Sample], float]:
    """The samples of what occurs in the picture, row by row, and where the next thing may go; `control` names the
    protocol's own messages."""
    samples: list[Sample] = []
    x, y = left, top
    for shape, words in _occurring(layout, control):
        width = SAMPLE + 9 + SMALL * len(words)
        if x > left and x + width > layout.width - left / 2:
            x, y = left, y + STEP
        samples.append(Sample(_moved(shape, x, y), words, x + SAMPLE + 9, y))
        x += width + GAP
    return samples, y + STEP


def _occurring(layout: Layout, control: str) -> list[tuple[Arrow | Lane | Cut, str]]:
    """Samples at the origin, with their words."""
    arrow, arrows = Arrow(0, (straight((0.0, 0.0), (SAMPLE, 0.0)),)), layout.arrows
    plain = [a for a in arrows if not (a.control or a.offends or a.crosses)]
    kinds: list[tuple[bool, Arrow | Lane | Cut, str]] = [
        (True, Lane(0, "", 0.0, 0.0, SAMPLE, SAMPLE), "white"),
        (any(lane.turn < lane.end for lane in layout.lanes), Lane(0, "", 0.0, 0.0, 0.0, SAMPLE), "red"),
        (any(not a.red for a in plain), arrow, "white message"),
        (any(a.red for a in plain), replace(arrow, red=True), "red message"),
        (any(a.control and not a.offends for a in arrows), replace(arrow, control=True), control),
        (any(a.offends for a in arrows), replace(arrow, offends=True), "what breaks it"),
        (any(a.crosses and not a.offends for a in arrows), replace(arrow, crosses=True), "in its channel at the cut"),
        (any(a.end == "waiting" for a in arrows), replace(arrow, end="waiting"), "still on its way"),
        (bool(layout.cuts), Cut((), (arrow.course,), True, ""), "the cut: what is recorded is left of it"),
    ]
    return [(shape, words) for occurs, shape, words in kinds if occurs]


def _moved(shape: Arrow | Lane | Cut, x: float, y: float) -> Arrow | Lane | Cut:
    if isinstance(shape, Lane):
        return replace(shape, y=y, start=x, turn=x + shape.turn, end=x + shape.end)
    course = (straight((x, y), (x + SAMPLE, y)),)
    return replace(shape, pieces=(course,)) if isinstance(shape, Cut) else replace(shape, course=course)
