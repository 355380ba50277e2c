"""A second judge of small logs, written from the contract's words alone: it tries every cut there is."""

from __future__ import annotations

from itertools import product
from typing import Any

Line = dict[str, Any]
UNKNOWN = object()


def verdict(lines: list[Line], claim: Line) -> str:
    """The verdict on the claim, all lines being of one run."""
    logs: dict[str, list[Line]] = {}
    for line in lines:
        if line["event"] != "snapshot":
            logs.setdefault(line["machine"], []).append(line)
            for end in ("to", "from"):
                if end in line:
                    logs.setdefault(line[end], [])
    if not logs.keys() <= claim["states"].keys():
        return "incomplete"
    marked = {m: mark(log, claim["snapshot"]) for m, log in logs.items()}
    exact, guessed = False, False
    for positions in product(*(range(len(log) + 1) for log in logs.values())):
        cut = dict(zip(logs, positions, strict=True))
        fit = fits(logs, cut, claim)
        if fit is not None:
            exact, guessed = exact or fit, True
            if cut == marked and fit:
                return "consistent" if claim["states"].keys() == logs.keys() else "incomplete"
    if exact and claim["states"].keys() == logs.keys():
        return "elsewhere"
    return "incomplete" if guessed else "impossible"


def mark(log: list[Line], snapshot: int) -> int | None:
    """Just after the record, or else just before the first accept of the marker."""
    for position, line in enumerate(log):
        if line["event"] == "record" and line["snapshot"] == snapshot:
            return position + 1
    for position, line in enumerate(log):
        if line["event"] == "accept" and line.get("marker") == snapshot:
            return position
    return None


def fits(logs: dict[str, list[Line]], cut: dict[str, int], claim: Line) -> bool | None:
    """Whether the cut is consistent and is the claim: None if not, False if only for want of knowing a state."""
    exact = True
    for machine, log in logs.items():
        held, claimed = state(log, cut[machine]), claim["states"][machine]
        if held is UNKNOWN:
            exact = exact and claimed is None
        elif held != claimed:
            return None
    names = {(a, b) for a in logs for b in logs}
    if any(content and tuple(name.split(">")) not in names for name, content in claim["channels"].items()):
        return None
    for source, destination in names:
        content = transit(logs, cut, source, destination)
        if content != claim["channels"].get(f"{source}>{destination}", []):
            return None
    return exact


def state(log: list[Line], position: int) -> Any:
    """The machine's state at a position in its log, as far as the log says."""
    held: Any = log[0].get("state", UNKNOWN) if log and log[0]["event"] == "start" else UNKNOWN
    for line in log[:position]:
        held = line.get("state", held)
    return held


def transit(logs: dict[str, list[Line]], cut: dict[str, int], source: str, destination: str) -> list[Any] | None:
    """The messages sent and not accepted before the cut; None where one was accepted and not sent before it."""
    sends = [
        (position, line)
        for position, line in enumerate(logs[source])
        if line["event"] == "send" and line["to"] == destination and "message" in line
    ]
    accepts = [
        (position, line)
        for position, line in enumerate(logs[destination])
        if line["event"] == "accept" and line["from"] == source and "message" in line
    ]
    unpaired = list(sends)
    left = [send for send in sends if send[0] < cut[source]]
    for position, accept in accepts:
        send = next((send for send in unpaired if send[1].get("id") == accept.get("id")), None)
        if send is not None:
            unpaired.remove(send)
        if position < cut[destination]:
            if send is None or send not in left:
                return None
            left.remove(send)
    return [line["message"] for _, line in left]
