"""A network drawn: machines on a circle, clockwise from the top, and each channel an arc that bends to its right."""

from __future__ import annotations

from html import escape
from math import cos, hypot, inf, pi, sin

from checker.draw.labels import shortened
from checker.draw.shapes import breadth
from checker.draw.svg import STYLE, arrow_head
from checker.report.names import printable
from model.topology import Topology

NODE, APART = 15.0, 56.0
"""Half the height of a machine, and the least space between two neighbours."""
LOOP = 62.0
"""The room around that a channel from a machine to itself takes."""

Point = tuple[float, float]


def topology_svg(topology: Topology) -> str:
    """The network as an SVG document."""
    count = topology.machines
    names = [shortened(printable(topology.label(m))) for m in range(count)]
    halves = [max(NODE, breadth(name) / 2 + 7) for name in names]
    radius = (2 * max(halves) + APART) / (2 * sin(pi / count)) if count > 1 else 0.0
    around = LOOP if any(source == destination for source, destination in topology.channels) else APART / 2
    width, height = 2 * (radius + max(halves) + around), 2 * (radius + NODE + around)
    centre = (width / 2, height / 2)
    places = [
        (centre[0] + radius * sin(2 * pi * m / count), centre[1] - radius * cos(2 * pi * m / count))
        for m in range(count)
    ]
    body = [f'<rect class="paper" width="{width:.5g}" height="{height:.5g}"/>']
    seen: dict[tuple[int, int], int] = {}
    for source, destination in topology.channels:
        earlier = seen[source, destination] = seen.get((source, destination), -1) + 1
        start, end = places[source], places[destination]
        arc = _loop(start, centre, earlier) if start == end else _arc(start, end, earlier, halves[destination])
        body += arc
    for (x, y), half, name in zip(places, halves, names, strict=True):
        body.append(
            f'<rect class="dot" x="{x - half:.5g}" y="{y - NODE:.5g}" width="{2 * half:.5g}" height="{2 * NODE:g}" '
            f'rx="{NODE:g}"/><text x="{x:.5g}" y="{y + 5:.5g}" text-anchor="middle">{escape(name)}</text>'
        )
    title = escape(printable(topology.name) or f"{count} machines, {len(topology.channels)} channels")
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="st" role="img" width="{width:.5g}" height="{height:.5g}" '
        f'viewBox="0 0 {width:.5g} {height:.5g}"><title>{title}</title><style>{STYLE}</style>\n'
        + "\n".join(body)
        + "\n</svg>\n"
    )


def _arc(start: Point, end: Point, earlier: int, half: float) -> list[str]:
    """From machine to machine; `earlier` counts the channels between the same two before it, which bend less, `half`
    is half the breadth of the machine at its end."""
    (x1, y1), (x2, y2) = start, end
    dx, dy = x2 - x1, y2 - y1
    length = hypot(dx, dy)
    bend = 16.0 + 16 * earlier
    mx, my = (x1 + x2) / 2 - bend * dy / length, (y1 + y2) / 2 + bend * dx / length
    tx, ty = x2 - mx, y2 - my
    within = min((room / abs(step) if step else inf) for room, step in ((half, tx), (NODE, ty)))
    x2, y2 = x2 - tx * within, y2 - ty * within
    return [
        f'<path class="message" d="M{x1:.5g} {y1:.5g} Q{mx:.5g} {my:.5g} {x2:.5g} {y2:.5g}"/>',
        arrow_head(x2, y2, (tx, ty), ""),
    ]


def _loop(place: Point, centre: Point, earlier: int) -> list[str]:
    """From a machine to itself, on the side away from the centre."""
    x, y = place
    dx, dy = x - centre[0], y - centre[1]
    length = hypot(dx, dy)
    ux, uy = (dx / length, dy / length) if length > 1 else (0.0, -1.0)
    far, aside = 48.0 + 12 * earlier, 26.0 + 8 * earlier
    a = (x + far * ux - aside * uy, y + far * uy + aside * ux)
    b = (x + far * ux + aside * uy, y + far * uy - aside * ux)
    x2, y2 = x + NODE * ux, y + NODE * uy
    return [
        f'<path class="message" d="M{x:.5g} {y:.5g} C{a[0]:.5g} {a[1]:.5g} {b[0]:.5g} {b[1]:.5g} {x2:.5g} {y2:.5g}"/>',
        arrow_head(x2, y2, (x2 - b[0], y2 - b[1]), ""),
    ]
