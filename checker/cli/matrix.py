"""`redwhite matrix`: which protocol keeps which property under which relaxation, as one table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from checker.cli.arguments import Argument, Option
from checker.cli.json_output import print_json
from checker.cli.options import (
    AsJson,
    EachStates,
    EachTimeout,
    EngineName,
    Initiators,
    PropertyNames,
    protocols,
    relaxations,
    whole,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import RenderableType
    from rich.table import Table

    from checker.sweep.matrix import Cell, Matrix
    from model.topology import Topology

UNKNOWN = 3
RELAXED, WIDTH = 20, 7
"""Least columns of what is relaxed, and of a cell."""
LETTERS = "abcdefghijklmnopqrstuvwxyz"


def matrix(
    topologies: Annotated[list[str] | None, Argument(help="default: strong:1 strong:2 strong:3")] = None,
    program: Annotated[
        str | None, Option(help="NAME[,key=value...] or file.py:Class; default: transfer,s=1-1-0")
    ] = None,
    protocol: Annotated[
        list[str] | None,
        Option(names=protocols, help="only this one (repeatable); default: all but those for dataflows"),
    ] = None,
    relax: Annotated[
        list[str] | None,
        Option(names=relaxations, help="only under these relaxations (repeatable): none, fifo, loss:1,fifo, ..."),
    ] = None,
    properties: PropertyNames = None,
    initiators: Initiators = "0",
    engine: EngineName = "auto",
    workers: Annotated[
        int | None, Option(parser=whole(1), metavar="N", help="processes; default: one a processor")
    ] = None,
    max_states: EachStates = None,
    timeout: EachTimeout = None,
    as_json: AsJson = False,
) -> int:
    """Tabulate protocol x relaxation x property over all the topologies given."""
    from checker.cli.survey import Counter, processes, single_bounds, split_sets
    from checker.sweep import matrix as tables

    with Counter("systems") as progress:
        found = tables.matrix(
            tuple(topologies or tables.TOPOLOGIES),
            program or tables.PROGRAM,
            tuple(protocol or tables.PROTOCOLS),
            split_sets(relax, tables.RELAXATIONS),
            tuple(properties or ()),
            initiators=initiators,
            engine=engine,
            options=single_bounds(max_states, timeout),
            workers=processes(workers),
            progress=progress,
        )
    if as_json:
        print_json(found.to_json())
    else:
        from checker.report.text import Terminal

        terminal = Terminal()
        terminal.say(render(found, terminal.console.width))
    return UNKNOWN if found.cut or not found.whole else 0


def render(found: Matrix, width: int) -> RenderableType:
    """The table, with what its marks mean, and what was covered; where it is too wide, one table below the other."""
    from rich.console import Group
    from rich.text import Text

    letters = _letters(found)
    relaxed = max(RELAXED, *(len(cell.relax) for cell in found.cells))
    fitting = max(1, (width - relaxed) // (WIDTH + 1))
    parts = [found.properties[i : i + fitting] for i in range(0, len(found.properties), fitting)]
    head = f"program {found.program}, initiators {found.initiators}, {len(found.topologies)} topologies"
    tables = [each for names in parts for each in (Text(), _table(found, names, letters, relaxed))]
    return Group(Text(head), *tables, Text(), Text("\n".join(_legend(found, letters)), "dim"))


def _table(found: Matrix, names: Sequence[str], letters: dict[Topology, str], relaxed: int) -> Table:
    """The cells of these properties."""
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, padding=(0, 1, 0, 0), show_edge=False, header_style="bold")
    table.add_column("relaxed", no_wrap=True, vertical="bottom", min_width=relaxed)
    for name in names:
        table.add_column(_heading(name), no_wrap=True, vertical="bottom", min_width=WIDTH)
    rows: dict[tuple[str, str], list[Cell]] = {}
    for cell in found.cells:
        if cell.property in names:
            rows.setdefault((cell.protocol, cell.relax), []).append(cell)
    last = None
    for (protocol, relax), cells in rows.items():
        if protocol != last:
            table.add_row("")
            table.add_row(Text(protocol, "bold", no_wrap=True, overflow="ignore"))
        marks = [Text(_mark(cell, letters), STYLES.get(cell.outcome, "")) for cell in cells]
        table.add_row(relax or "-", *marks)
        last = protocol
    return table


STYLES = {"holds": "green", "violated": "bold red", "vacuous": "yellow", "unknown": "yellow"}


def _heading(name: str) -> str:
    """The property's name on a few lines no wider than a cell; one's own without its file, which the legend names."""
    lines: list[str] = []
    for word in name.rpartition(":")[2].split("-"):
        if lines and len(lines[-1]) + len(word) < WIDTH:
            lines[-1] += f"-{word}"
        else:
            while len(word) > WIDTH:
                lines.append(word[: WIDTH - 1] + "-")
                word = word[WIDTH - 1 :]
            lines.append(word)
    return "\n".join(lines)


def _letters(found: Matrix) -> dict[Topology, str]:
    """A letter for each topology that is the smallest on which something is violated."""
    used = {cell.smallest for cell in found.cells if cell.smallest is not None}
    named = [topology for topology in found.topologies if topology in used]
    return {t: LETTERS[i] if len(named) <= len(LETTERS) else f" {i + 1}" for i, t in enumerate(named)}


def _mark(cell: Cell, letters: dict[Topology, str]) -> str:
    """One cell in a few characters."""
    if cell.outcome == "violated" and cell.smallest is not None:
        return f"{cell.length}{letters[cell.smallest]}"
    return {"holds": "holds", "vacuous": "vacuous", "unknown": "?"}.get(cell.outcome, "")


def _legend(found: Matrix, letters: dict[Topology, str]) -> list[str]:
    lines = ["holds: on every topology to which it applies; an empty cell: it applies to none"]
    if letters:
        lines.append("7b: violated; the shortest violation on the smallest such topology, b, takes 7 actions")
    for topology, letter in letters.items():
        channels = " ".join(f"{a}>{b}" for a, b in topology.channels) or "no channels"
        lines.append(f"  {letter.strip()}: {topology.name} ({channels})")
    if any(cell.outcome == "vacuous" for cell in found.cells):
        lines.append("vacuous: on some topology no snapshot completes, so there is nothing it could be violated by")
    lines += [f"{name.rpartition(':')[2]}: {name}, {claim}" for name, claim in found.claims]
    covered = "exhaustive" if found.whole and not found.cut else "NOT exhaustive"
    lines.append(
        f"{covered}: {found.systems} systems, {found.states:,} states in all, {found.seconds:.1f} s"
        + ("" if found.whole else "; interrupted: the systems not reached are in no cell")
    )
    for job, why in found.cut:
        lines.append(f"?: {job.protocol} on {job.topology.name}, relaxed {job.relax or '-'}: {why}")
    return lines
