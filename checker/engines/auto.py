"""`--engine auto`: the reference engine while the search stays tiny (nobody waits for a compiler), else native."""

from __future__ import annotations

from importlib import import_module

from checker.engines.search_options import Progress, SearchOptions, StopCondition, silent
from checker.judging.breadth_first import explore
from model.property import Property
from model.system import System
from model.verdict import Verdict

TINY = 1000
"""States up to which plain Python is sooner done than the kernels are loaded."""


def judge(
    system: System, properties: list[Property], options: SearchOptions | None = None, progress: Progress = silent
) -> Verdict:
    """The verdict of whichever engine suits the size of the system; its name is in the verdict."""
    options = options or SearchOptions()
    where = "checker.engines.reference.engine" if _tiny(system, options) else "checker.engines.native.engine"
    found: Verdict = import_module(where).judge(system, properties, options, progress)
    return found


def _tiny(system: System, options: SearchOptions) -> bool:
    if options.symmetry or options.reduce or options.workers is not None or options.checkpoint is not None:
        return False
    most = TINY if options.max_states is None else min(TINY, options.max_states)
    stop_condition = StopCondition(SearchOptions(max_states=most, max_depth=options.max_depth, timeout=options.timeout))
    graph = explore(system.initial_states(), lambda s: (system.step(s, e) for e in system.events(s)), stop_condition)
    if stop_condition.why == "interrupted":
        raise KeyboardInterrupt
    return len(graph.nodes) < TINY
