"""Values as a notebook's cell shows them: a verdict's table, a system, a run's diagram."""

from __future__ import annotations

from functools import singledispatch

from markupsafe import Markup, escape

from checker.draw.html import drawn_here, render
from checker.draw.layout import layout_of
from checker.draw.network import topology_svg
from checker.draw.svg import drawn, svg
from checker.report.claims import WALK
from checker.report.run import judged_run
from checker.report.table import assumed, facts
from model.system import System
from model.topology import Topology
from model.trace import Counterexample, Trace
from model.verdict import Verdict


@singledispatch
def picture(value: object) -> str:
    """The value as SVG."""
    raise TypeError(f"no picture is known of a {type(value).__name__}")


@singledispatch
def page(value: object) -> str:
    """The value as HTML."""
    raise TypeError(f"no page is known of a {type(value).__name__}")


picture.register(Topology)(topology_svg)
picture.register(Counterexample)(svg)


@page.register
def _(verdict: Verdict) -> str:
    """A verdict as tables: what was covered and assumed, what was found of each property; its shortest run drawn."""
    found = verdict.counterexample
    picture = "" if found is None else drawn_here(svg(found))
    return render("cell.html", verdict=verdict, told=facts(verdict), picture=picture)


@page.register
def _(system: System) -> str:
    """A system in two lines and its network."""
    words = ", ".join(f"{key} {value}" for key, value in system.description.items() if value)
    told = escape(f"{words}\nAssumed: {assumed(system)}.").replace("\n", Markup("<br>"))
    return f"<p>{told}</p>{topology_svg(system.topology)}"


@picture.register
def _(trace: Trace) -> str:
    """The space-time diagram of a run, judged by nothing."""
    run = judged_run(Counterexample(WALK, trace, {}))
    return drawn(layout_of(run, [f"{len(trace.events)} actions"]))
