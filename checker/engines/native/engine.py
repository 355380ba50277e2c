"""The native engine: which of its searches answers, the plain one, that over orbits or the reduced one."""

from __future__ import annotations

import sys

from checker.engines.native.kernels.compiled import compiled_before
from checker.engines.search_options import Progress, SearchOptions, silent
from checker.judging.check_run import Native
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
    if options.reduce:
        from checker.engines.native.reduction import persistent_sets as reduction

        return reduction.judge(system, properties, options, progress)
    if options.symmetry:
        from checker.engines.native.reduction import symmetry

        return symmetry.judge(system, properties, options, progress)
    return Native(system, properties, options, progress).verdict()
