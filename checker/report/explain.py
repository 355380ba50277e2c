"""Why a property fails on a trace: the engine's reason, completed with which message, sent where, accepted where.

The result is plain JSON data. `kind` and what else the reason had stay as they are; added are `why` (sentences for
people, the first one fit for a caption), `messages` (the offending ones, see `Run.journey_json`), `cut` (per machine
the action in which it recorded), `S0`, `SSS`, `S1` where the snapshot completes, `S0_after` (how many actions
come before S0), and `equivalent` (the run with its white actions first, see `Exchanged.to_json`).
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from checker.report.claims import WITNESSES, evidence
from checker.report.exchange import exchange
from checker.report.names import channel_name, content_name, listed, machine_name, message_name, state_name
from checker.report.run import Run, judged_run
from model.property import Evidence, Reason
from model.protocol import NoSnapshot
from model.trace import Counterexample
from model.values import to_json

Found = tuple[list[int], list[str]]
"""The offending messages, as numbers of lifelines, and sentences."""


def explain(counterexample: Counterexample) -> Reason:
    """The reason completed from the trace, as JSON data."""
    run = judged_run(counterexample)
    reason = {"kind": counterexample.property, **counterexample.explanation}
    explainer = _witness if counterexample.property in WITNESSES else EXPLAINERS[evidence(counterexample)]
    messages, why = explainer(run, reason)
    reason["why"] = why or [f"{reason['kind']}."]
    reason["messages"] = [run.journey_json(number) for number in messages]
    if isinstance(run.system.protocol, NoSnapshot):
        return reason
    reason["cut"] = run.cut_json()
    if run.system.protocol.snapshots > 1:
        reason["snapshot"] = run.snapshot
    if run.cut.start is not None:
        reason.setdefault("S0", to_json(run.cut.start))
        reason["S0_after"] = run.start_event
    if run.sss is not None:
        reason.setdefault("SSS", to_json(run.sss))
        reason.setdefault("S1", to_json(run.end))
    if counterexample.trace.loop is None:
        reason["equivalent"] = exchange(counterexample.trace, run.snapshot).to_json()
    return reason


# -- one message, in words -------------------------------------------------------------------------------------


def _what(run: Run, number: int) -> str:
    return message_name(run.lifelines[number].message)


def _ends(run: Run, number: int) -> tuple[str, str]:
    source, destination = run.system.channels[run.lifelines[number].channel]
    return machine_name(run.system, source), machine_name(run.system, destination)


def _sent(run: Run, number: int) -> str:
    """Who sent it, where and in which colour, and since when."""
    lifeline = run.lifelines[number]
    sender, receiver = _ends(run, number)
    if lifeline.sent is None:
        return f"{_what(run, number)} waits in {channel_name(run.system, lifeline.channel)} from the start"
    recorded = run.recorded[run.system.channels[lifeline.channel][0]]
    red = run.is_red(run.sender(lifeline))
    when = f", red since action {recorded.event + 1}" if red and recorded is not None else ", still white"
    copy = "" if lifeline.copied is None else f" (this is the copy that action {lifeline.copied + 1} made)"
    return f"{sender}{when}, sends {_what(run, number)} to {receiver} in action {lifeline.sent + 1}{copy}"


def _accepted(run: Run, number: int) -> str:
    """Who accepted it, where and in which colour; or what else became of it."""
    lifeline = run.lifelines[number]
    _, receiver = _ends(run, number)
    if lifeline.accepted is not None:
        colour = "red" if run.is_red(run.accepter(lifeline)) else "white"
        return f"{receiver} accepts it in action {lifeline.accepted + 1}, {colour}"
    if lifeline.lost is not None:
        return f"it is lost in action {lifeline.lost + 1}"
    return f"it is still on its way to {receiver} at the end"


def _marker(run: Run, number: int) -> str | None:
    """What became of the marker that should have come before this red message."""
    if not run.system.protocol.marks:
        return None
    lifeline = run.lifelines[number]
    channel = channel_name(run.system, lifeline.channel)
    before = [
        marker
        for marker in run.lifelines
        if marker.channel == lifeline.channel
        and marker.message.control
        and (marker.sent if marker.sent is not None else -1) <= (lifeline.sent if lifeline.sent is not None else -1)
    ]
    if not before:
        return f"No marker had been put on {channel} before it."
    marker = before[-1]
    sent = "" if marker.sent is None else f", sent in action {marker.sent + 1},"
    if marker.lost is not None:
        return f"The marker before it on {channel}{sent} is lost in action {marker.lost + 1}."
    arrived = lifeline.accepted if lifeline.accepted is not None else len(run.trace.events)
    if marker.accepted is None or marker.accepted > arrived:
        return f"It overtakes the marker on {channel}{sent} which should have turned {_ends(run, number)[1]} red first."
    return None


# -- by what shows that a property fails ------------------------------------------------------------------------


def _anything(run: Run, reason: Reason) -> Found:
    read = reason.get("read")
    told = [f"read there: {values_read(read)}."] if isinstance(read, dict) and read else []
    return [], [f"{reason['kind']}.", *told, *_states(run)]


def values_read(read: dict[str, Any]) -> str:
    """The values that a claim of one's own read, in one line."""
    return ", ".join(f"{name} = {json.dumps(value)}" for name, value in read.items())


