"""Verdicts on many systems: one table, one JSON object, one outcome."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rich.console import Group, RenderableType
from rich.text import Text

from checker.report.columns import Column, columns_table, terminal_width
from checker.report.data import verdict_json
from checker.report.names import printable
from checker.report.table import STYLES, assumed
from model.trace import length_of
from model.verdict import Outcome, Verdict

WORDS = {"holds": "hold", "violated": "violated", "unknown": "unknown"}


def outcome_of(verdicts: Sequence[Verdict], asked: int) -> Outcome:
    """violated if any is; holds if all that were asked for hold; else unknown."""
    found = {verdict.outcome for verdict in verdicts}
    if Outcome.VIOLATED in found:
        return Outcome.VIOLATED
    return Outcome.HOLDS if len(verdicts) == asked and found == {Outcome.HOLDS} else Outcome.UNKNOWN


def many_json(verdicts: Sequence[Verdict], asked: int) -> dict[str, Any]:
    """The object of `redwhite check --json` for many systems."""
    return {
        "verdict": outcome_of(verdicts, asked).value,
        "systems": [verdict_json(verdict) for verdict in verdicts],
        "totals": totals(verdicts, asked),
    }


def totals(verdicts: Sequence[Verdict], asked: int) -> dict[str, Any]:
    """Sums over all systems; `systems` counts those asked for, `checked` those that were looked at."""
    of = [verdict.outcome for verdict in verdicts]
    return {
        "systems": asked,
        "checked": len(verdicts),
        "holds": of.count(Outcome.HOLDS),
        "violated": of.count(Outcome.VIOLATED),
        "unknown": of.count(Outcome.UNKNOWN),
        "states": sum(v.counts.states for v in verdicts),
        "transitions": sum(v.counts.transitions for v in verdicts),
        "snapshots": sum(v.counts.snapshots or 0 for v in verdicts),
        "seconds": round(sum(v.seconds for v in verdicts), 6),
    }


def render_many(verdicts: Sequence[Verdict], asked: int, name: str) -> RenderableType:
    """A row for each system, and one line that sums up."""
    words = verdicts[0].system.description
    head = Text.assemble(
        (f"{words['protocol']} over {words['program']} on {printable(name)}\n", "bold"),
        (f"assumed: {assumed(verdicts[0].system)}\n", "dim"),
    )
    sums, outcome = totals(verdicts, asked), outcome_of(verdicts, asked)
    parts = [f"{sums[key]} {WORDS[key]}" for key in ("holds", "violated", "unknown") if sums[key]]
    if sums["checked"] < asked:
        parts.append(f"{asked - sums['checked']} not looked at")
    line = f"{outcome.value.upper()} on {asked} systems: {', '.join(parts)}; {sums['states']:,} states in all"
    table = columns_table(COLUMNS, list(map(row, verdicts)), terminal_width())
    return Group(head, table, Text(), Text(line, STYLES[outcome]))


COLUMNS = (
    Column("system"),
    Column("channels", spare=5, wraps=True),
    Column("verdict"),
    Column("states", right=True),
    Column("transitions", right=True, spare=4),
    Column("depth", right=True, spare=3),
    Column("snapshots", right=True, spare=2),
    Column("first violation", wraps=True),
)


def row(verdict: Verdict) -> list[str | Text]:
    """One system's row."""
    counts, found = verdict.counts, verdict.counterexample
    topology = verdict.system.topology
    length = 0 if found is None else length_of(found)
    return [
        printable(topology.name or "a network"),
        " ".join(f"{a}>{b}" for a, b in topology.channels),
        Text(verdict.outcome.value, STYLES[verdict.outcome]),
        f"{counts.states:,}",
        f"{counts.transitions:,}",
        str(counts.depth),
        "" if counts.snapshots is None else f"{counts.snapshots:,}",
        "" if found is None else f"{length} actions: {printable(found.property)}",
    ]
