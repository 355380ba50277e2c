"""Many systems judged one after another or side by side, each in a few plain words: what tables are made of."""

from __future__ import annotations

import multiprocessing
import signal
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from checker.check import check
from checker.engines.search_options import SearchOptions
from checker.engines.time_limit import TimeLimit, time_limit
from model.assumptions import parse_relaxations
from model.catalogue import PROGRAMS, PROTOCOLS, build_system, find
from model.errors import InputError
from model.program import Program
from model.properties import chosen, find_property
from model.property import Property
from model.protocol import Protocol
from model.topology import Topology

NOT_APPLICABLE, SKIPPED = "not applicable", "violated on a smaller topology"


@dataclass(frozen=True, slots=True)
class Job:
    """One system to judge, by the command line's words; no properties: all that apply.

    Properties are names, `FILE.py:NAME` for one's own, or values made in Python, which no other process can judge.
    A program's lists of numbers, one a machine, may be longer than the topology (`fitted`).
    """

    topology: Topology
    program: str
    protocol: str
    initiators: str = "0"
    relax: str = ""
    properties: tuple[str | Property, ...] = ()
    engine: str = "auto"
    options: SearchOptions = field(default_factory=SearchOptions)


@dataclass(frozen=True, slots=True)
class PropertyResult:
    """What was found of one property of a job: its outcome in a word, and the shortest violation in actions."""

    property: str
    outcome: str
    length: int | None = None


@dataclass(frozen=True, slots=True)
class Result:
    """What was found of a job; `refused`: why such a system cannot be; `cut`: which bound was met, if one was."""

    job: Job
    property_results: tuple[PropertyResult, ...] = ()
    states: int = 0
    seconds: float = 0.0
    refused: str | None = None
    cut: str | None = None

    def of(self, name: str) -> PropertyResult:
        """The finding on the property of this name; not applicable if there is none."""
        return next((f for f in self.property_results if f.property == name), PropertyResult(name, NOT_APPLICABLE))


def checked_words(
    program: str, protocols: Iterable[str], relaxations: Iterable[str], properties: Sequence[str | Property]
) -> list[Property]:
    """The properties; words that no system understands are refused before the first is judged (`InputError`)."""
    find(program, PROGRAMS, Program)
    for protocol in protocols:
        find(protocol.removesuffix(",cut=recorded"), PROTOCOLS, Protocol)
    for relax in relaxations:
        parse_relaxations(relax)
    found = [find_property(one) for one in properties]
    names = [one.name for one in found]
    for name in names:
        if names.count(name) > 1:
            raise InputError(f"property {name!r}: two have this name; give one of them another claim or name")
    return found


def fitted(program: str, machines: int) -> str:
    """The program with each list of numbers, one a machine, cut to so many machines: s=1-1-0 on two is s=1-1."""
    name, *pairs = program.split(",")
    for i, pair in enumerate(pairs):
        key, equals, value = pair.partition("=")
        numbers = value.split("-")
        if len(numbers) > machines and all(number.isdigit() for number in numbers):
            pairs[i] = f"{key}{equals}{'-'.join(numbers[:machines])}"
    return ",".join((name, *pairs))


def judged(job: Job, known: frozenset[str] = frozenset()) -> Result:
    """The result of one job; a system that cannot be, and a property that says nothing about it, are no errors.

    Properties in `known` are not judged again. The job's time limit is that of building its system, too.
    """
    try:
        with time_limit(job.options.timeout):
            return _judged(job, known)
    except TimeLimit as late:
        names = [find_property(one).name for one in job.properties]
        return Result(job, tuple(PropertyResult(name, "unknown") for name in names), cut=str(late))


def _judged(job: Job, known: frozenset[str]) -> Result:
    try:
        program = fitted(job.program, job.topology.machines)
        system = build_system(job.topology, program, job.protocol, job.initiators, job.relax)
    except InputError as error:
        return Result(job, refused=str(error))
    named = map(find_property, job.properties)
    applicable = [p for p in named if p.applies(system)] if job.properties else chosen(system)
    skipped = tuple(PropertyResult(p.name, SKIPPED) for p in applicable if p.name in known)
    wanted = [p for p in applicable if p.name not in known]
    if not wanted:
        return Result(job, skipped)
    verdict = check(system, properties=wanted, engine=job.engine, options=job.options)
    property_results = tuple(PropertyResult(p.name, p.outcome.value, p.length) for p in verdict.properties)
    return Result(job, property_results + skipped, verdict.counts.states, verdict.seconds, cut=verdict.reason)


def judged_in_turn(jobs: Sequence[Job]) -> tuple[Result, ...]:
    """The results of jobs that differ in their topology only: a property once violated is not judged on the next."""
    results: list[Result] = []
    for job in jobs:
        violated = frozenset(f.property for r in results for f in r.property_results if f.outcome == "violated")
        results.append(judged(job, violated))
    return tuple(results)


Judge = Callable[[Iterable[Sequence[Job]]], Iterator[tuple[Result, ...]]]
"""`judged_in_turn` of each row, in order."""


@contextmanager
def judging(workers: int = 1, properties: Sequence[str | Property] = ()) -> Iterator[Judge]:
    """A `Judge` of these properties with so many processes, which end with the context."""
    if workers > 1:
        for one in properties:
            if not isinstance(one, str):
                name = find_property(one).name
                raise InputError(f"property {name!r} in {workers} processes: name it FILE.py:NAME, or take workers=1")
    if workers == 1:
        yield lambda rows: map(judged_in_turn, rows)
        return
    with multiprocessing.get_context("spawn").Pool(workers, _deaf) as pool:
        yield lambda rows: pool.imap(judged_in_turn, rows)


def _deaf() -> None:
    """An interrupt is the parent's to hear: it ends the workers, and tells what was covered."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
