"""Where nothing but a fault can happen: the ends of runs, and whether the program alone could go on there."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, product

from checker.engines.symbolic.channel_encoding import ChannelEncoding
from checker.engines.symbolic.clauses import FALSE, TRUE
from checker.engines.symbolic.unrolling import Unrolling
from model.action import Local, Message
from model.channels import Bag, Overtake
from model.monitor import begins_with
from model.system import System
from model.values import Value


class TerminalStates:
    """What is enabled at the present depth of an unrolling."""

    def __init__(self, unrolling: Unrolling) -> None:
        self.unrolling = unrolling
        self._alone: dict[int, System] = {}
        self._begun = FALSE

    def advance(self) -> None:
        """Follow the last action: a beginning is for good."""
        beginning = (
            fire
            for transition, fire in self.unrolling.fired[-1]
            if transition.kind != "crash" and begins_with(transition.move)
        )
        self._begun = self.unrolling.clauses.either([self._begun, *beginning])

    def begun(self) -> int:
        """A snapshot has begun."""
        return self._begun

    def dead(self) -> int:
        """No machine can act."""
        unrolling, clauses = self.unrolling, self.unrolling.clauses
        unrolling.table.ask()
        able: list[int] = []
        together: list[int] = []
        offered: dict[tuple[int, Message], int] = {}
        for m, holds in enumerate(unrolling.holds[-1]):
            joining = []
            for number, held in holds.items():
                transitions = unrolling.table.machines[m].transitions[number]
                if any(transition.kind == "synchronous" for transition in transitions):
                    joining.append(held)
                for accepts in dict.fromkeys(
                    transition.accepts for transition in transitions if transition.kind == "step"
                ):
                    for key in accepts:
                        if key not in offered:
                            offered[key] = self._offered(unrolling.encodings[key[0]], key[1])
                    able.append(clauses.both((held, *(offered[key] for key in accepts))))
            together.append(clauses.either(joining))
        return -clauses.either([*able, clauses.both(together)])

    def new_deadlock(self) -> int:
        """No machine can act, and one could in the computation alone."""
        clauses = self.unrolling.clauses
        able = [literal for m in range(len(self.unrolling.table.machines)) for literal in self._able_alone(m)]
        return clauses.both((self.dead(), clauses.either(able)))

    def _able_alone(self, m: int) -> Iterator[int]:
        unrolling, clauses = self.unrolling, self.unrolling.clauses
        machine = unrolling.table.machines[m]
        states: dict[tuple[int, Value], list[int]] = {}
        for number, held in unrolling.holds[-1][m].items():
            alternative, local = machine.locals[number]
            if not local.crashed:
                states.setdefault((alternative, local.state), []).append(held)
        for (alternative, state), any_of in states.items():
            system = machine.systems[alternative]
            alone = self._alone.setdefault(id(system), system.alone())
            held = clauses.either(any_of)
            for offer in self._payloads(alone, m):
                offered = tuple((channel, Message(payload)) for channel, payload in offer)
                if alone.steps(m, Local(state), offered):
                    waiting = [self._offered(unrolling.encodings[c], payload, alone=True) for c, payload in offer]
                    yield clauses.both((held, *waiting))

    def _payloads(self, alone: System, m: int) -> Iterator[tuple[tuple[int, Value], ...]]:
        choices = []
        for channel in alone.inputs[m]:
            held = {x.payload for place in self.unrolling.encodings[channel].holds for x in place if not x.control}
            choices.append([(channel, payload) for payload in sorted(held, key=repr)])
        for size in range((len(choices) if alone.protocol.multi_channel else 1) + 1):
            for chosen in combinations(choices, size):
                yield from product(*chosen)

    def _offered(self, encoding: ChannelEncoding, wanted: Message | Value, alone: bool = False) -> int:
        """The message may be accepted from the channel now; with `alone`, the payload if no control messages were."""
        clauses, time = self.unrolling.clauses, self.unrolling.depth
        counts: list[int] = []
        found = []

        def fits(message: Message) -> bool:
            return not message.control and message.payload == wanted if alone else message == wanted

        for place in range(len(encoding.filled[time])):
            inside = encoding.inside(time, place)
            held = clauses.either(h for m, h in encoding.holds[place].items() if fits(m))
            found.append(clauses.both((inside, held, self._reached(encoding, counts))))
            program = clauses.either(h for m, h in encoding.holds[place].items() if not m.control)
            counts.append(clauses.both((inside, program)) if alone else inside)
        return clauses.either(found)

    def _reached(self, encoding: ChannelEncoding, ahead: list[int]) -> int:
        """Those ahead, each with its literal, are few enough."""
        if isinstance(encoding.discipline, Bag):
            return TRUE
        most = encoding.discipline.most if isinstance(encoding.discipline, Overtake) else 0
        count = self.unrolling.clauses.add_up((), ahead, most + 1)
        return -count[most] if len(count) > most else TRUE
