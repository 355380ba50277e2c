"""`redwhite demo`: the main job in a few seconds; Chandy and Lamport's algorithm with FIFO channels and without."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.text import Text

    from model.verdict import Verdict

TITLE = "Chandy and Lamport's marker algorithm: every interleaving with FIFO channels, and the first failure without"


def demo() -> int:
    """Explore every interleaving of the main example, with FIFO and without."""
    from rich.text import Text

    from checker.check import check
    from checker.cli.progress import ProgressLine
    from checker.engines.search_options import SearchOptions
    from checker.report.columns import Column, columns_table, terminal_width
    from checker.report.text import Terminal
    from checker.topologies import parse
    from model.verdict import Outcome

    started = time.monotonic()
    terminal, rows = Terminal(), []
    names = [("biring:3", "kuper"), *((f"strong:3#{k}", "transfer") for k in range(1, len(parse("strong:3")) + 1))]
    fifo: list[Verdict] = []
    dropped: list[Verdict] = []
    engine = _engine()
    for topology, program in names:
        with ProgressLine(topology) as progress:
            fifo.append(check(topology, program, engine=engine, progress=progress))
            dropped.append(check(topology, program, relax="fifo", engine=engine, options=SearchOptions(first=True)))
        rows.append(_row(program, fifo[-1], dropped[-1]))
    columns = (
        Column("system"),
        Column("program", spare=1),
        Column("channels", spare=4, wraps=True),
        Column("FIFO"),
        Column("states", right=True),
        Column("transitions", right=True, spare=3),
        Column("snapshots", right=True, spare=2),
        Column("FIFO dropped", wraps=True),
    )
    terminal.say(Text(TITLE, "bold"), "", columns_table(columns, rows, terminal_width()))
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


def _row(program: str, fifo: Verdict, dropped: Verdict) -> list[str | Text]:
    """One system's row."""
    from rich.text import Text

    from checker.report.table import STYLES

    found = dropped.counterexample
    broken = "" if found is None else f": {found.property} after {len(found.trace)} actions"
    topology = fifo.system.topology
    return [
        topology.name,
        program,
        " ".join(f"{a}>{b}" for a, b in topology.channels),
        Text(fifo.outcome.value, STYLES[fifo.outcome]),
        f"{fifo.counts.states:,}",
        f"{fifo.counts.transitions:,}",
        f"{fifo.counts.snapshots or 0:,}",
        Text(f"{dropped.outcome.value}{broken}", STYLES[dropped.outcome]),
    ]
