"""A channel as the sequence of all that was ever put into it, and which places of it have been emptied by when.

What place i holds never changes, so one literal serves for all times: `holds[i]`. At time t the first places are filled
(`filled[t]`, true up to some place) and some are emptied (`gone[t]`); what is between is in the channel, in order. An
accepting picks a filled place that is not gone; the discipline says which.
"""

from __future__ import annotations

from collections.abc import Mapping

from checker.engines.symbolic.clauses import FALSE, TRUE, Clauses
from model.action import Message
from model.channels import Bag, Content, Discipline, Overtake


class ChannelEncoding:
    """One channel at all times so far; `advance` adds an action.

    picked[t][i]: the action at time t accepts place i. lost[t][kind][i], doubled[t][kind][i]: a fault strikes it.
    passed[t][i]: a later place is accepted past it. copy[i]: what it holds is a fault's copy.
    """

    def __init__(self, clauses: Clauses, discipline: Discipline, content: Content) -> None:
        self.clauses = clauses
        self.discipline = discipline
        self.holds: list[dict[Message, int]] = [{message: TRUE} for message in content]
        self.filled: list[list[int]] = [[TRUE] * len(content)]
        self.gone: list[list[int]] = [[FALSE] * len(content)]
        self.copy: list[int] = [FALSE] * len(content)
        self.picked: list[list[int]] = []
        self.lost: list[dict[str, list[int]]] = []
        self.doubled: list[dict[str, list[int]]] = []
        self.passed: list[list[int]] = []

    def advance(
        self,
        accepts: Mapping[Message, int],
        sends: Mapping[tuple[Message, ...], int],
        faults: Mapping[str, int],
        places: int,
    ) -> None:
        """One more action: which message it accepts here, which it sends (each with its literal).

        `faults`: by kind, the literal that such a fault strikes here; `places`: how many may be filled now.
        """
        filled, gone = self.filled[-1], self.gone[-1]
        while len(self.holds) < places:
            self.holds.append({})
            self.copy.append(self.clauses.new() if any(kind.endswith("duplication") for kind in faults) else FALSE)
        self.picked.append(self._pick(accepts, filled, gone))
        self.lost.append({k: self._strike(k, f) for k, f in faults.items() if k.endswith("loss")})
        self.doubled.append({k: self._strike(k, f) for k, f in faults.items() if k.endswith("duplication")})
        self._fill(sends, filled, places)
        leaving = [self.picked[-1], *self.lost[-1].values()]
        self.gone.append(
            [self.clauses.either((was, *(own[i] for own in leaving))) for i, was in enumerate(gone)]
            + [FALSE] * (len(self.filled[-1]) - len(gone))
        )

    def inside(self, time: int, place: int) -> int:
        """The literal that place's message is in the channel."""
        filled, gone = self.filled[time], self.gone[time]
        return self.clauses.both((filled[place], -gone[place])) if place < len(filled) else FALSE

    def holding(self, place: int, message: Message) -> int:
        """The literal that the place holds the message."""
        known = self.holds[place]
        if message not in known:
            literal = self.clauses.new()
            for other in known.values():
                self.clauses.add(-literal, -other)
            known[message] = literal
        return known[message]

    # -- what leaves -------------------------------------------------------------------------------------------

    def _pick(self, accepts: Mapping[Message, int], filled: list[int], gone: list[int]) -> list[int]:
        clauses = self.clauses
        if not accepts:
            self.passed.append([FALSE] * len(filled))
            return [FALSE] * len(filled)
        picked = [clauses.new() for _ in filled]
        clauses.equals(clauses.either(accepts.values()), picked)
        clauses.at_most_one(picked)
        for place, pick in enumerate(picked):
            clauses.implies(pick, filled[place])
            clauses.implies(pick, -gone[place])
            for message, accept in accepts.items():
                clauses.add(-accept, -pick, self.holding(place, message))
                if self.discipline.keeps_order:
                    self._first_of_run(pick, accept, place, message, gone)
                else:
                    self._first_of_equals(pick, accept, place, message, gone)
        self.passed.append(self._keep_order(picked, gone))
        return picked

    def _keep_order(self, picked: list[int], gone: list[int]) -> list[int]:
        """Only so many ahead of the one picked as the discipline allows; the places that were passed."""
        clauses = self.clauses
        if isinstance(self.discipline, Overtake):
            most = self.discipline.most
            for place, pick in enumerate(picked):
                ahead = clauses.add_up((), (-gone[earlier] for earlier in range(place)), most + 1)
                if len(ahead) > most:
                    clauses.implies(pick, -ahead[most])
        elif not isinstance(self.discipline, Bag):
            for place, pick in enumerate(picked):
                for earlier in range(place):
                    clauses.implies(pick, gone[earlier])
            return [FALSE] * len(picked)
        return [clauses.both((-gone[i], clauses.either(picked[i + 1 :]))) for i in range(len(picked))]

    def _first_of_equals(self, pick: int, chosen: int, place: int, message: Message, gone: list[int]) -> None:
        """Of equal messages the earliest is meant: they cannot be told apart, and one name is enough."""
        for earlier in range(place):
            self.clauses.add(-pick, -chosen, gone[earlier], -self.holding(earlier, message))

    def _first_of_run(self, pick: int, chosen: int, place: int, message: Message, gone: list[int]) -> None:
        """Of equal messages with nothing between them the first is meant."""
        for earlier in range(place):
            between = [-gone[i] for i in range(earlier + 1, place)]
            self.clauses.add(-pick, -chosen, gone[earlier], -self.holding(earlier, message), *between)

    def _strike(self, kind: str, fault: int) -> list[int]:
        """Which place a fault of this kind strikes."""
        clauses, filled, gone = self.clauses, self.filled[-1], self.gone[-1]
        struck = [clauses.new() for _ in filled]
        clauses.equals(fault, struck)
        clauses.at_most_one(struck)
        for place, strike in enumerate(struck):
            clauses.implies(strike, filled[place])
            clauses.implies(strike, -gone[place])
            if kind.startswith("marker-"):
                clauses.implies(strike, *(held for m, held in self.holds[place].items() if m.control))
            for message, held in list(self.holds[place].items()):
                if self.discipline.keeps_order and kind.endswith("loss"):
                    self._first_of_run(strike, held, place, message, gone)
                else:
                    self._first_of_equals(strike, held, place, message, gone)
        return struck

    # -- what comes --------------------------------------------------------------------------------------------

    def _fill(self, sends: Mapping[tuple[Message, ...], int], filled: list[int], places: int) -> None:
        """The next places filled by what is sent or copied."""
        clauses = self.clauses
        copies = [literal for own in self.doubled[-1].values() for literal in own]
        pushed = [clauses.either([*sends.values(), *copies])]
        for size in range(2, max(map(len, sends), default=1) + 1):
            pushed.append(clauses.either(literal for sent, literal in sends.items() if len(sent) >= size))
        before = filled + [FALSE] * (places - len(filled))
        after = []
        for place in range(places):
            ways = [before[place]]
            for size, push in enumerate(pushed, 1):
                ways.append(clauses.both((push, before[place - size] if place >= size else TRUE)))
            after.append(clauses.either(ways))
        self.filled.append(after)
        for size, push in enumerate(pushed, 1):
            if places >= size:
                clauses.add(-push, -before[places - size])  # there is room: `places` is a bound
            else:
                clauses.add(-push)
        for place in range(places):
            next_free = (-(before[place - 1] if place else TRUE), before[place])
            for sent, literal in sends.items():
                for offset, message in enumerate(sent):
                    if place + offset < places:
                        clauses.add(-literal, *next_free, self.holding(place + offset, message))
                        clauses.add(-literal, *next_free, -self.copy[place + offset])
            for own in self.doubled[-1].values():
                self._copy(own, next_free, place)

    def _copy(self, doubled: list[int], next_free: tuple[int, int], place: int) -> None:
        for source, double in enumerate(doubled):
            self.clauses.add(-double, *next_free, self.copy[place])
            for message, held in list(self.holds[source].items()):
                self.clauses.add(-double, *next_free, -held, self.holding(place, message))
