"""Cuts and S0 ->* SSS ->* S1 against a search of this test's own, in which every message has an identity.

Its states hold who sent what and which of two equal messages is the copy, so nothing is left open that `model.cut` has
to branch over. Fault budgets are one for the run that was and for the run that is looked for through SSS.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import pytest

from checker.check import check
from checker.engines.search_options import SearchOptions
from model.action import Action, Local, Message
from model.assumptions import parse_relaxations
from model.cut import Cut, begin, extend
from model.families import parse_family
from model.program import Program, Underlying
from model.protocol import Protocol, Recorded
from model.protocols.magic import Magic
from model.protocols.marker import Marker
from model.protocols.mutants.receiving import KeepRecording
from model.system import State, System
from model.topology import Topology
from model.values import Value, order_key


class Letter(NamedTuple):
    """A message with its identity: `copy` of a message that was sent, or that message itself."""

    message: Message
    number: int
    copy: bool


class Node(NamedTuple):
    """A state with identities and the history that the claims speak of."""

    machines: tuple[Local, ...]
    channels: tuple[tuple[Letter, ...], ...]
    left: tuple[int, ...]
    made: int
    sent: tuple[tuple[tuple[int, Value], ...], ...]  # white sends not accepted white, by number
    there: tuple[tuple[tuple[int, Value], ...], ...]  # the same with losses and copies applied
    start: tuple[Underlying, tuple[int, ...]] | None  # S0, and the faults left then


class Writer(Program):
    """Machine 0 writes the letters of `word` on channel 0; any machine counts what it accepts, up to `heard`."""

    def __init__(self, topology: Topology, word: str, heard: int = 9) -> None:
        super().__init__(topology)
        self.word, self.heard = word, heard

    def initial(self, machine: int) -> Value:
        return 0

    def actions(self, machine: int, state: Value, offered: Mapping[int, Value]) -> Iterator[Action]:
        assert isinstance(state, int)
        if offered:
            yield Action("keep", min(state + (machine != 0), self.heard), offered)
        elif machine == 0 and state < len(self.word):
            yield Action("write", state + 1, sends={0: self.word[state]})


class Oracle:
    """The search: breadth first over `Node`s."""

    def __init__(self, system: System, relax: str) -> None:
        self.system, self.kinds = system, [kind for kind, _ in system.assumptions.faults]
        self.reach = {"": 0, "fifo": 99}.get(relax.split(",")[0], 0)
        if relax.startswith("overtake:"):
            self.reach = int(relax.split(",")[0].partition(":")[2])
        self.bag = relax.startswith("fifo")

    def start(self) -> Node:
        (state,) = self.system.initial_states()
        n = len(self.system.topology.channels)
        return Node(state.machines, ((),) * n, state.left, 0, ((),) * n, ((),) * n, None)

    def plain(self, node: Node) -> State:
        def content(own: tuple[Letter, ...]) -> tuple[Message, ...]:
            found = tuple(letter.message for letter in own)
            return tuple(sorted(found, key=order_key)) if self.bag else found

        return State(node.machines, tuple(map(content, node.channels)), node.left)

    def after(self, node: Node) -> Iterator[Node]:
        for machine, local in enumerate(node.machines):
            yield from self.acted(node, machine, local, None, 0)
            for channel in self.system.inputs[machine]:
                for place in range(min(len(node.channels[channel]), self.reach + 1)):
                    yield from self.acted(node, machine, local, channel, place)
        for channel, content in enumerate(node.channels):
            for place, letter in enumerate(content):
                for kind, left in zip(self.kinds, node.left, strict=True):
                    if not left:
                        continue
                    spent = tuple(n - (k == kind) for k, n in zip(self.kinds, node.left, strict=True))
                    there = list(node.there)
                    white = not (letter.message.control or letter.message.red)
                    if kind == "loss":
                        own = (*content[:place], *content[place + 1 :])
                        if white:
                            there[channel] = without(there[channel], letter.number)
                    else:
                        own = (*content, Letter(letter.message, node.made, True))
                        if white:
                            there[channel] = (*there[channel], (node.made, letter.message.payload))
                    channels = (*node.channels[:channel], own, *node.channels[channel + 1 :])
                    made = node.made + (kind != "loss")
                    yield node._replace(channels=channels, left=spent, made=made, there=tuple(there))

    def acted(self, node: Node, machine: int, local: Local, channel: int | None, place: int) -> Iterator[Node]:
        letter = None if channel is None else node.channels[channel][place]
        offer = () if letter is None or channel is None else ((channel, letter.message._replace(red=0)),)
        for step in self.system.steps(machine, local, offer):
            colour = local.red | step.turns if step.turns_first else local.red
            channels, made = list(node.channels), node.made
            sent, there = list(node.sent), list(node.there)
            if letter is not None and channel is not None:
                channels[channel] = (*channels[channel][:place], *channels[channel][place + 1 :])
                if not colour:
                    sent[channel] = without(sent[channel], letter.number)
                    there[channel] = without(there[channel], letter.number)
            for where, message in step.sends:
                if not message.control:
                    message = message._replace(red=colour)
                    if not colour:
                        sent[where] = (*sent[where], (made, message.payload))
                        there[where] = (*there[where], (made, message.payload))
                channels[where] = (*channels[where], Letter(message, made, False))
                made += 1
            start = node.start
            if start is None and step.turns:
                assert step.turns_first
                start = (self.system.project(self.plain(node)), node.left)
            after = Local(step.state, step.memory, local.red | step.turns)
            machines = (*node.machines[:machine], after, *node.machines[machine + 1 :])
            yield Node(machines, tuple(channels), node.left, made, tuple(sent), tuple(there), start)

    def histories(self) -> set[Any]:
        """Of all nodes: the state, what is pending as sent and as faults left it, and S0 with the faults left."""
        seen, waiting = {self.start()}, [self.start()]
        while waiting:
            new = [node for node in self.after(waiting.pop()) if node not in seen]
            seen.update(new)
            waiting += new
        return {
            (self.plain(n), self.payloads(n.sent), self.payloads(n.there), n.start if n.start else None) for n in seen
        }

    def payloads(self, own: tuple[tuple[tuple[int, Value], ...], ...]) -> Any:
        contents = (tuple(payload for _, payload in content) for content in own)
        return tuple(tuple(sorted(content, key=order_key)) if self.bag else content for content in contents)

    def lengths(self) -> dict[str, int]:
        """The lengths of the shortest runs that break channel-exact and reachable."""
        found: dict[str, int] = {}
        level, seen, length = [self.start()], {self.start()}, 0
        while level and len(found) < 2:
            for node in level:
                state = self.plain(node)
                if self.system.complete(state):
                    sss = self.system.recorded(state)
                    if any(self.wrong(r, s) for r, s in zip(sss.channels, node.sent, strict=True)):
                        found.setdefault("channel-exact", length)
                    assert node.start is not None
                    if not self.leads(*node.start, sss, self.system.project(state)):
                        found.setdefault("reachable", length)
            level = list(dict.fromkeys(new for node in level for new in self.after(node) if new not in seen))
            seen.update(level)
            length += 1
        return found

    def wrong(self, recorded: tuple[Value, ...], sent: tuple[tuple[int, Value], ...]) -> bool:
        payloads = [payload for _, payload in sent]
        return (
            (sorted(recorded, key=order_key) != sorted(payloads, key=order_key))
            if self.bag
            else (list(recorded) != payloads)
        )

    def leads(self, start: Underlying, left: tuple[int, ...], sss: Underlying, end: Underlying) -> bool:
        """Whether one run of the program alone, with so many faults left, goes through SSS to the end."""
        alone = self.system.alone()
        first = alone.embed(start)._replace(left=left)
        seen: set[tuple[State, bool]] = set()
        waiting = [(first, False)]
        while waiting:
            state, passed = waiting.pop()
            passed = passed or alone.project(state) == sss
            if (state, passed) in seen:
                continue
            seen.add((state, passed))
            if passed and alone.project(state) == end:
                return True
            waiting += [(alone.step(state, event), passed) for event in alone.events(state)]
        return False


def without(own: tuple[tuple[int, Value], ...], number: int) -> tuple[tuple[int, Value], ...]:
    return tuple(one for one in own if one[0] != number)


def cuts(system: System) -> set[Any]:
    """The same from `model.cut`, over all states and the cuts that lead to them."""
    (first,) = system.initial_states()
    seen = {(first, begin(system, first))}
    waiting = list(seen)
    while waiting:
        state, cut = waiting.pop()
        for event in system.events(state):
            after = system.step(state, event)
            new = {(after, own) for own in extend(system, 0, cut, event, state.channels)} - seen
            seen |= new
            waiting += new
    most = tuple(n for _, n in system.assumptions.faults)

    def told(state: State, cut: Cut) -> Any:
        left = tuple(n - spent for n, spent in zip(most, cut.spent, strict=True))
        sent, there = (tuple(map(system.normal, contents)) for contents in (cut.sent, cut.channels))
        return state, sent, there, (cut.start, left) if cut.start else None

    return {told(*one) for one in seen}


def system_of(word: str, protocol: type[Protocol], relax: str, channels: str, initiator: int, **options: Any) -> System:
    topology = parse_family(channels)
    program = Writer(topology, word)
    return System(topology, program, protocol(topology, program, (initiator,), **options), parse_relaxations(relax))


CASES = [
    (word, protocol, relax, channels, initiator)
    for relax in (
        "loss:1",
        "duplication:1",
        "overtake:1,loss:1",
        "overtake:1,duplication:1",
        "fifo,duplication:1",
        "fifo,loss:1",
    )
    for word, protocol, channels, initiator in (
        ("aa", Marker, "edges:0>1,1>0", 1),
        ("aba", Marker, "edges:0>1,1>0", 1),
        ("aa", Magic, "edges:0>1", 0),
        ("aa", KeepRecording, "edges:0>1,1>0", 0),
    )
] + [("aab", Marker, "loss:1,duplication:1", "edges:0>1,1>0", 1), ("aa", Marker, "duplication:2", "edges:0>1,1>0", 1)]


LONG = [case for case in CASES if len(case[0]) > 2 and "duplication" in case[2] and case[2] != "duplication:1"]
CHOSEN = [pytest.param(case, marks=[pytest.mark.slow] if case in LONG else []) for case in CASES]


@pytest.mark.parametrize("case", CHOSEN, ids=lambda case: " ".join(map(str, (case[0], case[1].__name__, *case[2:]))))
def test_cuts_are_those_of_a_search_that_tells_equal_messages_apart(case: Any) -> None:
    system = system_of(*case)
    assert cuts(system) == Oracle(system, case[2]).histories()


@pytest.mark.parametrize("case", CHOSEN, ids=lambda case: " ".join(map(str, (case[0], case[1].__name__, *case[2:]))))
def test_lengths_are_those_of_a_search_that_tells_equal_messages_apart(case: Any) -> None:
    system = system_of(*case)
    wanted = Oracle(system, case[2]).lengths()
    names = ("channel-exact", "reachable")
    for engine in ("reference", "native"):
        verdict = check(system, properties=names, engine=engine)
        assert {p.name: p.length for p in verdict.properties if p.length is not None} == wanted, engine
    if case[0] != "aa" or case[1] is not Marker:
        return  # z3 takes seconds for each
    deep = SearchOptions(max_depth=max(wanted.values(), default=5))
    verdict = check(system, properties=names, engine="z3", options=deep)
    assert {p.name: p.length for p in verdict.properties if p.length is not None} == wanted, "z3"


class Padded(Marker):
    """Records a lone message of a channel twice: SSS follows from S0 by a duplication, if one may still happen."""

    def recorded(self, machine: int, local: Local, snapshot: int = 0) -> Recorded | None:
        own = super().recorded(machine, local, snapshot)
        return own and own._replace(channels=tuple(c * 2 if len(c) == 1 else c for c in own.channels))


@pytest.mark.parametrize("engine", ["reference", "native", "z3"])
def test_faults_before_s0_are_no_more_there_for_the_run_through_sss(engine: str) -> None:
    topology, relax = parse_family("edges:0>1,1>0"), "duplication:1"
    program = Writer(topology, "a", heard=0)
    system = System(topology, program, Padded(topology, program, (1,)), parse_relaxations(relax))
    verdict = check(system, properties=["reachable"], engine=engine, options=SearchOptions(max_depth=9))
    # Sent, doubled, accepted once; then the snapshot finds the copy alone: two cannot come of it any more.
    wanted = Oracle(system, relax).lengths()["reachable"]
    assert [p.length for p in verdict.properties] == [wanted] == [7]
