"""A trace for the terminal: one line per action, swim lanes where there is room, the cut, and why the property fails.

White machines have a thin line and ○, red ones a thick line and ●; where the terminal has colours, red is red. A
message in a channel has the colour of the action that sent it; a channel's head comes first.
"""

from __future__ import annotations

import os
import sys
from io import StringIO
from itertools import zip_longest
from textwrap import wrap

from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

from checker.report.claims import breaks, evidence
from checker.report.explain import explain, sentences
from checker.report.names import channel_name, content_name, machine_name, printable, value_name
from checker.report.run import Run, judged_run
from checker.report.words import CROSS, CUT, RED, WHITE, Line, lines
from model.property import Evidence, Reason
from model.trace import Counterexample

LANE = 22
CHANGES = 34
LEAST_WIDTH = 48
PLAIN_WIDTH = 120
"""Least columns for a lane and for what changed, and the width of a file or a pipe."""

LEGEND = f"{WHITE} white  {RED} red  {CUT} the cut: records its state, turns red  {CROSS} a fault, or what offends"


class Terminal:
    """Standard output: colours and its own width on a terminal, plain text of a fixed width elsewhere or with NO_COLOR.

    Elsewhere no line ends in spaces, so that transcripts can be compared.
    """

    def __init__(self) -> None:
        width = None if sys.stdout.isatty() or "COLUMNS" in os.environ else PLAIN_WIDTH
        self.console = Console(width=width, highlight=False, emoji=False)
        self.console.width = max(LEAST_WIDTH, self.console.width)

    def say(self, *parts: RenderableType) -> None:
        """Print the parts, one below the other; square brackets in them are just that."""
        shown = Group(*(Text(part) if isinstance(part, str) else part for part in parts))
        if self.console.is_terminal:
            self.console.print(shown)
        else:
            print(plain(shown, self.console.width), end="")

    def trace(self, found: Counterexample, title: str, chain: bool = False) -> None:
        """Print a trace under a title; with `chain` also which of its actions depend on which."""
        fits = len(title) <= self.console.width - 4  # a rule cuts what is longer
        heading = [Rule(Text(title), align="left", style="dim")] if fits else [Text(title), Rule(style="dim")]
        self.say("", *heading, "", render_trace(found, self.console.width))
        if chain:
            from checker.report.causes import render_chain

            self.say("", render_chain(found))


def trace_text(found: Counterexample, width: int = PLAIN_WIDTH) -> str:
    """The rendering of a trace as plain text."""
    return plain(render_trace(found, width), width)


def plain(shown: RenderableType, width: int = PLAIN_WIDTH) -> str:
    """What is to be shown as plain text, without spaces at the ends of lines."""
    if isinstance(shown, Group):
        return "".join(plain(part, width) for part in shown.renderables)
    if isinstance(shown, Table):
        width = max(width, shown.width or 0)  # what has a width of its own is not cut
    console = Console(file=StringIO(), width=width, highlight=False, color_system=None, emoji=False)
    with console.capture() as capture:
        console.print(shown)
    return "".join(f"{line.rstrip()}\n" for line in capture.get().splitlines())


def render_trace(found: Counterexample, width: int) -> RenderableType:
    """The whole trace: its lines, the cut, what was recorded, and why the property fails."""
    run = judged_run(found)
    reason = explain(found)
    told = lines(run.system, run.states, found.trace.events, run.snapshot)
    parts: list[RenderableType] = [Text(LEGEND, "dim"), Text(), _actions(found, reason, run, told, width)]
    if run.system.protocol.snapshots:
        parts += [Text(), _cut(run)]
    parts += [Text(), _why(found, reason)]
    return Group(*parts)


# -- the actions -----------------------------------------------------------------------------------------------


