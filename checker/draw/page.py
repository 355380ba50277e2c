"""One self-contained page for a run: the diagram beside the state, step by step, and Dijkstra's exchanges animated.

Everything shown is text made here; the script only moves it about, by `textContent`, so that names from a user's
files stay inert. Without script the diagram and the list of actions are there.
"""

from __future__ import annotations

from typing import Any

from checker.draw.exchanges import exchange_data
from checker.draw.html import counted, drawn_here, render
from checker.draw.layout import layout_of
from checker.draw.svg import drawn, offending
from checker.report.claims import WALK, breaks, meaning
from checker.report.data import system_json
from checker.report.explain import explain
from checker.report.names import channel_name, content_name, machine_name, value_name
from checker.report.run import Run, judged_run
from checker.report.table import assumed, network
from checker.report.words import contents_words, lines
from model.system import State, System
from model.trace import Counterexample, length_of

PHONE = 336.0
"""The width of a diagram that a phone shows whole."""


def html(found: Counterexample) -> str:
    """The page of a counterexample or witness."""
    return render("runs.html", title=f"{found.property} - Redwhite", runs=[shown_run(found, 0)])


def shown_run(found: Counterexample, number: int) -> dict[str, Any]:
    """What a page tells of one run; `number` tells the runs of a page apart."""
    run, explanation = judged_run(found), explain(found)
    happened = lines(run.system, run.states, run.trace.events, run.snapshot)
    return {
        "number": number,
        "title": title(found),
        "meaning": meaning(found),
        "system": system_words(run.system),
        "assumed": assumed(run.system),
        "why": explanation["why"],
        "picture": drawn_here(drawn(layout_of(run, (), offending(found), least=PHONE))),
        "actions": [_who(run, line.machine) + line.words for line in happened],
        "data": run_data(found, run, explanation),
    }


def system_words(system: System) -> str:
    """Which protocol over which program on which network."""
    words = system.description
    return f"{words.get('protocol', 'a protocol')} over {words.get('program', 'a program')} on {network(system)}"


def title(found: Counterexample) -> str:
    """What the run shows, and after how many actions."""
    if not breaks(found):
        return found.property
    return f"{found.property}: violated after {counted(violated_after(found))}"


def violated_after(found: Counterexample) -> int:
    """After how many actions the property is violated: of a run that repeats for ever, those before it does."""
    return length_of(found)


def run_data(found: Counterexample, run: Run, explanation: dict[str, Any]) -> dict[str, Any]:
    """What the script shows: per step what happened and the whole state in words; and the exchanges."""
    system = run.system
    happened = lines(system, run.states, run.trace.events, run.snapshot)
    steps = []
    for number, state in enumerate(run.states):
        line = happened[number - 1] if number else None
        steps.append(
            {
                "action": "the start" if line is None else _who(run, line.machine) + line.words,
                "changes": [] if line is None else list(line.changes),
                "machines": _machines(run, state),
                "channels": [
                    {"name": channel_name(system, c), "content": contents_words(content) or "-"}
                    for c, content in enumerate(state.channels)
                ],
                "marks": _marks(run, number),
                "status": _status(found, number),
            }
        )
    return {
        "system": system_json(system),
        "property": found.property,
        "loop": run.trace.loop,
        "opens": violated_after(found) if breaks(found) else 0,
        "steps": steps,
        "exchange": exchange_data(run) if run.trace.loop is None and system.protocol.snapshots else None,
    }


def _who(run: Run, machine: int | None) -> str:
    return "" if machine is None else f"{machine_name(run.system, machine)}: "


def _machines(run: Run, state: State) -> list[dict[str, Any]]:
    rows = []
    for machine, local in enumerate(state.machines):
        own = run.system.recorded_by(machine, local, run.snapshot)
        recorded = "-"
        if own is not None:
            recorded = value_name(own.state)
            for channel, content in zip(run.system.topology.inputs[machine], own.channels, strict=True):
                if content:
                    recorded += f"; {channel_name(run.system, channel)}: {content_name(content)}"
        rows.append(
            {
                "name": machine_name(run.system, machine),
                "red": bool(local.red >> run.snapshot & 1),
                "crashed": local.crashed,
                "state": value_name(local.state),
                "recorded": recorded,
            }
        )
    return rows


def _marks(run: Run, step: int) -> list[str]:
    """Whether the state after `step` actions is S0 or S1, and whether the run is there for ever from then on."""
    marks = []
    loop = run.trace.loop
    if run.start_event is not None and step == run.start_event:
        marks.append("S0: the snapshot begins with the next action")
    if run.sss is not None and step == len(run.trace.events):
        marks.append("S1: the snapshot is complete; SSS is what the machines recorded")
    if loop is not None and loop <= step and loop < len(run.trace.events):
        marks.append(f"for ever from here on: actions {loop + 1} to {len(run.trace.events)}, again and again")
    return marks


def _status(found: Counterexample, step: int) -> str:
    there = step >= violated_after(found)
    if breaks(found):
        return f"{found.property}: {'violated' if there else 'not violated so far'}"
    return "" if found.property == WALK else f"{found.property}: {'here' if there else 'not yet'}"
