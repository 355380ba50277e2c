"""The symmetries of a system: the relabellings of its network that keep its initial state, and how they act on it.

They are candidates only: `orbit_images`, beside this module, checks what a relabelled local configuration can do as the
search meets it. `Group.without` gives the largest group left when some of them turned out to be no automorphisms.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from checker.judging.local_columns import Interner
from checker.topologies.symmetry import automorphisms
from model.action import Accepted, Action, Event, Local, Move
from model.errors import InputError
from model.program import Underlying
from model.protocol import Recorded
from model.relabelling import Relabelling
from model.system import State, System


@dataclass(frozen=True, slots=True)
class Group:
    """Relabellings closed under composition, the identity first; `product[g][h]` is first h, then g."""

    members: tuple[Relabelling, ...]
    product: tuple[tuple[int, ...], ...]

    @staticmethod
    def of(members: Iterable[Relabelling]) -> Group:
        """The group of these members."""
        ordered = sorted(members, key=lambda g: (g.machines, g.channels))
        number = {(g.machines, g.channels): i for i, g in enumerate(ordered)}
        try:
            product = tuple(
                tuple(number[_after(g.machines, h.machines), _after(g.channels, h.channels)] for h in ordered)
                for g in ordered
            )
        except KeyError:
            raise InputError("symmetry on: `relabelled` does not compose; accepted is off") from None
        return Group(tuple(ordered), product)

    def without(self, failed: set[int]) -> Group:
        """The members k of which k after c has not failed for any c that has not.

        If h is a symmetry and c none, h after c is none. So all true symmetries are among these; they are a group, and
        as they map the identity to themselves, none of them has failed.
        """
        left = [c for c in range(len(self.members)) if c not in failed]
        keeping = [k for k in left if all(self.product[k][c] not in failed for c in left)]
        return Group.of(self.members[k] for k in keeping)

    def generators(self) -> list[int]:
        """Members of which all others are products."""
        found: list[int] = []
        made = {0}
        for g in range(len(self.members)):
            if g not in made:
                found.append(g)
                while more := {self.product[h][m] for h in found for m in made} - made:
                    made |= more
        return found


def _after(g: tuple[int, ...], h: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(g[i] for i in h)


def group_of(system: System) -> Group:
    """The relabellings that keep topology, initiators and the initial state."""
    topology, protocol = system.topology, system.protocol
    colour = Interner()
    (start,) = system.initial_states()
    own = [colour((local, m in protocol.initiators)) for m, local in enumerate(start.machines)]
    control = system.channels[len(topology.channels) :]
    if len(set(control)) < len(control):
        raise InputError("symmetry on: the protocol has parallel channels of its own; accepted is one between a pair")
    members = []
    for found in automorphisms(topology, own):
        ends = [(found.machines[a], found.machines[b]) for a, b in control]
        alike = all(system.discipline(c) == system.discipline(image) for c, image in enumerate(found.channels))
        if alike and set(ends) == set(control):
            extra = tuple(len(topology.channels) + control.index(pair) for pair in ends)
            by = Relabelling.of(topology, found.machines, found.channels + extra)
            if image_state(system, by, start) == start:
                members.append(by)
    return Group.of(members)


def image_local(system: System, by: Relabelling, machine: int, local: Local) -> Local:
    """What the machine holds, at the machine that takes its place."""
    state = system.program.relabelled(machine, local.state, by)
    return local._replace(state=state, memory=system.protocol.relabelled(machine, local.memory, by))


def image_state(system: System, by: Relabelling, state: State) -> State:
    """The whole state relabelled; what a message is does not depend on its channel."""
    machines, channels = list(state.machines), list(state.channels)
    for machine, local in enumerate(state.machines):
        machines[by.machines[machine]] = image_local(system, by, machine, local)
    for channel, content in enumerate(state.channels):
        channels[by.channels[channel]] = content
    return State(tuple(machines), tuple(channels), state.left)


def image_recorded(system: System, by: Relabelling, machine: int, recorded: Recorded) -> Recorded:
    """What a machine recorded, relabelled."""
    return Recorded(system.program.relabelled(machine, recorded.state, by), by.per_input(machine, recorded.channels))


def image_snapshot(system: System, by: Relabelling, snapshot: Underlying) -> Underlying:
    """A recorded state SSS relabelled."""
    machines, channels = list(snapshot.machines), list(snapshot.channels)
    for machine, state in enumerate(snapshot.machines):
        machines[by.machines[machine]] = system.program.relabelled(machine, state, by)
    for channel, content in enumerate(snapshot.channels):
        channels[by.channels[channel]] = content
    return Underlying(tuple(machines), tuple(channels))


def image_action(system: System, by: Relabelling, machine: int, action: Action) -> Action:
    """The program's action relabelled; its name says nothing."""
    state = system.program.relabelled(machine, action.state, by)
    carried = [[(by.channels[c], payload) for c, payload in pairs] for pairs in (action.accepts, action.sends)]
    return Action("", state, tuple(carried[0]), tuple(carried[1]))


def image_move(system: System, by: Relabelling, move: Move, after: Local) -> tuple[object, ...]:
    """All that a move does, relabelled; `after` is what its machine then holds. Sends keep each channel's order."""
    step, machine = move.step, move.machine
    accepts = sorted(Accepted(by.channels[a.channel], a.position, a.message) for a in move.accepts)
    sends = sorted(((by.channels[c], m) for c, m in move.sends), key=lambda sent: sent[0])
    action = step.action and image_action(system, by, machine, step.action)
    turned = (step.turns, step.turns_first, move.acting)
    return (by.machines[machine], after, tuple(accepts), tuple(sends), action, turned)


def image_event(system: System, by: Relabelling, event: Event) -> tuple[object, ...]:
    """All that an event does, relabelled."""
    moves = frozenset(
        image_move(system, by, move, image_local(system, by, move.machine, move.after)) for move in event.moves
    )
    fault = event.fault
    if fault is None:
        return (moves,)
    return (moves, fault.kind, fault.channel is not None and by.channels[fault.channel], fault.position)
