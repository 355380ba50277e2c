"""A property in a user's file gets what a built-in one gets: verdicts, runs, explanations, traces, slips told."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from checker.cli.app import run
from model.claims import never, sometimes
from model.errors import InputError
from model.properties import chosen
from model.verdict import Outcome
from redwhite import check

CLAIMS = Path(__file__).resolve().parents[2] / "examples" / "claims"


def named(file: str, name: str) -> str:
    return f"{CLAIMS / file}:{name}"


@pytest.mark.parametrize(
    ("topology", "program", "relax", "file", "name", "outcome", "length"),
    [
        ("star:3", "TwoPhase", "", "two_phase_commit.py", "agree", "holds", None),
        ("ring:3", "token", "", "token_ring.py", "served", "holds", None),
        ("ring:3", "token", "", "token_ring.py", "single", "holds", None),
        ("ring:3", "token,hops=2", "loss:1", "token_ring.py", "single", "violated", 2),
        ("ring:3", "token", "", "token_ring.py", "recorded", "holds", None),
        ("star:3", "Leases", "", "leases.py", "Exclusive", "holds", None),
        ("star:3", "Leases,hasty=true", "", "leases.py", "Exclusive", "violated", 2),
        ("ring:3", "transfer", "", "audit_of_a_bank.py", "books_add_up", "holds", None),
        ("ring:3", "transfer", "fifo", "audit_of_a_bank.py", "books_add_up", "violated", 5),
    ],
)
@pytest.mark.parametrize("engine", ["reference", "native"])
def test_the_examples(
    engine: str, topology: str, program: str, relax: str, file: str, name: str, outcome: str, length: int | None
) -> None:
    word = named(file, program) if program[0].isupper() else program
    protocol = "none" if program[0].isupper() else "marker"
    (found,) = check(topology, word, protocol, relax=relax, properties=[named(file, name)], engine=engine).properties
    assert (found.outcome.value, found.length) == (outcome, length)


def test_examples_are_short() -> None:
    assert all(len(path.read_text().splitlines()) <= 40 for path in CLAIMS.glob("*.py"))


def test_a_trace_of_one_s_own_claim_is_shown_again(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    trace, claim = str(tmp_path / "trace.json"), named("token_ring.py", "single")
    words = ["check", "ring:3", "--program", "token,hops=2", "--relax", "loss:1", "--property", claim, "--trace", trace]
    assert run(words) == 1
    shown = capsys.readouterr().out
    assert "there is one token" in shown and "Read there: machines[0]" in shown
    assert json.loads(Path(trace).read_text())["property"] == claim
    assert run(["show", trace]) == 2
    assert "--trust" in capsys.readouterr().err
    assert run(["show", trace, "--trust"]) == 0


SLIPS = """
from redwhite import Monitor, always, never
raises = always("it divides", lambda view: 1 / 0 > 1)
calls = []
impure = never("it counts", lambda view: calls.append(1) or len(calls) % 2)
class Mute(Monitor):
    initial = 0
class Endless(Monitor):
    claim = "it never ends"
    initial = 0
    def next(self, value, event): return value + 1
not_one = 3
"""


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("raises", "ZeroDivisionError"),
        ("impure", "pure function"),
        ("Mute", "says what it claims"),
        ("not_one", "it has: raises, impure, Mute, Endless"),
        ("missing", "no property"),
    ],
)
@pytest.mark.parametrize("engine", ["reference", "native"])
def test_a_slip_is_one_line_with_its_place(
    engine: str, name: str, words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "slips.py"
    file.write_text(SLIPS)
    assert run(["check", "ring:2", "--engine", engine, "--property", f"{file}:{name}"]) == 2
    told = capsys.readouterr().err.strip()
    assert (words in told and "slips.py" in told) or name == "Mute"
    assert "Traceback" not in told and len(told.splitlines()) == 1


def test_a_monitor_without_end_of_values_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "slips.py"
    file.write_text(SLIPS)
    for engine in ("reference", "native"):
        verdict = check("ring:2", properties=[f"{file}:Endless"], engine=engine)
        assert verdict.outcome is Outcome.HOLDS  # its values end where the runs do


def test_two_of_one_name_are_refused() -> None:
    from model import InputError, always

    with pytest.raises(InputError, match="two have this name"):
        chosen(check("ring:2").system, [always("one", lambda view: True), always("one", lambda view: True)])


OWN = """
from redwhite import Monitor, never, sometimes
spread = never("two machines are red", lambda view: view.red[0] and view.red[1])
seen = sometimes("P0 is red, P1 not", lambda view: view.red[0] and not view.red[1])
begun = never("begun, and P0 is white", lambda view: view.begun and not view.red[0])
class Sends(Monitor):
    claim = "at most one send"
    initial = 0
    def next(self, value, event): return min(2, value + bool(event.sends))
    def error(self, value): return value == 2
