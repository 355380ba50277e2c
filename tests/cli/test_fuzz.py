"""Random command lines and random files: each ends at once, with an exit code of the contract and in words of ours.

Exit code 2 goes with one printable line on stderr and nothing on stdout; no traceback, no fault of our own, no hang.
"""

from __future__ import annotations

import json
import os
import random
import signal
from pathlib import Path
from types import FrameType

import pytest

from tests.cli.conftest import Command, Ran

PATIENCE = 30
"""Seconds for one command; all of them take milliseconds on an idle machine."""

DEEP = 100_000
NUMBERS = ["0", "1", "2", "-1", "1.5", "1e308", "nan", "inf", "9" * 5000, "", "many", "٣", "0x10", "1_000", " 1"]
HOSTILE = [
    "", "-", "--", "\x1b[31mred\x1b[0m", "x" * 5000, "a,b=" + "y" * 5000, "\n\n", "\x00", "../..", "/", "/dev/null",
    "/dev/zero", "𝔘𝔫𝔦", "\u202e", "*", "%s%n", "{}", "[bold]x", "=", ",", ":", "#1", "ring:3#1", "nan", "None", "$HOME",
]  # fmt: skip
TOPOLOGIES = [
    "ring:2", "biring:2", "edges:0>1,1>0", "strong:2", "ring:0", "ring:x", "ring:" + "9" * 5000, "ring:99999999",
    "complete:5000", "strong:6", "strong:3#9", "edges:", "edges:0>", "edges:0>1,0>999999999", "edges:" + "0>1," * 20000,
    "any:3", "any:99", "nothing", "line:1", "star:2#1", "torus:3",
]  # fmt: skip
PROGRAMS = [
    "transfer", "free", "token", "diffusing", "kuper", "dataflow", "transfer,b=2", "transfer,b=" + "9" * 5000,
    "transfer,b=1-2-3", "transfer,s=-1", "transfer,b=1,b=2", "token,hops=0", "script", "script,file=/dev/zero",
    "transfr", "transfer,", ",", "x.py:Y", "transfer,atomic=joint", "dataflow,records=99999999999",
    "script,file=nowhere.toml",
]  # fmt: skip
PROTOCOLS = ["marker", "laiyang", "magic", "observer", "concurrent,k=2", "concurrent,k=0", "barrier", "none", "markr",
             "concurrent,k=" + "9" * 50, "missing-marker,channel=99", "marker,mixed=2"]  # fmt: skip
RELAXATIONS = [
    "fifo",
    "loss:1",
    "fifo,loss:1",
    "loss:0",
    "loss:" + "9" * 5000,
    "overtake:1",
    "crash:1",
    "fifo,fifo",
    "x",
]
PROPERTIES = ["no-red-in-white", "reachable", "exactly-once", "stability", "reachble", "x.py:y", "completes"]
OPTIONS = {
    "--program": PROGRAMS, "--protocol": PROTOCOLS, "--relax": RELAXATIONS, "--property": PROPERTIES,
    "--initiators": ["0", "any", "0,1", "9", "0,0", "P0", "-1", "9" * 5000], "--max-states": NUMBERS,
    "--max-depth": NUMBERS, "--timeout": NUMBERS, "--workers": ["1", "0", "x"],
    "--symmetry": ["on", "off", "x"], "--runs": NUMBERS,
    "--seed": NUMBERS, "--witness": PROPERTIES, "--engine": ["reference", "auto", "warp"], "--resume": HOSTILE,
    "--parallelism": NUMBERS, "--nonsense": HOSTILE,
    "--trace": ["t.svg", "t.json", "t.doc", "x" * 300 + ".svg", "no/t.svg"],
    "--snapshots": ["s.jsonl", "", "/", "x" * 300], "--html": ["p.html", "/dev/full"],
}  # fmt: skip
FLAGS = ["--json", "--explain", "--first", "--help", "-h", "--version", "--all"]
USER = """
import sys
from model import Action, Program

class Mine(Program):
    def initial(self, machine):
        {initial}

    def actions(self, machine, state, offered):
        {actions}
"""
SEND = "return [Action('go', 1, sends={{c: {} for c in self.topology.outputs[machine]}})] if state == 0 else []"
USERS = {
    "none": ("return 0", "return None"),
    "nothing": ("return None", "return [None]"),
    "stops": ("return 0", "raise StopIteration"),
    "yields": ("return 0", "yield 3"),
    "leaves": ("return 0", "sys.exit(0)"),
    "recurses": ("return 0", "return self.actions(machine, state, offered)"),
    "escapes": ("return 0", "raise ValueError('\\x1b[31m' + 'x' * 9000)"),
    "prints": ("print('noise')\n        return 0", "return []"),
    "large": ("return 0", SEND.format("'x' * 100_000")),
    "escaping": ("return 0", SEND.format("'\\x1b[31mred'")),
    "deep": ("return 0", SEND.format("eval('(' * 80 + '1,' + '),' * 79 + ')')")),
    "digits": ("return 0", SEND.format("10 ** 5000")),
    "object": ("return object()", "return []"),
    "list": ("return []", "return []"),
    "channel": ("return 0", "return [Action('go', 1, sends={99: 1})]"),
    "endless": ("return 0", "return [Action('go', state + 1)]"),
}
"""Programs of somebody who has not read a page: what they are, and what each machine may do."""

