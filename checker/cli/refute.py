"""`redwhite refute`: z3 looks for the shortest counterexample, and for the least that must be relaxed for it."""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any

from checker.cli.arguments import Argument, Option
from checker.cli.json_output import print_json
from checker.cli.options import (
    BOUNDS,
    AsJson,
    ImplementationName,
    Initiators,
    ProgramName,
    ProtocolName,
    Timeout,
    computation,
    relaxations,
    whole,
)
from checker.cli.options import properties as property_names
from checker.engines.search_options import SearchOptions
from checker.engines.time_limit import time_limit

if TYPE_CHECKING:
    from rich.console import RenderableType

    from checker.engines.symbolic.places import Need
    from checker.engines.symbolic.refute import Refutation
    from model.system import System
    from model.topology import Topology


def refute(
    topology: Annotated[
        str,
        Argument(metavar="TOPOLOGY", help="any:3 (channels unknown), or one as for check: ring:3, strong:3, ..."),
    ],
    program: ProgramName = "transfer",
    protocol: ProtocolName = "marker",
    implementation: ImplementationName = None,
    initiators: Initiators = "0",
    relax: Annotated[
        str,
        Option(
            metavar="LIST",
            names=relaxations,
            help="what z3 may choose to drop, such as fifo,loss:1: see `list relaxations`",
        ),
    ] = "",
    properties: Annotated[
        list[str] | None,
        Option(
            "--property",
            metavar="NAME|FILE.py:NAME",
            help="only these (repeatable), also of your own; default: all; on any:N, all that clauses can encode",
            names=property_names,
        ),
    ] = None,
    max_depth: Annotated[
        int, Option(parser=whole(0), metavar="N", help="look no deeper than so many actions", group=BOUNDS)
    ] = 20,
    timeout: Timeout = None,
    everything: Annotated[
        bool, Option("--all", help="go on after the first violation, until every property is broken")
    ] = False,
    trace: Annotated[str | None, Option(metavar="FILE", help="write the counterexample, format by suffix")] = None,
    as_json: AsJson = False,
) -> int:
    """Let z3 look for the shortest counterexample: which least relaxation, on which channel, on which network."""
    from checker.engines.symbolic.networks import parse_any
    from checker.engines.symbolic.refute import refute as look
    from checker.topologies import parse

    program, protocol = computation(program, protocol, implementation)
    options = SearchOptions(None, max_depth, timeout, not everything)
    with time_limit(timeout):
        is_open = parse_any(topology) is not None
        asked: list[str | Topology] = [topology] if is_open else [*parse(topology)]
    if trace:
        _writable(trace, len(asked), topology)
    found = []
    for each in asked:
        with time_limit(timeout), _progress(topology if isinstance(each, str) else each.name) as progress:
            found.append(
                look(
                    each,
                    program,
                    protocol,
                    initiators=initiators,
                    relax=relax,
                    properties=tuple(properties or ()),
                    options=options,
                    progress=progress,
                )
            )
        if found[-1].reason == "interrupted":
            break
    if trace:
        with time_limit(timeout):
            _write(found[0], trace)
    with time_limit(timeout):
        if as_json:
            print_json(_json(found[0]) if len(asked) == 1 else _many_json(found, len(asked)))
        else:
            for number, one in enumerate(found):
                _print(one, first=number == 0)
    return _code(found, len(asked))


def _progress(name: str) -> Any:
    from checker.cli.progress import DepthLine

    return DepthLine(name)


def _code(found: list[Refutation], asked: int) -> int:
    """1 if any is violated, 0 if all hold, else 3."""
    outcomes = {one.outcome.value for one in found}
    if "violated" in outcomes:
        return 1
    return 0 if outcomes == {"holds"} and len(found) == asked else 3


# -- files -----------------------------------------------------------------------------------------------------


def _writable(trace: str, asked: int, name: str) -> None:
    from checker.report.formats import suffix_of, writable
    from model.errors import InputError

    if asked > 1:
        raise InputError(f"file {trace!r} is for one system, and {name!r} names {asked}: give {name}#K")
    writable(trace)
    suffix_of(trace)


def _write(found: Refutation, trace: str) -> None:
    counterexample = found.verdict.counterexample if found.verdict else None
    if counterexample is None:
        print(f"redwhite: {trace} is not written: there is no counterexample", file=sys.stderr)
        return
    from functools import partial

    from checker.cli.verdict_output import written
    from checker.report.formats import write_trace

    written(trace, partial(write_trace, counterexample))


