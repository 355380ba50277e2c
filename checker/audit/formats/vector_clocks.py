"""Logs of ShiViz and GoVector: events with vector clocks, from which the messages follow.

The first line is the log's own regular expression, as ShiViz wants it, with the groups host, clock and event; the
second may be the delimiter of several runs. A log that begins otherwise is as GoVector writes it (host and clock, then
the event on a line of its own) or as ShiViz expects without an expression (the event first). An event's text that is a
JSON object says what ours do: `{"event": "record", "snapshot": 0}`, `{"state": 7}`, and `{"marker": 0}` where it sends
or accepts a marker; any other text is a step. An event whose clock has learnt of others accepts a message: from the one
whose event of that number knew all the rest, sent in that event.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from checker.audit.events import NotUnderstood, Place, parsed
from checker.audit.reading import Reading, Unread
from model.errors import InputError

GOVECTOR = r"(?<host>\S*) (?<clock>{.*})\s*\n(?<event>.*)"
PLAIN = r"(?<event>.*)\n(?<host>\S*) (?<clock>{.*})"
DELIMITER = r"=== (?<trace>.*) ==="
"""What stands for the first two lines in logs without them."""
Clock = dict[str, int]
EventName = tuple[str, str, int]
"""What names an event: its run, its host, its number there."""


class Stamped(NamedTuple):
    """One event: `place` is the line that it begins on."""

    place: int
    run: str
    host: str
    clock: Clock
    text: str


def read(path: Path, reading: Reading) -> None:
    """Add the events of a file, and what of it is no event."""
    text = path.read_bytes().decode("utf-8", "backslashreplace")
    first, _, rest = text.partition("\n")
    second, _, body = rest.partition("\n")
    start = len(text) - len(body)
    if "(?" not in first:
        govector = re.match(r"\S+ {.*}\s*$", first)
        first, second, start = GOVECTOR if govector else PLAIN, DELIMITER, 0
    events = list(_events(Source(str(path), text, start), _pattern(path, first), second.strip(), reading))
    of = {(event.run, event.host, event.clock.get(event.host, 0)): event for event in events}
    known: dict[tuple[str, str], Clock] = {}
    sends: dict[EventName, list[str]] = {}
    accepts: dict[EventName, str] = {}
    for event in events:
        before = known.get((event.run, event.host), {})
        learnt = {h: n for h, n in event.clock.items() if h != event.host and n > before.get(h, 0)}
        sender = next((h for h, n in learnt.items() if _knew(of.get((event.run, h, n)), learnt)), None)
        known[event.run, event.host] = event.clock
        if sender is not None:
            accepts[_key(event)] = sender
            sends.setdefault(_key(of[event.run, sender, learnt[sender]]), []).append(event.host)
        elif learnt:
            why = f"its clock knows {learnt}, and no event does"
            reading.unread.append(Unread(Place(str(path), event.place), event.text, why))
    for event in events:
        for line in _lines(event, accepts.get(_key(event)), sends.get(_key(event), [])):
            _add(reading, Place(str(path), event.place), event.text, line)


def _key(event: Stamped) -> EventName:
    return event.run, event.host, event.clock.get(event.host, 0)


def _knew(event: Stamped | None, learnt: Clock) -> bool:
    """Whether an event knew all that was learnt from it."""
    return event is not None and all(event.clock.get(host, 0) >= number for host, number in learnt.items())


def _pattern(path: Path, text: str) -> re.Pattern[str]:
    """The log's regular expression."""
    pattern = _expression(str(path), text.strip())
    if not {"host", "clock", "event"} <= pattern.groupindex.keys():
        raise InputError(f"log {str(path)!r}: its first line has no groups (?<host>), (?<clock>) and (?<event>)")
    return pattern


def _expression(path: str, text: str) -> re.Pattern[str]:
    """A regular expression, which is written as JavaScript writes it."""
    try:
        return re.compile(re.sub(r"\(\?<(?![=!])", "(?P<", text), re.MULTILINE)
    except re.error as error:
        raise InputError(f"log {path!r}: {text[:80]!r} is no regular expression ({error})") from None


class Source(NamedTuple):
    """A file's text; `start`: where its events begin."""

    path: str
    text: str
    start: int

    def line(self, offset: int) -> int:
        """The number of the line that an offset is on."""
        return self.text.count("\n", 0, offset) + 1


def _events(source: Source, pattern: re.Pattern[str], delimiter: str, reading: Reading) -> Iterator[Stamped]:
    """What the expression matches, run by run; whatever stands between matches is not understood."""
    for run, start, end in _runs(source, delimiter):
        place, before = source.line(start), start
        for match in pattern.finditer(source.text, start, end):
            _between(source, before, match.start(), reading)
            place += source.text.count("\n", before, match.start())
            try:
                clock = json.loads(match["clock"])
                if not all(type(number) is int for number in clock.values()):
                    raise ValueError
                yield Stamped(place, run, match["host"], clock, match["event"])
            except (ValueError, AttributeError):
                reading.unread.append(Unread(Place(source.path, place), match[0], "its clock is no object of numbers"))
            place += source.text.count("\n", match.start(), match.end())
            before = match.end()
        _between(source, before, end, reading)


def _runs(source: Source, delimiter: str) -> Iterator[tuple[str, int, int]]:
    """The runs by what their delimiter calls them or by number, and from where to where they are."""
    found = (
        [] if not delimiter else list(_expression(source.path, f"^{delimiter}$").finditer(source.text, source.start))
    )
    ends = [*(match.start() for match in found), len(source.text)]
    if not found or source.text[source.start : ends[0]].strip():
        yield "0" if found else "", source.start, ends[0]
    for number, match in enumerate(found, 1):
        yield match.groupdict().get("trace") or str(number), match.end(), ends[number]


def _between(source: Source, start: int, end: int, reading: Reading) -> None:
    if source.text[start:end].strip():
        for number, line in enumerate(source.text[start:end].split("\n"), source.line(start)):
            if line.strip():
                place = Place(source.path, number)
                reading.unread.append(Unread(place, line, "the log's own expression does not match it"))


def _lines(event: Stamped, sender: str | None, receivers: list[str]) -> Iterator[dict[str, Any]]:
    """What the event is in our words: the accept, what it says of itself, the sends."""
    said: dict[str, Any] = {}
    if event.text.strip().startswith("{"):
        try:
            said = json.loads(event.text)
        except ValueError:
            said = {"event": event.text}  # refused by name
    common = {"run": event.run, "machine": event.host}
    pair = f"{sender} {event.clock.get(sender, 0)}" if sender is not None else ""
    own = f"{event.host} {event.clock.get(event.host, 0)}"
    marker = {"marker": said["marker"]} if "marker" in said else None
    carried = []
    if sender is not None:
        carried.append({**common, "event": "accept", "from": sender, **(marker or {"message": pair, "id": pair})})
    carried += [{**common, "event": "send", "to": to, **(marker or {"message": own, "id": own})} for to in receivers]
    if "event" in said:
        yield {**common, **said}
    elif "state" in said or not carried:
        carried = carried or [{**common, "event": "step"}]
        carried[-1] |= {"state": said["state"]} if "state" in said else {}
    yield from carried


def _add(reading: Reading, place: Place, text: str, line: dict[str, Any]) -> None:
    try:
        reading.add(*parsed(line, place, text))
    except NotUnderstood as error:
        reading.unread.append(Unread(place, text, str(error)))
