"""Which protocol keeps which property under which relaxation: one cell for each, over all the topologies given."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from checker.engines import suited
from checker.engines.search_options import SearchOptions
from checker.sweep.batch_jobs import NOT_APPLICABLE, SKIPPED, Job, Result, checked_words, judging
from checker.topologies import parse
from model.errors import InputError
from model.properties import PROPERTIES
from model.property import Property
from model.topology import Topology

PROTOCOLS = (
    "marker",
    "magic",
    "simultaneous",
    "observer",
    "observer,literal=true",
    "laiyang",
    "late-marker",
    "lazy-marker",
    "late-record",
    "missing-marker",
    "no-channel-state",
    "keep-recording",
    "overwrite",
    "early-complete",
    "duplicate-log",
)
RELAXATIONS = (
    "",
    "fifo",
    "overtake:1",
    "loss:1",
    "duplication:1",
    "marker-loss:1",
    "marker-duplication:1",
    "crash:1",
)
TOPOLOGIES = ("strong:1", "strong:2", "strong:3")
PROGRAM = "transfer,s=1-1-0"
"""What is tabulated unless asked otherwise. The program's lists are cut to the machines of each topology; that the
third machine only accepts keeps all of it within minutes."""


@dataclass(frozen=True, slots=True)
class Cell:
    """What holds of one property under one protocol and relaxation, over all topologies.

    outcome: violated if it is on any; else unknown if a bound was met on any; else vacuous if on any where it applies;
    else holds; not applicable if nowhere. smallest: the topology of fewest machines, then fewest channels, on which it
    is violated, and length that of the shortest violation there; on larger ones it is not judged again. outcomes: how
    many topologies gave which.
    """

    protocol: str
    relax: str
    property: str
    outcome: str
    length: int | None
    smallest: Topology | None
    outcomes: tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class Matrix:
    """All cells, by protocol, relaxation and property in the order given; `cut`: the systems on which a bound was met.

    `seconds` is the time it took, `states` the sum over all systems; `whole` is False after an interrupt. `claims`:
    what the user's own properties claim, by name.
    """

    topologies: tuple[Topology, ...]
    program: str
    initiators: str
    properties: tuple[str, ...]
    cells: tuple[Cell, ...]
    cut: tuple[tuple[Job, str], ...]
    systems: int
    states: int
    seconds: float
    whole: bool = True
    claims: tuple[tuple[str, str], ...] = ()

    def to_json(self) -> dict[str, Any]:
        """The matrix as JSON data."""
        return {
            "topologies": [_topology_json(t) for t in self.topologies],
            "program": self.program,
            "initiators": self.initiators,
            "systems": self.systems,
            "states": self.states,
            "seconds": round(self.seconds, 3),
            "coverage": "exhaustive" if self.whole and not self.cut else "bounded",
            "bounds_met": [
                {"topology": job.topology.name, "protocol": job.protocol, "relax": job.relax, "why": why}
                for job, why in self.cut
            ],
            "claims": dict(self.claims),
            "cells": [_cell_json(cell) for cell in self.cells],
        }


def topologies(texts: Sequence[str]) -> tuple[Topology, ...]:
    """The topologies that the words name, smallest first; `InputError` if there are none."""
    found = [topology for text in texts for topology in parse(text)]
    if not found:
        raise InputError("no topology: name at least one, such as strong:3")
    return tuple(sorted(found, key=lambda t: (t.machines, len(t.channels))))


def matrix(
    where: Sequence[str] = TOPOLOGIES,
    program: str = PROGRAM,
    protocols: Sequence[str] = PROTOCOLS,
    relaxations: Sequence[str] = RELAXATIONS,
    properties: Sequence[str | Property] = (),
    *,
    initiators: str = "0",
    engine: str = "auto",
    options: SearchOptions | None = None,
    workers: int = 1,
    progress: Callable[[int, int], None] = lambda done, of: None,
) -> Matrix:
    """The matrix of all protocols and relaxations (`relaxations` are lists as `--relax` takes them).

    `properties` may be one's own; `options` are those of each single system. `progress(done, of)` counts systems. A
    keyboard interrupt gives the matrix of what was judged until then.
    """
    started = time.monotonic()
    asked = checked_words(program, protocols, relaxations, properties)
    suited(engine, options or SearchOptions())
    graphs = topologies(where)
    rows = [
        [
            Job(graph, program, protocol, initiators, relax, tuple(properties), engine, options or SearchOptions())
            for graph in graphs
        ]
        for protocol in protocols
        for relax in relaxations
    ]
    results: list[Result] = []
    try:
        with judging(workers, properties) as judge:
            for row in judge(rows):
                results += row
                progress(len(results), len(rows) * len(graphs))
    except KeyboardInterrupt:
        pass
    if all(result.refused is not None for result in results) and results:
        raise InputError(results[0].refused or "")
    names = _columns(results, asked)
    cells = [
        _cell([r for r in results if r.job.protocol == protocol and r.job.relax == relax], protocol, relax, name)
        for protocol in protocols
        for relax in relaxations
        for name in names
    ]
    return Matrix(
        graphs,
        program,
        initiators,
        names,
        tuple(cells),
        tuple((r.job, r.cut) for r in results if r.cut is not None),
        len(results),
        sum(r.states for r in results),
        time.monotonic() - started,
        len(results) == len(rows) * len(graphs),
        tuple((p.name, p.claim) for p in asked if p.name not in PROPERTIES),
    )


def _columns(results: Sequence[Result], asked: Sequence[Property]) -> tuple[str, ...]:
    """The catalogue's in its order, then one's own as they were asked for."""
    names = [p.name for p in asked]
    seen = {f.property for r in results for f in r.property_results}.union(names)
    return tuple(name for name in PROPERTIES if name in seen) + tuple(n for n in names if n not in PROPERTIES)


def _cell(results: Sequence[Result], protocol: str, relax: str, name: str) -> Cell:
    """The cell over the topologies judged; results come smallest topology first."""
    found = [(result, result.of(name)) for result in results]
    outcomes = Counter(finding.outcome for _, finding in found)
    order = ("violated", "unknown", "vacuous", "holds", NOT_APPLICABLE, SKIPPED)
    outcome = next((word for word in order if outcomes[word]), "unknown")
    topology, length = next(((r.job.topology, f.length) for r, f in found if f.outcome == "violated"), (None, None))
    counted = tuple((word, outcomes[word]) for word in order if outcomes[word])
    return Cell(protocol, relax, name, outcome, length, topology, counted)


def _topology_json(topology: Topology) -> dict[str, Any]:
    return {"name": topology.name, "machines": topology.machines, "channels": [list(c) for c in topology.channels]}


def _cell_json(cell: Cell) -> dict[str, Any]:
    return {
        "protocol": cell.protocol,
        "relax": cell.relax,
        "property": cell.property,
        "outcome": cell.outcome,
        "length": cell.length,
        "smallest": _topology_json(cell.smallest) if cell.smallest is not None else None,
        "outcomes": dict(cell.outcomes),
    }
