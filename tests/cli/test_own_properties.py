"""A property in a user's file gets what a built-in one gets: verdicts, runs, explanations, traces, slips told."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from checker.check import check
from checker.cli.app import run
from model.properties import chosen
from model.verdict import Outcome

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
