"""What breaks a property at the end of a run, as a literal: each kind of claim that clauses can encode.

A claim about transitions is any function: it is asked about each local transition. Claims about states and snapshots
are encoded here by their kinds; of a kind of which nothing is known the clauses only select the runs on which it is to
be judged, and each of these is judged by itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from checker.engines.symbolic.clauses import FALSE, TRUE
from checker.engines.symbolic.encodable import encodable, kinds
from checker.engines.symbolic.history import History, differ_in_number, differ_in_order
from checker.engines.symbolic.preserved import preserved
from checker.engines.symbolic.terminal_states import TerminalStates
from checker.engines.symbolic.unrolling import Unrolling
from model.action import Message
from model.kinds import Amount, AtMostOne, Conserved, ConservedInRecords, Defect, OfCut
from model.monitor import ALL_RED, Condition
from model.property import Property
from model.protocol import Recorded
from model.system import State
from model.values import Value

Literal = Callable[[], int]

NOT_ALL_FOLLOWED = "runs that go on for ever were not all looked at"
LOST_STATES = "whether every underlying state stays reachable is not looked at"


@dataclass(frozen=True, slots=True)
class Part:
    """One way to break a property: `broken()` is the literal that the runs of the present depth end by breaking it.

    exact: where it is not, the literal means only that the property may be broken, and each run is to be judged. That
    may change as the runs grow longer.
    """

    kind: str
    broken: Literal
    exact: Callable[[], bool]


def sure() -> bool:
    """Clauses encode it exactly, however long the runs."""
    return True


def unsure() -> bool:
    """They do not."""
    return False


class Claims:
    """The properties of one unrolling as literals."""

    def __init__(self, unrolling: Unrolling) -> None:
        self.unrolling = unrolling
        self.histories = [History(unrolling, s) for s in range(unrolling.system.protocol.snapshots)]
        self.terminal = TerminalStates(unrolling)

    def advance(self) -> None:
        """Follow the last action."""
        self.terminal.advance()
        for history in self.histories:
            history.advance()

    def begins(self) -> int:
        """A snapshot has begun."""
        return self.terminal.begun()

    def parts(self, judged: Property) -> list[Part]:
        """The ways to break the property, in the order of preference."""
        candidates = {
            "state": lambda: TRUE,
            "goal": lambda: self.unrolling.clauses.both((self.terminal.dead(), self.terminal.begun())),
            "recorded": self.completes,
            "completed": self.completes,
            "monitor": lambda: TRUE if judged.monitor is None or judged.monitor.errs else self.terminal.dead(),
        }
        parts: list[Part] = []
        for kind in kinds(judged):
            if kind == "move":
                parts.append(Part(kind, lambda: self._moves(judged), sure))
            elif not encodable(judged, kind):
                parts.append(Part(kind, candidates[kind], unsure))
            elif kind == "goal":
                parts.append(Part(kind, self._missed(judged.goal), exact=lambda: self.kept(judged.goal)))
            elif kind == "completed" and isinstance(judged.on_completed, OfCut):
                exact = sure if judged.on_completed.exactly else unsure
                parts.append(Part(kind, self._defective(judged.on_completed.defect), exact))
            else:
                parts.append(
                    Part(kind, self._of_records(judged) if kind == "recorded" else self._of_state(judged), sure)
                )
        return parts

    def kept(self, condition: Condition | None) -> bool:
        """Whether the condition, once met, stays so: then its being met before the end need not be looked at."""
        return condition is not None and all(
            condition.kept_by(transition.system, transition.move)
            for machine in self.unrolling.table.machines
            for transitions in machine.transitions
            for transition in transitions
        )

    def limit(self, judged: Property, covered: bool, followed: bool) -> str | None:
        """What of the property is not looked at; None if all of it is.

        `covered`: no state is further off than the present depth. `followed`: every run, to its end or to its loop.
        """
        if judged.runs is not None and not followed:
            return NOT_ALL_FOLLOWED
        return LOST_STATES if judged.preserves and not (covered and preserved(self.unrolling.table)) else None

    def completes(self) -> int:
        """A snapshot is complete."""
        return self.unrolling.clauses.either(map(self._complete, self.histories))

    def recorded_as_in(self, state: State) -> list[int]:
        """Literals that are all true where the same snapshots are complete as in this state, with the same records."""
        found = []
        for history in self.histories:
            if not self.unrolling.system.complete(state, history.snapshot):
                found.append(-self._complete(history))
                continue
            found.append(self._complete(history))
            for m, local in enumerate(state.machines):
                own = self.unrolling.system.recorded_by(m, local, history.snapshot)
                same = (held for _, held, recorded in self._records(m, history) if recorded == own)
                found.append(self.unrolling.clauses.either(same))
        return found

    def in_channel(self) -> int:
        """A snapshot is complete with a message in a channel."""
        clauses = self.unrolling.clauses
        return clauses.either(
            clauses.both((self._complete(history), self._where(lambda r: r is not None and any(r.channels), history)))
            for history in self.histories
        )

    # -- by kind -----------------------------------------------------------------------------------------------

    def _of_state(self, judged: Property) -> Literal:
        claim = judged.on_state
        if isinstance(claim, Conserved):
            return lambda: self._total_changes(claim.amount)
        return self.terminal.new_deadlock if not isinstance(claim, AtMostOne) else lambda: self._crowded(claim)

    def _missed(self, goal: Condition | None) -> Literal:
        both, either, reached = self.unrolling.clauses.both, self.unrolling.clauses.either, self._complete
        if goal is ALL_RED:
            reached = self._all_red
        return lambda: both(
            (self.terminal.dead(), self.terminal.begun(), either(-reached(history) for history in self.histories))
        )

    def _of_records(self, judged: Property) -> Literal:
        claim = judged.on_recorded
        assert isinstance(claim, ConservedInRecords)
        return self._of_complete(lambda history: self._recorded_total(claim.amount, history))

    def _defective(self, defect: Defect | None) -> Literal:
        defects = {Defect.CHANNELS: self._channels_differ, Defect.ORDER: self._not_equivalent}
        if defect is None or defect is Defect.CROSSED:
            return self._of_complete(lambda history: history.crossed[-1])
        return self._of_complete(defects[defect])

    def _of_complete(self, broken: Callable[[History], int]) -> Literal:
        clauses = self.unrolling.clauses
        return lambda: clauses.either(clauses.both((self._complete(h), broken(h))) for h in self.histories)

    # -- moves and states --------------------------------------------------------------------------------------

    def _moves(self, judged: Property) -> int:
        unrolling, judge = self.unrolling, judged.on_move
        assert judge is not None
        if not unrolling.depth:
            return FALSE
        return unrolling.clauses.either(
            fire
            for transition, fire in unrolling.fired[-1]
            if transition.kind != "crash" and judge(transition.system, transition.move) is not None
        )

    def _total_changes(self, amount: Amount) -> int:
        """The last action changes the total: no shorter run did, or it would have been found before."""
        unrolling, clauses = self.unrolling, self.unrolling.clauses
        if not unrolling.depth:
            return FALSE
        system = unrolling.system

        def worth(carried: Iterable[tuple[int, Message]]) -> int:
            return sum(amount.carried(system, message.payload) for _, message in carried if not message.control)

        changing = []
        for transition, fire in unrolling.fired[-1]:
            own, m = transition.system, transition.move.machine
            before, after = (
                amount.held(own, m, own.program.record(m, local.state))
                for local in (transition.move.before, transition.move.after)
            )
            if after - before + worth(transition.move.sends) - worth(transition.accepts):
                changing.append(fire)
        for encoding in unrolling.encodings:
            for struck in (*encoding.lost[-1].values(), *encoding.doubled[-1].values()):
                for place, strike in enumerate(struck):
                    heavy = [
                        h
                        for m, h in encoding.holds[place].items()
                        if not m.control and amount.carried(system, m.payload)
                    ]
                    changing.append(clauses.both((strike, clauses.either(heavy))))
        return clauses.either(changing)

    def _crowded(self, claim: AtMostOne) -> int:
        unrolling, clauses = self.unrolling, self.unrolling.clauses
        system, time, found = unrolling.system, unrolling.depth, []
        for encoding in unrolling.encodings:
            numbers = {claim.class_of(system, message) for holds in encoding.holds for message in holds} - {None}
            for number in sorted(one for one in numbers if one is not None):
                inside = []
                for place in range(len(encoding.filled[time])):
                    held = [h for m, h in encoding.holds[place].items() if claim.class_of(system, m) == number]
                    inside.append(clauses.both((encoding.inside(time, place), clauses.either(held))))
                found += clauses.add_up((), inside, 2)[1:]
        return clauses.either(found)

    # -- snapshots ---------------------------------------------------------------------------------------------

    def _complete(self, history: History) -> int:
        unrolling, clauses = self.unrolling, self.unrolling.clauses
        done, outstanding = [], []
        for m, holds in enumerate(unrolling.holds[-1]):
            machine = unrolling.table.machines[m]
            sums: dict[int, list[int]] = {}
            for number, held in holds.items():
                alternative, local = machine.locals[number]
                protocol = machine.systems[alternative].protocol
                if protocol.done(m, local, history.snapshot):
                    sums.setdefault(protocol.outstanding(m, local, history.snapshot), []).append(held)
            done.append(clauses.either(held for own in sums.values() for held in own))
            outstanding.append({weight: clauses.either(own) for weight, own in sums.items()})
        parts = [*done, self._adds_up(outstanding).get(0, FALSE)]
        if unrolling.system.protocol.completes_on_empty_channels:
            parts.append(-history.white_inside())
        return clauses.both(parts)

    def _all_red(self, history: History) -> int:
        clauses, unrolling = self.unrolling.clauses, self.unrolling
        return clauses.both(
            clauses.either(
                held
                for number, held in holds.items()
                if unrolling.table.machines[m].locals[number][1].red >> history.snapshot & 1
            )
            for m, holds in enumerate(unrolling.holds[-1])
        )

    def _records(self, m: int, history: History) -> list[tuple[int, int, Recorded | None]]:
        """(alternative, literal, what is recorded) of all that machine m may hold."""
        machine = self.unrolling.table.machines[m]
        found = []
        for number, held in self.unrolling.holds[-1][m].items():
            alternative, local = machine.locals[number]
            recorded = machine.systems[alternative].recorded_by(m, local, history.snapshot)
            found.append((alternative, held, recorded))
        return found

    def _where(self, wanted: Callable[[Recorded | None], bool], history: History) -> int:
        return self.unrolling.clauses.either(
            held
            for m in range(len(self.unrolling.table.machines))
            for _, held, recorded in self._records(m, history)
            if wanted(recorded)
        )

    def _adds_up(self, weights: Sequence[dict[int, int]]) -> dict[int, int]:
        """The literals that one weight of each adds up to this."""
        clauses = self.unrolling.clauses
        sums = {0: TRUE}
        for own in weights:
            ways: dict[int, list[int]] = {}
            for total, so_far in sums.items():
                for weight, held in own.items():
                    ways.setdefault(total + weight, []).append(clauses.both((so_far, held)))
            sums = {total: clauses.either(any_of) for total, any_of in ways.items()}
        return sums

    def _recorded_total(self, amount: Amount, history: History) -> int:
        weights: list[dict[int, int]] = []
        system = self.unrolling.system
        for m in range(len(self.unrolling.table.machines)):
            own: dict[int, list[int]] = {}
            for _, held, recorded in self._records(m, history):
                if recorded is not None:
                    payloads = (payload for content in recorded.channels for payload in content)
                    total = amount.held(system, m, recorded.state) + sum(amount.carried(system, p) for p in payloads)
                    own.setdefault(total, []).append(held)
            weights.append({weight: self.unrolling.clauses.either(any_of) for weight, any_of in own.items()})
        start = amount.at_start(system)
        return self.unrolling.clauses.either(sum_ for total, sum_ in self._adds_up(weights).items() if total != start)

    def _recorded_channel(self, channel: int, history: History) -> dict[tuple[Value, ...], int]:
        m = self.unrolling.table.channels[channel][1]
        contents: dict[tuple[Value, ...], list[int]] = {}
        for alternative, held, recorded in self._records(m, history):
            inputs = self.unrolling.table.machines[m].systems[alternative].topology.inputs[m]
            if recorded is not None and channel in inputs:
                contents.setdefault(recorded.channels[inputs.index(channel)], []).append(held)
        return {content: self.unrolling.clauses.either(own) for content, own in contents.items()}

    def _channels_differ(self, history: History) -> int:
        return self.unrolling.clauses.either(
            self._differ(history, c, literal=True) for c in range(self.unrolling.table.plain)
        )

    def _differ(self, history: History, channel: int, literal: bool) -> int:
        """The literal that the channel is not recorded as what the cut has in it."""
        differ = differ_in_order if self.unrolling.system.assumptions.discipline.keeps_order else differ_in_number
        return differ(self.unrolling, history.white_places(channel, literal), self._recorded_channel(channel, history))

    def _not_equivalent(self, history: History) -> int:
        clauses = self.unrolling.clauses
        found = [history.crossed[-1], history.displaced[-1]]
        for m, between in enumerate(history.between[-1]):
            recorded: dict[Value, list[int]] = {}
            for _, held, own in self._records(m, history):
                if own is not None:
                    recorded.setdefault(own.state, []).append(held)
            found += [clauses.both((is_, -clauses.either(recorded.get(value, ())))) for value, is_ in between.items()]
        found += [self._differ(history, c, literal=False) for c in range(self.unrolling.table.plain)]
        return clauses.either(found)