SMALL = ["--max-states", "60", "--engine", "reference"]
"""Last on each command line of `check`, so that every search is small: a fuzzer of input, not of engines."""


def command_line(draw: random.Random, files: list[str]) -> list[str]:
    """One command line, mostly of what could be meant, and now and then not."""
    verb = draw.choice(["check"] * 6 + ["show", "show", *OTHERS, "chekc"])
    words = [verb]
    if verb in SYSTEMS_OF:
        return words + system_words(draw, verb, files)
    if verb == "check":
        words.append(draw.choice([*TOPOLOGIES, *files, *files, draw.choice(HOSTILE)]))
        for option in draw.sample(sorted(OPTIONS), draw.randrange(4)):
            given = [path for path in files if path.endswith(":Mine")] if option == "--program" else []
            words += [
                option,
                draw.choice([*given, *OPTIONS[option], *OPTIONS[option], *OPTIONS[option], draw.choice(HOSTILE)]),
            ]
        words += draw.sample(FLAGS, draw.randrange(2)) + SMALL
    elif verb == "list":
        words += draw.sample(["marker", "programs", "transfer", "things", *HOSTILE], draw.randrange(3))
    elif verb == "export":
        words += [
            draw.choice(["ring:2", "ring:x", *files]),
            draw.choice(["m.pml", "m.tla", "m.doc", "", "x" * 300 + ".pml"]),
        ]
    elif verb == "matrix":
        words += ["ring:2", draw.choice(["--relax", "--protocol", "--property", "--nope"]), draw.choice(HOSTILE[1:])]
    elif verb in ("report", "sweep"):
        words += [draw.choice([*files, *HOSTILE]), "--out", "/nowhere/x"] if verb == "sweep" else ["/nowhere/x"]
    else:
        words += [draw.choice([*files, *files, draw.choice(HOSTILE)]), *draw.sample(FLAGS, draw.randrange(2))]
    return words


OTHERS = [
    "list",
    "export",
    "audit",
    "matrix",
    "report",
    "sweep",
    "refute",
    "prove",
    "explore",
    "gallery",
    "assumptions",
]
SYSTEMS_OF = {
    "refute": ["--max-depth", "3", "--timeout", "2"],
    "assumptions": ["--max-states", "30", "--relax", "fifo", "--engine", "reference"],
    "explore": ["--nope"],
    "prove": ["no-such-theorem"],
    "gallery": [],
}
"""What else each of these verbs is given, so that it ends soon: what would serve or prove is refused at its end."""


def system_words(draw: random.Random, verb: str, files: list[str]) -> list[str]:
    """What a verb on systems is given, or on names of its own."""
    words: list[str] = []
    if verb in ("prove", "gallery"):
        words.append(draw.choice(["exchange", "flink-20645", "jet-809x", *HOSTILE]))
        words += draw.sample(["--json", "--out", "--trace", "t.json", "no/t.json", "--all"], draw.randrange(3))
        return words + SYSTEMS_OF[verb]
    words.append(draw.choice([*TOPOLOGIES, *TOPOLOGIES, *files, draw.choice(HOSTILE)]))
    known = ["--program", "--protocol", "--property", "--initiators", *(["--relax"] if verb != "assumptions" else [])]
    for option in draw.sample([*known, "--nonsense"], draw.randrange(3)):
        given = [path for path in files if path.endswith(":Mine")] if option == "--program" else []
        words += [option, draw.choice([*given, *OPTIONS[option], *OPTIONS[option], draw.choice(HOSTILE)])]
    return words + draw.sample(["--json", "--trace", "--help"], draw.randrange(2)) + SYSTEMS_OF[verb]