def _json(found: Refutation) -> dict[str, Any]:
    """As `check --json` has it, with what had to be relaxed; figures that z3 does not count are null."""
    from checker.report.data import system_json, verdict_json

    data: dict[str, Any] = {"asked": found.asked, "networks": found.networks}
    if found.verdict is not None:
        data |= verdict_json(found.verdict)
    else:
        topology = {"machines": found.system.topology.machines, "channels": None, "name": found.asked}
        data |= {"verdict": found.outcome.value, "reason": found.reason}
        data["system"] = {**system_json(found.system), "topology": topology}
    nothing = dict.fromkeys(("states", "transitions", "underlying_states", "snapshots", "interleavings"))
    return {
        **data,
        **nothing,
        "coverage": found.coverage.to_json(),
        "seconds": round(found.seconds, 6),
        "cost": sum(need.cost for need in found.needs) if found.outcome.value == "violated" else None,
        "needs": [_need_json(need) for need in found.needs],
        "judged": list(found.judged),
        "not_encodable": list(found.not_encodable),
    }


def _need_json(need: Need) -> dict[str, Any]:
    from model.trace import message_json

    return {
        "kind": need.kind,
        "action": need.action,
        "channel": need.channel,
        "machine": need.machine,
        "message": None if need.message is None else message_json(need.message),
        "past": [message_json(message) for message in need.past],
    }


def _many_json(found: list[Refutation], asked: int) -> dict[str, Any]:
    verdict = {0: "holds", 1: "violated"}.get(_code(found, asked), "unknown")
    return {"verdict": verdict, "systems": [_json(one) for one in found], "asked": asked}


# -- for people ------------------------------------------------------------------------------------------------


def shown(found: Refutation) -> None:
    """Print what was found on one system."""
    _print(found, first=True)


def _print(found: Refutation, first: bool) -> None:
    from checker.report.table import render_verdict
    from checker.report.text import Terminal

    terminal = Terminal()
    if not first:
        terminal.say("")
    if found.verdict is None:
        terminal.say(*_open_lines(found))
        return
    counterexample = found.verdict.counterexample
    if found.asked.startswith("any:"):
        terminal.say(
            f"z3 chose the network {found.verdict.system.topology.name} among {found.asked}: {found.networks}.", ""
        )
    terminal.say(render_verdict(replace(found.verdict, reason=found.verdict.reason or found.reason)))
    if counterexample is not None:
        terminal.say("", *_need_lines(found, found.verdict.system))
    terminal.say(*_not_judged_lines(found))
    if counterexample is not None:
        shortest = found.verdict.is_shortest(counterexample)
        kind = "shortest counterexample" if shortest else "counterexample, perhaps not the shortest"
        terminal.trace(counterexample, f"{kind}: {counterexample.property}")


def _open_lines(found: Refutation) -> list[RenderableType]:
    """What was looked at where no network fails."""
    from checker.report.table import assumed_anywhere, facts_table, setting

    depth = found.coverage.details[0][1]
    covered = f"every run of up to {depth} actions: none breaks a property"
    if found.outcome.value == "holds":
        covered += ", and none is longer"
    facts = [
        *setting(found.system, found.asked, assumed_anywhere(found.system)),
        ("networks", found.networks or ""),
        ("judged", ", ".join(found.judged)),
        ("covered", covered),
        ("engine", f"z3: {found.seconds:.2f} s"),
    ]
    because = f": {found.reason}" if found.reason else ""
    return [facts_table(facts), "", f"{found.outcome.value.upper()}{because}", *_not_judged_lines(found)]


def _need_lines(found: Refutation, system: System) -> list[str]:
    """What the counterexample needs relaxed: which overtaking, which fault, on which channel."""
    if not found.needs:
        return ["Nothing relaxed is needed: every message in turn, none lost, and it fails."]
    cost = sum(need.cost for need in found.needs)
    enough = "One thing relaxed is enough:" if cost == 1 else f"It takes {cost} things relaxed:"
    return [enough, *(f"  {_need_words(need, system)}" for need in found.needs)]


def _need_words(need: Need, system: System) -> str:
    from checker.report.names import channel_name, listed, machine_name, message_name

    if need.channel is None or need.message is None:
        return f"action {need.action}: machine {machine_name(system, need.machine or 0)} stops for ever"
    where, what = channel_name(system, need.channel), _named(message_name(need.message), need.message.control)
    if need.kind == "overtaking":
        past = listed([_named(message_name(m), m.control) for m in need.past])
        return f"action {need.action}, channel {where}: {what} overtakes {past}"
    return f"action {need.action}, channel {where}: {what} is {'lost' if need.kind.endswith('loss') else 'doubled'}"


def _named(name: str, control: bool) -> str:
    return f"the {name}" if control else f"message {name}"


def _not_judged_lines(found: Refutation) -> list[str]:
    if not found.not_encodable:
        return []
    return ["", f"Not judged, because clauses cannot encode it (use check): {', '.join(found.not_encodable)}"]
