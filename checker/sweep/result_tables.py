"""What a report of a sweep or an audit is made of, whether it is shown in the terminal or as a page."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

SIGNS = {"violated": "✗", "holds": "✓", "vacuous": "∅", "unknown": "?"}
"""How a verdict is counted in the matrix, worst first."""


@dataclass(frozen=True, slots=True)
class Table:
    """A table with its title; cells are numbers, texts or None. The first `keys` columns say what a row is of."""

    title: str
    headers: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    keys: int = 1

    @property
    def numeric(self) -> list[bool]:
        """Which columns hold nothing but numbers."""
        return [all(is_number(row[i]) for row in self.rows) for i in range(len(self.headers))]


def is_number(cell: Any) -> bool:
    """Whether the cell is set to the right: a number, or nothing."""
    return cell is None or (isinstance(cell, int | float) and not isinstance(cell, bool))


def shown(cell: Any) -> str:
    """The cell as text: large numbers in groups of three digits, small fractions to two places."""
    if cell is None:
        return ""
    if isinstance(cell, float):
        return f"{cell:,.0f}" if abs(cell) >= 1000 else f"{cell:,.2f}"
    return f"{cell:,}" if isinstance(cell, int) else str(cell)


@dataclass(frozen=True, slots=True)
class Report:
    """What a report is made of: its title, its tables, the rows behind the figures, and where the page is."""

    title: str
    tables: tuple[Table, ...]
    growth: tuple[tuple[int, int, int], ...]
    lengths: tuple[tuple[str, int, int], ...]
    page: Path
    timeline: tuple[tuple[int, str, int], ...] = ()