def files(folder: Path, trace: str) -> list[str]:
    """Files of every kind that is read: right, spoilt, endless, enormous, nested beyond any stack."""
    data = json.loads(trace)
    contents = {
        "right.json": trace,
        "flat.json": json.dumps({**data, "actions": {}}),
        "numbers.json": trace.replace("1", "9" * 5000, 3),
        "deep.json": "[" * DEEP,
        "deepobject.json": '{"nodes": ' * DEEP,
        "list.json": "[]",
        "null.json": "null",
        "plan.json": json.dumps({"plan": {"nodes": [{"id": 1, "parallelism": 10**12}]}}),
        "graph.json": json.dumps({"directed": True, "nodes": [{"id": 0}, {"id": [1]}], "edges": [{"source": 0}]}),
        "large.json": json.dumps({"directed": True, "nodes": [{"id": n} for n in range(3000)], "edges": []}),
        "escape.dot": 'digraph { "\x1b[31ma" -> "b\x07" ; "b\x07" -> "\x1b[31ma" }',
        "deep.dot": "digraph {" + "{" * DEEP,
        "large.dot": "digraph {" + " ".join(f"{n} -> {n * 7 % 3000};" for n in range(30_000)) + "}",
        "undirected.gml": "graph [ node [ id 0 ] ]",
        "deep.gml": "graph [ " * 20_000,
        "bad.graphml": "<graphml><graph>",
        "bomb.graphml": '<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa">]><graphml>&a;</graphml>',
        "bad.d6": "&~~~~~~~~",
        "huge.d6": "&" + "~" * 8,
        "empty.json": "",
        "binary.gml": "\x00\x01\x02",
        "deep.toml": "a = " + "[" * DEEP,
        "number.toml": "name = " + "9" * 5000,
        "log.jsonl": '{"machine": "N1", "event": "send"}\n{"machine": 3}\nnothing\n',
        "deep.jsonl": "[" * DEEP,
        "exits.py": "raise SystemExit(0)",
        "deep.py": "(" * 5000,
        "bytes.py": "\x00",
        **{f"{name}.py": USER.format(initial=a, actions=b) for name, (a, b) in USERS.items()},
    }
    for name, content in contents.items():
        (folder / name).write_text(content, encoding="utf-8")
    os.mkfifo(folder / "pipe.json")
    os.mkfifo(folder / "pipe.dot")
    (folder / "folder.json").mkdir()
    found = [str(path) for path in sorted(folder.iterdir())]
    return [*found, *(f"{path}:Mine" for path in found if path.endswith(".py")), "/dev/zero"]


@pytest.mark.parametrize("seed", range(6))
def test_random_command_lines(redwhite: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int) -> None:
    fuzzed(redwhite, tmp_path, monkeypatch, seed, 60)


@pytest.mark.slow
@pytest.mark.timeout(1200)
@pytest.mark.parametrize("seed", range(6, 14))
def test_thousands_of_command_lines(
    redwhite: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    fuzzed(redwhite, tmp_path, monkeypatch, seed, 300)


def fuzzed(redwhite: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int, many: int) -> None:
    """So many command lines, each found to end as it must."""
    inputs, out = tmp_path / "in", tmp_path / "out"
    inputs.mkdir()
    out.mkdir()
    monkeypatch.chdir(out)
    redwhite("check", "ring:2", "--relax", "fifo", "--trace", "right.json", *SMALL)
    given, draw = files(inputs, Path("right.json").read_text()), random.Random(seed)
    faults: list[str] = []

    def hangs(number: int, frame: FrameType | None) -> None:
        raise TimeoutError("hangs")

    before = signal.signal(signal.SIGALRM, hangs)
    try:
        for _ in range(many):
            words = command_line(draw, given)
            signal.alarm(PATIENCE)
            ran = redwhite(*words)
            signal.alarm(0)
            faults += [
                f"{fault}: {[word[:60] for word in words]} {ran.code} {ran.out[-200:]!r} {ran.err[-1500:]!r}"
                for fault in found(ran)
            ]
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)
    assert faults == []


def found(ran: Ran) -> list[str]:
    """What is wrong with how a command ended."""
    one_line = ran.out == "" and ran.err.count("\n") == 1 and ran.err.startswith("redwhite: ")
    rules = {
        "an exit code of its own": ran.code in (0, 1, 2, 3),
        "a traceback": "Traceback" not in ran.err + ran.out,
        "a fault of ours": "Redwhite's own" not in ran.err and "TimeoutError" not in ran.err,
        "escape bytes": "\x1b" not in ran.out + ran.err,
        "too many words": len(ran.err) < 5000,
        "more than a line": ran.code != 2 or one_line or "is not written" in ran.err,
    }
    return [fault for fault, kept in rules.items() if not kept]


@pytest.mark.parametrize("name", USERS)
def test_programs_of_somebody_who_has_not_read_a_page(redwhite: Command, tmp_path: Path, name: str) -> None:
    initial, actions = USERS[name]
    (tmp_path / "user.py").write_text(USER.format(initial=initial, actions=actions))
    words = ["check", "ring:2", "--program", f"{tmp_path}/user.py:Mine", *SMALL]
    for more in ([], ["--json"], ["--relax", "fifo", "--explain", "--html", str(tmp_path / "p.html")]):
        ran = redwhite(*words, *more)
        assert found(ran) == [], ran