"""
NAMES = ("spread", "seen", "begun", "Sends")


def unwrapped(text: str) -> str:
    """The text wherever its lines were broken: the temporary folder's name may be long."""
    return "".join(text.split())


@pytest.fixture
def own(tmp_path: Path) -> list[str]:
    (tmp_path / "own.py").write_text(OWN)
    return [f"{tmp_path / 'own.py'}:{name}" for name in NAMES]


def found(verdict: Any) -> dict[str, tuple[str, int | None]]:
    return {p.name.rpartition(":")[2]: (p.outcome.value, p.length) for p in verdict.properties}


WANTED = {"spread": ("violated", 2), "seen": ("holds", None), "begun": ("holds", None), "Sends": ("violated", 2)}
"""On ring:2, as is plain to see."""


def test_a_sweep_has_rows_of_each(own: list[str], tmp_path: Path) -> None:
    from checker.sweep.experiment import read_experiment
    from checker.sweep.rows import checked

    (tmp_path / "own.toml").write_text(
        f"name = 'own'\n[[systems]]\ntopologies = ['ring:2']\nproperties = {['reachable', *own]}\n"
    )
    (row,) = read_experiment(tmp_path / "own.toml").systems
    rows = {r["property"].rpartition(":")[2]: (r["verdict"], r["length"]) for r in checked(row)}
    assert rows == {"reachable": ("holds", None), **WANTED}


