"""Whether two recorded states are ordered: the underlying computation can go from the one to the other."""

from __future__ import annotations

from functools import lru_cache
from itertools import combinations

from model.program import Underlying
from model.property import Property, Reason
from model.system import State, System
from model.values import to_json


class Order:
    """Reachability between recorded states in the underlying computation, over all that it can reach at all."""

    def __init__(self, system: System) -> None:
        alone = system.alone()
        self.successors: dict[State, list[State]] = {}
        self.states: dict[Underlying, list[State]] = {}
        self.view: dict[State, Underlying] = {}
        waiting = list(alone.initial_states())
        while waiting:
            state = waiting.pop()
            if state not in self.successors:
                view = self.view[state] = alone.view(alone.project(state))
                self.states.setdefault(view, []).append(state)
                self.successors[state] = [alone.step(state, event) for event in alone.events(state)]
                waiting += self.successors[state]
        self._after: dict[Underlying, set[Underlying]] = {}

    def leads(self, first: Underlying, second: Underlying) -> bool:
        """Whether a state that is recorded as `first` reaches one that is recorded as `second`."""
        if first not in self._after:
            reached = set(self.states.get(first, ()))
            waiting = list(reached)
            while waiting:
                new = set(self.successors[waiting.pop()]) - reached
                reached |= new
                waiting += new
            self._after[first] = {self.view[state] for state in reached}
        return second in self._after[first]


@lru_cache(maxsize=4)
def order(system: System) -> Order:
    """The order of the system's recorded states; kept for the systems last asked about."""
    return Order(system)


def _unordered(system: System, state: State) -> Reason | None:
    """Why two of the state's complete snapshots are not ordered, if so."""
    complete = [number for number in range(system.protocol.snapshots) if system.complete(state, number)]
    for first, second in combinations(complete, 2):
        one, two = (system.recorded(state, number) for number in (first, second))
        if not order(system).leads(one, two) and not order(system).leads(two, one):
            return {
                "kind": f"neither of SSS{first} and SSS{second} is reachable from the other",
                f"SSS{first}": to_json(one),
                f"SSS{second}": to_json(two),
            }
    return None


SNAPSHOTS_ORDERED = Property(
    "snapshots-ordered",
    "Of any two snapshots in progress at once, one recorded state is reachable from the other.",
    "asked of concurrent snapshots; EWD864a's S0 ->* SSS ->* S1, with a second SSS",
    lambda system: system.protocol.snapshots > 1,
    on_state=_unordered,
    asked=True,
)
