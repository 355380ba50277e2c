"""A space-time diagram as SVG: plain elements, classes for colours, light and dark by the reader's preference.

Colours are those of Okabe and Ito, told apart with any colour vision; what is red is thick as well, what is the
protocol's is dashed as well, so the picture also reads in grey.
"""

from __future__ import annotations

import textwrap
from html import escape
from math import hypot

from checker.draw.layout import CHARACTER, FONT, Arrow, Dot, Label, Lane, Layout, lay_out
from checker.report.explain import explain
from checker.report.run import judged_run
from model.trace import Counterexample

STYLE = """
.st { background: #ffffff; }
.st text { font: 13px ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace; fill: #222222; }
.st .paper { fill: #ffffff; }
.st .white { stroke: #8a8f98; stroke-width: 2; }
.st .red { stroke: #d55e00; stroke-width: 5; }
.st .dot { fill: #ffffff; stroke: #555a63; stroke-width: 2; }
.st .dot.r { fill: #d55e00; stroke: #a34700; }
.st .message { stroke: #444a54; stroke-width: 1.6; fill: none; }
.st .message.r { stroke: #d55e00; stroke-width: 2.2; }
.st .control { stroke: #0072b2; stroke-width: 1.4; stroke-dasharray: 5 4; fill: none; }
.st .offends { stroke: #b0005d; stroke-width: 4; fill: none; }
.st .head { fill: #444a54; }
.st .head.r { fill: #d55e00; }
.st .head.c { fill: #0072b2; }
.st .head.o { fill: #b0005d; }
.st .cut { stroke: #009e73; stroke-width: 2.5; stroke-dasharray: 2 5; stroke-linecap: round; fill: none; }
.st .cross { stroke: #b0005d; stroke-width: 2.5; }
.st .grid { stroke: #000000; stroke-opacity: 0.07; }
.st .tick { fill: #6a6f78; font-size: 11px; }
.st .name, .st .caption { font-weight: bold; }
.st .label-control { fill: #0072b2; }
.st .label-offends { fill: #b0005d; font-weight: bold; }
.st .label-cut { fill: #00704f; }
@media (prefers-color-scheme: dark) {
  .st { background: #15181d; }
  .st text { fill: #e8eaee; }
  .st .paper { fill: #15181d; }
  .st .white { stroke: #8f96a3; }
  .st .dot { fill: #15181d; stroke: #c6cbd4; }
  .st .dot.r { fill: #ff8a3c; stroke: #ffb27d; }
  .st .red, .st .message.r { stroke: #ff8a3c; }
  .st .message { stroke: #c6cbd4; }
  .st .control { stroke: #56b4e9; }
  .st .head { fill: #c6cbd4; }
  .st .head.r { fill: #ff8a3c; }
  .st .head.c { fill: #56b4e9; }
  .st .head.o { fill: #ff6bb0; }
  .st .offends, .st .cross { stroke: #ff6bb0; }
  .st .cut { stroke: #2fd6a3; }
  .st .grid { stroke: #ffffff; }
  .st .tick { fill: #a9afba; }
  .st .label-control { fill: #56b4e9; }
  .st .label-offends { fill: #ff6bb0; }
  .st .label-cut { fill: #2fd6a3; }
}
"""


def svg(found: Counterexample) -> str:
    """The diagram of a counterexample or witness, with a caption that says why."""
    explanation = explain(found)
    offending = frozenset(m["journey"] for m in explanation["messages"])
    return drawn(lay_out(judged_run(found), f"{found.property}: {explanation['why'][0]}", offending))


def drawn(layout: Layout) -> str:
    """The SVG document of a layout."""
    width = max(layout.width, 560.0)
    rows = _rows(layout, width)
    height = layout.height + 19 * len(rows) + 10
    body = [
        f'<rect class="paper" width="{width:g}" height="{height:g}"/>',
        *(f'<line class="grid" x1="{x:g}" x2="{x:g}" y1="18" y2="{layout.height - 30:g}"/>' for _, x in layout.ticks),
        *(
            f'<text class="tick" x="{x:g}" y="{layout.height - 18:g}" text-anchor="middle">{number}</text>'
            for number, x in layout.ticks
        ),
        *(part for lane in layout.lanes for part in _lane(lane)),
        *_cut(layout),
        *(part for arrow in layout.arrows for part in _arrow(arrow)),
        *(_dot(dot) for dot in layout.dots),
        *(_label(label) for label in layout.labels),
        *(
            f'<text class="{kind}" x="24" y="{layout.height + 6 + 19 * i:g}">{escape(text)}</text>'
            for i, (kind, text) in enumerate(rows)
        ),
    ]
    if layout.loop is not None:
        side = "start" if layout.loop + 170 < width else "end"
        body.append(
            f'<text class="tick" x="{layout.loop:g}" y="14" text-anchor="{side}">from here on for ever ↻</text>'
        )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="st" role="img" width="{width:g}" height="{height:g}" '
        f'viewBox="0 0 {width:g} {height:g}"><title>{escape(layout.caption)}</title><style>{STYLE}</style>\n'
        + "\n".join(body)
        + "\n</svg>\n"
    )