def _states(run: Run) -> list[str]:
    """S0, SSS and S1 in words, where the snapshot completes."""
    if run.sss is None or run.cut.start is None:
        return []
    view, system = run.system.view, run.system
    return [
        f"S0, just before the first machine turns red: {state_name(system, view(run.cut.start))}.",
        f"SSS, as recorded: {state_name(system, run.sss)}.",
        f"S1, the state at the end: {state_name(system, view(run.end))}.",
    ]


def _red_in_white(run: Run, reason: Reason) -> Found:
    found = run.backward()
    last = [n for n in found if run.lifelines[n].accepted == len(run.trace.events) - 1] or found[:1]
    why = [f"{_sent(run, n)}; {_accepted(run, n)}." for n in last]
    return last, why + [text for n in last if (text := _marker(run, n)) is not None]


def _inconsistent(run: Run, reason: Reason) -> Found:
    found = run.backward()
    why = []
    for number in found:
        sender, receiver = _ends(run, number)
        why.append(f"{_sent(run, number)}; {_accepted(run, number)}.")
        why.append(f"So what {receiver} records has the accept, and what {sender} records has not the send.")
        why += filter(None, [_marker(run, number)])
    return found, why


def _two_markers(run: Run, reason: Reason) -> Found:
    channel: int = reason.get("channel", -1)
    if channel not in range(len(run.system.channels)):
        return _anything(run, reason)
    markers = [n for n, j in enumerate(run.lifelines) if j.channel == channel and j.message.control]
    sent = [run.lifelines[n] for n in markers]
    words = [
        f"in action {j.copied + 1} (a copy)"
        if j.copied is not None
        else f"in action {j.sent + 1}"
        if j.sent is not None
        else "at the start"
        for j in sent
    ]
    name = channel_name(run.system, channel)
    return markers, [f"{name} is given a marker {listed(words)}."] if words else [f"{reason['kind']}: {name}."]


def _not_conserved(run: Run, reason: Reason) -> Found:
    why = [f"{_capital(reason['kind'])}."]
    if run.sss is None or "SSS" not in reason["kind"]:
        faults = [f"{e.name} (action {n + 1})" for n, e in enumerate(run.trace.events) if e.fault is not None]
        return [], why + ([f"What changed it: {listed(faults)}."] if faults else [])
    twice = [n for n in run.backward() if run.system.program.carried(run.lifelines[n].message.payload)]
    for number in twice:
        why.append(f"Counted twice: {_sent(run, number)}; {_accepted(run, number)}.")
        why += filter(None, [_marker(run, number)])
    wrong, more = _wrong_channels(run)
    return twice + wrong, why + more + [f"SSS, as recorded: {state_name(run.system, run.sss)}."]


def _wrong_channels(run: Run) -> Found:
    """The channels that are not recorded as they were at the cut, and the messages that make the difference."""
    messages, why = [], []
    assert run.sss is not None
    for channel, (recorded, sent) in enumerate(zip(run.sss.channels, run.cut.sent, strict=True)):
        if recorded == sent:
            continue
        name = channel_name(run.system, channel)
        found, was = content_name(recorded) if recorded else "empty", content_name(sent) if sent else "nothing"
        why.append(f"{name} is recorded as {found}, but in transit at the cut was {was}.")
        late = run.late(channel) if len(recorded) > len(sent) else []
        for number in run.crossing(channel) + late:
            messages.append(number)
            why.append(f"{_sent(run, number)}; {_accepted(run, number)}.")
            why += filter(None, [_overtaken(run, number)])
    return messages, why


