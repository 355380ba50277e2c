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

from tests.cli.conftest import Command

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
    "transfer,b=1-2-3", "transfer,s=-1", "transfer,b=1,b=2", "token,hops=0", "script", "script,file=/dev/zero", "transfr",
    "transfer,", ",", "x.py:Y", "transfer,atomic=joint", "dataflow,records=99999999999", "script,file=nowhere.toml",
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
    "--initiators": ["0", "any", "0,1", "9", "0,0", "P0", "-1", "9" * 5000], "--max-states": NUMBERS, "--max-depth": NUMBERS,
    "--timeout": NUMBERS, "--workers": ["1", "0", "x"], "--symmetry": ["on", "off", "x"], "--runs": NUMBERS,
    "--seed": NUMBERS, "--witness": PROPERTIES, "--engine": ["reference", "auto", "warp"], "--resume": HOSTILE,
    "--parallelism": NUMBERS, "--nonsense": HOSTILE, "--trace": ["t.svg", "t.json", "t.doc", "x" * 300 + ".svg", "no/t.svg"],
    "--snapshots": ["s.jsonl", "", "/", "x" * 300], "--html": ["p.html", "/dev/full"],
}  # fmt: skip
FLAGS = ["--json", "--explain", "--first", "--help", "-h", "--version", "--all"]
SMALL = ["--max-states", "60", "--engine", "reference"]
"""Last on each command line of `check`, so that every search is small: a fuzzer of input, not of engines."""


def command_line(draw: random.Random, files: list[str]) -> list[str]:
    """One command line, mostly of what could be meant, and now and then not."""
    verb = draw.choice(
        ["check"] * 6 + ["show", "show", "list", "export", "audit", "matrix", "report", "chekc", "sweep"]
    )
    words = [verb]
    if verb == "check":
        words.append(draw.choice([*TOPOLOGIES, *files, *files, draw.choice(HOSTILE)]))
        for option in draw.sample(sorted(OPTIONS), draw.randrange(4)):
            words += [option, draw.choice([*OPTIONS[option], *OPTIONS[option], *OPTIONS[option], draw.choice(HOSTILE)])]
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
        words += [draw.choice([*files, *files, draw.choice(HOSTILE)])] + draw.sample(FLAGS, draw.randrange(2))
    return words


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
    }
    for name, content in contents.items():
        (folder / name).write_text(content, encoding="utf-8")
    os.mkfifo(folder / "pipe.json")
    os.mkfifo(folder / "pipe.dot")
    (folder / "folder.json").mkdir()
    found = [str(path) for path in sorted(folder.iterdir())]
    return [*found, *(f"{folder}/{name}:Mine" for name in ("exits.py", "deep.py", "bytes.py")), "/dev/zero"]


@pytest.mark.parametrize("seed", range(6))
def test_random_command_lines(redwhite: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int) -> None:
    inputs, out = tmp_path / "in", tmp_path / "out"
    inputs.mkdir()
    out.mkdir()
    monkeypatch.chdir(out)
    redwhite("check", "ring:2", "--relax", "fifo", "--trace", "right.json", *SMALL)
    given, draw = files(inputs, Path("right.json").read_text()), random.Random(seed)
    now: list[str] = []

    def hangs(number: int, frame: FrameType | None) -> None:
        pytest.fail(f"hangs: {now}"[:500])

    before = signal.signal(signal.SIGALRM, hangs)
    try:
        for _ in range(60):
            now[:] = command_line(draw, given)
            signal.alarm(PATIENCE)
            ran = redwhite(*now)
            signal.alarm(0)
            told = f"{[word[:60] for word in now]}: {ran.code} {ran.out[-300:]!r} {ran.err[-1500:]!r}"
            assert ran.code in (0, 1, 2, 3) and "Traceback" not in ran.err + ran.out, told
            assert "Redwhite's own" not in ran.err and "\x1b" not in ran.out + ran.err, told
            assert len(ran.err) < 5000, told
            if ran.code == 2 and "is not written" not in ran.err:
                assert (ran.out, ran.err.count("\n")) == ("", 1) and ran.err.startswith("redwhite: "), told
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)
