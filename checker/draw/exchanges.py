"""What the page needs to animate Dijkstra's exchanges: the run's underlying events, its messages, and which exchanges.

The script moves events to their places, one exchange at a time, and draws each message from where it is sent to where
it is accepted: while the order is a run of the system, no arrow goes back in time.
"""

from __future__ import annotations

from typing import Any

from checker.report.exchange import exchange
from checker.report.names import machine_name, message_name, state_name
from checker.report.run import Run
from checker.report.words import lines
from model.action import Event
from model.program import Underlying


def exchange_data(run: Run) -> dict[str, Any]:
    """The events by name and colour, the messages between them, the exchanges, and SSS beside the state between.

    Lanes are machines, numbered from 0 from above; a fault is between the lanes of the channel that it strikes.
    """
    exchanged = exchange(run.trace, run.snapshot)
    happened = lines(run.system, run.states, run.trace.events, run.snapshot)
    red = dict(zip(exchanged.order, exchanged.red, strict=True))
    events = {}
    for number in exchanged.order:
        machine = happened[number].machine
        who = "" if machine is None else f"{machine_name(run.system, machine)}: "
        event = run.trace.events[number]
        events[number] = {
            "words": who + happened[number].words,
            "red": red[number],
            "lanes": _lanes(run, event),
            "fault": event.fault is not None,
        }
    between, recorded = _viewed(run, exchanged.between), run.sss
    return {
        "machines": [machine_name(run.system, m) for m in range(run.system.topology.machines)],
        "order": list(exchanged.order),
        "events": events,
        "messages": _messages(run, set(events)),
        "exchanges": list(exchanged.exchanges),
        "fails": exchanged.fails,
        "why": exchanged.why,
        "between": None if between is None else state_name(run.system, between),
        "sss": None if recorded is None else state_name(run.system, recorded),
        "whites": exchanged.red.count(False),
    }


def _viewed(run: Run, state: Underlying | None) -> Underlying | None:
    """The part of a state that a snapshot records."""
    return None if state is None else run.system.view(state)


def _lanes(run: Run, event: Event) -> list[float]:
    if event.fault is not None and event.fault.channel is not None:
        return [sum(run.system.channels[event.fault.channel]) / 2]
    return [float(move.machine) for move in event.moves]


def _messages(run: Run, shown: set[int]) -> list[dict[str, Any]]:
    """Each message of the program from (event, lane) to (event, lane); no event: from the start, or to the end."""
    found = []
    for lifeline in run.lifelines:
        if lifeline.message.control:
            continue
        source, destination = map(float, run.system.channels[lifeline.channel])
        middle = (source + destination) / 2
        start = (lifeline.sent, source) if lifeline.copied is None else (lifeline.copied, middle)
        end = (lifeline.ended, middle if lifeline.accepted is None else destination)
        if not {start[0], end[0]} - {None} <= shown:
            continue
        red = bool(lifeline.message.red >> run.snapshot & 1)
        found.append({"from": start, "to": end, "red": red, "name": message_name(lifeline.message)})
    return found
