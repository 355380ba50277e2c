"""`redwhite assumptions`: what a protocol needs for a property, exactly, on the topologies given."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from checker.cli.arguments import Argument, Option
from checker.cli.json_output import print_json
from checker.cli.options import (
    AsJson,
    EachStates,
    EachTimeout,
    EngineName,
    Initiators,
    ProgramName,
    ProtocolName,
    relaxations,
    whole,
)
from checker.cli.options import properties as property_names

if TYPE_CHECKING:
    from checker.sweep.minimal_relaxations import Needs

UNKNOWN = 3


def assumptions(
    topologies: Annotated[list[str] | None, Argument(help="default: complete:2")] = None,
    protocol: ProtocolName = "marker",
    properties: Annotated[
        list[str] | None,
        Option("--property", names=property_names, help="for this property (repeatable); default: reachable"),
    ] = None,
    program: ProgramName = "transfer",
    relax: Annotated[
        list[str] | None,
        Option(names=relaxations, help="only sets of these single relaxations (repeatable); default: one of each"),
    ] = None,
    initiators: Initiators = "0",
    engine: EngineName = "auto",
    workers: Annotated[int | None, Option(parser=whole(1), metavar="N", help="processes; default: one")] = None,
    max_states: EachStates = None,
    timeout: EachTimeout = None,
    as_json: AsJson = False,
) -> int:
    """Find the minimal sets of relaxations that break a property, and the maximal ones that do not."""
    from checker.cli.survey import Counter, single_bounds, split_sets
    from checker.sweep import minimal_relaxations as frontier

    found = []
    for name in properties or ["reachable"]:
        with Counter(f"sets of relaxations, {name}") as progress:
            found.append(
                frontier.needs(
                    protocol,
                    name,
                    tuple(topologies or frontier.TOPOLOGIES),
                    program,
                    split_sets(relax, frontier.RELAXATIONS),
                    initiators=initiators,
                    engine=engine,
                    options=single_bounds(max_states, timeout),
                    workers=workers or 1,
                    progress=progress,
                )
            )
    if as_json:
        print_json({"assumptions": [one.to_json() for one in found]})
    else:
        from checker.report.text import Terminal

        terminal = Terminal()
        for number, one in enumerate(found):
            terminal.say(*([""] if number else []), "\n".join(lines(one)))
    return UNKNOWN if any(one.undecided() for one in found) else 0


def lines(found: Needs) -> list[str]:
    """The answer for people: each minimal breaking set, each maximal harmless one, and what was covered."""
    names = ", ".join(t.name or f"{t.machines} machines" for t in found.topologies)
    out = [f"{found.protocol}, {found.property}, on {names} (program {found.program}, initiators {found.initiators})"]
    broken = found.minimal_breaking()
    out.append("broken by" if broken else "broken by none of these relaxations")
    for one in broken:
        where = f" on {one.topology.name}" if one.topology is not None and one.topology.name else ""
        out.append(f"  {_set(one.relax)}  (after {one.length} actions{where})")
    kept = found.maximal_kept()
    out.append("kept under" if kept else "kept under none")
    out += [f"  {_set(one.relax)}" for one in kept]
    undecided = found.undecided()
    if undecided:
        out.append("undecided, a bound was met; sets comparable with these are listed nowhere")
        out += [f"  {_set(one.relax)}" for one in undecided]
    searched = sum(one.inferred is None for one in found.judged)
    total, inferred = len(found.judged), len(found.judged) - searched
    how = f"{total} sets, {searched} searched" + (f", {inferred} broken already by a smaller one" if inferred else "")
    out.append(f"{'exact' if not undecided else 'NOT exact'}: {how}, {found.seconds:.1f} s")
    return out


def _set(relax: tuple[str, ...]) -> str:
    return ", ".join(relax) or "nothing relaxed"
