"""Theory and model are one: every transition of an explored system is an instance of the theory's step.

For each event of each state reached: the step it is satisfies all premises of the theory's step (what makes a step, the
algorithm's rules, what is assumed of channels), and the state that the theory has after it is the explored state after
the event. The formulas are those that are proved about, evaluated as they stand (`evaluating`).

A step looks at its machine and at that machine's channels, and so does the state after it: what was judged of one such
part of a state, with all formulas over the whole system, is not judged again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import z3

from model.action import Event
from model.system import State as Explored
from model.system import System
from proofs.assumptions import initial
from proofs.computation import Protocol, State, after
from proofs.evaluating import World, failing, functions, nested
from proofs.language import CHANNEL, INT, MACHINE, Formula, constant
from proofs.lifting import FORGOTTEN, Channel, Item, Lifted, LiftedStep, Lifting, Machine, Tagged
from proofs.transition import Assumed, Transition

SHOWN = 10
"""Events that are no instance are kept up to so many; all are counted."""

_NOTHING = Item(FORGOTTEN, False, False, False)
_M, _C, _I = constant("m_", MACHINE), constant("c_", CHANNEL), constant("i_", INT)


class Theory:
    """A theory's step, compiled: `premises(world)` names the first that fails; `later(world)` is the state after."""

    def __init__(self, protocol: Protocol, *assumed: Assumed) -> None:
        t = Transition.of(protocol, *assumed)
        self.name = protocol.name
        made = after(t.before, t.step, protocol)
        self.premises = failing([(p.name, p.formula) for p in t.premises])
        terms: list[tuple[tuple[z3.ExprRef, ...], z3.ExprRef]] = [
            ((_M,), made.local(_M)),
            ((_M,), made.red(_M)),
            ((_M,), made.recorded_state(_M)),
            ((_C,), made.sent(_C)),
            ((_C, _I), made.gone(_C, _I)),
            ((_C, _I), made.early(_C, _I)),
            ((_C, _I), made.recorded(_C, _I)),
            ((_C,), made.closed(_C)),
            ((_C,), made.marked(_C)),
        ]
        self.later = functions(terms)
        self.beyond = max(1, *(nested(p.formula) for p in t.premises), *(nested(term) for _, term in terms))


def world(
    system: System, q: Lifted, e: LiftedStep | None, beyond: int = 2, more: dict[str, Any] | None = None
) -> World:
    """The state, and the step with what it puts, as meanings of the theory's symbols."""
    channels = range(len(system.channels))
    put = {} if e is None else e.put
    items = [(*q.channels[c].items, *put.get(c, ())) for c in channels]
    most = max((len(own) for own in items), default=0)

    def item(c: int, i: int) -> Item:
        own = items[c]
        return own[i] if 0 <= i < len(own) else _NOTHING

    ends = system.channels
    found: dict[str, Any] = {
        "Machine": range(system.topology.machines),
        "Channel": channels,
        "Int": range(-beyond, most + beyond),
        "source": lambda c: ends[c][0],
        "destination": lambda c: ends[c][1],
        "marker": lambda c, i: item(c, i).marker,
        "tinted": lambda c, i: item(c, i).tinted,
        "content": lambda c, i: item(c, i).message.payload,
        "tag": lambda c, i: item(c, i).tagged,
        "local0": lambda m: q.machines[m].local,
        "red0": lambda m: q.machines[m].red,
        "recorded_state0": lambda m: q.machines[m].recorded_state,
        "sent0": lambda c: len(q.channels[c].items),
        "gone0": lambda c, i: item(c, i).gone,
        "early0": lambda c, i: item(c, i).early,
        "recorded0": lambda c, i: item(c, i).recorded,
        "closed0": lambda c: q.channels[c].closed,
        "marked0": lambda c: q.channels[c].marked,
        **(more or {}),
    }
    if e is not None:
        found |= _step(e)
    return found


def _step(e: LiftedStep) -> dict[str, Any]:
    action = e.action
    accepts, sends = (dict(action.accepts), dict(action.sends)) if action is not None else ({}, {})
    return {
        "machine": e.machine,
        "turns": e.turns,
        "acts": action is not None,
        "action": action,
        "hears": lambda c: c in e.hears,
        "marks": lambda c: c in e.marks,
        "at": lambda c: e.at.get(c, -1),
        "lost": lambda c, i: (c, i) in e.lost,
        "copied": lambda c: c in e.copied,
        "copy": lambda c: e.copied.get(c, -1),
        "program": lambda a: True,
        "actor": lambda a: e.machine,
        "pre": lambda a: e.before,
        "post": lambda a: a.state,
        "accepts": lambda a, c: c in accepts,
        "gets": lambda a, c: accepts.get(c),
        "sends": lambda a, c: c in sends,
        "puts": lambda a, c: sends.get(c),
    }


def stepped(theory: Theory, q: Lifted, e: LiftedStep, given: World) -> Lifted:
    """The state that the theory has after the step."""
    local, red, recorded_state, sent, gone, early, recorded, closed, marked = theory.later(given)
    channels = []
    for c, before in enumerate(q.channels):
        own = (*before.items, *e.put.get(c, ()))
        items = (
            tuple(own[i]._replace(gone=gone(c, i), early=early(c, i), recorded=recorded(c, i)) for i in range(sent(c)))
            if sent(c) <= len(own)
            else own
        )
        channels.append(Channel(items, closed(c), marked(c)))
    machines = tuple(Machine(local(m), red(m), recorded_state(m)) for m in range(len(q.machines)))
    return Lifted(machines, tuple(channels))


