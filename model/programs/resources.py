"""Machines that own one resource each and need a second one: they can deadlock in a cycle of requests.

A machine that wants to work keeps its own resource and asks a peer (a machine with channels both ways) for another;
a peer that is idle grants its own, one that wants to work itself lets the request wait. Having worked, the machine
gives the resource back. If each machine of a cycle waits for the next, none ever works again: a stable predicate,
and the classic use of snapshots (Chandy & Lamport 1985, section 4; Chandy, Misra & Haas 1983, the AND model).

Choices: asking may go to any peer; a peer that is idle may grant at any later moment; `s` bounds how often a
machine wants to work.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from model.action import Action
from model.errors import InputError
from model.program import Program, Underlying
from model.programs.rules import per_machine
from model.relabelling import Relabelling
from model.topology import Topology
from model.values import Value

REQUEST, GRANT, RELEASE = "request", "grant", "release"
IDLE, WAITING, WORKING = "idle", "waiting", "working"


class User(NamedTuple):
    """A machine: what it does, over which channel it deals, whether its own resource is at home, who asked for it.

    `channel` leads to the peer that was asked; `asked` holds the channels to the peers that wait; `left` bounds how
    often it may still ask, and is not recorded.
    """

    phase: str
    channel: int | None
    home: bool
    asked: tuple[int, ...]
    left: int


class Resources(Program):
    """Ask, grant, work, give back; conserved: the resources."""

    conserves = "resources"

    def __init__(self, topology: Topology, *, s: int | tuple[int, ...] = 1) -> None:
        super().__init__(topology)
        self.times = per_machine(s, topology, "s")
        self.back = {c: self._reply(c) for c in range(len(topology.channels))}
        if not any(reply is not None for reply in self.back.values()):
            raise InputError(f"program resources on {topology.name or 'this topology'}: it needs channels both ways")

    def _reply(self, channel: int) -> int | None:
        source, destination = self.topology.channels[channel]
        ends = (destination, source)
        back = [c for c, other in enumerate(self.topology.channels) if other == ends and source != destination]
        return back[0] if back else None

    def initial(self, machine: int) -> User:
        """Idle, the own resource at home."""
        return User(IDLE, None, True, (), self.times[machine])

    def actions(self, machine: int, state: Value, offered: Mapping[int, Value]) -> Iterator[Action]:
        """Accept a message, ask, grant, or give back: each an action of its own."""
        assert isinstance(state, User)
        if offered:
            ((channel, message),) = offered.items()
            yield self._accept(state, channel, message)
            return
        if state.phase == IDLE and state.home:
            for channel in self.topology.outputs[machine]:
                if state.left and self.back[channel] is not None:
                    asking = state._replace(phase=WAITING, channel=channel, left=state.left - 1)
                    yield Action("ask", asking, sends={channel: REQUEST})
            for channel in state.asked:
                rest = tuple(c for c in state.asked if c != channel)
                yield Action("grant", state._replace(home=False, asked=rest), sends={channel: GRANT})
        if state.phase == WORKING:
            assert state.channel is not None
            yield Action("give back", state._replace(phase=IDLE, channel=None), sends={state.channel: RELEASE})

    def _accept(self, state: User, channel: int, message: Value) -> Action:
        if message == REQUEST:
            back = self.back[channel]
            assert back is not None
            state = state._replace(asked=tuple(sorted((*state.asked, back))))
        elif message == GRANT:
            # A grant that is not waited for, the copy of one, gives nothing.
            if state.phase == WAITING and state.channel is not None and self.back[state.channel] == channel:
                state = state._replace(phase=WORKING)
        else:
            state = state._replace(home=True)
        return Action(f"accept {message}", state, accepts={channel: message})

    def record(self, machine: int, state: Value) -> Value:
        """All but how often it may still ask."""
        assert isinstance(state, User)
        return state._replace(left=0)

    def relabelled(self, machine: int, state: Value, by: Relabelling) -> Value:
        """The channels in it by their new names."""
        assert isinstance(state, User)
        channel = None if state.channel is None else by.channels[state.channel]
        return state._replace(channel=channel, asked=by.ascending(state.asked))

    def held(self, machine: int, recorded: Value) -> int:
        """Its own resource if at home, and a peer's while it works."""
        assert isinstance(recorded, User)
        return int(recorded.home) + int(recorded.phase == WORKING)

    def carried(self, payload: Value) -> int:
        """A grant and a release carry a resource, a request none."""
        return int(payload != REQUEST)

    def stable_predicates(self) -> Mapping[str, Callable[[Underlying], bool]]:
        """deadlocked: a cycle of machines in which each waits for the next."""
        return {"deadlocked": lambda state: bool(self.cycle(state))}

    def cycle(self, state: Underlying) -> tuple[int, ...]:
        """The machines of the first such cycle, from the lowest on; none if there is none."""
        for start in range(self.topology.machines):
            seen: list[int] = []
            machine: int | None = start
            while machine is not None and machine not in seen:
                seen.append(machine)
                user = state.machines[machine]
                assert isinstance(user, User)
                waits = user.phase == WAITING and user.channel is not None
                machine = self.topology.channels[user.channel][1] if waits and user.channel is not None else None
            if machine == start:
                return tuple(seen)
        return ()
