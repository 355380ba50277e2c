"""Reachability in the underlying computation by plain search, remembered."""

from __future__ import annotations

from checker.engines.reference.breadth_first import explore
from checker.engines.search_options import SearchOptions, StopCondition
from model.program import Underlying
from model.property import ReachabilityOracle
from model.system import State, System


class CutOff(Exception):
    """The search was ended by a bound before it could answer."""


class SearchedReachability(ReachabilityOracle):
    """Answers by breadth-first search of the underlying system from each state asked about, once.

    Faults of the underlying channels count anew for each of the two ways, S0 to SSS and SSS to S1.
    """

    def __init__(self, system: System, max_states: int | None = None) -> None:
        self.alone = system.alone()
        self.max_states = max_states
        self._reached: dict[Underlying, dict[Underlying, list[Underlying]]] = {}

    def to_recorded(self, start: Underlying, recorded: Underlying) -> bool:
        """Whether a state that would be recorded as `recorded` is reachable from `start`."""
        return recorded in self._from(start)

    def through(self, start: Underlying, recorded: Underlying, end: Underlying) -> bool:
        """Whether some state that would be recorded as `recorded` is reachable from `start` and reaches `end`."""
        goal = self.alone.view(end)
        return any(end in self._from(between).get(goal, ()) for between in self._from(start).get(recorded, ()))

    def _from(self, start: Underlying) -> dict[Underlying, list[Underlying]]:
        """The underlying states reachable from `start`, by what would be recorded of them."""
        found = self._reached.get(start)
        if found is None:
            alone, stop_condition = self.alone, StopCondition(SearchOptions(max_states=self.max_states))
            graph = explore([alone.embed(start)], self._expand, stop_condition)
            if stop_condition.why is not None:
                if stop_condition.why == "interrupted":
                    raise KeyboardInterrupt
                raise CutOff(stop_condition.why)
            found = self._reached[start] = {}
            for underlying in {alone.project(state) for state in graph.nodes}:
                found.setdefault(alone.view(underlying), []).append(underlying)
        return found

    def _expand(self, state: State) -> list[State]:
        return [self.alone.step(state, event) for event in self.alone.events(state)]
