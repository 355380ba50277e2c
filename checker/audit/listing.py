"""An audit on the terminal: a table of all snapshots, what is wrong with the worst of them, and what was not used."""

from __future__ import annotations

from rich.console import RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from checker.audit.judging import CONSISTENT, ELSEWHERE, IMPOSSIBLE, INCOMPLETE, VERDICTS
from checker.audit.reasons import Places
from checker.audit.result import Audit, Audited, Quote
from checker.report.columns import Column, columns_table, terminal_width
from checker.report.names import printable

STYLES = {CONSISTENT: "green", ELSEWHERE: "bold red", IMPOSSIBLE: "bold red", INCOMPLETE: "yellow"}
ROWS, TOLD, QUOTED = 60, 3, 160
"""The most rows of the table, snapshots explained in full, and letters of a quoted line."""


def listing(audit: Audit) -> list[RenderableType]:
    """What to print, part by part."""
    parts: list[RenderableType] = [counted(audit), "", table(audit)]
    hidden = len(audit.snapshots) - ROWS
    if hidden > 0:
        parts.append(f"... and {hidden} more, none worse than these (--json lists all)")
    told = [audited for audited in audit.worst() if not audited.sound]
    for audited in told[:TOLD]:
        parts += ["", *explained(audited, audit.places)]
    if len(told) > TOLD:
        parts += [
            "",
            f"{len(told) - TOLD} more are wrong, incomplete or break a rule (--run, --snapshot: explain others).",
        ]
    return [*parts, "", *notes(audit), Text(summary(audit), "bold")]


def counted(audit: Audit) -> str:
    """What was read."""
    counts = ((audit.runs, "run"), (audit.machines, "machine"), (audit.events, "event"))
    return ", ".join(f"{number:,} {word}{'' if number == 1 else 's'}" for number, word in counts)


def table(audit: Audit) -> Table:
    """A row for each snapshot in the order of the log; of very many the worst, so that none of those is missed."""
    shown = audit.snapshots if len(audit.snapshots) <= ROWS else audit.worst()[:ROWS]
    columns = (Column("run", wraps=True), Column("snapshot", wraps=True), Column("verdict"), Column("why", wraps=True))
    rows = [
        (
            printable(audited.run) or "-",
            printable(audited.snapshot),
            Text(audited.verdict, STYLES[audited.verdict]),
            Text(printable(audited.why[0] if audited.why else audited.rule or ""), "dim"),
        )
        for audited in shown
    ]
    return columns_table(columns, rows, terminal_width())


def explained(audited: Audited, places: Places) -> list[RenderableType]:
    """One snapshot: its verdict, why, and the first rule of the marker algorithm that was broken."""
    name = f"run {printable(audited.run)}, " if audited.run else ""
    title = f"{name}snapshot {printable(audited.snapshot)}: {audited.verdict}"
    parts: list[RenderableType] = [Text(title, STYLES[audited.verdict])]
    parts += [_indented(sentence) for sentence in audited.why]
    if audited.rule is not None:
        parts.append(_indented(f"Not allowed by the protocol: {printable(audited.rule)}."))
        if audited.quote is not None:
            parts.append(_indented(quoted(audited.quote, places), 4))
    return parts


def quoted(line: Quote, places: Places) -> str:
    """The line with its place; the end of a long one left out."""
    text = line.text if len(line.text) <= QUOTED else line.text[: QUOTED - 3] + "..."
    return printable(f"{places(line)}: {text}")


def _indented(text: str, by: int = 2) -> Padding:
    return Padding(Text(text), (0, 0, 0, by))


def notes(audit: Audit) -> list[RenderableType]:
    """What the log shows amiss, and the lines that were not used."""
    parts: list[RenderableType] = [Text(f"note: {remark}") for remark in audit.remarks]
    if audit.unread:
        first = audit.unread[0]
        where = printable(f"{first.place.file}:{first.place.line}: {first.why}")
        parts.append(
            Text(f"note: {len(audit.unread)} lines were not understood and not used; first: {where}.", "yellow")
        )
    return [*parts, ""] if parts else []


def summary(audit: Audit) -> str:
    """The verdict, and what it rests on."""
    count = audit.count()
    found = ", ".join(f"{count[verdict]:,} {verdict}" for verdict in VERDICTS if count[verdict])
    judged = f"{len(audit.snapshots):,} snapshot{'' if len(audit.snapshots) == 1 else 's'}"
    if not audit.snapshots:
        return "unknown: the log has no snapshot, so nothing was judged"
    return f"{audit.verdict}: {judged}: {found}"
