"""`redwhite gallery`: failures that happened in production, each with its shortest trace and the rule that holds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from checker.cli.arguments import Argument, Option
from checker.cli.json_output import print_json
from checker.cli.options import incidents

if TYPE_CHECKING:
    from checker.gallery import Shown
    from checker.report.text import Terminal


def gallery(
    name: Annotated[str | None, Argument(names=incidents, help="one of them; all if left out")] = None,
    as_json: Annotated[bool, Option("--json", help="one JSON object on stdout, nothing else")] = False,
    trace: Annotated[str | None, Option(metavar="FILE", help="write the trace of the one named")] = None,
) -> int:
    """Run the models of production failures: the rule as it was, and as it was fixed."""
    from functools import partial

    from checker.cli.verdict_output import written
    from checker.gallery import INCIDENTS, incident, run
    from checker.report.formats import writable, write_trace
    from model.errors import InputError

    if trace is not None and name is None:
        raise InputError(f"--trace {trace}: name one incident, of {', '.join(INCIDENTS)}")
    if trace is not None:
        writable(trace)
    chosen = [incident(name)] if name is not None else list(INCIDENTS.values())
    found = [run(told) for told in chosen]
    if trace is not None and found[0].broken.counterexample is not None:
        written(trace, partial(write_trace, found[0].broken.counterexample))
    if as_json:
        print_json({"incidents": [shown.to_json() for shown in found]})
    else:
        _show(found, story=name is not None)
    if all(shown.as_told for shown in found):
        return 0
    return 3 if any(shown.broken.reason or shown.fixed.reason for shown in found) else 1


def _show(found: list[Shown], story: bool) -> None:
    """A table of all, or the whole story of one."""
    from checker.report.text import Terminal

    terminal = Terminal()
    if story:
        _tell(terminal, found[0])
    else:
        _table(terminal, found)


def _tell(terminal: Terminal, shown: Shown) -> None:
    from textwrap import fill

    from rich.text import Text

    from checker.report.table import summary

    told = shown.incident
    terminal.say(Text(f"{told.name.upper()}: {told.title}", "bold"), f"source: {told.source}", "")
    terminal.say(fill(told.story, 100), "", fill(f"The fix: {told.fix}.", 100), "")
    terminal.say(f"as it was: {told.topology}, {told.program}, {told.protocol(False)}", summary(shown.broken))
    if shown.broken.counterexample is not None:
        terminal.trace(shown.broken.counterexample, f"a shortest run that breaks {told.property}")
    terminal.say("", f"fixed: {told.topology}, {told.program}, {told.protocol(True)}", summary(shown.fixed))


def _table(terminal: Terminal, found: list[Shown]) -> None:
    from rich.table import Table
    from rich.text import Text

    from checker.report.table import STYLES, fate

    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), show_edge=False, header_style="bold")
    for title in ("incident", "what went wrong", "claim", "as it was", "fixed"):
        table.add_column(title, no_wrap=title not in ("what went wrong", "claim"))
    for shown in found:
        broken = shown.broken.properties[0]
        table.add_row(
            shown.incident.name,
            shown.incident.title,
            broken.name,
            Text(fate(broken), STYLES[broken.outcome]),
            Text(shown.fixed.outcome.value, STYLES[shown.fixed.outcome]),
        )
    terminal.say(table, "", "redwhite gallery NAME tells one of them, with its shortest trace.")