def test_a_matrix_has_a_column_of_each(own: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    words = [word for name in (own[3], "reachable", *own[:3]) for word in ("--property", name)]
    asked = ["matrix", "ring:2", "--program", "transfer", "--protocol", "marker", "--relax", "none", *words]
    assert run([*asked, "--workers", "2", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert [c["property"] for c in told["cells"]] == ["reachable", own[3], *own[:3]]
    cells = {c["property"].rpartition(":")[2]: (c["outcome"], c["length"]) for c in told["cells"]}
    assert cells == {"reachable": ("holds", None), **WANTED}
    assert run([*asked, "--workers", "1"]) == 0
    table = capsys.readouterr().out
    assert (
        "Sends" in table and "2a" in table and unwrapped(f"spread: {own[0]}, two machines are red") in unwrapped(table)
    )


def test_assumptions_of_one(own: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    asked = ["assumptions", "edges:0>1,1>0", "--relax", "marker-loss:1", "--property", own[0], "--json"]
    assert run(asked) == 0
    (told,) = json.loads(capsys.readouterr().out)["assumptions"]
    assert told["property"] == own[0] and told["minimal_breaking"][0]["relax"] == []


def test_values_made_in_python_are_judged_in_this_process_only() -> None:
    from checker.sweep.matrix import matrix
    from checker.sweep.minimal_relaxations import needs

    red = never("P1 is red", lambda view: view.red[1])
    table = matrix(["ring:2"], "transfer", ["marker"], [""], [red, "reachable"])
    assert {c.property: c.length for c in table.cells} == {"reachable": None, "p1-is-red": 2}
    assert table.claims == (("p1-is-red", "P1 is red"),)
    assert needs("marker", red, ["ring:2"], relaxations=["loss:1"]).property == "p1-is-red"
    with pytest.raises(InputError, match="or take workers=1"):
        matrix(["ring:2"], "transfer", ["marker"], [""], [red], workers=2)
    with pytest.raises(InputError, match="two have this name"):
        matrix(["ring:2"], "transfer", ["marker"], [""], [red, red])


@pytest.mark.parametrize("verb", ["matrix", "sweep", "explore", "refute", "assumptions", "check"])
def test_a_name_that_is_not_there_is_refused_by_every_verb(
    verb: str, own: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    missing = own[0].replace("spread", "spraed")
    plan = tmp_path / "plan.toml"
    plan.write_text(f"name = 'own'\n[[systems]]\ntopologies = ['ring:2']\nproperties = ['{missing}']\n")
    words = [str(plan), "--out", str(tmp_path / "out")] if verb == "sweep" else ["ring:2", "--property", missing]
    assert run([verb, *words]) == 2
    told = capsys.readouterr().err
    assert "no property 'spraed'; it has: spread, seen, begun, Sends" in told and len(told.splitlines()) == 1


def test_z3_finds_what_breaks_one(own: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["refute", "ring:2", "--property", own[0], "--property", own[3], "--all", "--json"]) == 1
    told = {p["name"]: p["length"] for p in json.loads(capsys.readouterr().out)["properties"]}
    assert told == {own[0]: 2, own[3]: 2}


def test_the_name_of_a_file_far_away_is_not_cut(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / ("far" * 20) / ("away" * 10)
    folder.mkdir(parents=True)
    (folder / "own.py").write_text("from redwhite import never\nred = never('P0 is red', lambda view: view.red[0])\n")
    monkeypatch.setenv("COLUMNS", "80")
    assert run(["check", "ring:2", "--property", f"{folder}/own.py:red"]) == 1
    told = capsys.readouterr().out
    assert "\u2026" not in told and "violated after 1 action" in told
    assert unwrapped(told).count(f"{folder}/own.py:red") >= 2


@pytest.mark.parametrize("engine", ["reference", "native", "simulate", "z3"])
def test_what_is_sought_is_shown_as_a_witness_and_kept(
    engine: str, own: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    trace, page = tmp_path / "seen.json", tmp_path / "seen.html"
    words = ["check", "ring:2", "--engine", engine, "--trace", str(trace), "--html", str(page)]
    assert run([*words, "--property", own[1]]) in (0, 3)
    told = capsys.readouterr().out
    assert unwrapped(f"witness: {own[1]}") in unwrapped(told) and "Found: 'P0 is red, P1 not'." in told
    assert "fails" not in told and "violated after" not in page.read_text()
    assert run(["show", str(trace), "--trust"]) == 0
    assert "Found: 'P0 is red, P1 not'." in capsys.readouterr().out


def test_a_witness_that_was_not_judged_or_is_not_there(own: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["check", "ring:2", "--property", "reachable", "--witness", own[1]]) == 0
    assert "it was not judged" in capsys.readouterr().out
    assert run(["check", "edges:0>1,1>0", "--initiators", "1", "--witness", own[1], "--property", own[1]]) == 1
    assert "no run comes to it" in capsys.readouterr().out


def test_a_cell_of_a_notebook_shows_claim_and_run() -> None:
    verdict = check("ring:2", properties=[never("P1 is red", lambda view: view.red[1])])
    shown = verdict._repr_html_()
    assert "P1 is red" in shown and "violated after 2 actions" in shown and "<svg" in shown


def test_exploring_by_hand_tells_claim_values_and_violations() -> None:
    from checker.explorer.walk import Walks

    claims = [
        never("P1 is red", lambda view: view.red[1]),
        sometimes("P0 is red", lambda view: view.red[0]),
        never("begun, P1 red", lambda view: view.begun and view.red[1]),
    ]
    system = check("ring:2").system
    walks = Walks(system, chosen(system, claims))
    here = walks.view([])
    told = [(p["claim"], p["status"], p["read"]) for p in here["properties"]]
    assert told == [
        ("P1 is red", "not violated so far", "red[1] = false"),
        ("P0 is red", "not found so far", "red[0] = false"),
        ("begun, P1 red", "not violated so far", "begun = false"),
    ]
    turn = next(n for n, event in enumerate(here["enabled"]) if event["words"].startswith("turn red"))
    here = walks.view([turn])
    broken = next(n for n, event in enumerate(here["enabled"]) if event["breaks"])
    assert here["enabled"][broken]["breaks"] == ["p1-is-red", "begun-p1-red"]
    assert here["properties"][1]["status"] == "found in action 1" and here["violation"] is None
    here = walks.view([turn, broken])
    assert here["violation"]["property"] == "p1-is-red" and "Read there: red[1] = true." in here["violation"]["why"]
    assert here["properties"][2]["status"] == "violated in action 2"
    assert here["properties"][2]["read"] == "begun = true, red[1] = true"
