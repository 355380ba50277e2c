"""Running an incident: the rule as it was must fail as it is told, and the fixed one must hold in every respect."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from checker.check import check
from checker.gallery.incidents import Incident
from model.verdict import Outcome, Verdict


@dataclass(frozen=True, slots=True)
class Shown:
    """What was found of an incident: the verdict on the rule as it was, with its trace, and on the fixed one."""

    incident: Incident
    broken: Verdict
    fixed: Verdict

    @property
    def as_told(self) -> bool:
        """Whether the failure was found, and nothing fails once it is fixed."""
        return self.broken.outcome is Outcome.VIOLATED and self.fixed.outcome is Outcome.HOLDS

    def to_json(self) -> dict[str, Any]:
        """The incident and both verdicts as JSON data."""
        from checker.report.data import verdict_json

        told = self.incident
        return {
            "name": told.name,
            "title": told.title,
            "source": told.source,
            "property": told.property,
            "broken": verdict_json(self.broken),
            "fixed": verdict_json(self.fixed),
        }


def run(told: Incident, engine: str = "auto") -> Shown:
    """Check the rule as it was for the incident's property, and the fixed one for every property."""
    broken = check(told.topology, told.program, told.protocol(False), properties=[told.property], engine=engine)
    fixed = check(told.topology, told.program, told.protocol(True), engine=engine)
    return Shown(told, broken, fixed)
