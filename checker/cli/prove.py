"""`redwhite prove`: the theorems for every number of machines, proved by z3 and re-checked by cvc5."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from checker.cli.arguments import Argument, Option


def prove(
    names: Annotated[
        list[str] | None, Argument(metavar="[NAME]...", help="theorems by name or number; all if left out")
    ] = None,
    out: Annotated[str | None, Option(metavar="FOLDER", help="write every obligation here as SMT-LIB 2")] = None,
    as_json: Annotated[bool, Option("--json", help="print one JSON object and nothing else")] = False,
) -> int:
    """Prove the theorems for every N with z3, and re-check each with a second solver."""
    from proofs.command import run

    return run(names or (), Path(out) if out else None, as_json)
