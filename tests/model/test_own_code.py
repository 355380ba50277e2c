"""A slip in a user's own file is one line that names file and line; what is impure is refused by name."""

from __future__ import annotations

from pathlib import Path

import pytest

from checker.check import check
from checker.engines.search_options import SearchOptions
from model import asking
from model.catalogue import build_system
from model.errors import InputError
from model.families import parse_family

PROGRAM = """import itertools, random, sys
from dataclasses import dataclass
from enum import Enum
from model import Action, Program
Colour = Enum("Colour", "RED")
Point = dataclass(frozen=True)(type("Point", (), {{"__annotations__": {{"x": int}}}}))
calls = itertools.count()
class Mine(Program):
    def initial(self, machine):
        {initial}
    def actions(self, machine, state, offered):
        {actions}
"""
MOVE = "if state == 0: yield Action('move', 1)"
SLIPS = {
    "actions give None": ("return 0", "return None", ["mine.py, line 11", "Mine.actions", "None", "model.Action"]),
    "a bare action": ("return 0", "return Action('go', 1)", ["mine.py, line 11", "Action(name='go'", "in a list"]),
    "something else": ("return 0", "return ['go']", ["mine.py, line 11", "'go'", "model.Action"]),
    "raises": ("return 0", "return [1 // 0]", ["mine.py, line 12", "ZeroDivisionError"]),
    "stops": ("return 0", "raise StopIteration", ["mine.py, line 12", "StopIteration"]),
    "exits": ("return 0", "sys.exit(0)", ["mine.py, line 12", "SystemExit: 0"]),
    "exits at first": ("sys.exit(0)", MOVE, ["mine.py, line 10", "SystemExit"]),
    "endless generator": (
        "return 0",
        "yield from (Action('go', n) for n in itertools.count())",
        ["mine.py, line 11", "10,000", "endless"],
    ),
    "endless loop": ("return 0", "while True: pass", ["mine.py, line 12", "endless loop", "0.3 s"]),
    "endless at first": ("return sum(1 for _ in itertools.repeat(0))", MOVE, ["mine.py, line 10", "endless loop"]),
    "a float": ("return 0", "yield Action('move', 0.5)", ["mine.py, line 11", "'move'", "machine 0", "0.5 is a float"]),
    "a float within": ("return (0, (1, 0.5))", MOVE, ["mine.py, line 9", "state of machine 0", "0.5 is a float"]),
    "an enum": ("return Colour.RED", MOVE, ["mine.py, line 9", "Colour.RED", "is a Colour"]),
    "a dataclass": ("return Point(1)", MOVE, ["mine.py, line 9", "Point", "made of None, bool, int, str, tuple"]),
    "unhashable": ("return 0", "yield Action('grow', [1])", ["mine.py, line 11", "'grow'", "machine 0", "unhashable"]),
    "an unhashable message": (
        "return 0",
        "yield Action('tell', 1, sends={machine: {}})",
        ["mine.py, line 11", "'tell'", "message on channel 0", "unhashable"],
    ),
    "chance": (
        "return 0",
        "yield Action('go', random.random() > 2, sends={machine: random.randrange(9**9)})",
        ["twice"],
    ),
    "a counter": ("return 0", "yield Action('go', next(calls) // 3)", ["mine.py, line 11", "answers differently"]),
    "a counter at first": ("return next(calls)", MOVE, ["mine.py, line 9", "first 0", "then 1"]),
}


def written(folder: Path, initial: str, actions: str) -> str:
    path = folder / "mine.py"
    path.write_text(PROGRAM.format(initial=initial, actions=actions))
    return f"{path}:Mine"


@pytest.mark.parametrize("slip", SLIPS)
def test_a_slip_is_one_line_with_file_and_line(slip: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    initial, actions, shown = SLIPS[slip]
    monkeypatch.setattr(asking, "LIMIT", 0.3)
    with pytest.raises(InputError) as refused:
        check("ring:2", written(tmp_path, initial, actions), engine="reference")
    for text in shown:
        assert text in str(refused.value)
    assert "\n" not in str(refused.value)


LATE = "if state < 4: yield Action('go', state + 1 if next(calls) < 12 else 4)"


@pytest.mark.parametrize("engine", ["reference", "native", "simulate", "z3"])
def test_every_engine_refuses_what_answers_differently(engine: str, tmp_path: Path) -> None:
    # It counts its calls and changes its mind but once: only asking all of it once more at the end can tell.
    words = written(tmp_path, "return 0", LATE)
    options = SearchOptions(max_depth=3) if engine == "z3" else SearchOptions()
    with pytest.raises(
        InputError, match=r"mine.py, line 11, in Mine.actions: asked twice, it answers differently: of \(0"
    ):
        check("ring:2", words, engine=engine, options=options)


def test_a_pure_program_is_not_refused(tmp_path: Path) -> None:
    assert check("ring:2", written(tmp_path, "return 0", MOVE)).counts.underlying_states == 4


def test_a_missing_initial_is_named_with_its_file(tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text("from model import Program\n\nclass Mine(Program):\n    def actions(self, *given): return []\n")
    with pytest.raises(InputError, match=r"mine.py, line 3, in Mine: it lacks the method initial"):
        check("ring:2", f"{path}:Mine")


@pytest.mark.parametrize("text", ["import sys\nsys.exit(3)", "import nothing_of_the_kind", "x = (", "1 / 0"])
def test_a_file_that_cannot_be_loaded(text: str, tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text(text)
    with pytest.raises(InputError, match=r"mine.py, line [12]"):
        check("ring:2", f"{path}:Mine")


SENDER = """from model import Action, Program
class Mine(Program):
    def initial(self, machine): return 0
    def actions(self, machine, state, offered):
        if machine == 0 and state == 0 and not offered:
            yield Action("send", 1, sends={{0: "word"}})
        {accept}
"""


@pytest.mark.parametrize(
    ("accept", "warned"),
    [
        ("if offered == {1: 'wrod'}: yield Action('hear', 1, offered)", ["machine 0 sends word on channel 0", "ever"]),
        ("if offered: yield Action('hear', state + 1)", ["'hear'", "accepts {}", "never happens"]),
        ("if offered: yield Action('hear', state + 1, offered)", []),
        ("yield Action('tick', 2, {}) if state < 2 else Action('tock', 2, offered)", None),
    ],
)
def test_the_usual_typing_errors_are_warned_of_once(accept: str, warned: list[str] | None, tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text(SENDER.format(accept=accept))
    warnings = check("edges:0>1,1>0", f"{path}:Mine", properties="no-red-in-white").warnings
    if warned is not None:
        assert bool(warnings) == bool(warned) and len(warnings) <= 2
        for text in warned:
            assert any(text in warning and "mine.py, line 4" in warning for warning in warnings)


def test_a_control_message_is_not_the_programs(tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text(
        "from model.protocols.marker import Marker\nfrom model import Step\nclass Mine(Marker):\n"
        "    def steps(self, machine, local, offered):\n"
        "        self.underlying(machine, local, offered)\n        yield from super().steps(machine, local, offered)\n"
    )
    with pytest.raises(InputError, match=r"mine.py, line 4.*control message on channel 0"):
        check("ring:2", protocol=f"{path}:Mine")


def test_conserving_nothing_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text(PROGRAM.format(initial="return 0", actions=MOVE) + "    conserves = 'units'\n")
    with pytest.raises(
        InputError, match=r"mine.py, line 8, in Mine: conserves is 'units', but neither held nor carried"
    ):
        build_system(parse_family("ring:2"), f"{path}:Mine")
