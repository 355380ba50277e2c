"""The engine: deeper action by action, so that what is found first is shortest.

At each depth the solver is asked whether some run of just so many actions ends by breaking a property. What is found
is made canonical (least cost if asked, then fewest changes of machine, then the first in the order of events),
replayed and judged by the property itself. Where no run has one action more, all runs were covered; where each one
would come back to a state, all states were (see `CompletenessThreshold`); else the verdict says how deep it looked and
no more. Goals that runs must reach can be missed by runs without end, too: see `endless_runs`.
"""

from __future__ import annotations

import math
import time

from checker.engines.memory import peak_rss_mb
from checker.engines.search_options import Progress, SearchOptions, silent
from checker.engines.symbolic.claims import Claims, Part
from checker.engines.symbolic.clauses import STOPS, SolverStopped, why_stopped
from checker.engines.symbolic.completeness_threshold import CompletenessThreshold
from checker.engines.symbolic.encodable import kinds
from checker.engines.symbolic.endless_runs import RunSearch, expansion, search_runs
from checker.engines.symbolic.places import needs
from checker.engines.symbolic.questions import Found, Question
from checker.engines.symbolic.runs import NotARun, Run, decode, why_broken
from checker.engines.symbolic.unrolling import Unrolling
from checker.judging.reachability import CutOff, SearchedReachability
from model.action import Event
from model.kinds import OfCut
from model.property import Property
from model.system import System
from model.trace import Counterexample
from model.verdict import (
    COMPLETES,
    IN_CHANNEL,
    Counts,
    Coverage,
    PropertyVerdict,
    Verdict,
    settled_for,
    sought_of,
)

MOST_CANDIDATES = 500
"""How many runs of one depth are judged where clauses cannot encode a property exactly."""

DEPTH = 20
"""How deep is looked where no bound is given."""


def judge(
    system: System, properties: list[Property], options: SearchOptions | None = None, progress: Progress = silent
) -> Verdict:
    """The verdict on the properties, as every engine gives it; lengths and traces are the explorer's."""
    return Search(system, properties, options or SearchOptions(), progress).verdict()


