"""What the documents show is what happens: every transcript of the README is run again, every example too."""

from __future__ import annotations

import doctest
import os
import re
import subprocess
from pathlib import Path

import pytest

from checker.cli.app import VERBS
from tests.cli.conftest import ROOT, Command
from tests.cli.test_process import SCRIPT

README = (ROOT / "README.md").read_text(encoding="utf-8")


def transcripts(text: str) -> list[tuple[str, str]]:
    """(command, its output) for each line that begins with a dollar in a console block."""
    found = []
    for block in re.findall(r"```console\n(.*?)```", text, re.DOTALL):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, output = part.partition("\n")
            found.append((command, output))
    return found


def lasting(output: str) -> str:
    """The output without what differs from run to run: seconds, megabytes, and which engine suited."""
    output = re.sub(r"^engine .*$", "engine", output, flags=re.MULTILINE)
    return re.sub(r"[\d.]+ (s|MB)\b", r"# \1", output).rstrip()


@pytest.mark.parametrize(("command", "output"), transcripts(README), ids=[c for c, _ in transcripts(README)])
def test_the_readmes_transcripts(redwhite: Command, command: str, output: str) -> None:
    assert output.strip(), "a transcript shows something"
    if "|" in command:
        environment = {**os.environ, "PATH": f"{SCRIPT.parent}:{os.environ['PATH']}"}
        ran = subprocess.run(command, shell=True, cwd=ROOT, env=environment, text=True, capture_output=True, check=True)
        assert lasting(ran.stdout) == lasting(output)
    else:
        assert lasting(redwhite(*command.split()[1:]).out) == lasting(output)


def test_the_readmes_python() -> None:
    results = doctest.testfile(str(ROOT / "README.md"), module_relative=False, verbose=False)
    assert results.attempted > 5 and results.failed == 0


def test_every_verb_is_in_the_readme() -> None:

    assert {verb for verb in VERBS if f"`{verb}`" not in README} == set()


@pytest.mark.parametrize("path", sorted((ROOT / "examples").glob("*.py")), ids=lambda path: path.name)
def test_the_examples_are_short_and_their_commands_run(redwhite: Command, path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert len(text.splitlines()) < 100
    commands = [line.split()[1:] for line in text.splitlines() if line.startswith("    redwhite ")]
    assert commands, "an example says how it is run"
    assert {redwhite(*command).code for command in commands} <= {0, 1}


def test_how_long_the_readme_says_an_example_is() -> None:
    for name, lines in re.findall(r"`examples/(\w+\.py)`[^.`]* in (\d+)\s+lines", README):
        assert len((ROOT / "examples" / name).read_text(encoding="utf-8").splitlines()) == int(lines)
