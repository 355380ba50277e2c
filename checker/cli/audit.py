"""`redwhite audit`: snapshots that a real system recorded, judged from its log."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, NamedTuple

from checker.cli.arguments import Argument, Option
from checker.cli.json_output import print_json
from checker.cli.options import whole
from checker.cli.verdict_output import NOT_WRITTEN
from model.errors import InputError

if TYPE_CHECKING:
    from checker.audit.result import Asked, Audit

CODES = {"holds": 0, "violated": 1, "unknown": 3}


def audit(
    logs: Annotated[
        list[str],
        Argument(
            metavar="LOG...", help="files (.jsonl, .jsonl.gz, .shiviz, .otlp.json) and folders, or .top .events .snap"
        ),
    ],
    once: Annotated[bool, Option("--once", help="an accept logged twice in a row counts once")] = False,
    protocol: Annotated[
        str | None,
        Option(metavar="NAME", help="are the runs such as it allows, as the model has it? With --make: whose"),
    ] = None,
    properties: Annotated[
        list[str] | None,
        Option("--property", metavar="NAME", help="of each snapshot: conservation, or FILE.py:NAME (repeatable)"),
    ] = None,
    run: Annotated[str | None, Option(metavar="RUN", help="this run only")] = None,
    snapshot: Annotated[str | None, Option(metavar="ID", help="this snapshot only")] = None,
    svg: Annotated[str | None, Option(metavar="FILE", help="write a diagram of the worst snapshot")] = None,
    html: Annotated[str | None, Option(metavar="FILE", help="write a page with all and the worst drawn")] = None,
    master: Annotated[str | None, Option(help="read and judge on this Spark; large logs: on all cores here")] = None,
    out: Annotated[str | None, Option(metavar="DIR", help="keep the verdicts as Parquet, for `report`")] = None,
    make: Annotated[
        str | None, Option(metavar="TOPOLOGY", help="write LOG: random runs there, for measuring; nothing is judged")
    ] = None,
    program: Annotated[str, Option(help="with --make: the underlying computation")] = "transfer,b=5,s=5",
    relax: Annotated[
        str, Option(help="with --protocol: fifo or overtake:K; with --make: faults too, as for check")
    ] = "",
    runs: Annotated[int, Option(parser=whole(1), metavar="N", help="with --make: how many")] = 1000,
    fault: Annotated[
        str | None, Option(metavar="NAME", help="with --make: in each run, a fault of the log or of what is announced")
    ] = None,
    joined: Annotated[bool, Option("--joined", help="with --make: one run of as many snapshots")] = False,
    seed: Annotated[int, Option(parser=whole(0), metavar="N", help="with --make: of the random choices")] = 0,
    as_json: Annotated[bool, Option("--json", help="print one JSON object")] = False,
) -> int:
    """Judge the snapshots in logs of a real system: consistent, elsewhere, impossible or incomplete."""
    from checker.report.formats import writable

    if make is not None:
        return _make(logs, (make, program, protocol or "marker", relax), Making(runs, seed, fault, joined))
    for path in filter(None, (svg, html)):
        writable(path)
    from checker.audit.result import Asked

    asked = Asked(once, protocol, relax, tuple(properties or ()))
    found = _judged(logs, asked, master, out, bool(svg or html))
    found = chosen(found, run, snapshot)
    drawn = not (svg or html) or _draw(found, svg, html)
    if as_json:
        print_json(found.to_json())
    else:
        from checker.audit.listing import listing
        from checker.report.text import Terminal

        Terminal().say(*listing(found))
    return CODES[found.verdict] if drawn else CODES[found.verdict] or NOT_WRITTEN


class Making(NamedTuple):
    """How a log is made: see `checker.audit.made_logs.make`."""

    runs: int
    seed: int
    fault: str | None
    joined: bool


def _make(logs: list[str], words: tuple[str, str, str, str], how: Making) -> int:
    """Write one log of random runs."""
    from checker.audit.made_logs import fault_named, make
    from checker.report.formats import writable
    from checker.topologies import parse
    from model.catalogue import build_system

    if len(logs) != 1:
        raise InputError(f"--make writes one log, not {len(logs)}")
    writable(logs[0])
    expected = "" if how.fault is None else f"; each snapshot is {' or '.join(sorted(fault_named(how.fault).verdicts))}"
    topology, program, protocol, relax = words
    lines = make(logs[0], build_system(parse(topology)[0], program, protocol, "0", relax), *how)
    print(f"{logs[0]}: {lines:,} lines of {how.runs:,} {'snapshots in one run' if how.joined else 'runs'}{expected}")
    return 0


def _judged(logs: list[str], asked: Asked, master: str | None, out: str | None, drawn: bool) -> Audit:
    """The audit, here or on Spark: where that is asked for, and where the logs are large."""
    from checker.audit.reading import LARGE, PARQUET, logged, size
    from checker.audit.result import audit as judge

    if any(log.endswith((".top", ".events", ".snap")) for log in logs):
        from checker.audit.formats.course import audit as judge_script

        return judge_script(logs)
    tables = any(path.endswith(PARQUET) for path in logged(logs))
    if master is None and out is None and not tables and size(logs) < LARGE:
        return judge(logs, asked)
    from checker.audit.on_spark import Job
    from checker.audit.on_spark import audit as judge_on_spark

    return judge_on_spark(logs, Job(asked, master, out, drawn))


def chosen(found: Audit, run: str | None, snapshot: str | None) -> Audit:
    """The part of the audit about one run or snapshot; `InputError` where there is no such."""
    from dataclasses import replace

    if run is None and snapshot is None:
        return found
    kept = tuple(
        audited for audited in found.snapshots if run in (None, audited.run) and snapshot in (None, audited.snapshot)
    )
    if not kept:
        raise InputError(f"--run {run!r}, --snapshot {snapshot!r}: the log has no such snapshot")
    return replace(found, snapshots=kept)


def _draw(found: Audit, svg: str | None, html: str | None) -> bool:
    """Draw and write; whether all could be written."""
    from functools import partial

    from checker.audit.document import document
    from checker.audit.picture import svg as drawn
    from checker.cli.verdict_output import written
    from checker.report.formats import write

    done: list[bool] = []
    if svg and not found.snapshots:
        raise InputError(f"--svg {svg!r}: the log has no snapshot to draw")
    if svg:
        worst = next((audited for audited in found.worst() if audited.judgement is not None), None)
        if worst is None or worst.judgement is None:
            raise InputError(f"--svg {svg!r}: only the worst runs of large logs are drawn; give --run's own file")
        done.append(written(svg, partial(write, drawn(worst.judgement, worst.why))))
    if html:
        done.append(written(html, partial(write, document(found))))
    return all(done)
