"""The bars of an audit's time line: a verdict has the same colour in every report."""

from __future__ import annotations

import pytest

from checker.audit.judging import VERDICTS
from checker.sweep import page

pytest.importorskip("matplotlib")
from matplotlib.colors import to_hex


def colours(*verdicts: str) -> dict[str, str]:
    """By verdict, where there are these."""
    (axes,) = page._timeline(tuple((0, verdict, 1) for verdict in verdicts)).axes
    return {str(bars.get_label()): to_hex(bars[0].get_facecolor()) for bars in axes.containers}


def test_names_lie_on_no_bar() -> None:
    figure = page._timeline(tuple((bar, "consistent", 6) for bar in range(60)))
    figure.draw_without_rendering()
    (legend,), (axes,) = figure.legends, figure.axes
    assert legend.get_window_extent().y0 >= axes.get_window_extent().y1


def test_colours_do_not_depend_on_which_verdicts_there_are() -> None:
    every = colours(*VERDICTS)
    assert [*every] == [*VERDICTS] and len({*every.values()}) == len(VERDICTS)
    assert every["impossible"] == page.RED
    for verdict in VERDICTS:
        assert colours(verdict) == {verdict: every[verdict]}
    assert colours("incomplete", "consistent") == {name: every[name] for name in ("consistent", "incomplete")}
