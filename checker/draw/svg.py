"""A space-time diagram as SVG: plain elements, classes for colours, light and dark by the reader's preference.

Colours are near those of Okabe and Ito, and what two kinds of line have too near for some eyes is told by their shape:
the protocol's own messages are dashed, what was in a channel at the cut is double, what offends is thick.
"""

from __future__ import annotations

from html import escape
from math import hypot

from checker.draw.courses import Course, straight
from checker.draw.layout import kind_of, layout_of
from checker.draw.shapes import FONT, Arrow, Cut, Dot, Label, Lane, Layout, Sample
from checker.report.claims import breaks
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
.st .crossing { stroke: #00805c; stroke-width: 5; fill: none; }
.st .core { stroke: #ffffff; stroke-width: 2; fill: none; }
.st .open { stroke-dasharray: none; stroke-width: 2; fill: #ffffff; }
.st .head { fill: #444a54; }
.st .head.r { fill: #d55e00; }
.st .head.c { fill: #0072b2; }
.st .head.o { fill: #b0005d; }
.st .head.k { fill: #00805c; }
.st .band { stroke: #009e73; stroke-width: 9; stroke-opacity: 0.22; stroke-linejoin: round; fill: none; }
.st .cut { stroke: #00704f; stroke-width: 2.4; stroke-dasharray: 0.1 5; stroke-linecap: round; fill: none; }
.st .cut.beside { stroke-width: 1.6; stroke-opacity: 0.8; }
.st .loop { fill: #0072b2; fill-opacity: 0.09; }
.st .moment { stroke: #6a6f78; stroke-dasharray: 1 4; }
.st .cross { stroke: #b0005d; stroke-width: 2.5; }
.st .grid { stroke: #000000; stroke-opacity: 0.07; }
.st .tick { fill: #5c616a; font-size: 11px; }
.st .when { font-size: 11px; font-weight: bold; }
.st .name, .st .caption { font-weight: bold; }
.st .label-control { fill: #0072b2; }
.st .label-offends { fill: #b0005d; font-weight: bold; }
.st .label-cut, .st .label-crossing { fill: #00704f; }
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
  .st .head.k { fill: #2fd6a3; }
  .st .open { fill: #15181d; }
  .st .crossing { stroke: #2fd6a3; }
  .st .core { stroke: #15181d; }
  .st .loop { fill: #56b4e9; fill-opacity: 0.14; }
  .st .moment { stroke: #a9afba; }
  .st .offends, .st .cross { stroke: #ff6bb0; }
  .st .band, .st .cut { stroke: #2fd6a3; }
  .st .grid { stroke: #ffffff; }
  .st .tick { fill: #a9afba; }
  .st .label-control { fill: #56b4e9; }
  .st .label-offends { fill: #ff6bb0; }
  .st .label-cut, .st .label-crossing { fill: #2fd6a3; }
}
"""


def svg(found: Counterexample, bare: bool = False) -> str:
    """The diagram of a counterexample or witness, with a caption that says why; `bare`, for a paper that has its own:
    without caption and legend, and light in a dark viewer too."""
    if bare:
        layout = layout_of(judged_run(found), (), offending(found), least=0.0, bare=True)
        return drawn(layout).replace(STYLE, STYLE[: STYLE.index("@media")])
    reason = explain(found)
    why: list[str] = reason["why"]
    more = why[1:2] if reason["messages"] or breaks(found) else []
    return drawn(layout_of(judged_run(found), [f"{found.property}: {why[0]}", *more], offending(found)))


def offending(found: Counterexample) -> frozenset[int]:
    """The lifelines of the messages that break the property; none in a witness."""
    return frozenset(m["lifeline"] for m in explain(found)["messages"] if breaks(found))


def drawn(layout: Layout) -> str:
    """The SVG document of a layout."""
    width, height, low = layout.width, layout.height, layout.bottom
    body = [
        f'<rect class="paper" width="{width:g}" height="{height:g}"/>',
        *_loop(layout),
        *(f'<line class="grid" x1="{x:g}" x2="{x:g}" y1="18" y2="{low + 32:g}"/>' for _, x in layout.ticks),
        *(
            f'<text class="tick" x="{x:g}" y="{low + 44:g}" text-anchor="middle">{number}</text>'
            for number, x in layout.ticks
        ),
        *(part for mark in layout.marks for part in _moment(mark.text, mark.x, low)),
        *(part for lane in layout.lanes for part in _lane(lane)),
        *(part for cut in layout.cuts for part in _cut(cut)),
        *(part for arrow in layout.arrows for part in _arrow(arrow)),
        *(_dot(dot) for dot in layout.dots),
        *(part for lane in layout.lanes if lane.crash is not None for part in _cross(lane.crash, lane.y, 9)),
        *(_label(label) for label in layout.labels),
        '<g class="under">',
        *(part for sample in layout.legend for part in _sample(sample)),
        *(f'<text class="{row.kind}" x="24" y="{row.y + 4:g}">{escape(row.text)}</text>' for row in layout.rows),
        "</g>",
    ]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="st" role="img" width="{width:g}" height="{height:g}" '
        f'viewBox="0 0 {width:g} {height:g}"><title>{escape(layout.title)}</title><style>{STYLE}</style>\n'
        + "\n".join(body)
        + "\n</svg>\n"
    )


def _loop(layout: Layout) -> list[str]:
    """The part that is repeated for ever, shaded."""
    if layout.loop is None:
        return []
    start, end = layout.loop
    words = "this repeats for ever ↻"
    return [
        f'<rect class="loop" x="{start:g}" y="18" width="{end - start:g}" height="{layout.bottom + 32:g}"/>',
        f'<text class="tick when" x="{end:g}" y="{layout.bottom + 62:g}" text-anchor="end">{words}</text>',
    ]


def _moment(name: str, x: float, low: float) -> list[str]:
    return [
        f'<line class="moment" x1="{x:g}" x2="{x:g}" y1="18" y2="{low + 50:g}"/>',
        f'<text class="tick when" x="{x:g}" y="{low + 62:g}" text-anchor="middle">{name}</text>',
    ]


def _lane(lane: Lane) -> list[str]:
    end = lane.end if lane.crash is None else lane.crash
    turn = min(lane.turn, end)
    parts = []
    if lane.start < turn:
        parts.append(f'<line class="white" x1="{lane.start:g}" x2="{turn:g}" y1="{lane.y:g}" y2="{lane.y:g}"/>')
    if turn < end:
        parts.append(f'<line class="red" x1="{turn:g}" x2="{end:g}" y1="{lane.y:g}" y2="{lane.y:g}"/>')
    return parts


def _cut(cut: Cut) -> list[str]:
    """A pale band with a dotted line in it: like no lane and no message, in grey print too."""
    if not cut.main:
        return [f'<path class="cut beside" d="{_path(piece)}"/>' for piece in cut.pieces]
    return [f'<path class="{kind}" d="{_path(piece)}"/>' for piece in cut.pieces for kind in ("band", "cut")]


def _path(course: Course) -> str:
    path = f"M{course[0][0][0]:.5g} {course[0][0][1]:.5g}"
    for curve in course:
        (x, y) = curve[3]
        handles = " ".join(f"{hx:.5g} {hy:.5g}" for hx, hy in curve[1:3])
        path += f" L{x:.5g} {y:.5g}" if curve == straight(curve[0], curve[3]) else f" C{handles} {x:.5g} {y:.5g}"
    return path


def _arrow(arrow: Arrow) -> list[str]:
    kind = kind_of(arrow)
    drawn_as = "message r" if kind == "message" and arrow.red else kind
    path, (x1, y1), (x2, y2) = _path(arrow.course), arrow.start, arrow.stop
    dashes = ' stroke-dasharray="7 5"' if arrow.control and arrow.offends else ""
    title = f"<title>{escape(arrow.title)}</title>" if arrow.title else ""
    parts = [f'<path class="{drawn_as}"{dashes} d="{path}">{title}</path>']
    if kind == "crossing":
        parts.append(f'<path class="core" d="{path}"/>')
    if arrow.copied:
        parts.append(f'<circle class="{drawn_as} open" cx="{x1:g}" cy="{y1:g}" r="4"/>')
    if arrow.end == "accepted":
        before = next(at for at in reversed(arrow.course[-1][:3]) if at != arrow.stop)
        parts.append(arrow_head(x2, y2, (x2 - before[0], y2 - before[1]), HEADS.get(drawn_as, "")))
    elif arrow.end == "lost":
        parts += _cross(x2, y2)
    else:
        parts.append(f'<circle class="{drawn_as} open" cx="{x2:g}" cy="{y2:g}" r="4"/>')
    return parts


HEADS = {"offends": "o", "control": "c", "crossing": "k", "message r": "r"}
"""The class of an arrow's head, by its line's."""


def arrow_head(x: float, y: float, tip: tuple[float, float], kind: str) -> str:
    """An arrow's head that ends just before (x, y), coming along `tip`."""
    length = hypot(*tip) or 1.0
    dx, dy = tip[0] / length, tip[1] / length
    x, y = x - 5 * dx, y - 5 * dy
    left = (x - 10 * dx - 4.5 * dy, y - 10 * dy + 4.5 * dx)
    right = (x - 10 * dx + 4.5 * dy, y - 10 * dy - 4.5 * dx)
    points = " ".join(f"{px:.4g},{py:.4g}" for px, py in ((x, y), left, right))
    return f'<polygon class="head {kind}" points="{points}"/>'


def _cross(x: float, y: float, half: int = 6) -> list[str]:
    return [
        f'<line class="cross" x1="{x - half:g}" y1="{y + dy:g}" x2="{x + half:g}" y2="{y - dy:g}"/>'
        for dy in (-half, half)
    ]


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


def _sample(sample: Sample) -> list[str]:
    shape = sample.shape
    return [
        *(_arrow(shape) if isinstance(shape, Arrow) else _cut(shape) if isinstance(shape, Cut) else _lane(shape)),
        f'<text class="tick" x="{sample.x:g}" y="{sample.y + 4:g}">{escape(sample.text)}</text>',
    ]
