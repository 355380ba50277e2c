"""What a check has found so far: for each property its shortest counterexample, or why it stays unknown."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from checker.judging import shortest_runs as paths
from checker.judging.exploration import Exploration
from model.action import Event
from model.property import Property, Reason, further_of
from model.trace import Counterexample, Trace
from model.verdict import sought_of


class Results:
    """Counterexamples by the property's name."""

    def __init__(self, search: Exploration, properties: list[Property]) -> None:
        self.search = search
        self.system = search.system
        self.predicates = search.predicates
        self.stop_condition = search.stop_condition
        self.properties = properties
        self.found: dict[str, tuple[int, Counterexample]] = {}
        self.unknown: dict[str, str] = {}
        self.histories: int | None = None

    def keep(self, broken: Property, trace: Trace, reason: Reason, length: int | None = None) -> None:
        """Keep the counterexample, unless one as short of the property is known."""
        length = len(trace) if length is None else length
        if broken.name not in self.found or length < self.found[broken.name][0]:
            self.found[broken.name] = (length, Counterexample(broken.name, trace, reason))

    def sought(self) -> tuple[Counterexample, ...]:
        """The runs that show what is sought."""
        return sought_of(self.properties, {name: found for name, (_, found) in self.found.items()})

    def keep_states(self, broken: Property, targets: NDArray[np.int64]) -> None:
        """Keep the best run to one of these rows, all at one distance, each of which breaks the property by itself."""
        if broken.further:
            later = [further_of(self._reason(broken, row)) for row in targets.tolist()]
            targets = targets[np.array(later) == min(later)]
        path = paths.shortest(self.search, targets)
        reason = self._reason(broken, paths.end(self.search, path))
        self.keep(broken, paths.trace(self.search, path), reason, len(path) + further_of(reason))

    def _reason(self, broken: Property, row: int) -> Reason:
        assert broken.on_state is not None
        reason = broken.on_state(self.system, self.search.state(row))
        assert reason is not None, f"{broken.name}: the decoded state does not break it"
        return reason

    def event_reason(self, broken: Property, event: Event) -> Reason | None:
        """Why a move of the event breaks the property, if one does; faults are nobody's fault."""
        if broken.on_move is None or event.fault is not None:
            return None
        return next(filter(None, (broken.on_move(self.system, move) for move in event.moves)), None)

    def expanded(self, depth: int) -> range:
        """The rows at this distance whose events were all explored."""
        level = self.search.level(depth)
        return range(level.start, min(level.stop, self.search.expanded))

    def judged(self, depth: int) -> range:
        """The rows at this distance that are judged: where a bound forbade to expand them, only at the depth bound."""
        return self.search.level(depth) if self.stop_condition.deep else self.expanded(depth)
