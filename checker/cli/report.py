"""`redwhite report`: tables, figures and one page of a sweep's or an audit's results."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from checker.cli.arguments import Argument, Option


def report(
    folder: Annotated[str, Argument(metavar="DIR", help="the folder of a sweep or an audit")],
    master: Annotated[str | None, Option(help="Spark master; default: all cores of this machine")] = None,
) -> int:
    """Tables and pictures of a sweep's or an audit's results: on the screen, and as DIR/report/index.html."""
    from checker.audit.verdict_tables import is_audit
    from checker.audit.verdict_tables import report as audited
    from checker.sweep.report import report as make

    made = audited(Path(folder)) if is_audit(Path(folder)) else make(Path(folder), master)
    for table in made.tables:
        print(f"{table.title}\n\n{table.text()}\n")
    print(f"page: {made.page}")
    return 0
