"""Results as text: one table for all theorems, and on request everything known of one."""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import indent

from tabulate import tabulate

from proofs.results import PROVED, UNKNOWN, TheoremResult

HEADERS = ("", "theorem", "source", "z3", "cvc5", "s", "assumptions, each needed")
WIDTHS = (None, 26, 20, None, None, None, 34)


def table(results: Sequence[TheoremResult]) -> str:
    """One row for each theorem: what each solver says, the seconds it took in all, and what the theorem assumes."""
    rows = [
        (
            result.number or "-",
            f"{result.name}: {result.title}" if result.number else result.title,
            result.source,
            _verdict(result, "z3"),
            _verdict(result, "cvc5"),
            f"{result.seconds:.1f}",
            "; ".join(result.needed()) + _borrowed(result),
        )
        for result in results
    ]
    widths = list(WIDTHS)
    text: str = tabulate(rows, HEADERS, tablefmt="simple_grid", maxcolwidths=widths, disable_numparse=True)
    return text


def _verdict(result: TheoremResult, solver: str) -> str:
    """How many obligations the solver proved: all of them, or so many of so many and the worst verdict."""
    total = len(result.obligations)
    proved = sum(getattr(obligation, solver) == PROVED for obligation in result.obligations)
    return f"{proved} proved" if proved == total else f"{result.by_solver(solver)}\n{proved} of {total}"


def _borrowed(result: TheoremResult) -> str:
    return f" (and those of: {', '.join(result.uses)})" if result.uses else ""


def findings(results: Sequence[TheoremResult]) -> str:
    """Assumptions that turned out not to be needed, and whatever failed, in words."""
    lines = [
        f"{result.name}: not needed: {'; '.join(result.not_needed())}" for result in results if result.not_needed()
    ]
    for result in results:
        for o in result.obligations:
            if o.verdict != PROVED:
                lines.append(f"{result.name}: {o.name}: {o.verdict} (z3 {o.z3}, cvc5 {o.cvc5}): {o.sentence}")
            if o.counterexample is not None:
                lines.append(indent(o.counterexample, "    "))
        lines += [f"{result.name}: unknown without: {a.name}" for a in result.assumptions if a.status == UNKNOWN]
    return "\n".join(lines)


def details(result: TheoremResult) -> str:
    """Everything: argument, obligations, a witness of the premises, and a counterexample for each assumption."""
    lines = [
        f"{result.name}: {result.title}",
        f"source: {result.source}",
        f"argument: {result.argument}",
        "obligations:",
    ]
    lines += [f"  {o.verdict:8} {o.name}: {o.sentence}" for o in result.obligations]
    witness = result.witness()
    if witness is not None:
        lines += ["the premises can be met, for instance:", indent(witness, "    ")]
    for run in result.runs:
        lines.append(f"run to {run.name}: {run.sentence}: " + (f"{run.length} steps" if run.length else "none"))
        lines += [indent(run.run, "    ")] if run.run else []
    for a in result.assumptions:
        lines.append(f"assumption {a.name}: {a.sentence}: {a.status}")
        if a.counterexample is not None:
            lines += [f"  without it, `{a.obligation}` fails:", indent(a.counterexample, "    ")]
    return "\n".join(lines)
