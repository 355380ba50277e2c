"""The manifest as data: systems with the figures that every engine must give (tests/manifest.toml)."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from checker.topologies import parse
from model.catalogue import build_system
from model.system import System
from model.verdict import Outcome, Verdict


@dataclass(frozen=True, eq=False)
class Entry:
    """One system and what is known of it."""

    topology: str
    program: str
    protocol: str
    verdict: str
    states: int
    transitions: int
    depth: int
    underlying_states: int
    snapshots: int
    interleavings: str
    initiators: str = "0"
    relax: str = ""
    source: str = ""
    violated: dict[str, int] = field(default_factory=dict)
    vacuous: tuple[str, ...] = ()

    def __str__(self) -> str:
        return " ".join(filter(None, (self.topology, self.program, self.protocol, self.initiators, self.relax)))

    def system(self) -> System:
        """The system itself."""
        (topology,) = parse(self.topology)
        return build_system(topology, self.program, self.protocol, self.initiators, self.relax)


def entries(most_states: int | None = None) -> list[Entry]:
    """The manifest's systems, in their order; only those of at most `most_states` states."""
    data = tomllib.loads(Path(__file__).with_name("manifest.toml").read_text(encoding="utf-8"))
    found = [Entry(**{**row, "vacuous": tuple(row.get("vacuous", ()))}) for row in data["system"]]
    return [entry for entry in found if most_states is None or entry.states <= most_states]


def figures(verdict: Verdict) -> dict[str, Any]:
    """What a verdict says, in the manifest's words."""
    counts = verdict.counts
    return {
        "verdict": verdict.outcome.value,
        "states": counts.states,
        "transitions": counts.transitions,
        "depth": counts.depth,
        "underlying_states": counts.underlying_states,
        "snapshots": counts.snapshots,
        "interleavings": str(counts.interleavings),
        "violated": {p.name: p.length for p in verdict.properties if p.outcome is Outcome.VIOLATED},
        "vacuous": tuple(p.name for p in verdict.properties if p.outcome is Outcome.VACUOUS),
    }


def expected(entry: Entry) -> dict[str, Any]:
    """What the manifest says of the system, in the same words."""
    return {key: getattr(entry, key) for key in figures_keys}


figures_keys = (
    "verdict",
    "states",
    "transitions",
    "depth",
    "underlying_states",
    "snapshots",
    "interleavings",
    "violated",
    "vacuous",
)