class Search:
    """One search in progress; with `cheapest`, of the shortest runs those of least cost come first."""

    def __init__(
        self,
        system: System,
        properties: list[Property],
        options: SearchOptions,
        progress: Progress = silent,
        cheapest: bool = False,
    ) -> None:
        self.system = system
        self.properties = properties
        self.options = options
        self.progress = progress
        self.cheapest = cheapest
        self.started = time.monotonic()
        self.unrolling = Unrolling([[system]] * system.topology.machines)
        self.claims = Claims(self.unrolling)
        self.not_judged: dict[str, str] = {}
        self.parts = {p.name: self._parts(p) for p in properties}
        self.found: dict[str, Found] = {}
        self.witnesses: dict[str, Counterexample] = {}
        self.reachability = SearchedReachability(system, options.max_states)
        self.looked = 0
        self.closed = self.repeats = self.begun = False
        cuts = any(p.on_completed is not None for p in properties if p.name not in self.not_judged)
        self.threshold = CompletenessThreshold(self.unrolling, self.claims.histories if cuts else [])
        self.runs: dict[str, RunSearch] = {}
        self.doubtful: set[str] = set()
        self.why: str | None = None

    def _parts(self, judged: Property) -> list[Part]:
        if not (kinds(judged) or judged.monitor) or judged.further:
            self.not_judged[judged.name] = f"property {judged.name!r} cannot be encoded in clauses: judge it with check"
            return []
        return self.claims.parts(judged)

    def verdict(self) -> Verdict:
        """Search, then say what was found and what was covered."""
        try:
            self._deepen()
            if not self.closed or any(p.monitor for p in self.properties):
                self._search_runs()
        except STOPS as stopped:
            self.why = why_stopped(stopped, self.options.timeout, self._left() == 0)
        return Verdict(
            system=self.system,
            engine="z3",
            coverage=self._coverage(),
            counts=Counts(states=0, transitions=0, depth=self.looked),
            properties=tuple(self._property(p) for p in self.properties),
            reason=self._reason(),
            seconds=time.monotonic() - self.started,
            peak_rss_mb=peak_rss_mb(),
            witnesses=tuple(self.witnesses.values())
            + sought_of(self.properties, {name: found.counterexample for name, found in self.found.items()}),
        )

    # -- deeper and deeper -------------------------------------------------------------------------------------

    def _deepen(self) -> None:
        unrolling = self.unrolling
        most = DEPTH if self.options.max_depth is None else self.options.max_depth
        while True:
            self._look()
            self.looked = unrolling.depth
            self.progress(0, len(self._pending()), unrolling.depth)
            self.repeats = self._all_repeat()
            if self.repeats:
                return
            if not self._pending() and len(self.witnesses) == 2:
                left = len(self.found) < len(self.properties)
                self.why = "nothing is left to look for" if left else "every property is broken"
            elif self.options.first and self.found:
                self.why = "the first violation was found"
            elif unrolling.depth >= most:
                self.why = f"the depth bound of {most} actions was met"
            if self.why is not None:
                return
            unrolling.extend()
            self.claims.advance()
            if not self._check([unrolling.ordered]):
                self.closed = True
                return

    def _search_runs(self) -> None:
        """Goals missed for ever: a run that ends is shown if none is shorter, or as short and the explorer's choice."""
        bound = math.inf if self.options.max_depth is None else self.options.max_depth
        if self.options.first:
            bound = min([bound, *(found.length for found in self.found.values())])
        expand = expansion(self.system)
        for judged in self.properties:
            if judged.runs is None or judged.further:
                continue
            ended = self.found.get(judged.name)
            found = self.runs[judged.name] = search_runs(self.system, expand, judged, judged.runs, self._left())
            if found.whole:
                self.not_judged.pop(judged.name, None)
            if found.counterexample is None or found.length > bound:
                continue
            loops = found.counterexample.trace.loop is not None and not self.cheapest
            if ended is None or found.length < ended.length + loops:
                cost = sum(need.cost for need in needs(found.counterexample.trace))
                self.found[judged.name] = Found(found.length, found.counterexample, cost)

    def _all_repeat(self) -> bool:
        """Whether every run of the present depth meets a state twice; no longer looked for than all else so far took.

        Asked only where some state may come twice at all. If the solver gives up, it is asked again one action deeper.
        """
        if self.unrolling.depth and not self.threshold.possible():
            return False
        self.threshold.advance()
        left, spent = self._left(), time.monotonic() - self.started
        if left == 0:
            raise SolverStopped("timeout")
        try:
            most = spent + 1 if left is None else min(left, spent + 1)
            return not self.unrolling.clauses.check([self.unrolling.ordered, self.threshold.simple], most)
        except SolverStopped as stopped:
            if "interrupt" in str(stopped):
                raise
            return False

    def _pending(self) -> list[Property]:
        return [p for p in self.properties if p.name not in self.found and p.name not in self.not_judged]

    def _look(self) -> None:
        """All that ends at this depth."""
        for name, literal in ((COMPLETES, self.claims.completes), (IN_CHANNEL, self.claims.in_channel)):
            if name not in self.witnesses:
                self._witness(name, literal())
        self.begun = self.begun or self._check([self.claims.begins(), self.unrolling.ordered])
        wanted = [(judged, part, part.broken()) for judged in self._pending() for part in self.parts[judged.name]]
        clauses = self.unrolling.clauses
        if not self._check([clauses.either(broken for _, _, broken in wanted), self.unrolling.ordered]):
            return
        for judged, part, broken in wanted:
            if judged.name not in self.found:
                found = self._answer(judged, part, broken)
                if found is not None:
                    self.found[judged.name] = found

    def _witness(self, name: str, broken: int) -> None:
        question = Question(broken, [self.unrolling.ordered])
        if self._possible(question, question.also):
            run, _ = self._canonical(question)
            self.witnesses[name] = Counterexample(name, run.trace(), {"kind": name})

    def _answer(self, judged: Property, part: Part, broken: int) -> Found | None:
        """The run that is shown of those that end here by breaking the property so; None if there is none."""
        clauses = self.unrolling.clauses
        if not self._check([broken, self.unrolling.ordered]):
            return None
        question = Question(broken, [self.unrolling.ordered])
        try:
            for exact in (True, False):
                if not exact:
                    guard = clauses.new()
                    clauses.implies(guard, broken)
                    question = Question(guard, [], judged, part)
                if (part.exact() or not exact) and self._possible(question, question.also):
                    run, cost = self._canonical(question)
                    reason = why_broken(judged, part.kind, run.trace(), self.reachability)
                    if reason is not None:
                        return Found(len(run.events), Counterexample(judged.name, run.trace(), reason), cost)
        except CutOff as cut:
            self.not_judged[judged.name] = str(cut)
        if part.kind == "completed":
            self.doubtful.add(judged.name)
        return None

    def _possible(self, question: Question, assumptions: list[int]) -> bool:
        """Whether some run is what is asked for; afterwards the last model is one.

        Where clauses cannot encode the property exactly (or the cut by places and the cut by payloads part ways, see
        `History`) each run found is judged, and what cannot matter to the property is not asked for twice.
        """
        while self._check([question.broken, *assumptions]):
            if question.judged is None or question.part is None:
                return True
            run = decode(self.unrolling)
            if why_broken(question.judged, question.part.kind, run.trace(), self.reachability) is not None:
                question.confirmed = True
                return True
            question.refuted += 1
            if question.refuted > MOST_CANDIDATES and not question.confirmed:
                raise CutOff(f"{MOST_CANDIDATES} runs of {self.unrolling.depth} actions were judged, and more may be")
            essence = self._essence(run, question.judged, question.part)
            self.unrolling.clauses.add(-question.broken, *(-literal for literal in essence))
        return False

    def _essence(self, run: Run, judged: Property, part: Part) -> list[int]:
        """What the judgement may depend on: of a claim over recorded states, what was recorded; of one over states, the
        last one; of one over S0, SSS and S1, that and where the run was when each machine turned red; else all of it.
        """
        if part.kind == "recorded":
            return self.claims.recorded_as_in(run.state)
        of_ends = isinstance(judged.on_completed, OfCut) and judged.on_completed.by_states
        of_state = (
            part.kind == "state" or (part.kind == "goal" and part.exact())
        ) and not self.system.assumptions.faults  # budgets are part of a state
        again, literals = Run(self.unrolling), []
        for event in run.events:
            if of_ends and any(move.step.turns for move in event.moves):
                literals += [*again.configuration(), *again.literals(event)]
            elif not of_ends and not of_state:
                literals += again.literals(event)
            again.take(event)
        return [*literals, *again.configuration()]

    # -- which of the shortest ---------------------------------------------------------------------------------

    def _canonical(self, question: Question) -> tuple[Run, int]:
        """Of the runs of this depth that end so, the one that is shown; and its cost."""
        unrolling = self.unrolling
        fixed: list[int] = []
        if self.cheapest:
            fixed += self._least(question, unrolling.costs[-1], question.also)
        cost = self._cost()
        fixed += self._least(question, unrolling.changes[-1], fixed)
        run = Run(unrolling)
        for _ in range(unrolling.depth):
            event, literals = self._first(question, run, fixed)
            fixed += literals
            run.take(event)
        return run, cost

    def _first(self, question: Question, run: Run, fixed: list[int]) -> tuple[Event, list[int]]:
        """The first event that a run with what is fixed can go on with; the last model is one of such a run, again."""
        options = run.options()
        modelled = next((i for i, (_, own) in enumerate(options) if all(map(self.unrolling.clauses.true, own))), None)
        if modelled is None:
            raise NotARun(f"after {len(run.events)} actions no event of the system is the model's")
        for event, literals in options[:modelled]:
            if self._possible(question, [*fixed, *literals]):
                return event, literals
        if modelled:
            self._possible(question, [*fixed, *options[modelled][1]])
        return options[modelled]

    def _least(self, question: Question, count: list[int], fixed: list[int]) -> list[int]:
        """The assumption that a count is least; afterwards a model of it is the last one."""
        for literal in count:
            if self._possible(question, [*fixed, -literal]):
                return [-literal]
        self._possible(question, fixed)
        return []

    def _cost(self) -> int:
        return sum(map(self.unrolling.clauses.true, self.unrolling.costs[-1]))

    # -- results -----------------------------------------------------------------------------------------------

    def _left(self) -> float | None:
        if self.options.timeout is None:
            return None
        return max(0.0, self.options.timeout - (time.monotonic() - self.started))

    def _check(self, assumptions: list[int]) -> bool:
        left = self._left()
        if left == 0:
            raise SolverStopped("timeout")
        return self.unrolling.clauses.check(assumptions, left)

    def _coverage(self) -> Coverage:
        if self.closed:
            return Coverage("inductive", (("longest_run", self.looked),))
        return Coverage("inductive" if self.repeats else "bounded", (("depth", self.looked),))

    def _limit(self, judged: Property) -> str | None:
        """What of the property was not looked at though the search closed; None if all was."""
        if self.repeats and judged.name in self.doubtful:
            return "what clauses cannot tell apart was judged run by run, and runs that come back to a state were not"
        return self.claims.limit(judged, self.closed or self.repeats, self._followed(judged))

    def _followed(self, judged: Property) -> bool:
        """Whether every run was followed: clauses look at how runs end, and where all end that is enough for a goal."""
        searched = self.runs.get(judged.name)
        return (self.closed and judged.goal is not None) or (searched is not None and searched.whole)

    def _reason(self) -> str | None:
        """Why not all is known, in words."""
        covered = self.closed or self.repeats
        notes = [*self.not_judged.values()]
        for judged in self.properties:
            asked = covered and judged.name not in self.found and judged.name not in self.not_judged
            limit = self._limit(judged) if asked else None
            notes += [f"{judged.name}: {limit}"] if limit else []
        return "; ".join(([] if covered or self.why is None else [self.why]) + notes) or None

    def _property(self, judged: Property) -> PropertyVerdict:
        found = self.found.get(judged.name)
        counterexample = found.counterexample if found else None
        cut = self.not_judged.get(judged.name) or (self._limit(judged) if self.closed or self.repeats else self.why)
        witness = judged.witness(self.system, COMPLETES in self.witnesses, self.begun)
        shortest = judged.runs is None or self._followed(judged)
        length = found.length if found and shortest else None
        return settled_for(judged, counterexample, cut, witness, length)
