"""Makes `bank.otlp.jsonl` with OpenTelemetry's own SDK and file exporter: two services, a message in transit.

pip install opentelemetry-sdk opentelemetry-exporter-otlp-json-file
python make.py bank.otlp.jsonl
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from opentelemetry.exporter.otlp.json.file import FileSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.trace import Link, SpanContext, SpanKind

SEND, ACCEPT, OTHER = SpanKind.PRODUCER, SpanKind.CONSUMER, SpanKind.INTERNAL


def main(path: str) -> None:
    """The spans, in the order in which they happen."""
    Path(path).unlink(missing_ok=True)
    with Path(path).open("a", encoding="utf-8") as file:
        services = {}
        for name in ("orders", "payments"):
            provider = TracerProvider(resource=Resource.create({"service.name": name}))
            provider.add_span_processor(SimpleSpanProcessor(FileSpanExporter(stream=file)))
            services[name] = provider.get_tracer("bank")

        def span(service: str, kind: SpanKind, of: SpanContext | None = None, **said: Any) -> SpanContext:
            links = [Link(of)] if of is not None else []
            attributes = {f"audit.{key}": value for key, value in said.items()}
            with services[service].start_as_current_span(
                f"bank {kind.name}", kind=kind, links=links, attributes=attributes
            ) as made:
                return made.get_span_context()

        span("orders", OTHER, event="start", state=5)
        span("payments", OTHER, event="start", state=0)
        first = span("orders", SEND, message=2, state=3)
        span("payments", ACCEPT, first, state=2)
        second = span("orders", SEND, message=1, state=2)
        span("orders", OTHER, event="record", snapshot="s1")
        marker = span("orders", SEND, marker="s1")
        span("payments", OTHER, event="record", snapshot="s1")
        back = span("payments", SEND, marker="s1")
        span("payments", ACCEPT, second, state=3)
        span("payments", ACCEPT, marker)
        span("orders", ACCEPT, back)
        states, channels = json.dumps({"orders": 2, "payments": 2}), json.dumps({"orders>payments": [1]})
        span("orders", OTHER, event="snapshot", snapshot="s1", states=states, channels=channels)


if __name__ == "__main__":
    main(sys.argv[1])
