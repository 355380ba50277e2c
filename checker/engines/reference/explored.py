"""What the reference engine has explored, and the shortest runs that it keeps of what breaks a property."""

from __future__ import annotations

from collections.abc import Iterator

from checker.engines.search_options import Progress, StopCondition
from checker.judging.breadth_first import Graph, explore
from model.action import Event
from model.program import Underlying
from model.property import Property, Reason
from model.system import State, System
from model.trace import Counterexample, Trace


class Explored:
    """The explored graph and what was found in it."""

    def __init__(
        self, system: System, properties: list[Property], stop_condition: StopCondition, progress: Progress
    ) -> None:
        self.system = system
        self.properties = properties
        self.stop_condition = stop_condition
        self.progress = progress
        self.graph: Graph[State] = Graph()
        self.alone = system.alone()
        self.underlying: Graph[State] = Graph()
        self.completed: list[tuple[int, int, Underlying]] = []  # (state, snapshot, SSS)
        self.found: dict[str, tuple[int, Counterexample]] = {}
        self.unknown: dict[str, str] = {}
        self.histories: int | None = None

    def explore(self) -> None:
        """All reachable states, and all completed snapshots among them; and the underlying states by themselves."""
        system = self.system
        self.graph = explore(
            system.initial_states(),
            self.expand,
            self.stop_condition,
            self.stops if self.stop_condition.options.first else None,
            self.progress,
        )
        for number, state in enumerate(self.graph.nodes):
            for snapshot in range(system.protocol.snapshots):
                if system.complete(state, snapshot):
                    self.completed.append((number, snapshot, system.recorded(state, snapshot)))
        if self.stop_condition.interrupted:
            return
        alone, stop_condition = self.alone, self.stop_condition.beside()
        self.underlying = explore(
            alone.initial_states(), lambda s: (alone.step(s, e) for e in alone.events(s)), stop_condition
        )
        if stop_condition.interrupted:
            self.stop_condition.interrupt(self.graph.depth)

    def expand(self, state: State) -> Iterator[State]:
        """The successors of a state, in the order of its events."""
        return (self.system.step(state, event) for event in self.system.events(state))

    def stops(self, state: State) -> bool:
        """With --first: whether the state, or a move from it, breaks a property."""
        return any(self.state_reason(p, state) for p in self.properties if not p.sought) or any(
            self.event_reason(p, event) for p in self.properties for event in self.system.events(state)
        )

    def events(self, number: int) -> list[Event]:
        """The events of state number `number`."""
        return list(self.system.events(self.graph.nodes[number]))

    def actors(self, number: int) -> list[int]:
        """Who acts in each of the state's events."""
        return [event.actor for event in self.events(number)]

    def state_reason(self, broken: Property, state: State) -> Reason | None:
        """Why the state by itself breaks the property, if it does."""
        return broken.on_state(self.system, state) if broken.on_state else None

    def event_reason(self, broken: Property, event: Event) -> Reason | None:
        """Why a move of the event breaks the property, if one does; faults are nobody's fault."""
        if broken.on_move is None or event.fault is not None:
            return None
        return next(filter(None, (broken.on_move(self.system, move) for move in event.moves)), None)

    def expanded(self, depth: int) -> range:
        """The states at this depth whose events are all known."""
        level = self.graph.level(depth)
        return range(level.start, min(level.stop, len(self.graph.successors)))

    def judged(self, depth: int) -> range:
        """The states at this depth that are judged: where a bound forbade to expand them, only at the depth bound."""
        level = self.graph.level(depth)
        return range(level.start, min(level.stop, self.known))

    @property
    def known(self) -> int:
        """How many states are judged; they are the first ones."""
        return len(self.graph.nodes if self.stop_condition.deep else self.graph.successors)

    def keep(self, broken: Property, trace: Trace, reason: Reason, length: int | None = None) -> None:
        """Keep the counterexample, unless a shorter one of the property is known."""
        length = len(trace) if length is None else length
        if broken.name not in self.found or length < self.found[broken.name][0]:
            self.found[broken.name] = (length, Counterexample(broken.name, trace, reason))

    def end(self, path: list[tuple[int, int]]) -> int:
        """The state to which the path leads."""
        return self.graph.successors[path[-1][0]][path[-1][1]] if path else 0

    def trace(self, path: list[tuple[int, int]]) -> Trace:
        """The path as a trace from its first state."""
        start = self.graph.nodes[path[0][0]] if path else self.graph.nodes[0]
        return rebuild(self.system, start, [index for _, index in path])


def rebuild(system: System, initial: State, choices: list[int]) -> Trace:
    """The trace that takes these choices, as indices into the events of each state."""
    state, events = initial, []
    for index in choices:
        events.append(list(system.events(state))[index])
        state = system.step(state, events[-1])
    return Trace(system, initial, tuple(events))