def _rows(layout: Layout, width: float) -> list[tuple[str, str]]:
    """The lines of text under the picture, with their classes."""
    most = max(40, int((width - 40) / CHARACTER))
    caption = [("caption", line) for line in textwrap.wrap(layout.caption, most)]
    key = "○ white  ● red  ⋯ cut" + (f"  ┄ {layout.control}" if layout.control else "")
    return [*caption, ("tick", key)] + [
        ("label-cut", line) for text in layout.recorded for line in textwrap.wrap(text, most)
    ]


def _lane(lane: Lane) -> list[str]:
    end = lane.end if lane.crash is None else lane.crash
    turn = min(lane.turn, end)
    parts = [f'<line class="white" x1="{lane.start:g}" x2="{turn:g}" y1="{lane.y:g}" y2="{lane.y:g}"/>']
    if turn < end:
        parts.append(f'<line class="red" x1="{turn:g}" x2="{end:g}" y1="{lane.y:g}" y2="{lane.y:g}"/>')
    if lane.crash is not None:
        parts += _cross(lane.crash, lane.y)
    return parts


def _cut(layout: Layout) -> list[str]:
    if not layout.cut:
        return []
    points = " ".join(f"{x:g},{y:g}" for x, y in layout.cut)
    x, y = layout.cut[0]
    return [
        f'<polyline class="cut" points="{points}"/>',
        f'<text class="label-cut" x="{x:g}" y="{y - 5:g}" text-anchor="middle">cut</text>',
    ]


def _arrow(arrow: Arrow) -> list[str]:
    kind = "offends" if arrow.offends else "control" if arrow.control else "message r" if arrow.red else "message"
    head = "o" if arrow.offends else "c" if arrow.control else "r" if arrow.red else ""
    if arrow.bend:
        middle, top = (arrow.x1 + arrow.x2) / 2, arrow.y1 - 1.5 * arrow.bend
        path = f"M{arrow.x1:g} {arrow.y1:g} Q{middle:g} {top:g} {arrow.x2:g} {arrow.y2:g}"
        tip = (arrow.x2 - middle, arrow.y2 - top)
    else:
        path = f"M{arrow.x1:g} {arrow.y1:g} L{arrow.x2:g} {arrow.y2:g}"
        tip = (arrow.x2 - arrow.x1, arrow.y2 - arrow.y1)
    dashes = ' stroke-dasharray="7 5"' if arrow.control and arrow.offends else ""
    parts = [f'<path class="{kind}"{dashes} d="{path}"><title>{escape(arrow.title)}</title></path>']
    if arrow.copied:
        parts.append(f'<circle class="{kind}" cx="{arrow.x1:g}" cy="{arrow.y1:g}" r="4"/>')
    if arrow.end == "accepted":
        parts.append(arrow_head(arrow.x2, arrow.y2, tip, head))
    elif arrow.end == "lost":
        parts += _cross(arrow.x2, arrow.y2)
    else:
        parts.append(f'<circle class="{kind}" cx="{arrow.x2:g}" cy="{arrow.y2:g}" r="3"/>')
    return parts


def arrow_head(x: float, y: float, tip: tuple[float, float], kind: str) -> str:
    """An arrow's head that ends just before (x, y), coming along `tip`."""
    length = hypot(*tip) or 1.0
    dx, dy = tip[0] / length, tip[1] / length
    x, y = x - 5 * dx, y - 5 * dy
    left = (x - 10 * dx - 4.5 * dy, y - 10 * dy + 4.5 * dx)
    right = (x - 10 * dx + 4.5 * dy, y - 10 * dy - 4.5 * dx)
    points = " ".join(f"{px:.4g},{py:.4g}" for px, py in ((x, y), left, right))
    return f'<polygon class="head {kind}" points="{points}"/>'


def _cross(x: float, y: float) -> list[str]:
    return [f'<line class="cross" x1="{x - 6:g}" y1="{y + dy:g}" x2="{x + 6:g}" y2="{y - dy:g}"/>' for dy in (-6, 6)]


def _dot(dot: Dot) -> str:
    red, radius = " r" if dot.red else "", 7 if dot.turns else 5
    return (
        f'<circle class="dot{red}" data-event="{dot.event + 1}" cx="{dot.x:g}" cy="{dot.y:g}" r="{radius}">'
        f"<title>{escape(dot.title)}</title></circle>"
    )


def _label(label: Label) -> str:
    kind = "name" if label.kind == "lane" else f"label-{label.kind}"
    title = f"<title>{escape(label.title)}</title>" if label.title else ""
    return (
        f'<text class="{kind}" x="{label.x:g}" y="{label.y + FONT * 0.36:g}" text-anchor="middle">'
        f"{title}{escape(label.text)}</text>"
    )
