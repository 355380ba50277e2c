"""The cut of a run in clauses: what of `model.cut` a claim about a snapshot needs.

Places of a channel's sequence stand for its messages, so "sent white and not accepted white" is a choice of places, in
order; which of several equal messages an event concerns is the solver's choice. Every trace is judged again by the
property itself, over all cuts that its run may have.
"""

from __future__ import annotations

from checker.engines.symbolic.clauses import FALSE, TRUE
from checker.engines.symbolic.unrolling import Unrolling
from model.action import Message
from model.errors import InputError
from model.values import Value

Place = tuple[int, dict[Value, int]]
"""A place that may count: the literal that it does, and of each payload the literal that it holds that one."""


class History:
    """One snapshot's cut at all times so far; `advance` follows the unrolling.

    taken[t][c][i]: a white action accepted what place i of channel c holds. crossed[t]: a white action accepted a red
    message. displaced[t]: the copy of a white message landed behind red ones. between[t][m]: what machine m's state
    would be recorded as, after its white actions.
    """

    def __init__(self, unrolling: Unrolling, snapshot: int) -> None:
        self.unrolling = unrolling
        self.snapshot = snapshot
        self.taken: list[list[list[int]]] = [[[FALSE] * len(encoding.filled[0]) for encoding in unrolling.encodings]]
        self.crossed = [FALSE]
        self.displaced = [FALSE]
        self.lost: list[list[list[int]]] = [[[FALSE] * len(encoding.filled[0]) for encoding in unrolling.encodings]]
        self.between: list[list[dict[Value, int]]] = [self._begin()]

    def _begin(self) -> list[dict[Value, int]]:
        between: list[dict[Value, int]] = []
        for m, holds in enumerate(self.unrolling.holds[0]):
            values: dict[Value, list[int]] = {}
            for number, held in holds.items():
                values.setdefault(self._view(m, number), []).append(held)
            between.append({value: self.unrolling.clauses.either(own) for value, own in values.items()})
        return between

    def _view(self, m: int, number: int) -> Value:
        machine = self.unrolling.table.machines[m]
        alternative, local = machine.locals[number]
        return machine.systems[alternative].program.record(m, local.state)

    def advance(self) -> None:
        """Follow the last action."""
        unrolling, snapshot = self.unrolling, self.snapshot
        either, both = unrolling.clauses.either, unrolling.clauses.both
        transitions = unrolling.fired[-1]
        for transition, _ in transitions:
            payloads = [m for _, m in (*transition.accepts, *transition.move.sends) if not m.control]
            if transition.move.step.action is None and payloads:
                raise InputError(
                    f"step {transition.move.step.name!r} carries messages of the program without an action of it:"
                    " refute cannot follow its cut; use check"
                )
        white = [(transition, fire) for transition, fire in transitions if transition.acts_white(snapshot)]
        taken, lost = [], []
        for channel, encoding in enumerate(unrolling.encodings):
            accepted = either(
                f for transition, f in white if any(c == channel and not m.control for c, m in transition.accepts)
            )
            picked, places = encoding.picked[-1], len(encoding.filled[-1])
            before, gone = self.taken[-1][channel], self.lost[-1][channel]
            more = [FALSE] * (places - len(before))
            taken.append([either((was, both((picked[i], accepted)))) for i, was in enumerate(before)] + more)
            struck = encoding.lost[-1].values()
            lost.append([either((was, *(own[i] for own in struck))) for i, was in enumerate(gone)] + more)
        self.taken.append(taken)
        self.lost.append(lost)
        crossing = [
            f for transition, f in white if any(not m.control and m.red >> snapshot & 1 for _, m in transition.accepts)
        ]
        self.crossed.append(either((self.crossed[-1], *crossing)))
        self.displaced.append(either((self.displaced[-1], *self._displacing())))
        self.between.append([self._move_between(m, before) for m, before in enumerate(self.between[-1])])

    def _move_between(self, m: int, before: dict[Value, int]) -> dict[Value, int]:
        """The machine's state after its white actions: what the last of them left."""
        clauses, machine = self.unrolling.clauses, self.unrolling.table.machines[m]
        came: dict[Value, list[int]] = {}
        for transition, fire in self.unrolling.fired[-1]:
            if transition.move.machine == m and transition.acts_white(self.snapshot):
                alternative = machine.locals[transition.before][0]
                value = machine.systems[alternative].program.record(m, transition.move.after.state)
                came.setdefault(value, []).append(fire)
        acted = clauses.either(fire for fires in came.values() for fire in fires)
        return {
            value: clauses.either((*came.get(value, ()), clauses.both((-acted, before.get(value, FALSE)))))
            for value in dict.fromkeys((*before, *came))
        }

    def _displacing(self) -> list[int]:
        """Copies of white messages that land behind red ones, where channels keep order."""
        found = []
        both, either = self.unrolling.clauses.both, self.unrolling.clauses.either
        time = self.unrolling.depth - 1
        for encoding in self.unrolling.encodings:
            if encoding.discipline.keeps_order:
                red = either(
                    both((encoding.inside(time, i), self._coloured(encoding.holds[i], True)))
                    for i in range(len(encoding.filled[-2]))
                )
                for doubled in encoding.doubled[-1].values():
                    found += [both((d, self._coloured(encoding.holds[i], False), red)) for i, d in enumerate(doubled)]
        return found

    def _coloured(self, holds: dict[Message, int], red: bool) -> int:
        """The literal that the place holds a message of the program of this colour."""
        return self.unrolling.clauses.either(
            held for m, held in holds.items() if not m.control and bool(m.red >> self.snapshot & 1) == red
        )

    # -- what is in a channel ----------------------------------------------------------------------------------

    def white_places(self, channel: int, literal: bool) -> list[Place]:
        """What the cut has in the channel now: `sent` of the model's cut if `literal`, else its `channels`."""
        both, encoding = self.unrolling.clauses.both, self.unrolling.encodings[channel]
        places = []
        for i, filled in enumerate(encoding.filled[-1]):
            but = encoding.copy[i] if literal else self.lost[-1][channel][i]
            counts = both((filled, self._coloured(encoding.holds[i], False), -self.taken[-1][channel][i], -but))
            places.append((counts, self._payloads(encoding.holds[i])))
        return places

    def white_inside(self) -> int:
        """The literal that some channel has a white message of the program in it."""
        both, encodings = self.unrolling.clauses.both, self.unrolling.encodings
        time = self.unrolling.depth
        return self.unrolling.clauses.either(
            both((encoding.inside(time, i), self._coloured(encoding.holds[i], False)))
            for encoding in encodings
            for i in range(len(encoding.filled[time]))
        )

    def _payloads(self, holds: dict[Message, int]) -> dict[Value, int]:
        values: dict[Value, list[int]] = {}
        for message, held in holds.items():
            if not message.control:
                values.setdefault(message.payload, []).append(held)
        return {value: self.unrolling.clauses.either(own) for value, own in values.items()}