class NoInstance(NamedTuple):
    """An event that is no instance of the step: where, and the premise that fails or what differs afterwards.

    No event where it is the state itself that the theory sees otherwise: the snapshot is called complete too early.
    """

    state: Explored
    event: Event | None
    why: str


@dataclass(slots=True)
class Comparison:
    """What came of comparing: states and transitions looked at, how many were judged in full, and what was found."""

    states: int = 0
    transitions: int = 0
    judged: int = 0
    found: list[NoInstance] = field(default_factory=list)
    why: Counter[str] = field(default_factory=Counter)
    whole: bool = True


class Compared:
    """The explored states of a system with their liftings, each transition judged."""

    def __init__(
        self,
        theory: Theory,
        system: System,
        tagged: Tagged = bool,
        snapshot: int = 0,
        more: dict[str, Any] | None = None,
        done: Callable[[State], Formula] | None = None,
        history: bool = False,
        most: int | None = None,
    ) -> None:
        self.theory, self.system, self.more, self.history, self.most = theory, system, more or {}, history, most
        self._done = None if done is None else failing([("done", done(State.any("0")))])
        self.lifting = Lifting(system, tagged, snapshot)
        self.result = Comparison()
        self._known: dict[Any, tuple[tuple[Machine, ...], tuple[Channel, ...]] | str] = {}
        self._at = [
            tuple(c for c, ends in enumerate(system.channels) if m in ends) for m in range(system.topology.machines)
        ]

    def nodes(self) -> Iterator[tuple[Explored, Lifted]]:
        """Every explored state with its lifting; what lies behind an event that is no instance is not followed."""
        start = [(state, self.lifting.initial(state)) for state in self.system.initial_states()]
        seen, waiting = set(start), start
        while waiting:
            following: list[tuple[Explored, Lifted]] = []
            for state, q in waiting:
                self.result.states += 1
                self._complete(state, q)
                yield state, q
                for event in self.system.events(state):
                    self.result.transitions += 1
                    node = self._succ(state, q, event)
                    if node is not None and node not in seen:
                        if self.most is not None and len(seen) >= self.most:
                            self.result.whole = False
                            continue
                        seen.add(node)
                        following.append(node)
            waiting = following

    def run(self) -> Comparison:
        """All of them."""
        for _ in self.nodes():
            pass
        return self.result

    def _succ(self, state: Explored, q: Lifted, event: Event) -> tuple[Explored, Lifted] | None:
        succ = self.system.step(state, event)
        if len(event.moves) > 1:
            later = self._all_judged(state, q, event, succ)
        else:
            later = self._locally_judged(state, q, event, succ)
        if isinstance(later, str):
            self._note(state, event, later)
            return None
        return succ, later

    def _locally_judged(self, state: Explored, q: Lifted, event: Event, succ: Explored) -> Lifted | str:
        """The lifted state after the event; or why it is none. What is known of the same part of a state is not asked
        again."""
        concerned = tuple(move.machine for move in event.moves)
        channels = self._at[concerned[0]] if concerned else tuple(range(len(q.channels)))
        mine = tuple(q.machines[m] for m in concerned)
        part = (event, mine, tuple(q.channels[c] for c in channels), tuple(state.channels[c] for c in channels))
        found = self._known.get(part)
        if found is None:
            later = self._all_judged(state, q, event, succ)
            if isinstance(later, str):
                found = later
            else:
                found = tuple(later.machines[m] for m in concerned), tuple(later.channels[c] for c in channels)
            self._known[part] = found
        if isinstance(found, str):
            return found
        machines, own = list(q.machines), list(q.channels)
        for m, machine in zip(concerned, found[0], strict=True):
            machines[m] = machine
        for c, channel in zip(channels, found[1], strict=True):
            own[c] = channel
        return Lifted(tuple(machines), tuple(own))

    def _all_judged(self, state: Explored, q: Lifted, event: Event, succ: Explored) -> Lifted | str:
        """An action of all machines at once is a step of each, one after the other."""
        self.result.judged += 1
        for e in self.lifting.steps(q, state, event):
            given = world(self.system, q, e, self.theory.beyond, self.more)
            why = self.theory.premises(given)
            if why is not None:
                return f"premise '{why}'"
            q = stepped(self.theory, q, e, given)
        differs = self.lifting.differs(q, succ)
        if differs is not None:
            return f"after the step, {differs} is another"
        return q.condensed() if self.history else q.shortened()

    def _complete(self, state: Explored, q: Lifted) -> None:
        """A snapshot that the protocol calls complete is so by the theory."""
        if self._done is None or not self.system.complete(state, self.lifting.snapshot):
            return
        if self._done(world(self.system, q, None, self.theory.beyond, self.more)) is not None:
            self._note(state, None, "the snapshot is called complete and is not")

    def _note(self, state: Explored, event: Event | None, why: str) -> None:
        self.result.why[why] += 1
        if len(self.result.found) < SHOWN:
            self.result.found.append(NoInstance(state, event, why))


def is_initial(system: System, q: Lifted) -> bool:
    """Whether the lifted state is an S0 of the theory."""
    return _initial(world(system, q, None)) is None


_initial = failing([("S0", initial(State.any("0")).formula)])
