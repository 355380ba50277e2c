"""The examples are short, and the commands in them run."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import ROOT, Command

EXAMPLES = sorted((ROOT / "examples").glob("*.py"))


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.name)
def test_the_examples_are_short_and_their_commands_run(redwhite: Command, path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert len(text.splitlines()) < 100
    commands = [line.split()[1:] for line in text.splitlines() if line.startswith("    redwhite ")]
    assert commands, "an example says how it is run"
    assert {redwhite(*command).code for command in commands} <= {0, 1}
