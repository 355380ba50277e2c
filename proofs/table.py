"""Results as text: one table for all theorems, and on request everything known of one."""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import indent

from tabulate import tabulate

from proofs.results import PROVED, UNKNOWN, USED, TheoremResult

WIDE = 126
"""Columns of the full table; it is also that where there is no terminal to be narrow."""


def table(results: Sequence[TheoremResult], width: int = WIDE) -> str:
    """One row for each theorem: what each solver says, the seconds it took in all, and what the theorem assumes.

    On a narrow terminal the source and the seconds are left out and the rest is wrapped; nothing is cut.
    """
    wide = width >= WIDE
    rows = [
        (
            str(result.number or "-"),
            f"{result.name}: {result.title}" if result.number else result.title,
            *((result.source,) if wide else ()),
            _verdict(result, "z3"),
            _verdict(result, "cvc5"),
            *((f"{result.seconds:.1f}" if result.seconds < 100 else f"{result.seconds:.0f}",) if wide else ()),
            "; ".join(result.assumed()),
        )
        for result in results
    ]
    headers = ("", "theorem", *(("source",) if wide else ()), "z3", "cvc5", *(("s",) if wide else ()), "assumptions")
    # What is left beside the frame, the number and the verdicts, which are never wrapped.
    room = max(24, width - 7 - sum(max(len(line) for r in rows for line in r[k].split("\n")) + 3 for k in _fixed(wide)))
    widths = (None, 26, 20, None, None, None, 34) if wide else (None, room // 2, None, None, room - room // 2 - 1)
    text: str = tabulate(rows, headers, tablefmt="simple_grid", maxcolwidths=list(widths), disable_numparse=True)
    return text


def _fixed(wide: bool) -> tuple[int, ...]:
    """The columns that are never wrapped."""
    return (0, 3, 4, 5) if wide else (0, 2, 3)


def _verdict(result: TheoremResult, solver: str) -> str:
    """How many obligations the solver proved: all of them, or so many of so many and the worst verdict."""
    total = len(result.obligations)
    proved = sum(getattr(obligation, solver) == PROVED for obligation in result.obligations)
    return f"{proved} proved" if proved == total else f"{result.by_solver(solver)}\n{proved} of {total}"


NOTE = (
    "An assumption stands here if the proof uses it: some obligation fails without it, by a state and a step that "
    "`prove NAME` shows, or the kernel's tree rests on it. The sentence itself may yet hold without it."
)


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
        if result.refusal is not None:
            lines.append(f"{result.name}: the kernel refuses: {result.refusal}")
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
    for tree in result.trees:
        lines += [f"theorem: {tree.sentence}", f"  assumes: {'; '.join(tree.assumes)}", "  by:"]
        lines += [f"  {n:4} {rule}{_of(of)}: {sentence}" for n, rule, sentence, of in tree.nodes]
    witness = result.witness()
    if witness is not None:
        lines += ["the premises can be met, for instance:", indent(witness, "    ")]
    for run in result.runs:
        lines.append(f"run to {run.name}: {run.sentence}: " + (f"{run.length} steps" if run.length else "none"))
        lines += [indent(run.run, "    ")] if run.run else []
    for a in result.assumptions:
        by = f" by `{a.obligation}`" if a.status == USED else ""
        lines.append(f"assumption {a.name}: {a.sentence}: {a.status}{by}")
        if a.counterexample is not None:
            lines += ["  which fails without it:", indent(a.counterexample, "    ")]
    return "\n".join(lines)


def _of(numbers: tuple[int, ...]) -> str:
    """What a rule was applied to; of many, the first and the last."""
    shown = [str(n) for n in numbers] if len(numbers) < 7 else [*map(str, numbers[:3]), "...", str(numbers[-1])]
    return f" of {', '.join(shown)}" if numbers else ""