def _overtaken(run: Run, number: int) -> str | None:
    """Whether a marker sent after this white message arrived before it, and so closed the channel's record."""
    lifeline = run.lifelines[number]
    end = len(run.trace.events)
    for marker in run.lifelines:
        later = marker.message.control and marker.channel == lifeline.channel and marker.accepted is not None
        if later and (marker.sent or 0) > (lifeline.sent or 0) and (marker.accepted or 0) < (lifeline.ended or end):
            sent, accepted = (marker.sent or 0) + 1, (marker.accepted or 0) + 1
            return f"The marker sent behind it in action {sent} arrives first, in action {accepted}."
    return None


def _channels_differ(run: Run, reason: Reason) -> Found:
    return _wrong_channels(run) if run.sss is not None else ([], [])


def _unreachable(run: Run, reason: Reason) -> Found:
    back = run.backward()
    wrong, more = _wrong_channels(run) if run.sss is not None else ([], [])
    crossed = [f"{_sent(run, n)}; {_accepted(run, n)}." for n in back]
    return back + wrong, [f"{reason['kind']} in the underlying computation.", *crossed, *more, *_states(run)]


def _not_equivalent(run: Run, reason: Reason) -> Found:
    exchanged = exchange(run.trace, run.snapshot)
    order = " ".join(str(n + 1) for n in exchanged.reordered)
    many = {0: "no inversion", 1: "1 inversion"}.get(exchanged.inversions, f"{exchanged.inversions} inversions")
    moved = f"; with its white actions first the order is {order}" if exchanged.inversions else ""
    why = [f"The run has {many} (a red action before a white one){moved}."]
    if exchanged.fails is not None:
        why.append(f"There action {exchanged.reordered[exchanged.fails] + 1} cannot happen: {exchanged.why}.")
        return run.backward(), why
    if exchanged.between is None or run.sss is None:
        return [], [*why, f"{reason['kind']}."]
    between = run.system.view(exchanged.between)
    why.append(f"After its white actions it is in: {state_name(run.system, between)}.")
    why.append(f"But recorded is SSS: {state_name(run.system, run.sss)}.")
    wrong, more = _wrong_channels(run)
    return wrong, why + more


def _unfinished(run: Run, reason: Reason) -> Found:
    """Who is still white, who still waits for which channel, and what became of the markers."""
    system, end = run.system, run.states[-1]
    why = [f"{_capital(reason['kind'])}."]
    white = [machine_name(system, m) for m, local in enumerate(end.machines) if not local.red >> run.snapshot & 1]
    if white:
        why.append(f"Still white: {listed(white)}.")
    unreached = set(range(len(end.machines))) - system.topology.reachable_from(system.protocol.initiators)
    if unreached:
        names = listed([machine_name(system, m) for m in sorted(unreached)])
        why.append(f"No chain of channels leads from an initiator to {names}.")
    for machine, local in enumerate(end.machines):
        open_channels = [c for c in system.topology.inputs[machine] if not system.protocol.closed(machine, local, c)]
        if system.protocol.marks and local.red and open_channels:
            names = listed([channel_name(system, c) for c in open_channels])
            why.append(f"{machine_name(system, machine)} waits for a marker on {names}.")
        if local.crashed:
            why.append(f"{machine_name(system, machine)} crashed.")
    lost = [n for n, lifeline in enumerate(run.lifelines) if lifeline.lost is not None]
    for number in lost:
        where = channel_name(system, run.lifelines[number].channel)
        why.append(f"The {_what(run, number)} on {where} is lost in action {(run.lifelines[number].lost or 0) + 1}.")
    return lost, why


def _witness(run: Run, reason: Reason) -> Found:
    crossing = run.crossing()
    told = [f"{_sent(run, n)}; {_accepted(run, n)}: it crosses the cut." for n in crossing]
    return crossing, ["The snapshot is complete.", *told, *_states(run)]


EXPLAINERS: dict[Evidence, Callable[[Run, Reason], Found]] = {
    Evidence.RED_ACCEPTED: _red_in_white,
    Evidence.MARKERS: _two_markers,
    Evidence.AMOUNT: _not_conserved,
    Evidence.CROSSING: _inconsistent,
    Evidence.CHANNELS: _channels_differ,
    Evidence.STATES: _unreachable,
    Evidence.ORDER: _not_equivalent,
    Evidence.UNFINISHED: _unfinished,
    Evidence.READ: _anything,
}


def sentences(explanation: dict[str, Any]) -> list[str]:
    """The sentences of an explanation, each beginning with a capital."""
    return list(map(_capital, explanation["why"]))


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
