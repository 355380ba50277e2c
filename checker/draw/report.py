"""A page for one verdict: what was covered and assumed, counts, properties, every counterexample and witness drawn."""

from __future__ import annotations

from html import escape

from checker.draw.page import page, section
from checker.report.data import verdict_json
from model.properties import PROPERTIES
from model.trace import Counterexample
from model.verdict import Verdict

FIGURES = (
    "states",
    "transitions",
    "depth",
    "underlying_states",
    "snapshots",
    "interleavings",
    "seconds",
    "peak_rss_mb",
)


def verdict_html(verdict: Verdict) -> str:
    """The page of a verdict."""
    data, system = verdict_json(verdict), verdict.system
    words = system.description
    name = f"{words.get('protocol', 'a protocol')} over {words.get('program', 'a program')}"
    where = f"{system.topology.name or 'a topology'}: {system.topology.machines} machines"
    coverage = ", ".join(f"{key} {value}" for key, value in data["coverage"].items())
    head = (
        f"<h1>{escape(data['verdict'])}: {escape(name)}</h1><p>{escape(where)}, "
        f"{len(system.topology.channels)} channels; engine {escape(verdict.engine)}; covered: {escape(coverage)}"
        f"{escape('; ' + verdict.reason) if verdict.reason else ''}.</p>"
        f"<p>Assumed: {escape(system.assumptions.describe())}.</p>"
    )
    figures = "".join(f"<tr><td>{key.replace('_', ' ')}</td><td>{_figure(data[key])}</td></tr>" for key in FIGURES)
    rows = "".join(
        f"<tr><td>{escape(p.name)}</td><td>{escape(p.outcome.value)}</td>"
        f"<td>{'' if p.length is None else p.length}</td><td>{escape(PROPERTIES[p.name].claim)}</td></tr>"
        for p in verdict.properties
    )
    table = (
        "<table><tr><th>property</th><th>verdict</th><th>actions to the first violation</th><th>claim</th></tr>"
        f"{rows}</table>"
    )
    found = [p.counterexample for p in verdict.properties if p.counterexample is not None]
    runs: list[Counterexample] = sorted(found, key=lambda c: len(c.trace)) + list(verdict.witnesses)
    sections = "".join(section(run, number) for number, run in enumerate(runs))
    return page(f"{data['verdict']} - {name}", f"{head}<table>{figures}</table>{table}{sections}")


def _figure(value: object) -> str:
    return "-" if value is None else f"{value:,}" if isinstance(value, int) else escape(str(value))
