"""An experiment: a TOML file that stands for a table of systems, each to be checked within its own bounds.

name = "matrix"                     # names the results
title = "..."                       # optional, for the report
engine = "auto"                     # optional; traces = false leaves counterexamples out
[bounds]                            # optional, per system: max_states, max_depth, timeout (seconds)
max_states = 1_000_000
[[systems]]                         # one or more: all combinations of
topologies = ["strong:3", "ring:4"]
programs = ["free,s=1"]             # default transfer
protocols = ["marker", "laiyang"]   # default marker
relax = ["none", "fifo"]            # default none; "overtake:1@each": one channel after another
initiators = ["0"]                  # default 0; "orbits": one machine of each orbit of the symmetry group
properties = ["reachable"]          # default all that apply; FILE.py:NAME: one's own; bounds may be given here too
"""

from __future__ import annotations

import hashlib
import json
import tomllib
from dataclasses import asdict, dataclass, field
from itertools import product
from pathlib import Path
from typing import Any

from checker.engines import engine as engine_named
from checker.engines.search_options import SearchOptions
from checker.sweep.cost import estimated_states
from checker.topologies import machine_orbits, parse
from model.assumptions import parse_relaxations
from model.catalogue import PROGRAMS, PROTOCOLS, RECORDED, find, parse_initiators
from model.errors import InputError, like
from model.program import Program
from model.properties import find_property
from model.protocol import Protocol
from model.reading import read_text
from model.topology import Topology

TOP = ("name", "title", "engine", "traces", "bounds", "systems")
GROUP = ("topologies", "programs", "protocols", "relax", "initiators", "properties", "bounds")
BOUNDS: dict[str, tuple[type, ...]] = {"max_states": (int,), "max_depth": (int,), "timeout": (int, float)}
ORBITS = "orbits"
ALIKE_PROGRAMS = ("transfer", "free", "token", "diffusing")
ALIKE_PROTOCOLS = ("marker", "laiyang", "magic", "late-marker", "lazy-marker", "late-record", "no-channel-state")
"""What treats all machines alike, up to their initial states: only there do orbits stand for all initiators."""


@dataclass(frozen=True, slots=True)
class SystemRow:
    """One system of the table: words that build it, its bounds, and the number of states it is thought to have."""

    topology: str
    machines: int
    channels: tuple[tuple[int, int], ...]
    program: str
    protocol: str
    relax: str
    initiators: str
    properties: tuple[str, ...] = ()
    engine: str = "auto"
    max_states: int | None = None
    max_depth: int | None = None
    timeout: float | None = None
    traces: bool = True
    cost: float = field(default=0.0, compare=False)

    @property
    def id(self) -> str:
        """A name for what is checked, the same in every run: a digest of all but the topology's name and the cost."""
        words = {k: v for k, v in asdict(self).items() if k not in ("topology", "cost")}
        return hashlib.sha256(json.dumps(words, sort_keys=True).encode()).hexdigest()[:16]

    @property
    def bounds(self) -> SearchOptions:
        """The bounds of the check."""
        return SearchOptions(self.max_states, self.max_depth, self.timeout)

    def build(self) -> Topology:
        """The topology itself."""
        return Topology(self.machines, self.channels, self.topology)


@dataclass(frozen=True, slots=True)
class Experiment:
    """A named table of systems, costliest first; `digest` tells one experiment from another."""

    name: str
    title: str
    systems: tuple[SystemRow, ...]

    @property
    def digest(self) -> str:
        """A digest of all the systems' ids."""
        return hashlib.sha256(" ".join(sorted(s.id for s in self.systems)).encode()).hexdigest()[:16]


def read_experiment(path: str | Path) -> Experiment:
    """The experiment in a TOML file; `InputError` names the key or word that is wrong and what is accepted."""
    text = read_text(path, "experiment")
    try:
        data = tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise InputError(f"experiment {str(path)!r}: not TOML ({error})") from None
    try:
        return experiment(data)
    except InputError as error:
        raise InputError(f"experiment {str(path)!r}: {error}") from None


def experiment(data: dict[str, Any]) -> Experiment:
    """The experiment that this data describes, its systems distinct and costliest first."""
    _keys(data, TOP, "an experiment")
    name, title = _text(data, "name", None), _text(data, "title", "")
    engine, traces = _text(data, "engine", "auto"), data.get("traces", True)
    engine_named(engine)
    if engine == "spark":
        raise InputError("engine = 'spark': a sweep's workers check whole systems; choose another, or auto")
    if not isinstance(traces, bool):
        raise InputError(f"traces = {traces!r}: true or false")
    groups = data.get("systems")
    if not isinstance(groups, list) or not groups or not all(isinstance(group, dict) for group in groups):
        raise InputError("it needs at least one [[systems]] table")
    rows: dict[str, SystemRow] = {}
    for group in groups:
        _keys(group, GROUP, "[[systems]]")
        bounds = {**_bounds(data.get("bounds", {})), **_bounds(group.get("bounds", {}))}
        for row in _expanded(group, {"engine": engine, "traces": traces, **bounds}):
            rows.setdefault(row.id, row)
    return Experiment(name, title or name, tuple(sorted(rows.values(), key=lambda row: (-row.cost, row.id))))


