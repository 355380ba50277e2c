"""Space-time diagrams: labels do not overlap, arrows do not go back in time, everything drawn is in the run."""

from __future__ import annotations

import re
from itertools import combinations
from xml.etree import ElementTree

import pytest
from hypothesis import HealthCheck, assume, given, settings

from checker.bounds import Bounds
from checker.draw import png, svg
from checker.draw.boxes import Box
from checker.draw.layout import Layout, lay_out
from checker.reference import judge
from checker.report.run import judged_run
from model.properties import chosen
from model.system import System
from model.trace import Counterexample
from tests.manifest import entries
from tests.systems import systems

SLOW = [HealthCheck.filter_too_much, HealthCheck.too_slow]


def runs(system: System) -> list[Counterexample]:
    """All counterexamples and witnesses of a small system."""
    verdict = judge(system, chosen(system), Bounds(max_states=1200))
    return [p.counterexample for p in verdict.properties if p.counterexample] + list(verdict.witnesses)


def sound(layout: Layout, found: Counterexample) -> None:
    """What holds of every diagram."""
    for one, other in combinations(layout.labels, 2):
        assert not one.box.overlaps(other.box), (one, other)
    for arrow in layout.arrows:
        assert arrow.x1 < arrow.x2 and arrow.title, arrow
    assert len(layout.dots) == sum(len(event.moves) for event in found.trace.events)
    assert [number for number, _ in layout.ticks] == list(range(1, len(found.trace.events) + 1))
    for lane in layout.lanes:
        assert lane.start <= lane.turn <= lane.end < layout.width and lane.y < layout.height


@settings(max_examples=25, suppress_health_check=SLOW)
@given(systems())
def test_random_runs_are_drawn_without_overlaps_and_forwards(system: System) -> None:
    found = runs(system)
    assume(found)
    for one in found:
        sound(lay_out(judged_run(one), "a caption"), one)
        ElementTree.fromstring(svg(one))


@pytest.mark.parametrize("entry", [e for e in entries(400) if e.violated or e.snapshots], ids=str)
def test_the_manifest_s_runs_are_drawn_soundly(entry) -> None:  # type: ignore[no-untyped-def]
    for found in runs(entry.system()):
        sound(lay_out(judged_run(found)), found)


def test_a_picture_names_no_address_and_a_png_is_one() -> None:
    entry = next(e for e in entries(400) if e.violated)
    found = runs(entry.system())[0]
    assert set(re.findall(r"https?://[^\"' ]+", svg(found))) == {"http://www.w3.org/2000/svg"}
    pytest.importorskip("resvg_py")
    assert png(found).startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("line", "crosses"),
    [
        (((0, 5), (20, 5)), True),
        (((0, 0), (10, 10)), True),
        (((5, -3), (5, 0)), False),
        (((-1, 9), (2, 13)), False),
        (((0, 10), (10, 10)), False),
        (((4, 4), (6, 6)), True),
    ],
)
def test_a_line_crosses_a_box_where_some_of_it_runs_inside(line, crosses) -> None:  # type: ignore[no-untyped-def]
    assert Box(0, 0, 10, 10).crossed(line) is crosses


def test_a_label_without_a_free_place_is_still_said_by_a_title() -> None:
    found = next(f for e in entries(400) if e.violated for f in runs(e.system()))
    root = ElementTree.fromstring(svg(found))
    arrows = [p for p in root.findall("{*}path") if p.find("{*}title") is not None]
    assert len(arrows) == len(judged_run(found).journeys)
    assert [c.findtext("{*}title") for c in root.findall("{*}circle[@data-event]")] == [
        event.name for event in found.trace.events for _ in event.moves
    ]