def differ_in_order(unrolling: Unrolling, places: list[Place], recorded: dict[tuple[Value, ...], int]) -> int:
    """The literal that the places that count, in order, are not what is recorded (a literal for each possible one)."""
    clauses = unrolling.clauses
    longest = max(map(len, recorded), default=0)
    found: list[int] = []
    count: list[int] = []
    for counts, values in places:
        for rank in range(min(len(count), longest) + 1):
            at_rank: dict[Value, list[int]] = {}
            for one, own in recorded.items():
                if rank < len(one):
                    at_rank.setdefault(one[rank], []).append(own)
            here = clauses.both(
                (counts, count[rank - 1] if rank else TRUE, -count[rank] if rank < len(count) else TRUE)
            )
            fitting = clauses.either(
                clauses.both((held, clauses.either(at_rank.get(value, ())))) for value, held in values.items()
            )
            found.append(clauses.both((here, -fitting)))
        count = clauses.add_up(count, [counts], longest + 1)
    for one, own in recorded.items():
        if one:
            found.append(clauses.both((own, -count[len(one) - 1] if len(one) <= len(count) else TRUE)))
    return clauses.either(found)


def differ_in_number(unrolling: Unrolling, places: list[Place], recorded: dict[tuple[Value, ...], int]) -> int:
    """The same where channels keep no order: some payload is there more often or less often than recorded."""
    clauses = unrolling.clauses
    found = []
    values = dict.fromkeys([v for _, held in places for v in held] + [v for one in recorded for v in one])
    for value in values:
        most = max((one.count(value) for one in recorded), default=0) + 1
        count = clauses.add_up(
            (), (clauses.both((counts, held[value])) for counts, held in places if value in held), most
        )
        for number in range(max(most, len(count))):
            here = count[number] if number < len(count) else FALSE
            there = clauses.either(own for one, own in recorded.items() if one.count(value) > number)
            found += [clauses.both((here, -there)), clauses.both((there, -here))]
    return clauses.either(found)
