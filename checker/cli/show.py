"""`redwhite show`: a saved trace, replayed, on the terminal or in another format."""

from __future__ import annotations

from typing import Annotated

from checker.cli.arguments import Argument, Option
from checker.cli.json_output import print_json


def show(
    trace: Annotated[str, Argument(metavar="TRACE", help="a trace file (.json) that `check --trace` wrote")],
    svg: Annotated[str | None, Option(metavar="FILE", help="write a space-time diagram")] = None,
    pdf: Annotated[str | None, Option(metavar="FILE", help="write the same for a paper: as --bare, on a page")] = None,
    png: Annotated[str | None, Option(metavar="FILE", help="write the same as a picture of points")] = None,
    html: Annotated[str | None, Option(metavar="FILE", help="write a page that steps through the run")] = None,
    shiviz: Annotated[str | None, Option(metavar="FILE", help="write a log for ShiViz")] = None,
    itf: Annotated[str | None, Option(metavar="FILE", help="write Apalache's ITF")] = None,
    log: Annotated[str | None, Option(metavar="FILE", help="write a log that `audit` reads")] = None,
    out: Annotated[list[str] | None, Option("--out", "-o", metavar="FILE", help="write FILE, format by suffix")] = None,
    bare: Annotated[bool, Option("--bare", help="pictures for a paper: no caption, no legend, always light")] = False,
    explain: Annotated[bool, Option("--explain", help="also print the causal chain")] = False,
    trust: Annotated[
        bool, Option("--trust", help="run the Python files that the trace names: they are somebody's code")
    ] = False,
    as_json: Annotated[bool, Option("--json", help="print the trace, replayed and explained, as JSON")] = False,
) -> int:
    """Replay a saved trace, judge it anew and show it."""
    from checker.cli.trust import trusted_trace
    from checker.cli.verdict_output import say
    from checker.report.data import trace_json
    from checker.report.formats import suffix_of, write_trace

    asked = {".svg": svg, ".pdf": pdf, ".png": png, ".html": html, ".shiviz": shiviz, ".itf.json": itf, ".jsonl": log}
    files = [(path, suffix) for suffix, path in asked.items() if path] + [(path, suffix_of(path)) for path in out or ()]
    found = trusted_trace(trace, trust)
    for path, suffix in files:
        write_trace(found, path, suffix, bare)
        say(f"wrote {path}")
    if as_json:
        print_json(trace_json(found))
    elif not files:
        from checker.report.table import assumed, network
        from checker.report.text import Terminal

        system = found.trace.system
        words, terminal = system.description, Terminal()
        terminal.say(f"{words['protocol']} over {words['program']} on {network(system)}", assumed(system))
        terminal.trace(found, found.property, explain)
    return 0
