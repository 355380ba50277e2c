"""`redwhite prove`: what the command line prints, and its exit code. Solvers are loaded only to prove something."""

from __future__ import annotations

import json as json_format
import os
import shutil
import sys
import textwrap
import time
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

from proofs.registry import sentences
from proofs.results import PROVED, REFUTED, VACUOUS

if TYPE_CHECKING:
    from proofs.own_protocol import Outcome
    from proofs.results import TheoremResult

WORKERS = 2
"""Processes at most: with more, the longest theory alone decides how long it takes."""

HOLDS, FAILS, UNSETTLED = 0, 1, 3


def theorems() -> dict[str, str]:
    """Name -> sentence of every theorem, for `redwhite list`."""
    return sentences()


def check(folder: Path) -> int:
    """Check a folder of certificates and say what was found: 0, or 1 if something in it is not as it should be."""
    from proofs.certificates import check, report

    return report(check(folder))


def run(names: Sequence[str], out: Path | str | None = None, json: bool = False, certified: bool = False) -> int:
    """Prove these theorems (all, if none is named), print the outcome, and give the exit code.

    0: all proved by both solvers. 1: one is refuted, or its premises cannot be met. 3: a solver does not know, or an
    interrupt came before the end; what was done by then is printed. With names given, everything known of each is
    printed below the table. Raises `InputError` for an unknown name.
    """
    from proofs.proving import prove
    from proofs.registry import select

    chosen = select(names)
    start = time.perf_counter()
    workers = min(WORKERS, os.cpu_count() or 1)
    progress = _Progress(len(chosen), shown=not json and sys.stderr.isatty())
    try:
        results = prove(chosen, out=out, progress=progress, workers=workers, certified=certified)
    except KeyboardInterrupt:
        results = sorted(progress.done, key=lambda result: chosen.index(result.name))
    seconds = time.perf_counter() - start
    code = exit_code(results, complete=len(results) == len(chosen))
    if json:
        print(json_format.dumps(as_json(results, seconds, code)))
    else:
        _print(results, seconds, len(chosen), detailed=bool(names))
    return code


def run_protocol(protocol: str, relax: str = "", acyclic: bool = False) -> tuple[Outcome, int]:
    """A protocol's theory read off, its invariants found and the theorem proved; and the exit code for that.

    0: proved. 1: a claim fails in a run that was explored. 3: no invariants were found, or the words cannot say what it
    does. Raises `InputError` for a protocol that is not understood.
    """
    from proofs.watchdog import watched

    (outcome,) = watched("proofs.own_protocol:prove_protocol", [(protocol, relax, acyclic)], workers=1)
    return outcome, HOLDS if outcome.holds else FAILS if outcome.wrong is not None else UNSETTLED


def exit_code(results: Sequence[TheoremResult], complete: bool = True) -> int:
    """0, 1 or 3, as in the contract; a theorem whose premises cannot be met has failed; a part is not the whole."""
    verdicts = {result.verdict for result in results}
    if verdicts & {REFUTED, VACUOUS}:
        return FAILS
    return HOLDS if complete and verdicts <= {PROVED} else UNSETTLED


def as_json(results: Sequence[TheoremResult], seconds: float, code: int) -> dict[str, object]:
    """Verdict as in the contract, the solvers' versions, and every result in full; `seconds` is wall-clock."""
    return {
        "verdict": {HOLDS: "holds", FAILS: "violated", UNSETTLED: "unknown"}[code],
        "coverage": {"kind": "inductive", "machines": "any number, infinitely many included"},
        "solvers": {"z3": version("z3-solver"), "cvc5": version("cvc5")},
        "seconds": round(seconds, 3),
        "theorems": [result.as_json() for result in results],
    }


def _print(results: Sequence[TheoremResult], seconds: float, wanted: int, detailed: bool) -> None:
    from proofs.table import NOTE, WIDE, details, findings, table

    print(table(results, shutil.get_terminal_size().columns if sys.stdout.isatty() else WIDE))
    print(textwrap.fill(NOTE, min(WIDE, shutil.get_terminal_size((WIDE, 24)).columns)))
    if detailed:
        for result in results:
            print(f"\n{details(result)}")
    found = findings(results)
    if found:
        print(f"\n{found}")
    if len(results) < wanted:
        print(f"\ninterrupted: {wanted - len(results)} of {wanted} not reached")
    proved = [result for result in results if result.verdict == PROVED]
    print(f"\n{len(proved)} of {wanted} proved for any number of machines, infinitely many included; {seconds:.1f} s")
    if proved:
        obligations = sum(len(result.obligations) for result in proved)
        print(f"{obligations} obligations, each proved by both solvers, its premises met by a witness")


class _Progress:
    """Keeps what is done, for an interrupt; and on a terminal prints a line for each theorem."""

    def __init__(self, total: int, shown: bool) -> None:
        self.done: list[TheoremResult] = []
        self.total, self.shown = total, shown

    def __call__(self, result: TheoremResult) -> None:
        self.done.append(result)
        if self.shown:
            line = f"{len(self.done)}/{self.total} {result.name}: {result.verdict}, {result.seconds:.1f} s"
            print(line, file=sys.stderr)
