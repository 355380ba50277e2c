"""The matrix says of each cell what a check of each of its systems says, and finds the smallest topology by itself."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import nullcontext

import pytest

import checker.sweep.matrix as matrices
from checker.check import check
from checker.cli.app import run
from checker.engines.search_options import SearchOptions
from checker.sweep.batch_jobs import Job, Result, fitted, judged_in_turn
from checker.sweep.matrix import Cell, Matrix, matrix, topologies
from model.errors import InputError


def cell(found: Matrix, protocol: str, relax: str, name: str) -> Cell:
    return next(c for c in found.cells if (c.protocol, c.relax, c.property) == (protocol, relax, name))


def test_each_cell_is_what_the_checks_say() -> None:
    protocols, relaxations = ("marker", "observer,literal=true", "missing-marker"), ("", "fifo", "crash:1,loss:1")
    found = matrix(("strong:1", "strong:2"), "transfer", protocols, relaxations, engine="reference")
    assert found.whole and not found.cut and found.systems == 2 * 9
    assert len(found.cells) == 9 * len(found.properties)
    for one in found.cells:
        expected = []  # the topologies come smallest first
        for graph in found.topologies:
            try:
                verdict = check(graph, "transfer", one.protocol, relax=one.relax, engine="reference")
            except InputError:
                continue
            expected += [p for p in verdict.properties if p.name == one.property]
        lengths = [p.length for p in expected if p.length is not None]
        assert one.length == (lengths[0] if lengths else None)
        assert (one.outcome == "violated") == bool(lengths)
        assert (one.outcome == "holds") == (bool(expected) and {p.outcome.value for p in expected} == {"holds"})


def test_keep_recording_passes_on_two_machines_and_the_smallest_topology_that_breaks_it_is_found() -> None:
    names = ("channel-exact", "reachable")
    two = matrix(("strong:1", "strong:2"), "transfer", ("keep-recording",), ("",), names, engine="reference")
    assert {c.outcome for c in two.cells} == {"holds"}
    three = matrix(("strong:3",), "transfer,s=1-1-0", ("keep-recording", "marker"), ("",), names, engine="reference")
    broken = cell(three, "keep-recording", "", "channel-exact")
    assert broken.smallest is not None
    topology, length = broken.smallest, broken.length
    assert (topology.channels, length) == (((0, 1), (0, 2), (1, 0), (2, 0)), 7)
    for smaller in three.topologies[: three.topologies.index(topology)]:
        verdict = check(smaller, "transfer,s=1-1-0", "keep-recording", engine="reference", properties=names)
        assert verdict.outcome.value == "holds"
    assert {cell(three, "marker", "", name).outcome for name in names} == {"holds"}


def test_a_property_that_says_nothing_and_a_system_that_cannot_be_are_not_applicable() -> None:
    found = matrix(("ring:3", "biring:2"), "resources", ("marker", "magic"), ("",), engine="reference")
    assert dict(cell(found, "marker", "", "reachable").outcomes) == {"holds": 1, "not applicable": 1}
    assert cell(found, "magic", "", "one-marker-per-channel").outcome == "not applicable"
    with pytest.raises(InputError, match="channels both ways"):
        matrix(("ring:3",), "resources", ("marker",), ("",))


def test_a_bound_that_was_met_is_said() -> None:
    found = matrix(
        ("ring:3",), "transfer", ("marker",), ("",), engine="reference", options=SearchOptions(max_states=50)
    )
    assert cell(found, "marker", "", "reachable").outcome == "unknown"
    assert found.to_json()["coverage"] == "bounded" and len(found.cut) == 1


def test_an_interrupt_gives_what_was_judged(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(rows: list[list[Job]]) -> Iterator[tuple[Result, ...]]:
        yield judged_in_turn(rows[0])
        raise KeyboardInterrupt

    monkeypatch.setattr(matrices, "judging", lambda *_: nullcontext(interrupted))
    found = matrix(("ring:2",), "transfer", ("marker",), ("", "fifo"), engine="reference")
    assert not found.whole and found.systems == 1
    assert cell(found, "marker", "fifo", "reachable").outcome == "unknown"


def test_what_a_smaller_topology_breaks_is_not_judged_on_a_larger_one() -> None:
    found = matrix(("strong:2", "ring:3"), "transfer", ("marker",), ("fifo",), engine="reference")
    assert dict(cell(found, "marker", "fifo", "reachable").outcomes) == {
        "violated": 1,
        "violated on a smaller topology": 1,
    }
    assert dict(cell(found, "marker", "fifo", "completes").outcomes) == {"holds": 2}


def test_lists_of_numbers_are_cut_to_the_machines() -> None:
    assert fitted("transfer,b=2,s=1-1-0", 2) == "transfer,b=2,s=1-1"
    assert fitted("transfer,s=1-1-0", 1) == "transfer,s=1" and fitted("transfer,s=1-1-0", 3) == "transfer,s=1-1-0"
    assert fitted("my-file.py:Class,a-b=x-y", 1) == "my-file.py:Class,a-b=x-y"


def test_two_processes_find_the_same() -> None:
    asked = (("strong:2",), "transfer", ("marker", "laiyang"), ("", "fifo"))
    one, two = matrix(*asked, engine="reference"), matrix(*asked, engine="reference", workers=2)
    assert one.cells == two.cells


def test_topologies_come_smallest_first() -> None:
    assert [(t.machines, len(t.channels)) for t in topologies(("strong:3", "strong:2"))] == [
        (2, 2),
        (3, 3),
        (3, 4),
        (3, 4),
        (3, 5),
        (3, 6),
    ]


def test_the_command_prints_a_table_or_json(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["matrix", "strong:2", "--protocol", "marker", "--relax", "none", "--relax", "fifo", "--workers", "1"]
    assert run([*words, "--engine", "reference"]) == 0
    shown = capsys.readouterr().out
    assert "exhaustive: 2 systems" in shown and "a: strong:2#1 (0>1 1>0)" in shown and "4a" in shown
    assert run([*words, "--engine", "reference", "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["coverage"] == "exhaustive"
    broken = [c for c in data["cells"] if c["outcome"] == "violated"]
    assert {"property": "no-red-in-white", "relax": "fifo", "length": 3}.items() <= broken[0].items()
    assert broken[0]["smallest"]["channels"] == [[0, 1], [1, 0]]


@pytest.mark.parametrize("width", [40, 80, 120])
def test_no_cell_is_cut_off_however_narrow(
    width: int, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    words = ["vee", "--program", "dataflow,records=1", "--protocol", "barrier", "--relax", "fifo,marker-duplication:1"]
    assert run(["matrix", *words, "--relax", "none", "--engine", "reference"]) == 0
    shown = capsys.readouterr().out
    found = matrix(("vee",), "dataflow,records=1", ("barrier",), ("fifo,marker-duplication:1", ""), engine="reference")
    assert shown.count("holds") == 1 + sum(own.outcome == "holds" for own in found.cells)  # the legend says it too
    assert "…" not in shown and "fifo,marker-duplication:1" in shown


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--protocol", "nope"], "unknown protocol 'nope'"),
        (["--relax", "nope"], "unknown relaxation 'nope'"),
        (["--property", "nope"], "unknown property 'nope'"),
        (["--relax", "none", "--relax", "none"], "given twice"),
        (["nope:3"], "nope:3"),
        (["--engine", "nope"], "unknown engine 'nope'"),
        (["--timeout", "inf"], "a number of seconds"),
        (["ring:3", "--program", "resources"], "channels both ways"),
        (["ring:3", "--initiators", "7"], "initiators '7'"),
    ],
)
def test_bad_input_is_one_line_and_exit_2(words: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["matrix", *words]) == 2
    error = capsys.readouterr().err
    assert said in error and error.count("\n") == 1


@pytest.mark.slow
def test_the_whole_matrix_is_exhaustive_and_tells_right_protocols_from_broken_ones() -> None:
    found = matrix(workers=2)
    assert found.whole and not found.cut and found.systems == 840

    def broken(protocol: str, relax: str) -> set[str]:
        return {c.property for c in found.cells if (c.protocol, c.relax, c.outcome) == (protocol, relax, "violated")}

    for protocol in ("marker", "magic", "simultaneous", "observer", "laiyang", "lazy-marker"):
        assert not broken(protocol, "")
    for protocol in ("magic", "simultaneous", "observer", "laiyang"):
        assert not broken(protocol, "fifo") and not broken(protocol, "overtake:1")
    for protocol in ("observer,literal=true", "late-marker", "late-record", "no-channel-state", "keep-recording"):
        assert "reachable" in broken(protocol, "")
    assert broken("missing-marker", "") == {"no-red-in-white", "all-red", "completes"}
    assert not broken("overwrite", "") and "reachable" in broken("overwrite", "marker-duplication:1")
    assert cell(found, "keep-recording", "", "reachable").length == 7
