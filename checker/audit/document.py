"""An audit as one page: the table of snapshots, and the worst of them drawn; nothing in it runs or loads."""

from __future__ import annotations

from html import escape
from importlib.resources import files

from checker.audit.listing import counted, quoted, summary
from checker.audit.picture import svg
from checker.audit.reasons import Places
from checker.audit.result import Audit, Audited
from checker.report.names import printable

DRAWN, ROWS = 12, 2000
"""The most diagrams and rows of a page."""
NARROW = "td:nth-child(3) { white-space: nowrap; }\n"
"""A verdict stays in one piece, however long the names beside it are."""


def document(audit: Audit) -> str:
    """The page."""
    style = files("checker.draw").joinpath("page.css").read_text(encoding="utf-8")
    worst = [audited for audited in audit.worst() if not audited.sound]
    drawn = (worst or audit.worst()[:1])[:DRAWN]
    notes = [*audit.remarks]
    if audit.unread:
        notes.append(f"{len(audit.unread)} lines were not understood and not used; first: {audit.unread[0].why}.")
    body = [
        f"<header><h1>{_text(summary(audit))}</h1><p>{_text(counted(audit))}</p></header>",
        *(f'<p class="note">{_text(note)}</p>' for note in notes),
        *(_section(audited, audit.places) for audited in drawn),
        "<table><tr><th>run</th><th>snapshot</th><th>verdict</th><th>why</th></tr>",
        *(_row(audited) for audited in audit.worst()[:ROWS]),
        "</table>",
    ]
    if len(audit.snapshots) > ROWS:
        body.append(f"<p>and {len(audit.snapshots) - ROWS} more, none worse than these</p>")
    policy = "default-src 'none'; style-src 'unsafe-inline'"
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>Audit - Redwhite</title><style>\n{style}{NARROW}</style></head>\n<body>\n"
        + "\n".join(body)
        + "</body></html>\n"
    )


def _section(audited: Audited, places: Places) -> str:
    name = f"run {audited.run}, " if audited.run else ""
    lines = [*audited.why]
    if audited.rule is not None:
        lines.append(f"Not allowed by the protocol: {audited.rule}.")
        lines += [quoted(audited.quote, places)] if audited.quote else []
    told = "".join(f"<p>{_text(line)}</p>" for line in lines)
    picture = svg(audited.judgement, ()) if audited.judgement else "<p>(drawn with --run)</p>"
    title = _text(f"{name}snapshot {audited.snapshot}: {audited.verdict}")
    return f'<section class="run"><h2>{title}</h2><div class="why">{told}</div>\n{picture}</section>'


def _row(audited: Audited) -> str:
    cells = audited.run, audited.snapshot, audited.verdict, " ".join(audited.why)
    return "<tr>" + "".join(f"<td>{_text(cell)}</td>" for cell in cells) + "</tr>"


def _text(text: str) -> str:
    """Text of a log, inert: nothing in it is markup or a control character."""
    return escape(printable(text))
