"""A system as tabulated local automata: what each machine does in each local configuration that occurs, as integers.

The tables are filled by exploring the system, so they hold what is reachable and nothing else, and every channel's
greatest length is known. They are what the Promela and TLA+ exports write out.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from model.action import Event, Local, Message, Move
from model.errors import InputError
from model.system import State, System, move, uncoloured

MOST_STATES = 200_000
"""States explored to fill the tables; beyond, the system is refused."""

Wired = tuple[tuple[int, int], ...]
"""(channel, message id) pairs."""


@dataclass(frozen=True, slots=True)
class Rule:
    """One step in one local configuration: `machine` in local state `before` accepts, sends, and is in `after`."""

    name: str
    machine: int
    before: int
    accepts: Wired
    after: int
    sends: Wired


@dataclass(slots=True)
class Automata:
    """All rules of a system; ids count from 0 per machine (`locals`), per channel (`messages`).

    capacity[c]: the most messages ever in channel c. together: rules of the action of all machines at once, each
    machine taking one of its own. crashes: rules that spend one of the `crash` faults. states, transitions: what the
    exploration counted, so that another tool's figures can be compared.
    """

    system: System
    locals: list[dict[Local, int]]
    messages: list[dict[Message, int]]
    capacity: list[int]
    rules: list[Rule] = field(default_factory=list)
    synchronous: list[Rule] = field(default_factory=list)
    crashes: list[Rule] = field(default_factory=list)
    states: int = 0
    transitions: int = 0

    @property
    def initial(self) -> State:
        """The initial state."""
        return self.system.initial_states()[0]

    def contents(self, state: State) -> list[list[int]]:
        """The contents of the channels as message ids."""
        return [[self.messages[c][m] for m in content] for c, content in enumerate(state.channels)]

    def ahead(self, channel: int) -> int | None:
        """Past how many others a message may be accepted; None for any number: a bag."""
        discipline = self.system.discipline(channel)
        return getattr(discipline, "most", 0) if discipline.keeps_order else None


def tabulate(system: System, most_states: int = MOST_STATES) -> Automata:
    """The local automata of the system; `InputError` where it has too many states, or overtaking control messages."""
    if system.protocol.overtakes:
        raise InputError(
            f"protocol {system.description.get('protocol')!r}: its messages overtake and carry what they passed; "
            "accepted for export are protocols whose messages wait their turn"
        )
    found = Tabulation(system)
    found.explore(most_states)
    return found.automata


class Tabulation:
    """Tables being filled."""

    def __init__(self, system: System) -> None:
        channels = len(system.channels)
        self.system = system
        self.automata = Automata(
            system, [{} for _ in range(system.topology.machines)], [{} for _ in range(channels)], [0] * channels
        )
        self.known: set[tuple[str, int, Local, tuple[tuple[int, Message], ...]]] = set()

    def explore(self, most_states: int) -> None:
        """Visit every reachable state and note the local configurations of its events."""
        frontier = list(self.system.initial_states())
        seen = set(frontier)
        while frontier:
            state = frontier.pop()
            self.note_state(state)
            for event in self.system.events(state):
                self.automata.transitions += 1
                self.note_event(event)
                after = self.system.step(state, event)
                if after not in seen:
                    seen.add(after)
                    frontier.append(after)
            if len(seen) > most_states:
                raise InputError(f"the system has more than {most_states} states: accepted for export is a smaller one")
        self.automata.states = len(seen)

    def note_state(self, state: State) -> None:
        """Ids for its parts."""
        for machine, local in enumerate(state.machines):
            self.local(machine, local)
        for channel, content in enumerate(state.channels):
            self.automata.capacity[channel] = max(self.automata.capacity[channel], len(content))
            self.wired((channel, message) for message in content)

    def note_event(self, event: Event) -> None:
        """The rules of its configuration, if they are new."""
        if event.fault is not None:
            kind, rules = event.fault.kind, self.automata.crashes
        elif event.actor == -1:
            kind, rules = "synchronous", self.automata.synchronous
        else:
            kind, rules = "alone", self.automata.rules
        for taken in event.moves:
            accepts = tuple((a.channel, a.message) for a in taken.accepts)
            configuration = (kind, taken.machine, taken.before, accepts)
            if configuration not in self.known:
                self.known.add(configuration)
                rules.extend(self.rule(done) for done in self.moves(kind, taken))

    def moves(self, kind: str, taken: Move) -> list[Move]:
        """All moves of the configuration, in order; together and in a crash a machine has no choice."""
        if kind != "alone":
            return [taken]
        machine, before, accepts = taken.machine, taken.before, taken.accepts
        return [
            move(machine, before, accepts, step) for step in self.system.steps(machine, before, uncoloured(accepts))
        ]

    def rule(self, done: Move) -> Rule:
        """The move as ids."""
        machine = done.machine
        accepts = self.wired((a.channel, a.message) for a in done.accepts)
        before, after = self.local(machine, done.before), self.local(machine, done.after)
        return Rule(done.step.name, machine, before, accepts, after, self.wired(done.sends))

    def local(self, machine: int, local: Local) -> int:
        """The id of the local state."""
        ids = self.automata.locals[machine]
        return ids.setdefault(local, len(ids))

    def wired(self, carried: Iterable[tuple[int, Message]]) -> Wired:
        """The messages as ids."""
        ids = self.automata.messages
        return tuple((channel, ids[channel].setdefault(message, len(ids[channel]))) for channel, message in carried)
