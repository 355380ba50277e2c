"""What is meant is understood, or refused in one line; a class given from Python is found again in its file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from checker.check import check
from checker.report.data import read_trace, trace_json
from model.catalogue import build_system
from model.errors import InputError
from model.families import parse_family
from model.programs.transfer import Transfer
from model.protocols.marker import Marker
from model.topology import Topology
from model.user_code import file_of, load_file, split
from model.verdict import Verdict


def words(**given: Any) -> dict[str, str]:
    return build_system(parse_family("ring:3"), **given).description


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        ({"initiators": 0}, {}),
        ({"initiators": [2, 0]}, {"initiators": "0,2"}),
        ({"initiators": "P0,P2"}, {"initiators": "0,2"}),
        ({"relax": ["fifo", "loss:1"]}, {"relax": "fifo,loss:1"}),
        ({"relax": ()}, {}),
        ({"program": Transfer, "protocol": Marker}, {}),
    ],
)
def test_words_and_python_values_mean_the_same(given: dict[str, Any], meant: dict[str, str]) -> None:
    assert words(**given) == words(**meant)


def test_names_of_machines_are_initiators() -> None:
    topology = Topology(2, ((0, 1), (1, 0)), labels=("left", "right"))
    assert build_system(topology, initiators="right").protocol.initiators == (1,)


def test_one_property_may_be_given_by_its_name_alone() -> None:
    assert [p.name for p in check("ring:2", properties="completes").properties] == ["completes"]


def test_channels_may_be_a_list_of_pairs() -> None:
    listed: Any = [(0, 1), [1, 0]]
    assert Topology(2, listed) == Topology(2, ((0, 1), (1, 0))) and hash(Topology(2, listed))


@pytest.mark.parametrize(
    ("make", "told"),
    [
        (lambda: words(initiators=1.5), "initiators 1.5"),
        (lambda: words(relax=None), "relax None"),
        (lambda: words(program=Marker), "program <class"),
        (lambda: words(protocol=3), "protocol 3: a name, file.py:Class"),
        (lambda: words(program="transfr"), "did you mean transfer"),
        (lambda: words(protocol="marker,mixd=true"), "did you mean mixed"),
        (lambda: words(relax="fifi"), "did you mean fifo"),
        (lambda: check("ring:2", properties="complete"), "did you mean completes"),
        (lambda: check("ring:2", engine="nativ"), "did you mean native"),
        (lambda: Topology(2, [(0, 1, 2)]), r"channel \(0, 1, 2\): a pair"),
        (lambda: Topology(2, "0>1"), "channels '0>1': a list of pairs"),
        (lambda: Topology(2, [0, 1]), "a pair"),
    ],
)
def test_what_is_not_understood_is_refused_in_one_line(make: Any, told: str) -> None:
    with pytest.raises(InputError, match=told) as refused:
        make()
    assert "\n" not in str(refused.value)


OWN = """from model import Action, Program
class Bank(Program):
    conserves = "units"
    def initial(self, machine): return (1, 1)
    def record(self, machine, state): return state[0]
    def held(self, machine, state): return state
    def carried(self, payload): return payload
    def actions(self, machine, state, offered):
        for channel, payload in offered.items():
            yield Action("accept", (state[0] + payload, state[1]), offered)
        for channel in () if offered or not all(state) else self.topology.outputs[machine]:
            yield Action("send", (state[0] - 1, state[1] - 1), sends={channel: 1})
"""


@pytest.fixture
def own(tmp_path: Path) -> Path:
    (tmp_path / "bank, my own.py").write_text(OWN)
    return tmp_path / "bank, my own.py"


def again(verdict: Verdict, folder: Path) -> None:
    """The verdict's counterexample is read back from its file."""
    assert verdict.counterexample is not None
    (folder / "run.json").write_text(json.dumps(trace_json(verdict.counterexample)))
    with pytest.raises(InputError, match="--trust"):
        read_trace(folder / "run.json")
    found = read_trace(folder / "run.json", trust=True)
    assert len(found.trace) == len(verdict.counterexample.trace)


def test_a_trace_of_a_class_given_from_python_replays(own: Path) -> None:
    program = load_file(str(own)).Bank
    verdict = check("star:3", program=program, relax="fifo", properties="conservation")
    assert verdict.system.description["program"] == f"{own}:Bank"
    again(verdict, own.parent)


def test_a_class_that_no_file_has_cannot_be_named_by_a_trace(own: Path) -> None:
    program = type("Typed", (load_file(str(own)).Bank,), {"__module__": "__main__"})
    verdict = check("star:3", program=program, relax="fifo", properties="conservation")
    assert verdict.counterexample is not None
    with pytest.raises(InputError, match="program Typed is in no file"):
        trace_json(verdict.counterexample)


@pytest.mark.parametrize("name", ["", ":Bank"])
def test_a_file_with_one_class_needs_no_name_of_it(own: Path, name: str) -> None:
    verdict = check("ring:2", f"{own}{name}", relax="fifo", properties="conservation")
    assert verdict.system.description["program"] == f"{own}:Bank"
    again(verdict, own.parent)


def test_a_file_with_two_classes_does(own: Path) -> None:
    own.write_text(OWN + "class Other(Bank): pass\n")
    with pytest.raises(InputError, match="it has: Bank, Other"):
        check("ring:2", str(own))


@pytest.mark.parametrize("word", ["a.py", "a.py:B", "a.py,x=1", "/d,e/a.py:B,x=1", "a.py:B,file=c.py", "./a.py"])
def test_no_way_to_name_a_file_escapes_the_question_whether_it_is_trusted(word: str) -> None:
    name, options = split(word)
    assert file_of(word) is not None and name.partition(":")[0] == file_of(word)
    assert ",".join([name, *options]) == word


@pytest.mark.parametrize("word", ["transfer", "transfer,b=1", "script,file=a.py", "a.pyx", "py", "a,b.py"])
def test_other_words_name_no_file_to_be_run(word: str) -> None:
    assert file_of(word) is None
