"""What only a process of its own shows: the console script, interrupts, a pipe that closes, what is imported."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.cli.conftest import ROOT, Command

SCRIPT = Path(sys.executable).with_name("redwhite")

SLOW = """
import time
from model.programs.transfer import Transfer


class Slow(Transfer):
    def actions(self, machine, state, offered):
        {wait}
        return super().actions(machine, state, offered)
"""


def started(*arguments: str, folder: Path = ROOT, **environment: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [SCRIPT, *arguments],
        cwd=folder,
        env={**os.environ, **environment},
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


def slow(tmp_path: Path, wait: str) -> subprocess.Popen[str]:
    """A check that has begun to search, and waits in each of the program's actions."""
    (tmp_path / "slow.py").write_text(SLOW.format(wait=wait))
    process = started("check", "complete:3", "--engine", "reference", "--program", "slow.py:Slow", folder=tmp_path)
    assert process.stdout is not None and process.stdout.readline() == "asked\n"
    return process


def test_an_interrupt_says_what_was_covered(tmp_path: Path) -> None:
    process = slow(tmp_path, "print('asked', flush=True); time.sleep(0.02)")
    time.sleep(0.3)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=30)
    assert process.returncode == 3, err
    assert "interrupted" in out and "states" in out and "UNKNOWN" in out and err == ""


def test_an_interrupt_before_the_search_is_no_crash(tmp_path: Path) -> None:
    (tmp_path / "slow.py").write_text("print('asked', flush=True)\nimport time\ntime.sleep(60)")
    process = started("check", "ring:3", "--program", "slow.py:Slow", folder=tmp_path)
    assert process.stdout is not None and process.stdout.readline() == "asked\n"
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=30)
    assert (process.returncode, out) == (3, "") and err == "redwhite: interrupted before anything was covered\n"


def test_a_second_interrupt_ends_it(tmp_path: Path) -> None:
    wait = "try: print('asked', flush=True); time.sleep(60)\n"
    wait += "        except KeyboardInterrupt: print('asked', flush=True); time.sleep(60)"
    process = slow(tmp_path, wait)
    process.send_signal(signal.SIGINT)
    assert process.stdout is not None and process.stdout.readline() == "asked\n"
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=30)
    assert process.returncode == 130


@pytest.mark.parametrize("path", ["", "."])
def test_a_model_py_in_the_working_folder_is_not_ours(tmp_path: Path, path: str) -> None:
    for name in ("model.py",) if path else ("model.py", "checker.py", "proofs.py"):
        (tmp_path / name).write_text("raise SystemExit('the wrong module')")
    environment = {"PYTHONPATH": path} if path else {}
    process = started("check", "ring:2", "--json", folder=tmp_path, **environment)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (0, "") and '"holds"' in out


