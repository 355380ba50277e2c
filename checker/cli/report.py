"""`redwhite report`: tables, figures and one page of a sweep's or an audit's results."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from checker.cli.arguments import Argument, Option

if TYPE_CHECKING:
    from checker.sweep.result_tables import Table

UNKNOWN = 3
KEY, WORDS = 12, 26
"""The least width of a column that says what a row is of, and of one of words."""


def report(
    folder: Annotated[str, Argument(metavar="DIR", help="the folder of a sweep or an audit")],
    master: Annotated[str | None, Option(help="Spark master; default: all cores of this machine")] = None,
) -> int:
    """Tables and pictures of a sweep's or an audit's results: on the screen, and as DIR/report/index.html."""
    from checker.audit.verdict_tables import is_audit
    from checker.audit.verdict_tables import report as audited
    from checker.spark.session import SparkStopped
    from checker.sweep.report import report as make

    try:
        made = audited(Path(folder)) if is_audit(Path(folder)) else make(Path(folder), master)
    except SparkStopped as error:
        print(f"redwhite: no report: Spark stopped ({error})", file=sys.stderr)
        return UNKNOWN
    for table in made.tables:
        print(text(table))
    print(f"page: {made.page}")
    return 0


def text(table: Table) -> str:
    """The table under its title, nothing of it cut: in a terminal its columns wrap, and go on below."""
    from rich.text import Text

    from checker.report.columns import Column, columns_tables, terminal_width
    from checker.report.names import printable
    from checker.report.text import plain
    from checker.sweep.result_tables import shown

    width = terminal_width()
    title = plain(Text(table.title), width or len(table.title))
    if not table.rows:
        return f"{title}\n(none)\n"
    columns = [
        Column(printable(title), right=right, wraps=not right, least=KEY if place < table.keys else WORDS)
        for place, (title, right) in enumerate(zip(table.headers, table.numeric, strict=True))
    ]
    rows = [[printable(shown(cell)) for cell in row] for row in table.rows]
    parts = columns_tables(columns, rows, width, table.keys)
    return "\n".join([title, *map(plain, parts)])
