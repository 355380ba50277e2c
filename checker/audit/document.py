"""An audit as one page: the table of snapshots, and the worst of them drawn; nothing in it runs or loads."""

from __future__ import annotations

from typing import Any

from checker.audit.listing import counted, quoted, summary
from checker.audit.picture import svg
from checker.audit.reasons import Places
from checker.audit.result import Audit, Audited
from checker.draw.html import drawn_here, render

DRAWN, ROWS = 12, 2000
"""The most diagrams and rows of a page."""


def document(audit: Audit) -> str:
    """The page."""
    worst = [audited for audited in audit.worst() if not audited.sound]
    notes = [*audit.remarks]
    if audit.unread:
        notes.append(f"{len(audit.unread)} lines were not understood and not used; first: {audit.unread[0].why}.")
    return render(
        "audit.html",
        title="Audit - Redwhite",
        heading=summary(audit),
        below=counted(audit),
        notes=notes,
        sections=[_section(audited, audit.places) for audited in (worst or audit.worst()[:1])[:DRAWN]],
        rows=[(one.run, one.snapshot, one.verdict, " ".join(one.why)) for one in audit.worst()[:ROWS]],
        more=max(0, len(audit.snapshots) - ROWS),
    )


def _section(audited: Audited, places: Places) -> dict[str, Any]:
    """What is told of one snapshot."""
    name = f"run {audited.run}, " if audited.run else ""
    why = [*audited.why]
    if audited.rule is not None:
        why.append(f"Not allowed by the protocol: {audited.rule}.")
        why += [quoted(audited.quote, places)] if audited.quote else []
    return {
        "title": f"{name}snapshot {audited.snapshot}: {audited.verdict}",
        "why": why,
        "picture": drawn_here(svg(audited.judgement, ())) if audited.judgement else None,
    }