def _actions(found: Counterexample, reason: Reason, run: Run, told: list[Line], width: int) -> Table:
    machines = run.system.topology.machines
    lanes = machines if width >= 6 + machines * (LANE + 2) + CHANGES else 0
    lane = min((width - 6 - CHANGES) // machines - 2, 34) if lanes else width // 2 - 8
    changes = width - 6 - max(lanes, 1) * (lane + 2) - (0 if lanes else 10)
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), show_edge=False, header_style="bold")
    table.add_column("", justify="right", style="dim", no_wrap=True)
    for name in [machine_name(run.system, m) for m in range(lanes)] or ["machine", "action"]:
        table.add_column(Text(name), no_wrap=True, min_width=LANE if lanes else None)
    table.add_column("what changes", no_wrap=True)
    red = [False] * machines
    for line in told:
        if found.trace.loop == line.number - 1:
            table.add_row("", *([] if lanes else [""]), Text("from here on for ever:", "italic"))
        was_red = list(red)
        _turn(run, red, line)
        offends = line.number in _offending(found, reason)
        words = wrap(f"{_glyph(line)} {line.words}", lane, subsequent_indent="  ")
        notes = wrap("; ".join(line.changes), changes) or [""]
        for row, (said, note) in enumerate(zip_longest(words, notes, fillvalue="")):
            cells = _lanes(line, said, row, was_red if row == 0 else red) if lanes else _who(run, line, said, row)
            changed = _coloured(note)
            if offends and row == 0:
                changed.append(f"  {CROSS}", "not dim bold red")
            table.add_row(str(line.number) if row == 0 else "", *cells, changed)
    return table


def _offending(found: Counterexample, reason: Reason) -> set[int]:
    """The actions in which an offending message is accepted, where the property is broken by just that."""
    if evidence(found) not in (Evidence.RED_ACCEPTED, Evidence.CROSSING):
        return set()
    return {m["accepted"]["action"] for m in reason["messages"] if m["accepted"] is not None}


def _turn(run: Run, red: list[bool], line: Line) -> None:
    for machine, recorded in enumerate(run.recorded):
        if recorded is not None and recorded.event == line.number - 1:
            red[machine] = True


def _glyph(line: Line) -> str:
    if line.fault:
        return CROSS
    return CUT if line.turns else RED if line.red else WHITE


def _style(line: Line) -> str:
    if line.fault:
        return "yellow"
    return "bold red" if line.turns else "red" if line.red else ""


def _lanes(line: Line, said: str, row: int, red: list[bool]) -> list[Text]:
    """One row of the swim lanes: the words in the acting machine's lane (a fault's in the first), lines elsewhere."""
    cells = [Text("┃", "red") if is_red else Text("│") for is_red in red]
    together = line.machine is None and line.turns
    if said and (row == 0 or line.machine is not None):
        cells[line.machine or 0] = Text(said, _style(line))
    if together and row == 0:
        cells[1:] = [Text(CUT, "bold red") for _ in cells[1:]]
    return cells


def _who(run: Run, line: Line, said: str, row: int) -> list[Text]:
    name = "all" if line.turns else "channel"
    if line.machine is not None:
        name = machine_name(run.system, line.machine)
    return [Text(name if row == 0 else "", _style(line)), Text(said, _style(line))]


def _coloured(note: str) -> Text:
    """What changed, with red messages in red."""
    text = Text(note, "dim")
    text.highlight_regex(rf"{RED}[^,\]]+", "not dim red")
    return text


# -- the cut and why -------------------------------------------------------------------------------------------


def _cut(run: Run) -> RenderableType:
    """Where each machine recorded, what it recorded, and the channels' records."""
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), show_edge=False, header_style="bold")
    table.add_column("the cut", no_wrap=True)
    table.add_column("recorded in")
    table.add_column("state recorded")
    table.add_column("channels recorded")
    for machine, found in enumerate(run.recorded):
        name = machine_name(run.system, machine)
        if found is None:
            table.add_row(Text(name), "never", "", "")
            continue
        local = run.states[-1].machines[machine]
        recorded = run.system.recorded_by(machine, local, run.snapshot)
        state = "" if recorded is None else value_name(recorded.state)
        channels = []
        if recorded is not None:
            for channel, content in zip(run.system.topology.inputs[machine], recorded.channels, strict=True):
                is_open = run.system.protocol.marks and not run.system.protocol.closed(machine, local, channel)
                channels.append(
                    f"{channel_name(run.system, channel)}: {content_name(content)}{' (open)' if is_open else ''}"
                )
        table.add_row(Text(name, "red"), f"action {found.event + 1}", Text(state), Text(", ".join(channels)))
    return table


def _why(found: Counterexample, reason: Reason) -> RenderableType:
    name = printable(found.property)
    title = Text(f"why {name} fails", "bold red") if breaks(found) else Text(name, "bold")
    return Group(title, *(Padding(Text(text), (0, 0, 0, 2)) for text in sentences(reason)))
