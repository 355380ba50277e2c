"""`--engine auto`: the reference engine while the search stays tiny (nobody waits for a compiler), else native."""

from __future__ import annotations

from importlib import import_module

from checker.engines.reference.breadth_first import explore
from checker.engines.search_options import Bounds, Clock, Progress, silent
from model.property import Property
from model.system import System
from model.verdict import Verdict

TINY = 1000
"""States up to which plain Python is sooner done than the kernels are loaded."""


def judge(
    system: System, properties: list[Property], bounds: Bounds | None = None, progress: Progress = silent
) -> Verdict:
    """The verdict of whichever engine suits the size of the system; its name is in the verdict."""
    bounds = bounds or Bounds()
    where = "checker.engines.reference.engine" if _tiny(system, bounds) else "checker.engines.native.engine"
    found: Verdict = import_module(where).judge(system, properties, bounds, progress)
    return found


def _tiny(system: System, bounds: Bounds) -> bool:
    if bounds.symmetry or bounds.reduce or bounds.workers is not None or bounds.checkpoint is not None:
        return False
    most = TINY if bounds.max_states is None else min(TINY, bounds.max_states)
    clock = Clock(Bounds(max_states=most, max_depth=bounds.max_depth))
    graph = explore(system.initial_states(), lambda s: (system.step(s, e) for e in system.events(s)), clock)
    if clock.why == "interrupted":
        raise KeyboardInterrupt
    return len(graph.nodes) < TINY
