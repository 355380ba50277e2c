"""Values as a notebook's cell shows them: a verdict's table, a run's diagram, a network, a system."""

from __future__ import annotations

from html import escape
from math import cos, hypot, pi, sin

from checker.draw.labels import shortened
from checker.draw.layout import lay_out
from checker.draw.shapes import CHARACTER
from checker.draw.svg import STYLE, arrow_head, drawn, svg
from checker.report.names import printable
from checker.report.run import judged_run
from model.properties import PROPERTIES
from model.system import System
from model.topology import Topology
from model.trace import Counterexample, Trace
from model.verdict import Verdict

RADIUS, NODE, MARGIN = 22.0, 15.0, 62.0


def verdict_html(verdict: Verdict) -> str:
    """A verdict as a table: what was found of each property, what was covered and assumed; its shortest run drawn."""
    system, counts = verdict.system, verdict.counts
    rows = "".join(
        f"<tr><td>{escape(p.name)}</td><td>{escape(p.outcome.value)}"
        f"{'' if p.length is None else f' after {p.length} actions'}</td>"
        f"<td style='text-align:left'>{escape(PROPERTIES[p.name].claim)}</td></tr>"
        for p in verdict.properties
    )
    found = verdict.counterexample
    reason = f"; {escape(verdict.reason)}" if verdict.reason else ""
    return (
        f"<p><b>{escape(verdict.outcome.value)}</b>: {counts.states:,} states, {counts.transitions:,} transitions, "
        f"{escape(verdict.coverage.kind)}, {escape(verdict.engine)}{reason}</p>"
        f"{system_html(system)}<table><tr><th>property</th><th>verdict</th><th>claim</th></tr>{rows}</table>"
        + ("" if found is None else svg(found))
    )


def system_html(system: System) -> str:
    """A system in two lines and its network."""
    words = ", ".join(f"{key} {value}" for key, value in system.description.items() if value)
    return f"<p>{escape(words)}<br>Assumed: {escape(system.assumptions.describe())}.</p>{topology_svg(system.topology)}"


def trace_svg(trace: Trace) -> str:
    """The space-time diagram of a run, judged by nothing."""
    run = judged_run(Counterexample("a run", trace, {}))
    return drawn(lay_out(run, [f"{len(trace.events)} actions"]))


def topology_svg(topology: Topology) -> str:
    """The network: machines on a circle, clockwise from the top; each channel an arc that bends to its right."""
    count = topology.machines
    radius = max(RADIUS * count / 1.6, 52.0) if count > 1 else 0.0
    names = [shortened(printable(topology.label(m))) for m in range(count)]
    aside = MARGIN + CHARACTER * max(map(len, names)) / 2
    width, height = 2 * (radius + aside), 2 * (radius + MARGIN)
    places = [
        (width / 2 + radius * sin(2 * pi * m / count), height / 2 - radius * cos(2 * pi * m / count))
        for m in range(count)
    ]
    body = [f'<rect class="paper" width="{width:g}" height="{height:g}"/>']
    seen: dict[tuple[int, int], int] = {}
    for ends in topology.channels:
        earlier = seen[ends] = seen.get(ends, -1) + 1
        body += _channel(places[ends[0]], places[ends[1]], earlier, (width / 2, height / 2))
    for (x, y), name in zip(places, names, strict=True):
        half = max(NODE, CHARACTER * len(name) / 2 + 6)
        body.append(
            f'<rect class="dot" x="{x - half:.4g}" y="{y - NODE:.4g}" width="{2 * half:.4g}" height="{2 * NODE:g}" '
            f'rx="{NODE:g}"/><text x="{x:.4g}" y="{y + 5:.4g}" text-anchor="middle">{escape(name)}</text>'
        )
    title = escape(printable(topology.name) or f"{count} machines, {len(topology.channels)} channels")
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="st" role="img" width="{width:g}" height="{height:g}" '
        f'viewBox="0 0 {width:g} {height:g}"><title>{title}</title><style>{STYLE}</style>\n'
        + "\n".join(body)
        + "\n</svg>\n"
    )


def _channel(
    start: tuple[float, float], end: tuple[float, float], earlier: int, centre: tuple[float, float]
) -> list[str]:
    """An arc; `earlier` counts the channels between the same machines before it, which bend less."""
    (x1, y1), (x2, y2) = start, end
    if start == end:  # a loop away from the centre
        dx, dy = x1 - centre[0], y1 - centre[1]
        length = hypot(dx, dy)
        ux, uy = (dx / length, dy / length) if length else (0.0, -1.0)
        far, aside = 48.0 + 12 * earlier, 26.0 + 8 * earlier
        a = (x1 + far * ux - aside * uy, y1 + far * uy + aside * ux)
        b = (x1 + far * ux + aside * uy, y1 + far * uy - aside * ux)
        x2, y2 = x1 + NODE * ux, y1 + NODE * uy
        path = f"C{a[0]:.4g} {a[1]:.4g} {b[0]:.4g} {b[1]:.4g} {x2:.4g} {y2:.4g}"
        tip = (x2 - b[0], y2 - b[1])
    else:
        dx, dy = x2 - x1, y2 - y1
        length = hypot(dx, dy)
        bend = 16.0 + 16 * earlier
        mx, my = (x1 + x2) / 2 - bend * dy / length, (y1 + y2) / 2 + bend * dx / length
        tip = (x2 - mx, y2 - my)
        short = (NODE + 3) / hypot(*tip)
        x2, y2 = x2 - tip[0] * short, y2 - tip[1] * short
        path = f"Q{mx:.4g} {my:.4g} {x2:.4g} {y2:.4g}"
    return [f'<path class="message" d="M{x1:.4g} {y1:.4g} {path}"/>', arrow_head(x2, y2, tip, "")]
