"""Logs for tests: the real ones, how to write one, and small random histories with claims about them."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from checker.audit.events import Place
from checker.audit.judging import judged
from checker.audit.reading import Reading, read_line
from tests.audit import brute_force

LOGS = Path(__file__).parents[1] / "data" / "logs"
REAL = ("sound", "announces-early", "loses", "logged-twice")
VERDICTS = {(True, True): "consistent", (False, True): "elsewhere", (False, False): "impossible"}

Line = dict[str, Any]


def expected(name: str) -> dict[str, list[tuple[Any, str]]]:
    """What the independent judge found: run -> (snapshot, verdict) in the order of the log."""
    found = json.loads((LOGS / f"{name}.expected.json").read_text())
    return {
        run: [(claim["snapshot"], VERDICTS[claim["marked"], claim["matches"]]) for claim in claims]
        for run, claims in found.items()
    }


def written(path: Path, lines: Iterable[Line]) -> Path:
    """The lines as a log file."""
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def reading(lines: Iterable[Line | str]) -> Reading:
    """What is read from these lines."""
    found = Reading()
    for number, line in enumerate(lines, 1):
        text = line if isinstance(line, str) else json.dumps(line)
        read_line(found, Place("log", number), text.encode())
    return found


def verdicts(lines: Iterable[Line | str], once: bool = False) -> list[tuple[str, str, str]]:
    """(run, snapshot, verdict) of everything judged."""
    found = []
    for run, history in sorted(reading(lines).histories.items()):
        if once:
            history.once()
        found += [(run, j.snapshot, j.verdict) for j in judged(history)]
    return found


@st.composite
def small_logs(draw: st.DrawFn, claims: int = 2) -> list[Line]:
    """The log of up to three machines: a run with FIFO or not, lines dropped and doubled, markers, claims near cuts."""
    names = ["A", "B", "C"][: draw(st.integers(2, 3))]
    ids, states = draw(st.booleans()), st.integers(0, 2)
    lines: list[Line] = [{"machine": m, "event": "start", "state": draw(states)} for m in names if draw(st.booleans())]
    transit: dict[tuple[str, str], list[Line]] = {}
    for number in range(draw(st.integers(0, 12))):
        machine, other = draw(st.permutations(names))[:2]
        waiting = transit.setdefault((other, machine), [])
        kind = draw(st.sampled_from(["send", "accept", "accept", "step", "record", "marker", "hear"]))
        line: Line = {"machine": machine}
        if kind == "send":
            line |= {"event": "send", "to": other, "message": draw(states)} | ({"id": number} if ids else {})
            transit.setdefault((machine, other), []).append(line)
        elif kind == "accept" and waiting:
            sent = waiting.pop(draw(st.integers(0, len(waiting) - 1)) if ids else 0)
            line |= {"event": "accept", "from": other} | {k: sent[k] for k in ("message", "id") if k in sent}
        elif kind == "record":
            line |= {"event": "record", "snapshot": draw(st.integers(0, 1))}
        elif kind == "marker":
            line |= {"event": "send", "to": other, "marker": draw(st.integers(0, 1))}
        elif kind == "hear":
            line |= {"event": "accept", "from": other, "marker": draw(st.integers(0, 1))}
        else:
            line |= {"event": "step"}
        if draw(st.booleans()):
            line["state"] = draw(states)
        lines += [line] * draw(st.sampled_from([1] * 8 + [0, 2]))
    return lines + [draw(_claims(lines, names, snapshot)) for snapshot in range(claims)]


@st.composite
def _claims(draw: st.DrawFn, lines: list[Line], names: list[str], snapshot: int) -> Line:
    """A claim of the cut marked or any other, as it is or with one thing changed."""
    logs = {machine: [line for line in lines if line["machine"] == machine] for machine in names}
    cut = {}
    for machine, log in logs.items():
        marked = brute_force.mark(log, snapshot)
        anywhere = marked is None or draw(st.sampled_from([True, False, False]))
        cut[machine] = draw(st.integers(0, len(log))) if anywhere else marked
    states = {machine: brute_force.state(log, cut[machine]) for machine, log in logs.items()}
    states = {machine: 0 if state is brute_force.UNKNOWN else state for machine, state in states.items()}
    channels = {f"{a}>{b}": brute_force.transit(logs, cut, a, b) or [] for a in names for b in names if a != b}
    change, machine, value = draw(st.integers(0, 7)), draw(st.sampled_from(names)), draw(st.integers(0, 2))
    if change == 0:
        states[machine] = value
    elif change == 1:
        del states[machine]
    elif change == 2:
        states["Z"] = value
    elif change == 3:
        channels[draw(st.sampled_from(sorted(channels)))].append(value)
    elif change == 4:
        channels.pop(draw(st.sampled_from(sorted(channels))))
    elif change == 5:
        states[machine] = None
    return {"event": "snapshot", "snapshot": snapshot, "states": states, "channels": channels}
