"""Failures that happened in production, as small models: each has a shortest trace, and a fixed rule that holds."""

from checker.gallery.incidents import INCIDENTS, Incident, incident
from checker.gallery.run import Shown, run

__all__ = ["INCIDENTS", "Incident", "Shown", "incident", "run"]
