"""Runs the command in this process: as fast as a function call, with its output and its exit code."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from checker.cli.app import run

ROOT = Path(__file__).resolve().parents[2]


class Ran(NamedTuple):
    """What a command gave."""

    code: int
    out: str
    err: str

    def json(self) -> Any:
        """Its output, which must be one JSON object and nothing else."""
        return json.loads(self.out)


Command = Callable[..., Ran]


@pytest.fixture
def redwhite(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Command:
    """`redwhite("check", "ring:3")`, run in the project's folder at a width of 120."""
    monkeypatch.chdir(ROOT)
    monkeypatch.setenv("COLUMNS", "120")

    def command(*arguments: str) -> Ran:
        code = run(arguments)
        return Ran(code, *capsys.readouterr())

    return command
