"""A report as files: one HTML page with everything in it, and each figure as SVG and PNG."""

from __future__ import annotations

import io
from math import sqrt
from typing import TYPE_CHECKING, Any

from checker.draw.html import drawn_here, render
from checker.sweep.result_tables import SIGNS, Report, is_number, shown

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SENTENCE = 60
"""The most letters of a cell that stays in one line."""
RED, INK = "#c62828", "#37474f"
COLOURS = {"consistent": INK, "elsewhere": "#f9a825", "impossible": RED, "incomplete": "#6a1b9a"}
"""Of an audit's verdicts in its time line, from the bottom to the top."""


def write_page(report: Report) -> None:
    """Write index.html and the figures into the report's folder."""
    folder = report.page.parent
    folder.mkdir(parents=True, exist_ok=True)
    figures = []
    for name, caption, figure in _figures(report):
        figure.savefig(folder / f"{name}.png", dpi=150)
        text = io.StringIO()
        figure.savefig(text, format="svg", metadata={"Date": None}, transparent=True)
        (folder / f"{name}.svg").write_text(text.getvalue(), encoding="utf-8")
        figures.append((drawn_here(text.getvalue()[text.getvalue().index("<svg") :]), caption))
    page = render("sweep.html", title=report.title, tables=report.tables, figures=figures, shown=shown, kind=_kind)
    report.page.write_text(page, encoding="utf-8")


def _kind(cell: Any) -> str:
    """How a cell is set: as a number, or in the colour of the worst verdict that it counts."""
    if is_number(cell):
        return "number"
    if len(str(cell)) > SENTENCE:
        return "words"
    signs = (f"verdict {name}" for name in ("violated", "holds") if str(cell).startswith(SIGNS[name]))
    return next(signs, "")


def _figures(report: Report) -> list[tuple[str, str, Figure]]:
    """(file name, caption, figure) for all that there are numbers for."""
    made = []
    if report.growth:
        caption = "States of each system explored to the end, by its number of channels"
        made.append(("growth", caption, _growth(report.growth)))
    if report.lengths:
        caption = "Lengths of the shortest counterexamples, in actions: how many properties of systems have which"
        made.append(("lengths", caption, _lengths(report.lengths)))
    if report.timeline:
        caption = "Snapshots in the order in which they were claimed: how many have which verdict"
        made.append(("timeline", caption, _timeline(report.timeline)))
    return made


def _new(width: float, height: float) -> tuple[Figure, Any]:
    import matplotlib
    from matplotlib.figure import Figure  # without pyplot: no window system is asked for

    matplotlib.rcParams["svg.hashsalt"] = "redwhite"  # the same figure is the same file
    figure = Figure(figsize=(width, height), layout="constrained")
    return figure, figure.subplots()


def _growth(points: tuple[tuple[int, int, int], ...]) -> Figure:
    figure, axes = _new(7, 4)
    for number, machines in enumerate(sorted({m for m, _, _ in points})):
        own = [(channels, states) for m, channels, states in points if m == machines]
        shift = 0.12 * number
        label = f"{machines} machine" + "s" * (machines > 1)
        axes.scatter([c + shift for c, _ in own], [s for _, s in own], s=36, alpha=0.6, linewidths=0, label=label)
    axes.set(xlabel="channels", ylabel="states", yscale="log")
    axes.legend(frameon=False)
    axes.spines[["top", "right"]].set_visible(False)
    return figure


def _lengths(counts: tuple[tuple[str, int, int], ...]) -> Figure:
    protocols = sorted({protocol for protocol, _, _ in counts})
    lengths = sorted({length for _, length, _ in counts})
    figure, axes = _new(max(5, 0.35 * len(lengths) + 2.5), 0.55 * len(protocols) + 1.4)
    most = max(count for _, _, count in counts)
    for protocol, length, count in counts:
        place = protocols.index(protocol)
        area = 20 + 380 * count / most
        axes.scatter([length], [place], s=area, color=RED, alpha=0.75, linewidths=0)
        over = (0, sqrt(area) / 2 + 1)  # on the dot itself dark figures would not be read
        axes.annotate(f"{count:,}", (length, place), over, textcoords="offset points", fontsize=8, ha="center")
    axes.set_yticks(range(len(protocols)), protocols)
    axes.set(xlabel="actions to the first violation")
    axes.set_ylim(len(protocols) - 0.5, -0.8)
    axes.xaxis.get_major_locator().set_params(integer=True)
    axes.spines[["top", "right"]].set_visible(False)
    return figure


def _timeline(counts: tuple[tuple[int, str, int], ...]) -> Figure:
    figure, axes = _new(8, 3)
    heights = dict.fromkeys({bar for bar, _, _ in counts}, 0)
    for verdict, colour in COLOURS.items():
        own = {bar: number for bar, name, number in counts if name == verdict}
        if not own:
            continue
        axes.bar(list(own), list(own.values()), bottom=[heights[bar] for bar in own], label=verdict, color=colour)
        for bar, number in own.items():
            heights[bar] += number
    axes.set(xlabel="claims, from first to last", ylabel="snapshots", xticks=[])
    figure.legend(frameon=False, loc="outside upper left", ncols=len(COLOURS))  # bars reach to the top
    axes.spines[["top", "right"]].set_visible(False)
    return figure
