"""Reachability in the underlying computation by plain search, remembered."""

from __future__ import annotations

from checker.engines.search_options import SearchOptions, StopCondition
from checker.judging.breadth_first import explore
from model.program import Underlying
from model.property import ReachabilityOracle
from model.system import State, System


class CutOff(Exception):
    """The search was ended by a bound before it could answer."""


class SearchedReachability(ReachabilityOracle):
    """Answers by breadth-first search of the underlying system from each state asked about, once.

    The bound on faults is one for the whole run: before S0, from S0 to SSS and from SSS to S1. A state here carries
    what is left of it, as in any system.
    """

    def __init__(self, system: System, max_states: int | None = None) -> None:
        self.alone = system.alone()
        self.max_states = max_states
        self._reached: dict[State, dict[Underlying, list[State]]] = {}

    def to_recorded(self, start: Underlying, recorded: Underlying, spent: tuple[int, ...] = ()) -> bool:
        """Whether a state that would be recorded as `recorded` is reachable from `start`."""
        return recorded in self._from(self.alone.embed(start, spent=spent))

    def through(self, start: Underlying, recorded: Underlying, end: Underlying, spent: tuple[int, ...] = ()) -> bool:
        """Whether some state that would be recorded as `recorded` is reachable from `start` and reaches `end`."""
        goal = self.alone.view(end)
        between = self._from(self.alone.embed(start, spent=spent)).get(recorded, ())
        return any(self.alone.project(state) == end for middle in between for state in self._from(middle).get(goal, ()))

    def _from(self, start: State) -> dict[Underlying, list[State]]:
        """The states reachable from `start`, by what would be recorded of them; of equal ones those with most left."""
        found = self._reached.get(start)
        if found is None:
            alone, stop_condition = self.alone, StopCondition(SearchOptions(max_states=self.max_states))
            graph = explore([start], self._expand, stop_condition)
            if stop_condition.why is not None:
                if stop_condition.interrupted:
                    raise KeyboardInterrupt
                raise CutOff(stop_condition.why)
            by_state: dict[State, list[State]] = {}
            for state in graph.nodes:
                by_state.setdefault(state._replace(left=()), []).append(state)
            found = self._reached[start] = {}
            for bare, states in by_state.items():
                found.setdefault(alone.view(alone.project(bare)), []).extend(_most_left(states))
        return found

    def _expand(self, state: State) -> list[State]:
        return [self.alone.step(state, event) for event in self.alone.events(state)]


def _most_left(states: list[State]) -> list[State]:
    """Those states, equal but for the faults left, that have no other with as many left of each kind."""

    def fewer(one: State, other: State) -> bool:
        return one.left != other.left and all(a <= b for a, b in zip(one.left, other.left, strict=True))

    return [one for one in states if not any(fewer(one, other) for other in states)]
