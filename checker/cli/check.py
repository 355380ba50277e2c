"""`redwhite check`: explore and judge one system, or each of many."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from checker.cli.options import seconds, whole
from checker.engines.search_options import SearchOptions
from model.errors import InputError

if TYPE_CHECKING:
    from model.topology import Topology
    from model.trace import Counterexample
    from model.verdict import Verdict


def check(
    topology: Annotated[
        str, typer.Argument(metavar="TOPOLOGY", help="ring:3, complete:3, edges:0>1,1>0, strong:3, a file: see `list`")
    ],
    program: Annotated[str, typer.Option(metavar="NAME", help="NAME[,key=value...] or file.py:Class")] = "transfer",
    protocol: Annotated[str, typer.Option(metavar="NAME", help="NAME[,key=value...] or file.py:Class")] = "marker",
    initiators: Annotated[
        str, typer.Option(metavar="WHO", help="who may turn red spontaneously: 0, or 0,2, or any")
    ] = "0",
    relax: Annotated[
        str, typer.Option(metavar="LIST", help="assumptions dropped, such as fifo,loss:1: see `list relaxations`")
    ] = "",
    properties: Annotated[
        list[str] | None,
        typer.Option("--property", metavar="NAME", help="judge only these (repeatable); default: all that apply"),
    ] = None,
    engine: Annotated[str, typer.Option(metavar="NAME", help="auto, reference, ...: see `list engines`")] = "auto",
    workers: Annotated[int | None, typer.Option(parser=whole(1), metavar="N", help="threads or processes")] = None,
    symmetry: Annotated[
        str, typer.Option(metavar="on|off", help="on or off: explore one of each set of symmetric states")
    ] = "off",
    reduce: Annotated[
        str, typer.Option(metavar="on|off", help="on or off: explore one order of actions that commute")
    ] = "off",
    max_states: Annotated[
        int | None, typer.Option(parser=whole(1), metavar="N", help="stop after so many distinct states")
    ] = None,
    max_depth: Annotated[
        int | None, typer.Option(parser=whole(0), metavar="N", help="stop at this depth, in actions")
    ] = None,
    timeout: Annotated[
        float | None, typer.Option(parser=seconds, metavar="SECONDS", help="stop after so many seconds")
    ] = None,
    runs: Annotated[
        int | None, typer.Option(parser=whole(1), metavar="N", help="simulate: so many random runs")
    ] = None,
    seed: Annotated[int | None, typer.Option(parser=whole(0), metavar="N", help="simulate: the random seed")] = None,
    master: Annotated[str | None, typer.Option(metavar="URL", help="spark: where it runs")] = None,
    checkpoint: Annotated[
        str | None, typer.Option(metavar="FOLDER", help="keep what is explored here, to resume from")
    ] = None,
    resume: Annotated[
        str | None, typer.Option(metavar="FOLDER", help="go on with the search kept here; refused if there is none")
    ] = None,
    parallelism: Annotated[
        int | None, typer.Option(parser=whole(1), metavar="N", help="a job plan: machines an operator, default 2")
    ] = None,
    first: Annotated[bool, typer.Option("--first", help="stop at the first violation")] = False,
    witness: Annotated[
        str | None, typer.Option(help="show the witness of this property: that it is not vacuous")
    ] = None,
    trace: Annotated[
        str | None, typer.Option(metavar="FILE", help="write the counterexample (or witness), format by suffix")
    ] = None,
    snapshots: Annotated[
        str | None, typer.Option(help="write every distinct completed SSS, a line of JSON each")
    ] = None,
    html: Annotated[str | None, typer.Option(metavar="FILE", help="write a page with the whole verdict")] = None,
    explain: Annotated[bool, typer.Option("--explain", help="also print the causal chain")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="print one JSON object and nothing else")] = False,
) -> int:
    """Explore every interleaving of one system and judge it."""
    from checker.engines import engine as engine_named
    from checker.engines import suited
    from checker.topologies import PARALLELISM, parse

    if symmetry not in ("on", "off"):
        raise InputError(f"symmetry {symmetry!r}: on or off")
    if reduce not in ("on", "off"):
        raise InputError(f"reduce {reduce!r}: on or off")
    options = SearchOptions(
        max_states,
        max_depth,
        timeout,
        first,
        workers,
        symmetry == "on",
        runs,
        seed,
        master,
        checkpoint if resume is None else _resumed(resume, checkpoint, engine),
        reduce == "on",
    )
    suited(engine, options)
    request = Request(program, protocol, initiators, relax, tuple(properties or ()), engine, options)
    output = Output(witness, trace, snapshots, html, explain, as_json)
    topologies = parse(topology, parallelism or PARALLELISM)
    output.check(len(topologies), topology)
    request.systems(topologies)
    engine_named(engine)
    if len(topologies) == 1:
        return _one(request, topologies[0], output)
    return _many(request, topologies, topology, output)


def _resumed(folder: str, checkpoint: str | None, engine: str) -> str:
    """The folder, in which a search has been kept: to be taken up again, and kept there from then on."""
    if checkpoint is not None and Path(checkpoint) != Path(folder):
        raise InputError(
            f"resume {folder!r} with checkpoint {checkpoint!r}: accepted is the same folder, or one of them"
        )
    # What Spark keeps is folders; the native engine keeps one file.
    kept = Path(folder).glob("*" if engine == "spark" else "search.npz")
    if not any(kept):
        raise InputError(f"resume {folder!r}: nothing is kept there; accepted is a folder that --checkpoint has filled")
    return folder


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

    def systems(self, topologies: list[Topology]) -> None:
        """Refuse at once what would be refused for one of the topologies after hours."""
        from model.catalogue import build_system
        from model.properties import chosen

        for topology in topologies:
            system = build_system(topology, self.program, self.protocol, self.initiators, self.relax)
            chosen(system, self.properties)

    def judge(self, topology: Topology) -> Verdict:
        """The verdict on one topology, with a progress line."""
        from checker.check import check
        from checker.cli.progress import ProgressLine

        with ProgressLine(topology.name) as progress:
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


@dataclass(frozen=True, slots=True)
class Output:
    """What is to be shown and written of the verdict."""

    witness: str | None
    trace: str | None
    snapshots: str | None
    html: str | None
    explain: bool
    as_json: bool

    def check(self, topologies: int, name: str) -> None:
        """Refuse, before the search, what could not be written after it."""
        from checker.report.formats import suffix_of, writable
        from model.properties import PROPERTIES

        for path in filter(None, (self.trace, self.snapshots, self.html)):
            if topologies > 1:
                raise InputError(f"file {path!r} is for one system, and {name!r} names {topologies}: give {name}#K")
            writable(path)
        if self.trace:
            suffix_of(self.trace)
        if self.witness is not None and self.witness not in PROPERTIES:
            raise InputError(f"unknown property {self.witness!r}: choose from {', '.join(PROPERTIES)}")

    def shown(self, verdict: Verdict) -> Counterexample | None:
        """The trace to show: the witness if it is asked for, else the shortest counterexample."""
        if self.witness is None:
            return verdict.counterexample
        from model.properties import PROPERTIES
        from model.verdict import COMPLETES, IN_CHANNEL

        found = {w.property: w for w in verdict.witnesses}
        telling = found.get(IN_CHANNEL) if PROPERTIES[self.witness].over_snapshots else None
        return telling or found.get(COMPLETES)

    def write(self, verdict: Verdict) -> None:
        """The files asked for; what there is nothing to write for is said on stderr."""
        found = self.shown(verdict)
        if self.trace and found is None:
            typer.echo(f"redwhite: {self.trace} is not written: there is no {self._kind()}", err=True)
        elif self.trace and found is not None:
            from checker.report.formats import write_trace

            write_trace(found, self.trace)
        if self.snapshots:
            from checker.report.formats import write_snapshots

            write_snapshots(verdict, self.snapshots)
        if self.html:
            from checker.report.formats import write_verdict

            write_verdict(verdict, self.html)

    def _kind(self) -> str:
        return "counterexample" if self.witness is None else "witness"


def _one(request: Request, topology: Topology, output: Output) -> int:
    verdict = request.judge(topology)
    if output.as_json:
        from checker.report.data import counterexample_json, verdict_json

        data, found = verdict_json(verdict), output.shown(verdict)
        if output.witness:
            data["witness"] = None if found is None else counterexample_json(found)
        print(json.dumps(data))
    else:
        _print(verdict, output)
    output.write(verdict)
    return exit_code(verdict.outcome.value)


def _print(verdict: Verdict, output: Output) -> None:
    from checker.report.table import render_verdict
    from checker.report.text import Terminal

    terminal = Terminal()
    terminal.say(render_verdict(verdict))
    found = output.shown(verdict)
    if found is not None:
        terminal.trace(
            found, f"{'witness' if output.witness else 'shortest counterexample'}: {found.property}", output.explain
        )
    elif output.witness:
        terminal.say("\nno witness: no snapshot completes")


def _many(request: Request, topologies: list[Topology], name: str, output: Output) -> int:
    from checker.report.many import many_json, outcome_of, render_many

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
    if output.as_json:
        print(json.dumps(many_json(verdicts, len(topologies))))
    else:
        from checker.report.text import Terminal

        terminal = Terminal()
        terminal.say(render_many(verdicts, len(topologies), name))
        traces = [found for found in map(output.shown, verdicts) if found is not None]
        if traces:
            shortest = min(traces, key=lambda found: len(found.trace))
            terminal.trace(shortest, f"{shortest.property} on {shortest.trace.system.topology.name}", output.explain)
    return exit_code(outcome_of(verdicts, len(topologies)).value)


def exit_code(verdict: str) -> int:
    """The exit code that says so."""
    return {"holds": 0, "violated": 1}.get(verdict, 3)
