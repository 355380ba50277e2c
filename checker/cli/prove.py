"""`redwhite prove`: the theorems for every number of machines, proved by z3 and re-checked by cvc5."""

from __future__ import annotations

import shutil
import textwrap
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from checker.cli.arguments import Argument, Option
from checker.cli.json_output import print_json
from checker.cli.options import protocols, theorems
from model.errors import InputError

if TYPE_CHECKING:
    from checker.engines.symbolic.refute import Refutation
    from proofs.own_protocol import Outcome


def prove(
    names: Annotated[
        list[str] | None,
        Argument(metavar="[NAME]...", names=theorems, help="theorems by name or number; all if left out"),
    ] = None,
    out: Annotated[str | None, Option(metavar="FOLDER", help="write every obligation here as SMT-LIB 2")] = None,
    certificates: Annotated[
        str | None,
        Option(metavar="FOLDER", help="write questions, proofs and the kernel's trees here, to be checked without us"),
    ] = None,
    check: Annotated[
        str | None, Option(metavar="FOLDER", help="check such a folder, with ethos if REDWHITE_ETHOS is its command")
    ] = None,
    protocol: Annotated[
        str | None,
        Option(metavar="NAME", names=protocols, help="read off this protocol's rules, find invariants, prove it right"),
    ] = None,
    relax: Annotated[str, Option(metavar="LIST", help="with --protocol: what of the channels is not assumed")] = "",
    acyclic: Annotated[bool, Option(help="with --protocol: on networks without cycles")] = False,
    as_json: Annotated[bool, Option("--json", help="print one JSON object and nothing else")] = False,
) -> int:
    """Prove the theorems for every N with z3, and re-check each with a second solver."""
    from proofs import command

    if protocol is not None:
        if names or out or certificates or check:
            raise InputError(f"--protocol {protocol}: it is proved by itself; give no theorem and no folder")
        return _protocol(protocol, relax, acyclic, as_json)
    if relax or acyclic:
        raise InputError(f"{'--relax ' + relax if relax else '--acyclic'}: give a --protocol with it")
    if check:
        if names or out or certificates or as_json:
            raise InputError(f"--check {check}: the folder alone says what is checked; give nothing else")
        return command.check(Path(check))
    if out and certificates:
        raise InputError(
            f"--out {out}: with --certificates the questions are written to {certificates}; give one folder"
        )
    folder = certificates or out
    return command.run(names or (), Path(folder) if folder else None, as_json, certified=bool(certificates))


RUN = 12
"""Actions up to which a run is looked for where nothing is proved; and as many seconds, on each of a few networks."""


def _protocol(protocol: str, relax: str, acyclic: bool, as_json: bool) -> int:
    """Prove one protocol; where that fails, look for a run that shows what is wrong with it."""
    from proofs import command
    from proofs.outcome_text import as_json as data
    from proofs.outcome_text import lines

    outcome, code = command.run_protocol(protocol, relax, acyclic)
    run = None if outcome.holds else _run(outcome)
    if run is not None:
        code = command.FAILS
    if as_json:
        found = None if run is None or run.verdict is None else run.verdict.counterexample
        steps = None if found is None else {"property": found.property, "length": len(found.trace.events)}
        print_json(data(outcome) | {"verdict": {0: "holds", 1: "violated"}.get(code, "unknown"), "run": steps})
        return code
    width = shutil.get_terminal_size().columns
    for line in lines(outcome):
        indent = " " * (len(line) - len(line.lstrip()))
        print(textwrap.fill(line, width, subsequent_indent=indent + "  ", break_on_hyphens=False))
    if run is not None:
        from checker.cli.refute import shown

        print()
        shown(run)
    return code


def _run(outcome: Outcome) -> Refutation | None:
    """The shortest run that breaks a property on a small network: where a claim failed, or one of the first."""
    from checker.engines.search_options import SearchOptions
    from checker.engines.symbolic.refute import refute
    from proofs.finding import CONDITION
    from proofs.own_protocol import LOOKED_AT

    wrong = outcome.wrong
    places = [(*place, "any") for place in LOOKED_AT[:5]] if wrong is None else [wrong.place]
    named = ("no-red-in-white",) if wrong is not None and wrong.claim == CONDITION else ()
    for topology, program, initiators in places:
        options = SearchOptions(None, RUN, float(RUN), first=True)
        try:
            found = refute(
                topology,
                program,
                outcome.protocol,
                initiators=initiators,
                relax=outcome.relax,
                properties=named,
                options=options,
            )
        except InputError:
            continue
        if found.outcome.value == "violated":
            return found
    return None
