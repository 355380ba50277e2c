"""A page for one verdict: what was covered and assumed, counts, properties, every counterexample and witness drawn."""

from __future__ import annotations

from checker.draw.html import render
from checker.draw.page import shown_run
from checker.report.table import facts
from model.trace import Counterexample
from model.verdict import Verdict


def verdict_html(verdict: Verdict) -> str:
    """The page of a verdict."""
    words = verdict.system.description
    name = f"{words.get('protocol', 'a protocol')} over {words.get('program', 'a program')}"
    found = [p.counterexample for p in verdict.properties if p.counterexample is not None]
    runs: list[Counterexample] = sorted(found, key=lambda c: len(c.trace)) + list(verdict.witnesses)
    return render(
        "verdict.html",
        title=f"{verdict.outcome.value} - {name}",
        name=name,
        verdict=verdict,
        told=facts(verdict),
        places={run.property: number for number, run in reversed(list(enumerate(runs)))},
        runs=[shown_run(run, number) for number, run in enumerate(runs)],
    )
