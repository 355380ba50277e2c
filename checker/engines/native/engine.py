"""The native engine: which of its searches answers, the plain one, that over orbits or the reduced one."""

from __future__ import annotations

import sys
from dataclasses import replace

from checker.engines.native.kernels.compiled import compiled_before
from checker.engines.native.search.levels import Search
from checker.engines.search_options import Progress, SearchOptions, StopCondition, silent
from checker.judging.check_run import CheckRun
from checker.judging.local_predicates import LocalPredicates
from checker.judging.underlying_system import UnderlyingSystem
from model.property import Property
from model.system import System
from model.verdict import Verdict


def judge(
    system: System, properties: list[Property], options: SearchOptions | None = None, progress: Progress = silent
) -> Verdict:
    """The verdict on all `properties` of the system, over everything reachable within the bounds.

    Whoever watches the progress is told of a first run's wait for the compiler, on stderr.
    """
    if progress is not silent and not compiled_before():
        print("compiling the kernels, once", file=sys.stderr, flush=True)
    options = options or SearchOptions()
    if options.symmetry and options.reduce:
        from checker.engines.native.reduction import reduced_orbits

        return reduced_orbits.judge(system, properties, options, progress)
    if options.symmetry:
        from checker.engines.native.reduction import symmetry

        return symmetry.judge(system, properties, options, progress)
    if options.reduce:
        from checker.engines.native.reduction import persistent_sets as reduction

        return reduction.judge(system, properties, options, progress)
    return check_run(system, properties, options, progress).verdict()


def check_run(
    system: System,
    properties: list[Property],
    options: SearchOptions,
    progress: Progress = silent,
    started: float | None = None,
) -> CheckRun:
    """A check to be run, over all states."""
    stop_condition = StopCondition(options) if started is None else StopCondition(options, started=started)
    search = Search(system, LocalPredicates(system, properties), stop_condition, progress)
    return CheckRun(properties, search, underlying_system(system, stop_condition), stop_condition.started)


def underlying_system(system: System, stop_condition: StopCondition) -> UnderlyingSystem:
    """The underlying computation, to be explored beside the system."""
    alone = system.alone()
    return UnderlyingSystem(Search(alone, LocalPredicates(alone, []), beside(stop_condition)))


def beside(stop_condition: StopCondition) -> StopCondition:
    """The condition under which the underlying computation is explored: all of it, by itself."""
    options = replace(stop_condition.options, checkpoint=None, workers=None, symmetry=False, reduce=False)
    return stop_condition.beside(options)