def shell(command: str, folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    path = f"{SCRIPT.parent}:{os.environ['PATH']}"
    ran = {**os.environ, "PATH": path, **environment}
    return subprocess.run(["bash", "-c", command], cwd=folder, env=ran, text=True, capture_output=True, timeout=60)


def test_a_reader_that_leaves_is_no_error() -> None:
    ran = shell("redwhite list | head -1", ROOT)
    assert ran.stdout == "TOPOLOGIES\n" and ran.stderr == ""


OUTPUTS = ["| true; exit ${PIPESTATUS[0]}", ">/dev/full", ">&-", ">&- 2>&-", "2>/dev/full"]
VERDICTS = [("", 0), ("--relax fifo", 1), ("--max-states 5", 3)]


@pytest.mark.parametrize(
    ("out", "relax", "code"),
    [*((out, *VERDICTS[0]) for out in OUTPUTS), *((OUTPUTS[n], *found) for n in (0, 1) for found in VERDICTS[1:])],
)
def test_the_exit_code_is_the_verdicts_whatever_becomes_of_the_output(
    tmp_path: Path, out: str, relax: str, code: int
) -> None:
    ran = shell(f"redwhite check ring:2 {relax} --snapshots s.jsonl --html page.html {out}", tmp_path)
    assert ran.returncode == code and "Traceback" not in ran.stderr + ran.stdout
    assert (tmp_path / "s.jsonl").exists() and "</html>" in (tmp_path / "page.html").read_text()


def test_a_full_disk_is_told_of(tmp_path: Path) -> None:
    ran = shell("redwhite check ring:2 >/dev/full", tmp_path)
    assert ran.stderr == "redwhite: standard output is not complete (No space left on device)\n"


FULL = [
    ("check ring:2 --relax fifo --trace x.svg --html x.html --snapshots x.jsonl", 1),
    ("check complete:3 --max-states 3000 --engine native --checkpoint kept", 3),
    ("check ring:2 --html x.html", 2),
    ("refute ring:2 --relax fifo --trace x.svg", 1),
    ("gallery jet-809 --trace x.json", 0),
    (f"audit {ROOT}/tests/data/logs/announces-early.jsonl.gz --html x.html", 1),
    ("prove 3 --out obligations", 0),
    ("export ring:2 x.pml", 2),
]


@pytest.mark.parametrize(("words", "code"), FULL)
def test_a_disk_that_fills_costs_a_warning_and_no_verdict(tmp_path: Path, words: str, code: int) -> None:
    """No file may grow: what is written is refused like on a full disk, the temporary folder's files too."""
    ran = shell(f"ulimit -f 0; redwhite {words} | cat; exit ${{PIPESTATUS[0]}}", tmp_path, TMPDIR=str(tmp_path))
    assert ran.returncode == code and "Traceback" not in ran.stderr, ran.stderr
    assert "File too large" in ran.stderr and (ran.stdout or code == 2)
    assert not [path for path in tmp_path.glob("x.*") if path.exists()]


@pytest.mark.parametrize("encoding", ["ascii", "latin-1"])
def test_an_encoding_without_our_characters(tmp_path: Path, encoding: str) -> None:
    ran = shell("redwhite check ring:2 --relax fifo", tmp_path, PYTHONIOENCODING=encoding, COLUMNS="120")
    assert ran.returncode == 1 and ran.stderr == "" and "| " in ran.stdout and "\u2502" not in ran.stdout


@pytest.mark.parametrize("columns", ["20", "1", "0", "-1", "many"])
def test_a_narrow_terminal(redwhite: Command, monkeypatch: pytest.MonkeyPatch, columns: str) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    for words, code in (("check ring:2 --relax fifo", 1), ("check --help", 0), ("--help", 0), ("list", 0)):
        ran = redwhite(*words.split())
        assert ran.code == code and ran.err == "", words


ENDS = {
    "exits": ("sys.exit(0)", "SystemExit: 0"),
    "exits as violated": ("sys.exit(1)", "SystemExit: 1"),
    "breaks a pipe": ("raise BrokenPipeError", "BrokenPipeError"),
    "raises the base of all": ("raise BaseException('\\x1b[31mred')", "BaseException: \\x1b[31mred"),
    "stops an iteration": ("raise StopIteration", "StopIteration"),
}


@pytest.mark.parametrize("how", ENDS)
def test_a_users_file_decides_nothing_but_its_own_refusal(redwhite: Command, tmp_path: Path, how: str) -> None:
    body, said = ENDS[how]
    (tmp_path / "mine.py").write_text("import sys\n" + SLOW.format(wait=body))
    for engine in ("reference", "native"):
        ran = redwhite("check", "ring:2", "--engine", engine, "--program", f"{tmp_path}/mine.py:Slow")
        assert (ran.code, ran.out, ran.err.count("\n")) == (2, "", 1), engine
        assert said in ran.err and "mine.py, line" in ran.err


def test_what_a_program_prints_is_no_json(redwhite: Command, tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(SLOW.format(wait="print('noise')"))
    ran = redwhite("check", "ring:2", "--program", f"{tmp_path}/mine.py:Slow", "--json")
    assert ran.json()["verdict"] == "holds" and "noise" in ran.err
    trace = str(tmp_path / "run.json")
    mine = ["--program", f"{tmp_path}/mine.py:Slow"]
    redwhite("check", "ring:2", *mine, "--relax", "fifo", "--trace", trace)
    for words in (["show", trace, "--trust"], ["matrix", "ring:2", "--relax", "none", "--protocol", "marker", *mine]):
        ran = redwhite(*words, "--json", *(["--workers", "1"] if words[0] == "matrix" else []))
        assert isinstance(ran.json(), dict), words


def test_a_termination_is_an_interrupt(tmp_path: Path) -> None:
    process = slow(tmp_path, "print('asked', flush=True); time.sleep(0.02)")
    time.sleep(0.3)
    process.send_signal(signal.SIGTERM)
    out, err = process.communicate(timeout=30)
    assert process.returncode == 3 and "interrupted" in out and "UNKNOWN" in out, err


def test_a_time_limit_ends_what_no_engine_watches(redwhite: Command, tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text("import time\n" + SLOW.format(wait="time.sleep(60)"))
    started = time.monotonic()
    mine = ["--program", f"{tmp_path}/mine.py:Slow", "--timeout", "0.2"]
    ran = redwhite("check", "ring:2", *mine, "--json", "--engine", "reference")
    assert ran.code == 3 and ran.json()["verdict"] == "unknown" and "time limit of 0.2 s" in ran.json()["reason"]
    ran = redwhite("check", "complete:200", "--max-states", "100", "--timeout", "0.2")
    assert ran.code == 3 and "time limit of 0.2 s" in ran.out + ran.err and time.monotonic() - started < 20


@pytest.mark.parametrize(
    "words",
    [
        "refute ring:2",
        "matrix ring:2 --protocol marker --relax none --property reachable --workers 1",
        "assumptions ring:2 --relax fifo",
    ],
)
def test_a_time_limit_ends_it_in_every_verb(redwhite: Command, tmp_path: Path, words: str) -> None:
    (tmp_path / "mine.py").write_text("import time\n" + SLOW.format(wait="time.sleep(60)"))
    started = time.monotonic()
    ran = redwhite(*words.split(), "--program", f"{tmp_path}/mine.py:Slow", "--timeout", "0.1", "--json")
    assert ran.code == 3 and time.monotonic() - started < 20, ran.err
    assert "time limit of 0.1 s" in ran.out or '"undecided": [[], ["fifo"]]' in ran.out


def test_an_interrupt_in_a_callback_is_not_lost() -> None:
    """What ctypes calls back cannot raise: the compiler's callbacks are such."""
    script = """
import ctypes, os, signal, sys, time
from checker.cli.interrupts import heed
heed()
called = ctypes.CFUNCTYPE(None)(lambda: os.kill(os.getpid(), signal.SIGINT))
try:
    called()
    time.sleep(5)
except KeyboardInterrupt:
    print("heard")
"""
    ran = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, "heard\n", "")


def test_an_interrupt_while_the_command_loads_is_no_traceback() -> None:
    said = "redwhite: interrupted before anything was covered\n"
    for wait in (0.02, 0.04, 0.06, 0.08, 0.1, 0.15, 0.2):
        process = started("check", "ring:3", "--engine", "reference", "--max-states", "50")
        time.sleep(wait)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=30)
        if f"{ROOT}/redwhite/" in err or "Traceback" not in err:  # before our first line Python itself complains
            assert process.returncode in (3, -signal.SIGINT) and (err in ("", said) or "UNKNOWN" in out), err


def modules(*arguments: str) -> set[str]:
    """The modules that a command loads, its own and others."""
    code = (
        f"import sys; from checker.cli.app import run; run({list(arguments)!r}); print(*sys.modules, file=sys.stderr)"
    )
    ran = subprocess.run([sys.executable, "-c", code], cwd=ROOT, text=True, capture_output=True, timeout=60, check=True)
    return set(ran.stderr.split())


HEAVY = {"jinja2", "networkx", "numpy", "numba", "z3", "pyspark", "cvc5", "pandas", "pydantic", "typer", "matplotlib"}


@pytest.mark.parametrize(
    ("words", "most", "absent"),
    [
        ("--help", 250, {*HEAVY, "rich"}),
        ("list", 300, {*HEAVY, "rich"}),
        ("check ring:3", 330, HEAVY),
        ("check ring:3 --relax fifo", 340, HEAVY),
    ],
)
def test_what_is_looked_up_at_once_loads_little(words: str, most: int, absent: set[str]) -> None:
    """Modules are counted, not seconds: each takes about half a millisecond."""
    loaded = modules(*words.split())
    assert not absent & loaded and len(loaded) <= most, len(loaded)


def test_colours_only_where_they_are_wanted() -> None:
    plain = started("check", "ring:2", "--relax", "fifo").communicate(timeout=60)[0]
    assert "\x1b[" not in plain
    assert all(line == line.rstrip() for line in plain.splitlines())
