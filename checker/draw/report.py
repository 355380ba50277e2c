"""A page for one verdict: what was covered and assumed, counts, properties, every counterexample and witness drawn."""

from __future__ import annotations

from html import escape

from checker.draw.page import page, section, title
from checker.report.table import facts
from model.trace import Counterexample
from model.verdict import PropertyVerdict, Verdict


def verdict_html(verdict: Verdict) -> str:
    """The page of a verdict."""
    words = verdict.system.description
    name = f"{words.get('protocol', 'a protocol')} over {words.get('program', 'a program')}"
    found = [p.counterexample for p in verdict.properties if p.counterexample is not None]
    runs: list[Counterexample] = sorted(found, key=lambda c: len(c.trace)) + list(verdict.witnesses)
    places = {run.property: number for number, run in reversed(list(enumerate(runs)))}
    told = "".join(f"<tr><td>{escape(key)}</td><td>{escape(text)}</td></tr>" for key, text in facts(verdict))
    rows = "".join(_row(p, places) for p in verdict.properties)
    witnesses = "".join(
        f'<li><a href="#run-{places[w.property]}">{escape(w.property)}</a></li>' for w in verdict.witnesses
    )
    body = (
        f"<h1>{escape(verdict.outcome.value)}: {escape(name)}</h1>"
        f'<table class="facts">{told}</table>'
        "<table><tr><th>property</th><th>verdict</th><th>claim</th></tr>"
        f"{rows}</table>"
        + (f"<p>Witnesses that the claims are not vacuous:</p><ul>{witnesses}</ul>" if witnesses else "")
        + "".join(_folded(run, number) for number, run in enumerate(runs))
    )
    return page(f"{verdict.outcome.value} - {name}", body)


def _folded(run: Counterexample, number: int) -> str:
    """A run's part of the page; all but the first are folded, since many differ little."""
    if number == 0:
        return section(run, number)
    return f"<details><summary>{escape(title(run))}</summary>{section(run, number)}</details>"


def _row(judged: PropertyVerdict, places: dict[str, int]) -> str:
    """A property, what was found of it, and a link to the run that shows it."""
    after = "" if judged.length is None else f" after {judged.length} action{'' if judged.length == 1 else 's'}"
    outcome = escape(judged.outcome.value + after)
    if judged.counterexample is not None:
        outcome = f'<a class="verdict violated" href="#run-{places[judged.name]}">{outcome}</a>'
    kind = escape(judged.outcome.value)
    claimed = escape(judged.claim)
    return f'<tr><td>{escape(judged.name)}</td><td class="verdict {kind}">{outcome}</td><td>{claimed}</td></tr>'
