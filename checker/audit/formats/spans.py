"""OpenTelemetry spans as JSON (OTLP): a span is an event of the service that made it.

A machine is a resource's `service.name`; its spans count in the order of their start. The attributes `audit.event`,
`audit.state`, `audit.message`, ... of a span are the fields of our own log, objects as they are or as JSON texts. A
producer's span without them is a send, a consumer's an accept: the consumer's span names the producer's as its link, or
as its parent, and so the two are paired; the message is the attribute `messaging.message.id`, or the producer's span. A
span of another kind that says nothing is a step.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from checker.audit.events import NotUnderstood, Place, parsed
from checker.audit.reading import Reading, Unread
from model.errors import InputError

PRODUCER, CONSUMER = (4, "SPAN_KIND_PRODUCER"), (5, "SPAN_KIND_CONSUMER")


class Span(NamedTuple):
    """A span: where it is in the file, whose it is, and what it says."""

    line: int
    machine: str
    start: int
    name: str
    kind: Any
    ids: tuple[str, ...]
    attributes: dict[str, Any]
    text: str


def read(path: Path, reading: Reading) -> None:
    """Add the spans of a file: one JSON object, or one a line."""
    text = path.read_bytes().decode("utf-8", "backslashreplace")
    whole = [(1, text)] if path.name.endswith(".json") else list(enumerate(text.splitlines(), 1))
    spans: list[Span] = []
    for line, part in whole:
        if part.strip():
            try:
                spans += _spans(json.loads(part), line)
            except (ValueError, TypeError, KeyError, AttributeError) as error:
                reading.unread.append(Unread(Place(str(path), line), part[:200], f"no spans ({type(error).__name__})"))
    if not spans and not reading.unread:
        raise InputError(f"log {str(path)!r}: it has no spans")
    by_id = {span.ids[0]: span for span in spans}
    receivers = {other: span for span in spans for other in span.ids[1:] if span.kind in CONSUMER}
    for span in sorted(spans, key=lambda span: span.start):
        try:
            reading.add(*parsed(_said(span, by_id, receivers), Place(str(path), span.line), span.text))
        except NotUnderstood as error:
            reading.unread.append(Unread(Place(str(path), span.line), span.text, str(error)))


def _spans(data: Any, line: int) -> Iterator[Span]:
    """The spans of one export; `ids` are the span's own, then those that it links to, then its parent's."""
    for resource in data["resourceSpans"]:
        machine = _attributes(resource.get("resource", {})).get("service.name", "")
        for scope in resource.get("scopeSpans", []):
            for span in scope.get("spans", []):
                linked = [link["spanId"] for link in span.get("links", [])]
                parent = [span["parentSpanId"]] if span.get("parentSpanId") else []
                yield Span(
                    line,
                    str(machine),
                    int(span.get("startTimeUnixNano", 0)),
                    str(span.get("name", "")),
                    span.get("kind"),
                    (span["spanId"], *linked, *parent),
                    _attributes(span),
                    json.dumps(span)[:400],
                )


def _attributes(of: dict[str, Any]) -> dict[str, Any]:
    return {attribute["key"]: _value(attribute["value"]) for attribute in of.get("attributes", [])}


def _value(value: dict[str, Any]) -> Any:
    """OTLP's AnyValue; whole numbers come as texts."""
    if "intValue" in value:
        return int(value["intValue"])
    if "arrayValue" in value:
        return [_value(item) for item in value["arrayValue"].get("values", [])]
    if "kvlistValue" in value:
        return {item["key"]: _value(item["value"]) for item in value["kvlistValue"].get("values", [])}
    return next(iter(value.values()), None)


def _said(span: Span, by_id: dict[str, Span], receivers: dict[str, Span]) -> dict[str, Any]:
    """The span as a line of our log."""
    fields = {key.removeprefix("audit."): value for key, value in span.attributes.items() if key.startswith("audit.")}
    for name in ("states", "channels"):
        if isinstance(fields.get(name), str):
            fields[name] = _json(fields[name])
    line = {"machine": span.machine, **fields}
    if line.get("event") == "snapshot" or ("event" in line and line["event"] not in ("send", "accept")):
        return line
    if span.kind in PRODUCER or line.get("event") == "send":
        receiver = receivers.get(span.ids[0])
        line.setdefault("to", receiver.machine if receiver else span.attributes.get("messaging.destination.name", "?"))
        return _carried(line, "send", span)
    producer = next((by_id[other] for other in span.ids[1:] if other in by_id and by_id[other].kind in PRODUCER), None)
    if span.kind in CONSUMER or line.get("event") == "accept":
        line.setdefault("from", producer.machine if producer else "?")
        return _carried(line, "accept", producer or span)
    return {"event": "step", **line}


def _json(text: str) -> Any:
    """What most SDKs cannot say otherwise: their attributes hold no objects."""
    try:
        return json.loads(text)
    except ValueError:
        return text


def _carried(line: dict[str, Any], event: str, producer: Span) -> dict[str, Any]:
    """A send or accept of what the producer's span says: its marker, or its message."""
    found = {"event": event, "id": producer.ids[0], **line}
    if "marker" not in found and "message" not in found:
        said = producer.attributes
        key = "marker" if "audit.marker" in said else "message"
        found[key] = said.get(f"audit.{key}", said.get("messaging.message.id", producer.ids[0]))
    return found
