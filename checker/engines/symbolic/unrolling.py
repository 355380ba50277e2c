"""The transition relation of a system, unrolled action by action from its initial state, as clauses.

At each time one machine acts, or all at once, or a channel by itself (a fault). A machine takes one of its local
transitions; what that accepts and sends ties it to the channels. The last state needs no action after it: a terminal
state is a state too.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from checker.engines.symbolic.channel_encoding import ChannelEncoding
from checker.engines.symbolic.clauses import FALSE, TRUE, Clauses
from checker.engines.symbolic.local_configurations import Configurations, LocalTransition, Machine
from model.action import Message
from model.errors import InputError
from model.system import System

SYNCHRONOUS = -1
MOST_COST = 12


class Unrolling:
    """All runs of `depth` actions; `extend` adds an action.

    acts[t][actor]: who acts at time t, actors as in `Event.actor`. holds[t][m][number]: what machine m holds.
    fired[t]: (local transition, literal) of all that may be taken. `ordered` may be assumed: of runs that differ only
    in the order of independent actions, only the one whose actors come first in order. changes, costs: counts in unary,
    by time.
    """

    def __init__(
        self,
        systems: Sequence[Sequence[System]],
        clauses: Clauses | None = None,
        chosen: Sequence[Sequence[int]] | None = None,
    ) -> None:
        """Each machine with its alternatives, and for each of these the literal that it is the one (see `Networks`)."""
        self.clauses = clauses or Clauses()
        if systems[0][0].protocol.overtakes:
            raise InputError("z3 does not encode protocols whose own messages overtake others: use another engine")
        self.table = Configurations(systems)
        system = self.system = systems[0][0]
        choice = chosen or [[TRUE] for _ in systems]
        self.depth = 0
        self.holds = [
            [{n: choice[m][machine.locals[n][0]] for n in machine.held(0)} for m, machine in self._machines()]
        ]
        self.encodings = [
            ChannelEncoding(self.clauses, system.discipline(c), held) for c, held in enumerate(self.table.contents)
        ]
        self.acts: list[dict[int, int]] = []
        self.fired: list[list[tuple[LocalTransition, int]]] = []
        self.ordered = self.clauses.new()
        self.changes: list[list[int]] = [[]]
        self.costs: list[list[int]] = [[]]
        self.budgets = dict(system.assumptions.faults)
        self.spent: dict[str, list[int]] = {kind: [] for kind in self.budgets}
        self.channel_kinds = [kind for kind in self.budgets if kind != "crash"]

    def extend(self) -> None:
        """Every run has one action more."""
        self.table.grow()
        clauses, time = self.clauses, self.depth
        machines = len(self.table.machines)
        transitions = [
            (transition, clauses.new())
            for _, machine in self._machines()
            for number in machine.held(time)
            for transition, start in zip(machine.transitions[number], machine.start[number], strict=True)
            if start <= time
        ]
        acts: dict[int, int] = {}
        if any(transition.kind == "synchronous" for transition, _ in transitions):
            acts[SYNCHRONOUS] = clauses.new()
        acts.update({m: clauses.new() for m in range(machines)})
        faults: list[dict[str, int]] = [{} for _ in self.encodings]
        for channel in range(self.table.plain):
            faults[channel] = {kind: clauses.new() for kind in self.channel_kinds}
            if faults[channel]:
                acts[machines + channel] = clauses.either(faults[channel].values())
                clauses.at_most_one(list(faults[channel].values()))
        clauses.add(*acts.values())
        clauses.at_most_one(list(acts.values()))
        self.acts.append(acts)
        self.fired.append(transitions)
        self._move_machines(transitions, acts)
        self._move_channels(transitions, faults)
        self._spend(transitions, faults)
        self._order()
        self.depth += 1

    def _machines(self) -> Iterator[tuple[int, Machine]]:
        return iter(enumerate(self.table.machines))

    # -- machines ----------------------------------------------------------------------------------------------

    def _move_machines(self, transitions: list[tuple[LocalTransition, int]], acts: dict[int, int]) -> None:
        after: list[dict[int, int]] = []
        together = acts.get(SYNCHRONOUS, FALSE)
        for m, holds in enumerate(self.holds[-1]):
            own = [(transition, fire) for transition, fire in transitions if transition.move.machine == m]
            moving: dict[int, list[int]] = {}
            by_configuration: dict[int, list[int]] = {}
            for transition, fire in own:
                self.clauses.implies(fire, holds[transition.before])
                self.clauses.implies(fire, together if transition.kind == "synchronous" else acts[m])
                moving.setdefault(transition.after, []).append(fire)
                by_configuration.setdefault(transition.before, []).append(fire)
            for fires in by_configuration.values():
                self.clauses.at_most_one(fires)
            self.clauses.implies(acts[m], *(fire for transition, fire in own if transition.kind != "synchronous"))
            if together != FALSE:
                self.clauses.implies(together, *(fire for transition, fire in own if transition.kind == "synchronous"))
            resting = self.clauses.both((-acts[m], -together))
            ways: dict[int, list[int]] = {n: [self.clauses.both((resting, held))] for n, held in holds.items()}
            for number, fires in moving.items():
                ways.setdefault(number, []).extend(fires)
            after.append({number: self.clauses.either(any_of) for number, any_of in ways.items()})
        self.holds.append(after)

    # -- channels ----------------------------------------------------------------------------------------------

    def _move_channels(self, transitions: list[tuple[LocalTransition, int]], faults: list[dict[str, int]]) -> None:
        accepts: list[dict[Message, list[int]]] = [{} for _ in self.encodings]
        sends: list[dict[tuple[Message, ...], list[int]]] = [{} for _ in self.encodings]
        for transition, fire in transitions:
            for channel, message in transition.accepts:
                accepts[channel].setdefault(message, []).append(fire)
            for channel, sent in transition.sends.items():
                sends[channel].setdefault(sent, []).append(fire)
        either = self.clauses.either
        for channel, encoding in enumerate(self.encodings):
            encoding.advance(
                {message: either(fires) for message, fires in accepts[channel].items()},
                {sent: either(fires) for sent, fires in sends[channel].items()},
                faults[channel],
                self.table.capacity(channel),
            )

    # -- what is counted ---------------------------------------------------------------------------------------

    def _spend(self, transitions: list[tuple[LocalTransition, int]], faults: list[dict[str, int]]) -> None:
        """No more faults than may happen; and what the run costs: faults, and messages overtaken."""
        clauses = self.clauses
        events = {kind: [own[kind] for own in faults if kind in own] for kind in self.channel_kinds}
        if "crash" in self.budgets:
            events["crash"] = [fire for transition, fire in transitions if transition.kind == "crash"]
        for kind, literals in events.items():
            most = self.budgets[kind]
            self.spent[kind] = clauses.add_up(self.spent[kind], [clauses.either(literals)], most + 1)
            if len(self.spent[kind]) > most:
                clauses.add(-self.spent[kind][most])
        passed = [literal for encoding in self.encodings for literal in encoding.passed[-1]]
        cost = [clauses.either(literals) for literals in events.values()] + passed
        self.costs.append(clauses.add_up(self.costs[-1], cost, MOST_COST))

    def _order(self) -> None:
        """Changes of machine are counted; and where independent actions meet, the lesser actor goes first.

        Two machines' successive actions are independent unless the second accepts what the first sends (EWD864a);
        channels' faults, and the action of all machines, are taken to depend on everything.
        """
        clauses, acts = self.clauses, self.acts[-1]
        if len(self.acts) < 2:
            self.changes.append([])
            return
        before = self.acts[-2]
        same = clauses.either(clauses.both((act, before[actor])) for actor, act in acts.items() if actor in before)
        self.changes.append(clauses.add_up(self.changes[-1], [-same], self.depth))
        fresh = [
            clauses.both((pick, -encoding.filled[-3][place] if place < len(encoding.filled[-3]) else TRUE))
            for encoding in self.encodings
            for place, pick in enumerate(encoding.picked[-1])
            if pick != FALSE
        ]
        follows = clauses.either(fresh)
        for late in range(len(self.table.machines)):
            for early in range(late):
                clauses.add(-self.ordered, -before[late], -acts[early], follows)
