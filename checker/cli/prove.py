"""`redwhite prove`: the theorems for every number of machines, proved by z3 and re-checked by cvc5."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from checker.cli.arguments import Argument, Option
from model.errors import InputError


def prove(
    names: Annotated[
        list[str] | None, Argument(metavar="[NAME]...", help="theorems by name or number; all if left out")
    ] = None,
    out: Annotated[str | None, Option(metavar="FOLDER", help="write every obligation here as SMT-LIB 2")] = None,
    certificates: Annotated[
        str | None,
        Option(metavar="FOLDER", help="write questions, proofs and the kernel's trees here, to be checked without us"),
    ] = None,
    check: Annotated[
        str | None, Option(metavar="FOLDER", help="check such a folder, with ethos if REDWHITE_ETHOS is its command")
    ] = None,
    as_json: Annotated[bool, Option("--json", help="print one JSON object and nothing else")] = False,
) -> int:
    """Prove the theorems for every N with z3, and re-check each with a second solver."""
    from proofs import command

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
