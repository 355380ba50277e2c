"""Tables at any width: nothing is cut, what is least useful is left out."""

from __future__ import annotations

import pytest

from checker.report.columns import Column, columns_table
from checker.report.text import plain
from tests.cli.conftest import Command, redwhite  # noqa: F401

COLUMNS = (
    Column("system"),
    Column("channels", spare=2, wraps=True),
    Column("states", right=True),
    Column("why", wraps=True),
)
ROWS = [
    ["strong:4#74", " ".join(f"{a}>{b}" for a in range(4) for b in range(4)), "1,234,567", "7 actions: no-red-in-white"]
]


def words(text: str) -> set[str]:
    return set(text.split())


@pytest.mark.parametrize("width", [None, 200, 120, 80, 60, 50])
def test_no_word_is_cut(width: int | None) -> None:
    text = plain(columns_table(COLUMNS, ROWS, width), 40)
    assert "…" not in text
    assert words("system states why strong:4#74 1,234,567 7 actions: no-red-in-white") <= words(text)
    assert ("channels" in text) == (width is None or width >= 80)
    if width is not None:
        assert max(map(len, text.splitlines())) <= width
    else:
        assert len(text.splitlines()) == 2


LOG = "tests/data/logs/announces-early.jsonl.gz"


@pytest.mark.parametrize(
    "arguments", [["check", "strong:3", "--relax", "fifo", "--first"], ["list"], ["audit", LOG], ["gallery"]]
)
def test_a_command_cuts_nothing(redwhite: Command, monkeypatch: pytest.MonkeyPatch, arguments: list[str]) -> None:  # noqa: F811
    monkeypatch.setenv("COLUMNS", "80")
    text = redwhite(*arguments).out
    assert "…" not in text
    if arguments[0] == "check":
        assert all(f"strong:3#{number} " in text for number in range(1, 6))
    if arguments[0] != "list":  # of that the next test
        assert max(map(len, text.splitlines())) <= 80


@pytest.mark.parametrize("name", ["", "marker", "barrier", "observer"])
def test_the_pages_of_names_on_a_terminal(redwhite: Command, monkeypatch: pytest.MonkeyPatch, name: str) -> None:  # noqa: F811
    """Wrapped to its width, with all their words; in a pipe they are as they were written."""
    whole = redwhite(*f"list {name}".split()).out
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setattr("checker.cli.list._on_a_terminal", lambda: True)
    narrow = redwhite(*f"list {name}".split()).out
    assert max(map(len, narrow.splitlines())) <= 80 < max(map(len, whole.splitlines()))
    assert narrow.split() == whole.split()
