"""What the command says of itself: help, version, pages of names, completion, files that were written."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest

from checker.cli.app import VERBS, _parser
from checker.gallery import INCIDENTS
from checker.topologies import parse
from model.catalogue import PROGRAMS, PROTOCOLS
from model.properties import PROPERTIES
from tests.cli.conftest import ROOT, Command
from tests.cli.test_process import SCRIPT


def test_the_version(redwhite: Command) -> None:
    assert redwhite("--version").out == f"redwhite {version('redwhite')}\n"


def test_python_m_checker_is_the_command() -> None:
    ran = subprocess.run(
        [sys.executable, "-m", "checker", "--version"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert ran.stdout.startswith("redwhite ") and ran.stderr == ""


@pytest.mark.parametrize("package", ["model", "checker", "proofs"])
def test_the_packages_say_that_they_have_types(package: str) -> None:
    assert (ROOT / package / "py.typed").exists()


@pytest.mark.parametrize("verb", VERBS)
def test_the_help_of_each_verb(redwhite: Command, monkeypatch: pytest.MonkeyPatch, verb: str) -> None:
    wide = redwhite(verb, "--help")
    assert wide.code == 0 and f"redwhite {verb}" in wide.out.partition("example")[2]
    monkeypatch.setenv("COLUMNS", "60")
    narrow = redwhite(verb, "-h")
    described = narrow.out.partition("example")[0].splitlines()
    assert len(narrow.out.splitlines()) >= len(wide.out.splitlines())
    assert max(map(len, (line for line in described)), default=0) <= 60


@pytest.mark.parametrize("verb", VERBS)
def test_the_examples_of_each_verb_are_understood(verb: str) -> None:
    for example in VERBS[verb].examples:
        found = _parser(verb).parse_intermixed_args(example.split())
        if verb == "gallery" and found.name:
            assert found.name in INCIDENTS
        if verb in ("check", "refute", "export", "explore", "assumptions"):
            where = found.topologies if verb == "assumptions" else [found.topology]
            assert all(text.startswith("any:") or parse(text) for text in where)
        for name in [found.protocol] if isinstance(getattr(found, "protocol", None), str) else []:
            assert name in PROTOCOLS or ".py:" in name


def test_the_help_of_check_is_in_groups(redwhite: Command) -> None:
    shown = redwhite("check", "--help").out
    for heading in ("the system:", "how far:", "what is written:", "(default: transfer)"):
        assert heading in shown


NAMES = [*PROGRAMS, *PROTOCOLS, *PROPERTIES, "fifo", "loss", "loss:1", "ring", "strong:3", "native"]


@pytest.mark.parametrize("name", dict.fromkeys(NAMES))
def test_the_page_of_each_name(redwhite: Command, name: str) -> None:
    ran = redwhite("list", name)
    assert ran.code == 0 and ran.err == "" and ran.out.startswith(name.partition(":")[0])
    example = next(line for line in reversed(ran.out.splitlines()) if line.startswith("example: redwhite "))
    words = example.split()[2:]
    if words[0] == "check" and "..." not in example and "native" not in example:
        assert redwhite(*words, "--max-states", "2").code != 2, example


def test_options_defaults_choices_rules_and_source(redwhite: Command) -> None:
    shown = redwhite("list", "transfer").out
    for words in ("b=", "a whole number, or one a machine", "single or joint; default single", "programs/transfer.py"):
        assert words in shown
    shown = redwhite("list", "marker").out
    for words in ("true or false; default false", "Turn red; accept markers", "Chandy & Lamport 1985, section 3"):
        assert words in shown
    assert "did you mean marker?" in redwhite("list", "markr").err


@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        ("redwhite che", {"check"}),
        ("redwhite check ring:3 --prot", {"--protocol"}),
        ("redwhite check ring:3 --protocol lai", {"laiyang"}),
        ("redwhite check ring:3 --property reach", {"reachable"}),
        ("redwhite list mark", {"marker"}),
        ("redwhite check comp", {"complete:3"}),
        ("redwhite refute ring:3 --protocol lai", {"laiyang"}),
        ("redwhite refute ring:3 --property reach", {"reachable"}),
        ("redwhite matrix ring:3 --protocol mar", {"marker"}),
        ("redwhite matrix ring:3 --property reach", {"reachable"}),
        ("redwhite assumptions complete:2 --property reach", {"reachable"}),
        ("redwhite explore ring:3 --property reach", {"reachable"}),
        ("redwhite check ring:3 --witness reach", {"reachable"}),
        ("redwhite refute ring:3 --relax lo", {"loss:1"}),
        ("redwhite gallery jet", {"jet-809"}),
        ("redwhite prove inv", {"inversions"}),
    ],
)
def test_the_tab_key(tmp_path: Path, typed: str, offered: set[str]) -> None:
    answer = tmp_path / "answer"
    environment = {
        **os.environ,
        "_ARGCOMPLETE": "1",
        "_ARGCOMPLETE_STDOUT_FILENAME": str(answer),
        "_ARGCOMPLETE_IFS": "\n",
        "COMP_LINE": typed,
        "COMP_POINT": str(len(typed)),
    }
    subprocess.run([SCRIPT], cwd=ROOT, env=environment, timeout=60, check=False, capture_output=True)
    found = {word.strip() for word in answer.read_text().split("\n") if word.strip()}
    assert found >= offered and all(word.startswith(typed.split()[-1]) for word in found)


def test_what_was_written_is_said(redwhite: Command, tmp_path: Path) -> None:
    files = {f"--{name}": str(tmp_path / f"x{suffix}") for name, suffix in (("trace", ".svg"), ("html", ".html"))}
    ran = redwhite("check", "ring:2", "--relax", "fifo", *(word for pair in files.items() for word in pair))
    assert ran.err.splitlines() == [f"redwhite: wrote {path}" for path in files.values()]
