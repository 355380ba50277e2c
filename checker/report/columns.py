"""Tables of figures that are never cut: too wide for the terminal, they lose their least useful columns, or wrap.

Where the output is no terminal every column is there, on one line, however long.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import NamedTuple

from rich.cells import cell_len
from rich.table import Table
from rich.text import Text

GAP = 2


class Column(NamedTuple):
    """A column: `spare` columns may be left out, the highest number first; `wraps`: its words may go on below.

    One that wraps is made no narrower than `least`.
    """

    title: str
    right: bool = False
    spare: int = 0
    wraps: bool = False
    least: int = 26


def columns_table(columns: Sequence[Column], rows: Sequence[Sequence[str | Text]], width: int | None) -> Table:
    """The table in at most `width` cells, if that can be done without cutting; None: as wide as it is."""
    texts = [[cell if isinstance(cell, Text) else Text(cell) for cell in row] for row in rows]
    natural, least = _sizes(columns, texts)
    kept = list(range(len(columns)))

    def needed(sizes: Sequence[int]) -> int:
        return sum(sizes[i] for i in kept) + GAP * (len(kept) - 1)

    while width is not None and needed(least) > width and any(columns[i].spare for i in kept):
        kept.remove(max(kept, key=lambda i: columns[i].spare))
    room = max(0, needed(natural) - width) if width is not None else 0
    room = min(room, sum(natural[i] - least[i] for i in kept))
    table = Table(box=None, pad_edge=False, padding=(0, GAP, 0, 0), show_edge=False, header_style="bold")
    table.width = needed(natural) - room
    for i in kept:
        narrowed = min(room, natural[i] - least[i])
        room -= narrowed
        wide = natural[i] - narrowed
        table.add_column(columns[i].title, width=wide, justify="right" if columns[i].right else "left", overflow="fold")
    for row in texts:
        table.add_row(*(row[i] for i in kept))
    return table


def columns_tables(
    columns: Sequence[Column], rows: Sequence[Sequence[str | Text]], width: int | None, keys: int
) -> list[Table]:
    """All columns, in as many tables one below the other as `width` asks for; each begins with the first `keys`."""
    _, least = _sizes(columns, [[cell if isinstance(cell, Text) else Text(cell) for cell in row] for row in rows])
    parts: list[list[int]] = [[*range(keys)]]
    for i in range(keys, len(columns)):
        wanted = [*parts[-1], i]
        if width is not None and i > keys and sum(least[j] + GAP for j in wanted) - GAP > width:
            parts.append([*range(keys)])
        parts[-1].append(i)
    return [
        columns_table([columns[i] for i in part], [[row[i] for i in part] for row in rows], width) for part in parts
    ]


def _sizes(columns: Sequence[Column], texts: Sequence[Sequence[Text]]) -> tuple[list[int], list[int]]:
    """How wide each column is, and how narrow it may be made."""
    natural = [
        max(cell_len(line) for text in [column.title, *(row[i].plain for row in texts)] for line in text.split("\n"))
        for i, column in enumerate(columns)
    ]
    return natural, [min(n, column.least) if column.wraps else n for column, n in zip(columns, natural, strict=True)]


def terminal_width() -> int | None:
    """The width to keep to: a terminal's, or what COLUMNS asks for; None for a file or a pipe."""
    if sys.stdout.isatty() or "COLUMNS" in os.environ:
        from rich.console import Console

        return Console().width
    return None
