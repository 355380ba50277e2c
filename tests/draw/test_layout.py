"""Space-time diagrams: labels do not overlap, arrows do not go back in time, everything drawn is in the run."""

from __future__ import annotations

import random
import re
from collections import Counter
from itertools import combinations
from xml.etree import ElementTree

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from checker.draw import png, svg
from checker.draw.labels import LONGEST, shortened
from checker.draw.layout import layout_of
from checker.draw.legend import SMALL
from checker.draw.shapes import Layout, breadth
from checker.engines.reference.engine import judge
from checker.engines.search_options import SearchOptions
from checker.explorer.walk import Walks
from checker.report.run import judged_run
from model.catalogue import build_system
from model.families import parse_family
from model.properties import chosen
from model.system import System
from model.topology import Topology
from model.trace import Counterexample
from tests.manifest import entries
from tests.systems import systems

SLOW = [HealthCheck.filter_too_much, HealthCheck.too_slow]


def runs(system: System) -> list[Counterexample]:
    """All counterexamples and witnesses of a small system."""
    verdict = judge(system, chosen(system), SearchOptions(max_states=1200))
    return [p.counterexample for p in verdict.properties if p.counterexample] + list(verdict.witnesses)


def sound(layout: Layout, found: Counterexample) -> None:
    """What holds of every diagram."""
    for one, other in combinations(layout.labels, 2):
        assert not one.box.overlaps(other.box), (one, other)
    for label in layout.labels:
        assert label.box.x >= 0 and label.box.x + label.box.width <= layout.width and label.box.y >= 0, label
    for arrow in layout.arrows:
        assert arrow.start[0] < arrow.stop[0] and arrow.title, arrow
    assert len({a.course for a in layout.arrows}) == len(layout.arrows), "one hides another"
    assert len(layout.dots) == sum(len(event.moves) for event in found.trace.events)
    assert [number for number, _ in layout.ticks] == list(range(1, len(found.trace.events) + 1))
    for lane in layout.lanes:
        assert lane.start <= lane.turn <= lane.end < layout.width and lane.y < layout.height
    for sample in layout.legend:
        assert sample.x + SMALL * len(sample.text) <= layout.width and layout.bottom < sample.y < layout.height
    assert all(row.y <= layout.height and breadth(row.text) < layout.width for row in layout.rows)
    loop = found.trace.loop
    assert (layout.loop is not None) == (loop is not None and loop < len(found.trace.events))


def parted_by_the_cut(layout: Layout, found: Counterexample) -> None:
    """The cut has on its left what was done before recording, and is crossed by what was in a channel then."""
    for cut in (cut for cut in layout.cuts if cut.main):
        places = {y: x for x, y in filter(None, cut.points)}
        for dot in layout.dots:
            if not dot.turns:
                assert (dot.x > places.get(dot.y, layout.width)) == dot.red, (dot, cut)
                continue
            (move,) = (move for move in found.trace.events[dot.event].moves if move.machine == dot.machine)
            side = 1 if move.step.action is None or move.step.turns_first else -1
            assert (dot.x > places[dot.y]) - (dot.x < places[dot.y]) == side, (dot, cut)
        for arrow in (arrow for arrow in layout.arrows if arrow.crosses):
            (x1, y1), (x2, y2) = arrow.start, arrow.stop
            assert (arrow.copied or x1 < places[y1]) and not arrow.red  # a copy of a white one is white
            assert arrow.end == "waiting" or x2 > places[y2]


def as_recorded(found: Counterexample, layout: Layout) -> None:
    """As many arrows in a channel at the cut as the white projection has messages there."""
    run = judged_run(found)
    if all(run.recorded):
        crossing = Counter(run.lifelines[arrow.lifeline].channel for arrow in layout.arrows if arrow.crosses)
        assert [crossing[c] for c in range(len(run.system.channels))] == [
            len(content) for content in run.cut.channels
        ], found


@settings(max_examples=150, suppress_health_check=SLOW)
@given(systems(), st.integers(0, 999), st.sampled_from([336.0, 600.0]))
def test_walks_at_random_are_drawn_soundly_and_parted_by_the_cut(system: System, seed: int, least: float) -> None:
    walks = Walks(system, [])
    found = walks.saved(walks.trace(at_random(walks, seed)))
    layout = layout_of(judged_run(found), ["a caption"], least=least)
    sound(layout, found)
    parted_by_the_cut(layout, found)
    as_recorded(found, layout)


@settings(max_examples=25, suppress_health_check=SLOW)
@given(systems())
def test_random_runs_are_drawn_without_overlaps_and_forwards(system: System) -> None:
    found = runs(system)
    assume(found)
    for one in found:
        layout = layout_of(judged_run(one), ["a caption"])
        sound(layout, one)
        parted_by_the_cut(layout, one)
        as_recorded(one, layout)
        ElementTree.fromstring(svg(one))


