"""The tables of `redwhite report` in a terminal: nothing is cut at 80 columns, nor where the output is piped."""

from __future__ import annotations

import pytest

from checker.cli.report import text
from checker.sweep.result_tables import Table

PROPERTIES = ("no-red-in-white", "channel-exact", "colour-consistent", "reachable", "markers-once", "conserved")
MATRIX = Table(
    "Verdicts on every system of the experiment: how many keep and how many break each of the properties",
    ("protocol", "relax", "program", *PROPERTIES),
    tuple(
        (
            "record-on-request-first",
            "fifo,loss:1,duplication:1",
            "transfer,b=22,s=33",
            *(f"✗{row}1 ✓{n}" for n in range(6)),
        )
        for row in range(3)
    ),
    keys=3,
)
WHY = "P2's state is recorded as 5, and every cut that agrees with the others has 4 there, or more than that"
SNAPSHOTS = Table("First", ("run", "snapshot", "verdict", "why"), (("a/" + "b" * 40, "s1", "impossible", WHY),), keys=3)
FIGURES = Table("Slowest", ("topology", *(f"figure {n}" for n in range(9))), (("ring:3", *range(10**8, 10**8 + 9)),))


@pytest.mark.parametrize("table", [MATRIX, SNAPSHOTS, FIGURES])
def test_every_cell_is_whole(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)
    piped = text(table)
    assert len(piped.splitlines()) == 3 + len(table.rows), "title, space, headers"
    monkeypatch.setenv("COLUMNS", "80")
    narrow = text(table)
    assert max(map(len, narrow.splitlines())) <= 80
    for line in piped.splitlines():
        for word in line.split():
            assert word[:12] in narrow
    assert letters(narrow) >= letters(piped)
    assert "…" not in narrow


def letters(said: str) -> int:
    """How many are printed."""
    return sum(not c.isspace() for c in said)


def test_a_narrow_table_is_one_table(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    table = Table("Growth", ("program", "states", "share"), (("transfer", 1234567, 0.5), ("free\x1b[31m", None, 2.0)))
    assert text(table).splitlines() == [
        "Growth",
        "",
        "program          states  share",
        "transfer      1,234,567   0.50",
        "free\\x1b[31m              2.00",
    ]
