"""`redwhite check`: explore and judge one system, or each of many."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from shlex import join
from typing import TYPE_CHECKING, Annotated

from checker.cli.arguments import Option
from checker.cli.options import (
    BOUNDS,
    OUTPUT,
    AsJson,
    EngineName,
    ImplementationName,
    Initiators,
    MaxStates,
    ProgramName,
    PropertyNames,
    ProtocolName,
    Relaxations,
    Timeout,
    TopologyName,
    Workers,
    computation,
    switch,
    whole,
)
from checker.cli.options import (
    properties as property_names,
)
from checker.cli.verdict_output import NOT_WRITTEN, Output, say
from checker.engines.search_options import SearchOptions
from checker.engines.time_limit import time_limit
from model.errors import InputError

if TYPE_CHECKING:
    from model.topology import Topology
    from model.verdict import Verdict


def check(
    topology: TopologyName,
    program: ProgramName = "transfer",
    protocol: ProtocolName = "marker",
    implementation: ImplementationName = None,
    initiators: Initiators = "0",
    relax: Relaxations = "",
    properties: PropertyNames = None,
    engine: EngineName = "auto",
    workers: Workers = None,
    symmetry: Annotated[
        bool, Option(parser=switch, metavar="on|off", help="explore one of each set of symmetric states")
    ] = False,
    reduce: Annotated[
        bool, Option(parser=switch, metavar="on|off", help="explore one order of actions that commute")
    ] = False,
    max_states: MaxStates = None,
    max_depth: Annotated[
        int | None, Option(parser=whole(0), metavar="N", help="stop at this depth, in actions", group=BOUNDS)
    ] = None,
    timeout: Timeout = None,
    first: Annotated[bool, Option("--first", help="stop at the first violation", group=BOUNDS)] = False,
    interleavings: Annotated[
        bool, Option("--interleavings", help="count the maximal runs, even where that takes longer than exploring")
    ] = False,
    checkpoint: Annotated[
        str | None,
        Option(metavar="FOLDER", help="keep what is explored here (Spark: or at a URI), to resume from", group=BOUNDS),
    ] = None,
    resume: Annotated[
        str | None,
        Option(metavar="FOLDER", help="go on with the search kept here; refused if there is none", group=BOUNDS),
    ] = None,
    runs: Annotated[int | None, Option(parser=whole(1), metavar="N", help="simulate: so many random runs")] = None,
    seed: Annotated[int | None, Option(parser=whole(0), metavar="N", help="simulate: the random seed")] = None,
    master: Annotated[str | None, Option(metavar="URL", help="spark: where it runs")] = None,
    parallelism: Annotated[
        int | None, Option(parser=whole(1), metavar="N", help="a job plan: machines an operator, default 2")
    ] = None,
    witness: Annotated[
        str | None,
        Option(
            metavar="NAME",
            help="show the witness of this property: that it is not vacuous",
            group=OUTPUT,
            names=property_names,
        ),
    ] = None,
    trace: Annotated[
        str | None,
        Option(metavar="FILE", help="write the counterexample (or witness), format by suffix", group=OUTPUT),
    ] = None,
    snapshots: Annotated[
        str | None,
        Option(metavar="FILE", help="write every distinct completed SSS, a line of JSON each", group=OUTPUT),
    ] = None,
    html: Annotated[
        str | None, Option(metavar="FILE", help="write a page with the whole verdict", group=OUTPUT)
    ] = None,
    explain: Annotated[bool, Option("--explain", help="also print the causal chain", group=OUTPUT)] = False,
    as_json: AsJson = False,
) -> int:
    """Explore every interleaving of one system and judge it."""
    program, protocol = computation(program, protocol, implementation)
    options = SearchOptions(
        max_states,
        max_depth,
        timeout,
        first,
        workers,
        symmetry,
        runs,
        seed,
        master,
        checkpoint if resume is None else _resumed(resume, checkpoint),
        reduce,
        interleavings,
    )
    request = Request(program, protocol, initiators, relax, tuple(properties or ()), engine, options)
    output = Output(witness, trace, snapshots, html, explain, as_json)
    with time_limit(timeout):
        topologies = request.prepared(topology, parallelism, output)
    if len(topologies) == 1:
        return _one(request, topologies[0], output, request.resuming(topology, parallelism))
    return _many(request, topologies, topology, output)


def _resumed(folder: str, checkpoint: str | None) -> str:
    """The folder, in which a search has been kept: to be taken up again, and kept there from then on."""
    if checkpoint is not None and Path(checkpoint) != Path(folder):
        raise InputError(
            f"resume {folder!r} with checkpoint {checkpoint!r}: accepted is the same folder, or one of them"
        )
    if not _kept(folder):
        raise InputError(f"resume {folder!r}: nothing is kept there; accepted is a folder that --checkpoint has filled")
    return folder


def _kept(folder: str) -> bool:
    """Whether some engine has kept a search there: there is more than the lock. Into a remote one the engine looks."""
    try:
        return "://" in folder or any(path.is_file() and path.name != "lock" for path in Path(folder).rglob("*"))
    except OSError:
        return False


@dataclass(frozen=True, slots=True)
class Request:
    """What is to be checked, but for the topology."""

    program: str
    protocol: str
    initiators: str
    relax: str
    properties: tuple[str, ...]
    engine: str
    options: SearchOptions

    def prepared(self, topology: str, parallelism: int | None, output: Output) -> list[Topology]:
        """The topologies; refused at once is what would be refused for one of them after hours."""
        from checker.engines import engine as engine_named
        from checker.engines import suited
        from checker.topologies import PARALLELISM, parse
        from model.catalogue import build_system
        from model.properties import chosen

        suited(self.engine, self.options)
        topologies = parse(topology, parallelism or PARALLELISM)
        output.check(len(topologies), topology)
        for each in topologies:
            system = build_system(each, self.program, self.protocol, self.initiators, self.relax)
            chosen(system, self.properties)
        engine_named(self.engine)
        return topologies

    def judge(self, topology: Topology) -> Verdict:
        """The verdict on one topology, with a progress line."""
        from checker.check import check
        from checker.cli.progress import ProgressLine

        with time_limit(self.options.timeout), ProgressLine(topology.name) as progress:
            if self.engine == "spark":
                progress.starting("Spark")
            return check(
                topology,
                self.program,
                self.protocol,
                initiators=self.initiators,
                relax=self.relax,
                properties=self.properties,
                engine=self.engine,
                options=self.options,
                progress=progress,
            )

    def resuming(self, topology: str, parallelism: int | None) -> str:
        """The command that goes on with a search that was kept."""
        words = ["redwhite", "check", topology]
        for name, value, default in (
            ("program", self.program, "transfer"),
            ("protocol", self.protocol, "marker"),
            ("initiators", self.initiators, "0"),
            ("relax", self.relax, ""),
            ("engine", self.engine, "auto"),
            ("workers", self.options.workers, None),
            ("master", self.options.master, None),
            ("parallelism", parallelism, None),
            ("symmetry", "on" if self.options.symmetry else "off", "off"),
            ("reduce", "on" if self.options.reduce else "off", "off"),
        ):
            words += [] if value == default else [f"--{name}", str(value)]
        words += ["--interleavings"] if self.options.interleavings else []
        words += [word for name in self.properties for word in ("--property", name)]
        return join([*words, "--resume", str(self.options.checkpoint)])


def _one(request: Request, topology: Topology, output: Output, resuming: str) -> int:
    verdict = request.judge(topology)
    with time_limit(request.options.timeout):
        complete = output.write(verdict)
    with time_limit(request.options.timeout):
        output.print(verdict)
    _warn([verdict])
    folder = request.options.checkpoint
    if verdict.reason is not None and folder is not None and _kept(folder):
        say(f"kept in {folder}; to go on: {resuming}")
    code = exit_code(verdict.outcome.value)
    return code if complete or code else NOT_WRITTEN


def _many(request: Request, topologies: list[Topology], name: str, output: Output) -> int:
    from checker.report.many import outcome_of

    verdicts: list[Verdict] = []
    for topology in topologies:
        try:
            verdicts.append(request.judge(topology))
        except KeyboardInterrupt:
            if not verdicts:
                raise
            break
        if verdicts[-1].reason == "interrupted":
            break
    output.print_many(verdicts, len(topologies), name)
    _warn(verdicts)
    return exit_code(outcome_of(verdicts, len(topologies)).value)


def _warn(verdicts: list[Verdict]) -> None:
    """What the author of the program should know of, each once."""
    for text in dict.fromkeys(text for verdict in verdicts for text in verdict.warnings):
        say(f"warning: {text}")


def exit_code(verdict: str) -> int:
    """The exit code that says so."""
    return {"holds": 0, "violated": 1}.get(verdict, 3)
