"""Readers of other formats: a course's scripts, logs with vector clocks, spans of OpenTelemetry."""