def _expanded(group: dict[str, Any], common: dict[str, Any]) -> list[SystemRow]:
    """All combinations of a group's words, each word checked once."""
    topologies = [topology for text in _texts(group, "topologies", None) for topology in _parsed(text)]
    programs = _texts(group, "programs", ["transfer"])
    protocols = _texts(group, "protocols", ["marker"])
    relaxations = _texts(group, "relax", ["none"])
    properties = tuple(_texts(group, "properties", []))
    for program in programs:
        find(program, PROGRAMS, Program)
    for protocol in protocols:
        find(protocol.removesuffix(RECORDED), PROTOCOLS, Protocol)
    for name in properties:
        find_property(name)
    rows = []
    for topology, program, protocol in product(topologies, programs, protocols):
        for initiators in _initiators(group, topology, program, protocol):
            for relax in (one for text in relaxations for one in _relaxed(text, len(topology.channels))):
                cost = estimated_states(topology, program, protocol, relax, initiators)
                cost = min(cost, float(common.get("max_states") or cost))
                words = (program, protocol, relax, initiators, properties)
                rows.append(_row(topology, words, cost, common))
    return rows


def _row(
    topology: Topology, words: tuple[str, str, str, str, tuple[str, ...]], cost: float, common: dict[str, Any]
) -> SystemRow:
    name = topology.name or "edges:" + ",".join(f"{a}>{b}" for a, b in topology.channels)
    return SystemRow(name, topology.machines, topology.channels, *words, cost=cost, **common)


def _parsed(text: str) -> list[Topology]:
    found = parse(text)
    if any(type(topology) is not Topology for topology in found):
        raise InputError(f"topology {text!r}: sweeps take plain topologies, no dataflows with routes")
    return found


def _relaxed(text: str, channels: int) -> list[str]:
    """The relaxations that the text stands for, `@each` written out for each channel."""
    if "@each" in text:
        return [one for c in range(channels) for one in _relaxed(text.replace("@each", f"@{c}"), channels)]
    return ["" if text == "none" else ",".join(parse_relaxations(text).relaxations)]


def _initiators(group: dict[str, Any], topology: Topology, program: str, protocol: str) -> list[str]:
    """The initiators to be tried on the topology, `orbits` written out."""
    found: list[str] = []
    for text in _texts(group, "initiators", ["0"]):
        if text == ORBITS:
            found.extend(_orbits(topology, program, protocol))
        else:
            parse_initiators(text, topology)
            found.append(text)
    return list(dict.fromkeys(found))


def _orbits(topology: Topology, program: str, protocol: str) -> list[str]:
    """One initiator for each orbit of machines that are alike; every machine where not all are treated alike."""
    alike = protocol.split(",")[0] in ALIKE_PROTOCOLS and program.split(",")[0] in ALIKE_PROGRAMS
    if not alike:
        return [str(machine) for machine in range(topology.machines)]
    _, found, options = find(program, PROGRAMS, Program)
    built = found(topology, **options)
    starts = [built.initial(machine) for machine in range(topology.machines)]
    colours = [starts.index(start) for start in starts]
    return [str(orbit[0]) for orbit in machine_orbits(topology, colours)]


# -- keys and values ---------------------------------------------------------------------------------------------


def _keys(table: dict[str, Any], accepted: tuple[str, ...], where: str) -> None:
    for key in table:
        if key not in accepted:
            raise InputError(f"unknown key {key!r} in {where}: {like(key, accepted)}accepted are {', '.join(accepted)}")


def _text(table: dict[str, Any], key: str, default: str | None) -> str:
    value = table.get(key, default)
    if not isinstance(value, str) or (default is None and not value):
        raise InputError(f"{key} = {value!r}: a text" + ("; it is required" if default is None else ""))
    return value


def _texts(table: dict[str, Any], key: str, default: list[str] | None) -> list[str]:
    """A list of texts; one text stands for a list of it."""
    value = table.get(key, default)
    values = [value] if isinstance(value, str) else value
    required = default is None or bool(default)
    if not isinstance(values, list) or not all(isinstance(v, str) for v in values) or (required and not values):
        raise InputError(f"{key} = {value!r}: a list of texts" + ("; it is required" if default is None else ""))
    return values


def _bounds(table: Any) -> dict[str, Any]:
    if not isinstance(table, dict):
        raise InputError(f"bounds = {table!r}: a table of {', '.join(BOUNDS)}")
    _keys(table, tuple(BOUNDS), "bounds")
    for key, value in table.items():
        if (
            isinstance(value, bool)
            or not isinstance(value, int | float)
            or type(value) not in BOUNDS[key]
            or value <= 0
        ):
            raise InputError(f"bounds: {key} = {value!r}: a number above 0")
    return {key: float(value) if key == "timeout" else value for key, value in table.items()}
