"""The Spark engine: explores over partitions, judges by what the tasks report, and gives the other engines' verdicts.

Claims about transitions, channel contents and records are settled where the tables are filled, in the driver; about
terminal states, completed snapshots and underlying states by what each level's tasks report; claims over snapshots by
the argument of `checker.judging.refinement`. What is left over (a shortest run to a violation whose level is known, a
claim that needs the exact search over states and cuts, or components of a graph with cycles) is for the native engine,
in the driver, no deeper than needed.
"""

from __future__ import annotations

import tempfile
import time
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

from checker.engines.distributed.exploration import Exploration
from checker.engines.distributed.reports import WHOLE, Reports
from checker.engines.distributed.storage import Store, is_uri
from checker.engines.memory import peak_rss_mb
from checker.engines.native.engine import judge as judge_native
from checker.engines.native.engine import underlying_system
from checker.engines.search_options import Progress, SearchOptions, StopCondition, silent
from checker.judging.local_predicates import LocalPredicates
from checker.spark.session import SparkStopped, session
from model.errors import InputError
from model.property import Property
from model.system import System
from model.verdict import Counts, Coverage, PropertyVerdict, Verdict, settled_for

WITNESSED = 3_000_000
"""Witnesses are shown if no more states than these lie before them."""


def judge(
    system: System,
    properties: list[Property],
    options: SearchOptions | None = None,
    progress: Progress = silent,
    settings: dict[str, str] | None = None,
) -> Verdict:
    """The verdict on all `properties` of the system, over everything reachable within the bounds.

    `options.master` names the Spark master, `options.workers` how many cores of this machine otherwise;
    `options.checkpoint` is a folder that all workers share, or a URI (`s3://bucket/folder`), from which a search that
    was cut off is resumed. Bounds are looked at between levels. Maximal runs are not counted.
    """
    options = options or SearchOptions()
    master = options.master or (f"local[{options.workers}]" if options.workers else None)
    kept = options.checkpoint
    if kept is None and not (master is None or master.startswith(("local", "spark://127.", "spark://localhost"))):
        raise InputError(f"master {master!r}: name a --checkpoint folder or URI that all its workers reach")
    with ExitStack() as stack:
        store = Store(kept if is_uri(kept) else str(Path(kept).resolve())) if kept else _temporary(stack)
        stack.enter_context(store.lock())
        check: Check | None = None
        try:
            with session(master, settings) as spark:
                check = Check(system, properties, options, store, spark.sparkContext.defaultParallelism)
                check.exploration.explore(spark.sparkContext, check.reports.take, progress, check.projected)
        except SparkStopped as stopped:
            if check is None:
                raise InputError(f"engine spark: Spark stopped before the search began ({stopped})") from None
            check.stop_condition.end(f"Spark stopped: {stopped}", check.exploration.depth)
    return check.verdict()


def _temporary(stack: ExitStack) -> Store:
    """A folder that goes with the stack."""
    return Store(stack.enter_context(tempfile.TemporaryDirectory(prefix="redwhite-search-")), durable=False)


class Check:
    """One check: the exploration, and what its tasks reported."""

    def __init__(
        self, system: System, properties: list[Property], options: SearchOptions, store: Store, partitions: int
    ) -> None:
        self.started = time.monotonic()
        self.system = system
        self.properties = properties
        self.stop_condition = StopCondition(options)
        self.predicates = LocalPredicates(system, properties)
        self.exploration = Exploration(system, self.predicates, store, partitions, self.stop_condition)
        self.underlying = underlying_system(system, self.stop_condition)
        self.reports = Reports(self.exploration, self.underlying)
        self.projected = any(p.preserves for p in properties)

    def verdict(self) -> Verdict:
        """Judge, with the native engine for what is left over."""
        exploration = self.exploration
        self.underlying.explore()
        depths = {p.name: self.reports.depth_needed(p) for p in self.properties}
        left = {name: depth for name, depth in depths.items() if depth is not None}
        told = self._native(left)
        found = {p.name: p for p in told.properties} if told else {}
        snapshots = self.reports.snapshots()
        return Verdict(
            system=self.system,
            engine="spark",
            coverage=Coverage("exhaustive")
            if self.stop_condition.limit is None
            else Coverage("bounded", (self.stop_condition.limit,)),
            counts=Counts(
                states=exploration.count,
                transitions=exploration.transitions,
                depth=exploration.depth,
                underlying_states=self.underlying.states() if self.underlying.whole else None,
                snapshots=len(snapshots),
            ),
            properties=tuple(self._property(p, p.name in left, found.get(p.name)) for p in self.properties),
            snapshots=snapshots,
            reason=self.stop_condition.why,
            seconds=time.monotonic() - self.started,
            peak_rss_mb=peak_rss_mb(),
            witnesses=told.witnesses if told else (),
        )

    def _native(self, left: dict[str, int]) -> Verdict | None:
        """What the native engine finds of these claims, down to the depths needed, and the witnesses."""
        if self.stop_condition.interrupted:
            return None
        deepest = max(left.values(), default=0)
        if self.reports.states_before(self.reports.witnessed) <= WITNESSED:
            deepest = max(deepest, self.reports.witnessed)
        if not deepest:
            return None
        claims = [p for p in self.properties if p.name in left]
        whole = deepest >= self.exploration.depth
        bounded = self.stop_condition.options.max_depth if self.stop_condition.limit is None else self.exploration.depth
        found = judge_native(self.system, claims, SearchOptions(max_depth=bounded if whole else deepest))
        missed = [p.name for p in found.properties if p.counterexample is None]
        return found if whole or not missed else self._native(dict.fromkeys(left, WHOLE))

    def _property(self, judged: Property, left: bool, found: PropertyVerdict | None) -> PropertyVerdict:
        witness = judged.witness(self.system, self.reports.completed, self.reports.begun)
        if judged.sought:
            return found or settled_for(judged, None, self.stop_condition.why or "it was not looked for", None, None)
        if not left:
            cut = self.stop_condition.why
            if judged.preserves and not self.underlying.whole:
                cut = cut or "the underlying states were not all explored"
            return settled_for(judged, None, cut, witness, None)
        if found is None or found.counterexample is None:
            cut = self.stop_condition.why or (
                None if found and not _unsettled(found) else "the native engine was cut off"
            )
            return settled_for(judged, None, cut, witness, None)
        return replace(found, witness=witness)


def _unsettled(found: PropertyVerdict) -> bool:
    return found.outcome.value == "unknown"
