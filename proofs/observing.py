"""A protocol's local transitions in the theory's words, seen on small networks: what a theory is read off from.

Nothing is known of the protocol's rules here: a step is any step, and what is recorded in it is what the explored state
says. States carry what has left their channels (`Lifted.condensed`).

What a machine accepts is the network's doing as much as its own: that no second marker ever comes is no rule of the one
that would accept it. So each machine, as it was met, is also offered what was seen on any channel, whether or not it is
there (`imagined`), and again as it is then. Rules are read off from these steps too; nothing else is.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

import z3

from model.action import Accepted, Event, Message
from model.errors import InputError
from model.system import State as Explored
from model.system import System, move, uncoloured
from model.values import Value
from proofs.computation import Protocol
from proofs.instances import Compared, Theory, stepped, world
from proofs.lifting import Item, Lifted, LiftedStep, Tagged
from proofs.transition import Assumed

ANY = Protocol(name="any", rules=lambda q, e: (), records=lambda q, e, c: z3.BoolVal(False))


IMAGINED = 500
"""Steps of one network."""


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
        self.imagined: list[Seen] = []
        self.states: list[Lifted] = []
        self.done: list[Lifted] = []

    def look(self) -> Observed:
        """Explore, and imagine."""
        met = dict[object, tuple[Explored, Lifted, int]]()
        kinds = dict[tuple[bool, object], Message]()
        for state, q in self.nodes():
            self.states.append(q)
            if self.system.complete(state, self.lifting.snapshot):
                self.done.append(q)
            for m in range(len(q.machines)):
                met.setdefault(self._key(state, q, m), (state, q, m))
            for c, content in enumerate(state.channels):
                for message in content:
                    own = message._replace(payload=None, red=0)
                    kinds.setdefault(
                        (self._plain(c), own if message.control else self.lifting.tagged(own.tag)), message
                    )
        real, self.seen = self.seen, self.imagined
        self._imagine(met, kinds)
        self.seen = real
        return self

    def _plain(self, c: int) -> bool:
        return c < len(self.system.topology.channels)

    def _key(self, state: Explored, q: Lifted, m: int) -> object:
        """What a machine is to its protocol."""
        own = tuple((q.channels[c].closed, q.channels[c].marked) for c in self._at[m])
        return m, state.machines[m].memory, state.machines[m].red, own

    def _imagine(
        self, met: dict[object, tuple[Explored, Lifted, int]], kinds: dict[tuple[bool, object], Message]
    ) -> None:
        """What each machine does if it is offered this or that, and then again."""
        waiting = list(met.values())
        for state, q, m in waiting:
            if len(self.imagined) >= IMAGINED:
                return
            offers: list[tuple[int, Message] | None] = [None]
            offers += [
                (c, x) for c in self.system.inputs[m] for (plain, _), x in kinds.items() if plain == self._plain(c)
            ]
            for offer in offers:
                for succ, later in self._if_offered(state, q, m, offer):
                    key = self._key(succ, later, m)
                    if key not in met:
                        met[key] = (succ, later, m)
                        waiting.append(met[key])

    def _if_offered(
        self, state: Explored, q: Lifted, m: int, offer: tuple[int, Message] | None
    ) -> Iterator[tuple[Explored, Lifted]]:
        """The states after the steps of the machine that accept what is offered, it alone being in the channel."""
        if state.machines[m].crashed:
            return
        accepts: tuple[Accepted, ...] = ()
        if offer is not None:
            c, message = offer
            contents, channels = list(state.channels), list(q.channels)
            left = tuple(i._replace(gone=True) for i in channels[c].items if i.gone or i.recorded)
            channels[c] = channels[c]._replace(items=(*left, self.lifting.item(message, bool(message.red))))
            contents[c] = (message,)
            state, q = state._replace(channels=tuple(contents)), q._replace(channels=tuple(channels))
            accepts = tuple(self.system.offered(c, contents[c]))[:1]
        try:
            steps = self.system.steps(m, state.machines[m], uncoloured(accepts))
        except (InputError, AssertionError, LookupError, ValueError):
            return  # it is not made for that
        for step in steps:
            event = Event(m, step.name, (move(m, state.machines[m], accepts, step),))
            succ = self.system.step(state, event)
            later = self._all_judged(state, q, event, succ)
            if isinstance(later, Lifted):
                yield succ, later

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
