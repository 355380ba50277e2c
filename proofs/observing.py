"""A protocol's local transitions in the theory's words, seen on small networks: what a theory is read off from.

Nothing is known of the protocol's rules here: a step is any step, and what is recorded in it is what the explored state
says. States carry what has left their channels (`Lifted.condensed`).
"""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

import z3

from model.action import Event
from model.system import State as Explored
from model.system import System
from model.values import Value
from proofs.computation import Protocol
from proofs.instances import Compared, Theory, stepped, world
from proofs.lifting import Item, Lifted, LiftedStep, Tagged
from proofs.transition import Assumed

ANY = Protocol(name="any", rules=lambda q, e: (), records=lambda q, e, c: z3.BoolVal(False))


class Seen(NamedTuple):
    """A step that was seen: the state before, the step, the state after."""

    system: System
    before: Lifted
    step: LiftedStep
    later: Lifted


class Observed(Compared):
    """The explored states of one system and, each once, the steps between them."""

    def __init__(self, system: System, tagged: Tagged, assumed: Assumed, most: int, snapshot: int = 0) -> None:
        super().__init__(Theory(ANY, assumed), system, tagged, snapshot, history=True, most=most)
        self.seen: list[Seen] = []
        self.states: list[Lifted] = []
        self.done: list[Lifted] = []

    def look(self) -> Observed:
        """Explore."""
        for state, q in self.nodes():
            self.states.append(q)
            if self.system.complete(state, self.lifting.snapshot):
                self.done.append(q)
        return self

    def _all_judged(self, state: Explored, q: Lifted, event: Event, succ: Explored) -> Lifted | str:
        self.result.judged += 1
        for e in self.lifting.steps(q, state, event):
            given = world(self.system, q, e, self.theory.beyond, self.more)
            why = self.theory.premises(given)
            if why is not None:
                return f"premise '{why}'"
            later = stepped(self.theory, q, e, given)
            recorded = self._recorded(later, e, succ)
            if recorded is None:
                return f"what machine {e.machine} records in '{event.name}' is no set of messages sent to it"
            self.seen.append(Seen(self.system, q, e, recorded))
            q = recorded
        differs = self.lifting.differs(q, succ)
        return q.condensed() if differs is None else f"after the step, {differs} is another"

    def _recorded(self, q: Lifted, e: LiftedStep, succ: Explored) -> Lifted | None:
        """The state with what the machine has recorded by now; None if that is no set of positions."""
        told = self.system.protocol.recorded(e.machine, succ.machines[e.machine], self.lifting.snapshot)
        if told is None:
            return q
        channels = list(q.channels)
        for channel, content in zip(self.system.topology.inputs[e.machine], told.channels, strict=True):
            items = _marked(channels[channel].items, content, e.at.get(channel))
            if items is None:
                return None
            channels[channel] = channels[channel]._replace(items=items)
        return q._replace(channels=tuple(channels))


def _marked(items: tuple[Item, ...], content: tuple[Value, ...], at: int | None) -> tuple[Item, ...] | None:
    """The items, with those recorded that make up the content: those of before, what was accepted now, the oldest."""
    missing = Counter(content) - Counter(i.message.payload for i in items if i.recorded)
    gone = Counter(i.message.payload for i in items if i.recorded) - Counter(content)
    now = [i._replace(recorded=False) for i in items] if gone else list(items)
    missing = Counter(content) if gone else missing
    first = [] if at is None else [at]
    for place in (*first, *range(len(now))):
        item = now[place]
        waiting = place in first or not item.gone
        if not item.marker and not item.recorded and waiting and missing[item.message.payload] > 0:
            missing[item.message.payload] -= 1
            now[place] = item._replace(recorded=True)
    return None if +missing else tuple(now)
