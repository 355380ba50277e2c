"""The causal chain behind a violation: which actions it depends on (happened-before), and which it does not.

An action depends on its machine's action before it and on the sends of what it accepts; a fault on the send of the
message that it strikes.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from checker.report.explain import explain
from checker.report.names import machine_name, message_name
from checker.report.run import Run, judged_run
from checker.report.words import Line, lines
from model.trace import Counterexample


class Cause(NamedTuple):
    """An event that another depends on: `message` names what came from it, None for the machine's own order."""

    event: int
    message: str | None


def causes(run: Run) -> list[list[Cause]]:
    """Per event, numbered from 0, what it directly depends on."""
    found: list[list[Cause]] = []
    last: dict[int, int] = {}
    for number, event in enumerate(run.trace.events):
        machines = [move.machine for move in event.moves]
        direct = [Cause(last[m], None) for m in machines if m in last]
        originals = [run.lifelines[j].original for j in run.follower.sent[number]]
        for lifeline in [*run.follower.taken[number], *(j for j in originals if j is not None)]:
            message = run.lifelines[lifeline]
            source = message.sent if message.copied is None else message.copied
            if source is not None:
                direct.append(Cause(source, message_name(message.message)))
        last.update((m, number) for m in machines)
        found.append(direct)
    return found


def past(found: list[list[Cause]], ends: Iterable[int]) -> list[int]:
    """All events that these depend on, they themselves included, in the order of the run."""
    seen: set[int] = set()
    left = list(ends)
    while left:
        event = left.pop()
        if event not in seen:
            seen.add(event)
            left += [cause.event for cause in found[event]]
    return sorted(seen)


def render_chain(counterexample: Counterexample) -> RenderableType:
    """The chain as a table: each action, and what it depends on."""
    run = judged_run(counterexample)
    told = lines(run.system, run.states, counterexample.trace.events, run.snapshot)
    found = causes(run)
    chain = past(found, ends(counterexample, len(found)))
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), show_edge=False, header_style="bold")
    for name in ("", "machine", "causal chain", "depends on"):
        table.add_column(name)
    for number in chain:
        line = told[number]
        because = ", ".join(f"{c.event + 1}" + (f" ({c.message})" if c.message else "") for c in found[number])
        table.add_row(str(line.number), Text(_who(run, line)), Text(line.words), because)
    spared = [str(number + 1) for number in range(len(found)) if number not in chain]
    if spared:
        table.add_row("", "", Text(f"others: {', '.join(spared)}", "dim"), "")
    return table


def ends(counterexample: Counterexample, events: int) -> list[int]:
    """The events in which the violation shows: where the offending messages arrive, or else the last one."""
    messages = explain(counterexample)["messages"]
    arrivals = [m["accepted"]["action"] - 1 for m in messages if m["accepted"] is not None]
    losses = [m["lost"] - 1 for m in messages if m["lost"] is not None]
    return arrivals + losses or list(range(events))[-1:]


def _who(run: Run, line: Line) -> str:
    if line.machine is None:
        return "all" if line.turns else "channel"
    return machine_name(run.system, line.machine)