@pytest.mark.parametrize("entry", [e for e in entries(400) if e.violated or e.snapshots], ids=str)
def test_the_manifest_s_runs_are_drawn_soundly(entry) -> None:  # type: ignore[no-untyped-def]
    for found in runs(entry.system()):
        sound(layout_of(judged_run(found), least=336), found)


def test_a_picture_names_no_address_and_a_png_is_one() -> None:
    entry = next(e for e in entries(400) if e.violated)
    found = runs(entry.system())[0]
    assert set(re.findall(r"https?://[^\"' ]+", svg(found))) == {"http://www.w3.org/2000/svg"}
    pytest.importorskip("typst")
    assert png(found).startswith(b"\x89PNG")


def test_a_label_without_a_free_place_is_still_said_by_a_title() -> None:
    found = next(f for e in entries(400) if e.violated for f in runs(e.system()))
    root = ElementTree.fromstring(svg(found))
    arrows = [p for p in root.findall("{*}path") if p.find("{*}title") is not None]  # not the legend's
    assert len(arrows) == len(judged_run(found).lifelines)
    assert [c.findtext("{*}title") for c in root.findall("{*}circle[@data-event]")] == [
        event.name for event in found.trace.events for _ in event.moves
    ]


def test_a_run_that_repeats_for_ever_shows_which_part_does() -> None:
    system = build_system(parse_family("biring:3"), "token")
    (found,) = (
        p.counterexample for p in judge(system, chosen(system, ("completes-unfair",)), SearchOptions()).properties
    )
    assert found is not None and found.trace.loop is not None
    layout = layout_of(judged_run(found))
    start, end = layout.loop or (0, 0)
    inside = [number - 1 for number, x in layout.ticks if start < x < end]
    assert inside == list(range(found.trace.loop, len(found.trace.events)))
    assert "this repeats for ever" in svg(found)


@pytest.mark.parametrize("relax", ["loss:1,marker-loss:1", "duplication:1,marker-duplication:1", "crash:1"])
def test_what_befalls_a_message_or_machine_is_named_where_it_happens(relax: str) -> None:
    system = build_system(parse_family("ring:3"), "free", relax=relax)
    word = {"loss": "lost", "duplication": "copy", "crash": "crash"}[relax.partition(":")[0]]
    found = runs(system)
    assert any(event.fault is not None for one in found for event in one.trace.events)
    for one in found:
        faults = sum(event.fault is not None for event in one.trace.events)
        layout = layout_of(judged_run(one))
        assert [label.text for label in layout.labels].count(word) == faults


def test_snapshots_in_progress_at_once_have_a_cut_each() -> None:
    system = build_system(parse_family("ring:3"), protocol="concurrent,k=2", initiators="any")
    walks = Walks(system, [])
    trace = next(
        trace
        for seed in range(50)
        if all(system.complete((trace := walks.trace(at_random(walks, seed))).states()[-1], s) for s in (0, 1))
    )
    layout = layout_of(judged_run(Counterexample("a run", trace, {"kind": "a run"})))
    assert [(cut.name, cut.main) for cut in layout.cuts] == [("cut 0: SSS", True), ("cut 1: SSS", False)]
    assert {"marker 0", "marker 1"} <= {label.text for label in layout.labels}


def at_random(walks: Walks, seed: int) -> list[int]:
    random.seed(seed)
    return walks.at_random([], 40)


@pytest.mark.parametrize(
    ("program", "protocol", "side"),
    [
        ("transfer,b=3,s=3,atomic=joint", "marker,mixed=true", True),
        ("transfer,b=3,s=3", "observer,save=after", False),
        ("transfer,b=3,s=3", "observer,save=before", True),
    ],
)
def test_the_cut_passes_on_the_right_side_of_what_is_done_in_recording(program: str, protocol: str, side: bool) -> None:
    system = build_system(Topology(2, ((0, 1), (0, 1), (1, 0))), program, protocol)
    walks, sides = Walks(system, []), set()
    for seed in range(60):
        found = walks.saved(walks.trace(at_random(walks, seed)))
        layout = layout_of(judged_run(found))
        sound(layout, found)
        parted_by_the_cut(layout, found)
        moves = [move for event in found.trace.events for move in event.moves]
        sides |= {move.step.turns_first for move in moves if move.step.turns and move.step.action is not None}
    assert side in sides


def test_a_long_run_of_many_machines_still_fits_a_sheet() -> None:
    system = build_system(parse_family("biring:8"), "transfer,b=3,s=3", relax="loss:2,duplication:2")
    walks = Walks(system, [])
    random.seed(2)
    found = walks.saved(walks.trace(walks.at_random([], 60)))
    assert len(found.trace.events) == 60
    layout = layout_of(judged_run(found))
    sound(layout, found)
    assert layout.width < 2000


def test_broad_letters_are_given_their_room() -> None:
    assert breadth("漢字") == breadth("abcd") and breadth(shortened("漢" * 40)) <= breadth("a" * LONGEST)
