"""`redwhite audit`: snapshots that a real system recorded, judged from its log."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated

from checker.cli.arguments import Argument, Option
from model.errors import InputError

if TYPE_CHECKING:
    from checker.audit.result import Audit

CODES = {"holds": 0, "violated": 1, "unknown": 3}


def audit(
    logs: Annotated[list[str], Argument(metavar="LOG...", help="files (.jsonl, .jsonl.gz) and folders of them")],
    once: Annotated[bool, Option("--once", help="an accept logged twice in a row counts once")] = False,
    protocol: Annotated[
        str | None, Option(metavar="marker", help="also: is this run one that the protocol allows?")
    ] = None,
    run: Annotated[str | None, Option(metavar="RUN", help="this run only")] = None,
    snapshot: Annotated[str | None, Option(metavar="ID", help="this snapshot only")] = None,
    svg: Annotated[str | None, Option(metavar="FILE", help="write a diagram of the worst snapshot")] = None,
    html: Annotated[str | None, Option(metavar="FILE", help="write a page with all and the worst drawn")] = None,
    as_json: Annotated[bool, Option("--json", help="print one JSON object")] = False,
) -> int:
    """Judge the snapshots in logs of a real system: consistent, elsewhere, impossible or incomplete."""
    from checker.audit.result import audit as judge
    from checker.report.formats import writable

    if protocol not in (None, "marker"):
        raise InputError(f"--protocol {protocol!r}: accepted for logs is marker")
    for path in filter(None, (svg, html)):
        writable(path)
    found = chosen(judge(logs, once, protocol is not None), run, snapshot)
    if svg or html:
        _draw(found, svg, html)
    if as_json:
        print(json.dumps(found.to_json()))
    else:
        from checker.audit.listing import listing
        from checker.report.text import Terminal

        Terminal().say(*listing(found))
    return CODES[found.verdict]


def chosen(found: Audit, run: str | None, snapshot: str | None) -> Audit:
    """The part of the audit about one run or snapshot; `InputError` where there is no such."""
    from dataclasses import replace

    if run is None and snapshot is None:
        return found
    kept = tuple(
        audited
        for audited in found.snapshots
        if run in (None, audited.run) and snapshot in (None, audited.judgement.snapshot)
    )
    if not kept:
        raise InputError(f"--run {run!r}, --snapshot {snapshot!r}: the log has no such snapshot")
    return replace(found, snapshots=kept)


def _draw(found: Audit, svg: str | None, html: str | None) -> None:
    from checker.audit.document import document
    from checker.audit.picture import svg as drawn
    from checker.report.formats import write

    if svg and not found.snapshots:
        raise InputError(f"--svg {svg!r}: the log has no snapshot to draw")
    if svg:
        worst = found.worst()[0]
        write(drawn(worst.judgement, worst.why), svg)
    if html:
        write(document(found), html)
