"""`redwhite demo`: the main job in a few seconds; Chandy and Lamport's algorithm with FIFO channels and without."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.table import Table

    from model.verdict import Verdict

TITLE = "Chandy and Lamport's marker algorithm: every interleaving with FIFO channels, and the first failure without"


def demo() -> int:
    """Explore every interleaving of the main example, with FIFO and without."""
    from rich.text import Text

    from checker.check import check
    from checker.cli.progress import ProgressLine
    from checker.engines.search_options import SearchOptions
    from checker.report.text import Terminal
    from checker.topologies import parse
    from model.verdict import Outcome

    started = time.monotonic()
    terminal, table = Terminal(), _table()
    names = [("biring:3", "kuper"), *((f"strong:3#{k}", "transfer") for k in range(1, len(parse("strong:3")) + 1))]
    fifo: list[Verdict] = []
    dropped: list[Verdict] = []
    engine = _engine()
    for topology, program in names:
        with ProgressLine(topology) as progress:
            fifo.append(check(topology, program, engine=engine, progress=progress))
            dropped.append(check(topology, program, relax="fifo", engine=engine, options=SearchOptions(first=True)))
        _add(table, program, fifo[-1], dropped[-1])
    terminal.say(Text(TITLE, "bold"), "", table)
    found = [v.counterexample for v in dropped if v.counterexample is not None]
    if found:
        shortest = min(found, key=lambda counterexample: len(counterexample.trace))
        where = shortest.trace.system.topology.name
        terminal.trace(shortest, f"without FIFO, a shortest run that breaks {shortest.property} on {where}")
    terminal.say("", f"{len(names)} systems with FIFO and without, in {time.monotonic() - started:.1f} s")
    holds = all(v.outcome is Outcome.HOLDS for v in fifo) and all(v.outcome is Outcome.VIOLATED for v in dropped)
    return 0 if holds else 1


def _engine() -> str:
    """Compiled kernels if an earlier run has left them: a first look at Redwhite must not wait for a compiler."""
    from checker.engines.native.kernels.compiled import compiled_before

    return "auto" if compiled_before() else "reference"


def _table() -> Table:
    from rich.table import Table

    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), show_edge=False, header_style="bold")
    for name in ("program", "channels", "FIFO"):
        table.add_column(name, no_wrap=True)
    for name in ("states", "transitions", "snapshots"):
        table.add_column(name, no_wrap=True, justify="right")
    table.add_column("FIFO dropped", no_wrap=True)
    return table


def _add(table: Table, program: str, fifo: Verdict, dropped: Verdict) -> None:
    """One system's row."""
    from rich.text import Text

    from checker.report.table import STYLES

    found = dropped.counterexample
    broken = "" if found is None else f": {found.property} after {len(found.trace)} actions"
    table.add_row(
        program,
        " ".join(f"{a}>{b}" for a, b in fifo.system.topology.channels),
        Text(fifo.outcome.value, STYLES[fifo.outcome]),
        f"{fifo.counts.states:,}",
        f"{fifo.counts.transitions:,}",
        f"{fifo.counts.snapshots or 0:,}",
        Text(f"{dropped.outcome.value}{broken}", STYLES[dropped.outcome]),
    )
