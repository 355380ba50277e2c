"""The local configurations that may come up within a number of actions, each answered by `System.steps` once.

A machine's behaviour depends on what it holds and what it accepts, and on nothing else. So all that a run of t actions
can do to a machine is found without looking at global states: what it may hold is closed, action by action, under
accepting what its channels may carry by then. That is more than what global states allow, never less. To keep it
close, a lower bound on the time counts the actions that others need in order to send what was accepted.

A machine may be given several systems, its alternatives (an open topology: one for each set of channels at it).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations, product
from typing import NamedTuple

from model.action import Accepted, Local, Message, Move, Step
from model.system import Offer, System, crash, move, uncoloured

Counts = tuple[int, ...]
"""How many messages of each channel, by its number."""

NEVER = 1 << 30


class LocalTransition(NamedTuple):
    """What a machine does in one local configuration; positions in `move.accepts` are all 0: any position is meant.

    before, after: numbers of what the machine holds; `sends` gives each channel the messages it gets, in order;
    kind: "step", "synchronous" (its part of the action of all machines) or "crash"; system: whose alternative it is.
    """

    move: Move
    before: int
    after: int
    sends: dict[int, tuple[Message, ...]]
    kind: str
    system: System

    @property
    def accepts(self) -> Offer:
        """(channel, message with its ghost colour) of all that it accepts."""
        return tuple((accepted.channel, accepted.message) for accepted in self.move.accepts)

    def acts_white(self, snapshot: int) -> bool:
        """Whether it performs a white action of the program."""
        return self.move.step.action is not None and not self.move.acting >> snapshot & 1


@dataclass(slots=True)
class Machine:
    """What one machine may hold by now, and do.

    `numbers[alternative, local]` is the number of what it holds, `since` the first time it may. By number: the local
    `transitions`; `start`, the first time each of them may happen, in the same order; `ways`, the least (own actions,
    accepted counts) that lead there. `sent[k]` is the most it can have sent after k actions, by number.
    """

    systems: Sequence[System]
    locals: list[tuple[int, Local]] = field(default_factory=list)
    numbers: dict[tuple[int, Local], int] = field(default_factory=dict)
    since: list[int] = field(default_factory=list)
    transitions: list[list[LocalTransition]] = field(default_factory=list)
    start: list[list[int]] = field(default_factory=list)
    ways: list[set[tuple[int, Counts]]] = field(default_factory=list)
    asked: set[tuple[int, Offer]] = field(default_factory=set)
    sent: list[dict[int, Counts]] = field(default_factory=list)

    def number(self, alternative: int, local: Local) -> int:
        """The number of what the machine holds."""
        found = self.numbers.setdefault((alternative, local), len(self.locals))
        if found == len(self.locals):
            self.locals.append((alternative, local))
            self.since.append(NEVER)
            self.transitions.append([])
            self.start.append([])
            self.ways.append(set())
        return found

    def held(self, time: int) -> list[int]:
        """The numbers of what it may hold at this time."""
        return [number for number, since in enumerate(self.since) if since <= time]


class Configurations:
    """All local configurations within `time` actions; `grow` adds one to it.

    `systems[m]` are the alternatives of machine m, all with the same channels, faults and numbers of them.
    """

    def __init__(self, systems: Sequence[Sequence[System]]) -> None:
        self.time = 0
        one = systems[0][0]
        self.channels = one.channels
        self.plain = len(one.topology.channels)
        self.contents = one.initial_states()[0].channels
        budgets = dict(one.assumptions.faults)
        self.copies = budgets.get("duplication", 0) + budgets.get("marker-duplication", 0)
        self.crashes = bool(budgets.get("crash"))
        self.synchronous = one.protocol.synchronous
        self.messages: list[dict[Message, int]] = [dict.fromkeys(content, 0) for content in self.contents]
        self.machines = [Machine(alternatives) for alternatives in systems]
        none = (0,) * len(self.channels)
        for m, machine in enumerate(self.machines):
            machine.sent.append({})
            for a, system in enumerate(machine.systems):
                number = machine.number(a, system.initial_states()[0].machines[m])
                machine.since[number] = 0
                machine.ways[number].add((0, none))
                machine.sent[0][number] = none

    def grow(self) -> None:
        """All that one more action may lead to."""
        self.ask()
        needed = [self._needed(c) for c in range(len(self.channels))]
        for m in range(len(self.machines)):
            self._spread(m, needed)
        self.time += 1
        for machine in self.machines:
            self._count_sent(machine)
        self._carry()

    def ask(self) -> None:
        """Have every configuration that may come up by now answered."""
        for m in range(len(self.machines)):
            self._ask(m)

    def capacity(self, channel: int) -> int:
        """The most messages that can have been put into the channel by now, copies and those at the start included."""
        machine = self.machines[self.channels[channel][0]]
        sent = max((counts[channel] for at in machine.sent for counts in at.values()), default=0)
        copies = min(self.copies, self.time) if channel < self.plain else 0
        return sent + copies + len(self.contents[channel])

    def offers(self, m: int, number: int) -> Iterator[Offer]:
        """All that the machine may be offered by now, nothing first."""
        machine = self.machines[m]
        system = machine.systems[machine.locals[number][0]]
        waiting = [
            [(channel, message) for message, since in self.messages[channel].items() if since <= self.time]
            for channel in system.inputs[m]
        ]
        waiting = [choice for choice in waiting if choice]
        for size in range(min(len(waiting), len(waiting) if system.protocol.multi_channel else 1) + 1):
            for channels in combinations(waiting, size):
                yield from product(*channels)

    # -- one action more ---------------------------------------------------------------------------------------

    def _ask(self, m: int) -> None:
        machine = self.machines[m]
        for number in machine.held(self.time):
            if machine.locals[number][1].crashed:
                continue
            for offer in self.offers(m, number):
                if (number, offer) not in machine.asked:
                    machine.asked.add((number, offer))
                    for transition in self._answers(m, number, offer):
                        machine.transitions[number].append(transition)
                        machine.start[number].append(NEVER)

    def _answers(self, m: int, number: int, offer: Offer) -> Iterator[LocalTransition]:
        machine = self.machines[m]
        alternative, local = machine.locals[number]
        system = machine.systems[alternative]
        accepts = tuple(Accepted(channel, 0, message) for channel, message in offer)
        steps: list[tuple[str, Move]] = []
        if not offer and system.protocol.synchronous:
            step: Step | None = system.protocol.synchronous_step(m, local)
            if step is not None:
                steps.append(("synchronous", move(m, local, (), step)))
        steps += [("step", move(m, local, accepts, step)) for step in system.steps(m, local, uncoloured(accepts))]
        if not offer and self.crashes:
            steps.append(("crash", crash(m, local)))
        for kind, done in steps:
            sends: dict[int, tuple[Message, ...]] = {}
            for channel, message in done.sends:
                sends[channel] = (*sends.get(channel, ()), message)
            yield LocalTransition(done, number, machine.number(alternative, done.after), sends, kind, system)

    def _needed(self, channel: int) -> list[int]:
        """Entry n: how many actions others need so that n messages can be accepted from the channel; ends where it is
        not known to be possible yet."""
        machine = self.machines[self.channels[channel][0]]
        most = [max((counts[channel] for counts in at.values()), default=0) for at in machine.sent]
        free = len(self.contents[channel])
        copies = self.copies if channel < self.plain else 0
        needed = [0]
        while True:
            wanted = len(needed) - free
            ways = [
                extra + next((k for k, sent in enumerate(most) if sent >= wanted - extra), NEVER)
                for extra in range(copies + 1)
            ]
            if min(ways) >= NEVER:
                return needed
            needed.append(min(ways))

    def _bound(self, m: int, own: int, accepted: Counts, needed: list[list[int]]) -> int:
        """At least so many actions have happened once machine m did `own` and accepted these counts."""
        others: dict[int, int] = {}
        for channel, count in enumerate(accepted):
            if count:
                source = self.channels[channel][0]
                wanted = needed[channel][count] if count < len(needed[channel]) else NEVER
                others[source] = max(others.get(source, 0), wanted)
        if others.get(m, NEVER) < NEVER:
            del others[m]  # what it sent to itself is among its own actions
        if self.synchronous:  # an action of all machines counts for each of them
            return max([own, *others.values()])
        return own + sum(others.values())

    def _spread(self, m: int, needed: list[list[int]]) -> None:
        machine, time = self.machines[m], self.time + 1
        for number in machine.held(self.time):
            for index, transition in enumerate(machine.transitions[number]):
                for own, accepted in tuple(machine.ways[number]):
                    counts = list(accepted)
                    for channel, _ in transition.accepts:
                        counts[channel] += 1
                    way = (own + 1, tuple(counts))
                    if self._bound(m, *way, needed) <= time:
                        machine.start[number][index] = min(machine.start[number][index], self.time)
                        machine.since[transition.after] = min(machine.since[transition.after], time)
                        _keep_least(machine.ways[transition.after], way)

    def _count_sent(self, machine: Machine) -> None:
        """One more layer of `sent`; earlier layers grow too, with what has become possible by now."""
        machine.sent.append({})
        for k in range(self.time):
            for number, counts in machine.sent[k].items():
                for transition, start in zip(machine.transitions[number], machine.start[number], strict=True):
                    if start < self.time:
                        after = list(machine.sent[k + 1].get(transition.after, counts))
                        for channel in range(len(after)):
                            sent = counts[channel] + len(transition.sends.get(channel, ()))
                            after[channel] = max(after[channel], sent)
                        machine.sent[k + 1][transition.after] = tuple(after)

    def _carry(self) -> None:
        for machine in self.machines:
            for transition, start in _rows(machine):
                if start < self.time:
                    for channel, sent in transition.sends.items():
                        for message in sent:
                            known = self.messages[channel].get(message, NEVER)
                            self.messages[channel][message] = min(known, start + 1)


def _rows(machine: Machine) -> Iterable[tuple[LocalTransition, int]]:
    for transitions, starts in zip(machine.transitions, machine.start, strict=True):
        yield from zip(transitions, starts, strict=True)


def _keep_least(ways: set[tuple[int, Counts]], way: tuple[int, Counts]) -> None:
    if any(_less(known, way) for known in ways):
        return
    ways.difference_update([known for known in ways if _less(way, known)])
    ways.add(way)


def _less(one: tuple[int, Counts], other: tuple[int, Counts]) -> bool:
    return one[0] <= other[0] and all(a <= b for a, b in zip(one[1], other[1], strict=True))
