"""The tour runs in a real kernel, each kind of value shows itself; until one does, nothing is loaded for it."""

from __future__ import annotations

import subprocess
import sys
from itertools import combinations
from pathlib import Path
from xml.etree import ElementTree

import pytest

from checker.draw.boxes import Box
from checker.draw.network import topology_svg
from model.families import parse_family
from model.topology import Topology
from redwhite import check

ROOT = Path(__file__).parents[2]
TOUR = ROOT / "notebooks" / "tour.ipynb"


def test_the_tour_shows_every_kind_of_value(monkeypatch: pytest.MonkeyPatch) -> None:
    nbformat, nbclient = pytest.importorskip("nbformat"), pytest.importorskip("nbclient")
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    notebook = nbformat.read(TOUR, as_version=4)
    assert not any(cell.get("outputs") for cell in notebook.cells), "kept without outputs"
    nbclient.NotebookClient(notebook, timeout=120, kernel_name="python3").execute()
    shown = {cell.id: cell.outputs[0]["data"] for cell in notebook.cells if cell.get("outputs")}
    assert "298 states, 629 transitions" in shown["holds"]["text/html"]
    assert "<b>violated</b>" in shown["violated"]["text/html"] and "<svg" in shown["violated"]["text/html"]
    assert "transfer" in shown["system"]["text/html"]
    for cell in ("topology", "counterexample", "seen", "trace"):
        assert ElementTree.fromstring(shown[cell]["image/svg+xml"]).tag.endswith("svg")
    assert "no-red-in-white" in shown["counterexample"]["image/svg+xml"]


def test_every_kind_of_value_shows_itself() -> None:
    verdict = check("ring:3", "free", relax="fifo", engine="reference")
    found = verdict.counterexample
    assert found is not None
    for drawn in (found, found.trace, verdict.system.topology, parse_family("diamond")):
        assert ElementTree.fromstring(drawn._repr_svg_()).tag.endswith("svg")
    assert "no-red-in-white" in found._repr_svg_() and "no-red-in-white" not in found.trace._repr_svg_()
    assert "<b>violated</b>" in verdict._repr_html_() and "channels are bags" in verdict.system._repr_html_()


def test_importing_neither_package_imports_the_drawing() -> None:
    loaded = "import sys, model, checker; print([m for m in sys.modules if m.startswith('checker.draw')])"
    done = subprocess.run([sys.executable, "-c", loaded], capture_output=True, text=True, cwd=ROOT, timeout=60)
    assert done.stdout.strip() == "[]", done.stderr


@pytest.mark.parametrize(
    "topology", [parse_family("complete:3"), Topology(2, ((0, 1), (0, 1), (1, 1)), labels=("<b>", "é"))]
)
def test_a_network_is_drawn_with_an_arc_for_each_channel(topology: Topology) -> None:
    root = ElementTree.fromstring(topology_svg(topology))
    assert len(root.findall("{*}path")) == len(root.findall("{*}polygon")) == len(topology.channels)
    assert [text.text for text in root.findall("{*}text")] == [topology.label(m) for m in range(topology.machines)]


@pytest.mark.parametrize("words", ["ring:2", "ring:8", "complete:5", "star:6", "diamond", "edges:0>0,0>1,0>1,0>1,1>0"])
def test_machines_lie_apart_and_no_arrow_ends_inside_one(words: str) -> None:
    known = parse_family(words)
    for labels in ((), tuple(f"{'a name of some length' * (m % 2)}{m}" for m in range(known.machines))):
        root = ElementTree.fromstring(Topology(known.machines, known.channels, labels=labels)._repr_svg_())
        boxes = [
            Box(*(float(rect.get(side, "")) for side in ("x", "y", "width", "height")))
            for rect in root.findall("{*}rect[@class='dot']")
        ]
        assert not any(one.overlaps(other) for one, other in combinations(boxes, 2))
        tips = [polygon.get("points", "").split()[0].split(",") for polygon in root.findall("{*}polygon")]
        assert len(tips) == len(known.channels)
        for x, y in ((float(x), float(y)) for x, y in tips):
            assert not any(b.x < x < b.x + b.width and b.y < y < b.y + b.height for b in boxes)
