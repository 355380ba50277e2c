"""A property of anybody's own, by any name, and a counterexample made by hand, are shown in every form."""

from __future__ import annotations

from dataclasses import replace

import pytest

from checker.check import check
from checker.draw.cells import page, picture
from checker.draw.report import verdict_html
from checker.engines.reference.engine import judge
from checker.engines.search_options import SearchOptions
from checker.report.data import verdict_json
from checker.report.explain import explain
from checker.report.formats import FORMATS, write_trace
from checker.report.table import verdict_text
from checker.report.text import trace_text
from model.catalogue import build_system
from model.families import parse_family
from model.properties import PROPERTIES
from model.property import Property
from model.trace import Counterexample, Trace

NAMES = ("agreement", "<b>nobody & all</b>", "a snapshot", "", "two\nlines", "conservation")


def judged(name: str):  # type: ignore[no-untyped-def]
    system = build_system(parse_family("ring:2"), relax="fifo")
    own = Property(
        name,
        "Nobody is ever rich.",
        "here",
        on_state=lambda system, state: {"kind": "rich"} if state.machines[0].state[0] > 1 else None,  # type: ignore[index]
    )
    return judge(system, [own], SearchOptions())


@pytest.mark.parametrize("name", NAMES)
def test_a_property_of_any_name_is_shown(name: str) -> None:
    verdict = judged(name)
    found = verdict.counterexample
    assert found is not None and found.property == name
    assert "rich" in explain(found)["why"][0] + explain(found)["kind"]
    assert verdict_text(verdict) and trace_text(found)
    assert "<b>nobody" not in verdict_html(verdict) + page(verdict) + picture(found)
    assert verdict_json(verdict)["counterexample"]["property"] == name
    assert "violated" in verdict_html(verdict)


MADE = [*((name, ".txt") for name in PROPERTIES), *(("mine", suffix) for suffix in FORMATS)]


@pytest.mark.parametrize(("name", "suffix"), MADE)
def test_a_counterexample_made_by_hand_can_be_drawn(name: str, suffix: str, tmp_path) -> None:  # type: ignore[no-untyped-def]
    if suffix == ".png":
        pytest.importorskip("typst")
    witness = check("ring:2", engine="reference").witnesses[0].trace
    for run in (Trace(witness.system, witness.initial, ()), witness, replace(witness, loop=len(witness))):
        write_trace(Counterexample(name, run, {}), tmp_path / f"t{suffix}")
        write_trace(Counterexample(name, run, {"kind": "so I say", "channel": 99}), tmp_path / f"t{suffix}")
