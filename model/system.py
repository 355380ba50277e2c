"""The one semantics: Topology x Program x Protocol x Assumptions, its states, its events and its step."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import combinations, product
from typing import Any, NamedTuple

from model.action import Accepted, Event, Fault, Local, Message, Move, Step
from model.asking import at
from model.assumptions import Assumptions
from model.channels import Content, Discipline, Fifo, without
from model.display import DisplayedAsText
from model.errors import InputError
from model.program import Program, Underlying
from model.protocol import NoSnapshot, Protocol, Recorded
from model.topology import Topology
from model.values import Value, alike, order_key, why_not_plain

Offer = tuple[tuple[int, Message], ...]


class State(NamedTuple):
    """A global state: each machine, each channel (the protocol's own last), what is left of each kind of fault."""

    machines: tuple[Local, ...]
    channels: tuple[Content, ...]
    left: tuple[int, ...] = ()


class System(DisplayedAsText):
    """A distributed computation with a snapshot algorithm superposed on it; every engine is judged against it."""

    def __init__(
        self,
        topology: Topology,
        program: Program,
        protocol: Protocol,
        assumptions: Assumptions,
        description: dict[str, str] | None = None,
    ) -> None:
        for machine in protocol.initiators:
            if not 0 <= machine < topology.machines:
                raise InputError(f"initiator {machine}: machines are 0..{topology.machines - 1}")
        for channel in assumptions.only:
            if channel >= len(topology.channels):
                raise InputError(f"relaxation on channel {channel}: channels are 0..{len(topology.channels) - 1}")
        _check_conserves(program)
        self.topology = topology
        self.program = program
        self.protocol = protocol
        self.assumptions = assumptions
        self.description = description or {}
        control = protocol.control_channels()
        self.channels = topology.channels + control
        self.inputs = tuple(
            topology.inputs[m]
            + tuple(len(topology.channels) + c for c, channel in enumerate(control) if channel[1] == m)
            for m in range(topology.machines)
        )
        self.outputs = tuple(
            tuple(c for c, (source, _) in enumerate(self.channels) if source == m) for m in range(topology.machines)
        )
        self._steps: dict[tuple[int, Local, Offer], tuple[Step, ...]] = {}
        self._remembered: dict[str, Any] = {}
        self._kinds: dict[tuple[str, int], dict[Value, Value]] = {}

    # -- states ------------------------------------------------------------------------------------------------

    def initial_states(self) -> tuple[State, ...]:
        """The states in which every machine is white, channels empty, and no fault has happened."""
        protocol = self.protocol
        machines = tuple(Local(self.program.initial(m), protocol.initial(m)) for m in range(self.topology.machines))
        for machine, local in enumerate(machines):
            self._check_values(type(self.program).initial, machine, local.state, local.memory)
        contents: tuple[Content, ...] = ((),) * len(self.topology.channels) + tuple(
            protocol.control_content(c) for c in range(len(self.channels) - len(self.topology.channels))
        )
        return (State(machines, contents, tuple(most for _, most in self.assumptions.faults)),)

    def project(self, state: State) -> Underlying:
        """The underlying state: machines without memory and colour, channels without tags and control messages."""
        contents = state.channels[: len(self.topology.channels)]
        return Underlying(
            tuple(local.state for local in state.machines),
            tuple(self.normal(tuple(m.payload for m in content if not m.control)) for content in contents),
        )

    def view(self, underlying: Underlying) -> Underlying:
        """The underlying state as far as it would be recorded: what SSS can be compared with."""
        record = self.program.record
        return underlying._replace(machines=tuple(record(m, state) for m, state in enumerate(underlying.machines)))

    def normal(self, content: tuple[Value, ...]) -> tuple[Value, ...]:
        """Payloads in the normal form of the channels' discipline."""
        return content if self.assumptions.discipline.keeps_order else tuple(sorted(content, key=order_key))

    def embed(self, underlying: Underlying, crashed: tuple[bool, ...] = (), spent: tuple[int, ...] = ()) -> State:
        """A state of this system (one without a snapshot) that projects to `underlying`, with so many faults spent."""
        machines = tuple(Local(value) for value in underlying.machines)
        if crashed:
            machines = tuple(m._replace(crashed=c) for m, c in zip(machines, crashed, strict=True))
        push = self.assumptions.discipline.normal
        contents = tuple(push(tuple(Message(p) for p in content)) for content in underlying.channels)
        left = tuple(most for _, most in self.assumptions.faults)
        return State(machines, contents, tuple(m - s for m, s in zip(left, spent, strict=True)) if spent else left)

    def alone(self) -> System:
        """The underlying computation by itself, on the same channels."""
        assumptions, words = self.assumptions.underlying(), self.description
        if words:
            words = {**words, "protocol": "none", "relax": ",".join(assumptions.relaxations)}
        return System(self.topology, self.program, NoSnapshot(self.topology, self.program, ()), assumptions, words)

    def remember(self, key: str, make: Callable[[], Any]) -> Any:
        """What a property works out of the whole system, once, and keeps with it."""
        if key not in self._remembered:
            self._remembered[key] = make()
        return self._remembered[key]

    # -- snapshots ---------------------------------------------------------------------------------------------

    def all_red(self, state: State, snapshot: int = 0) -> bool:
        """Whether every machine has recorded its state for the snapshot."""
        return all(local.red >> snapshot & 1 for local in state.machines)

    def complete(self, state: State, snapshot: int = 0) -> bool:
        """Whether the snapshot is complete: recorded at every machine, and nothing outstanding where it counts."""
        protocol = self.protocol
        if not all(protocol.done(m, local, snapshot) for m, local in enumerate(state.machines)):
            return False
        if sum(protocol.outstanding(m, local, snapshot) for m, local in enumerate(state.machines)):
            return False
        return not (
            protocol.completes_on_empty_channels
            and any(self.has_white(content, snapshot) for content in state.channels)
        )

    @staticmethod
    def has_white(content: Content, snapshot: int) -> bool:
        """Whether the content has a white message of the program."""
        return any(not m.control and not m.red >> snapshot & 1 for m in content)

    def recorded_by(self, machine: int, local: Local, snapshot: int = 0) -> Recorded | None:
        """What the machine has recorded, its channels in the normal form of their discipline; None while it is white.

        SSS is a state of this system: where channels are bags, its channels are multisets.
        """
        recorded = self.protocol.recorded(machine, local, snapshot)
        if recorded is None or self.assumptions.discipline.keeps_order:
            return recorded
        return Recorded(recorded.state, tuple(map(self.normal, recorded.channels)))

    def recorded(self, state: State, snapshot: int = 0) -> Underlying:
        """SSS: what all machines recorded, each channel in its normal form; every machine must have recorded."""
        contents: list[tuple[Value, ...]] = [()] * len(self.topology.channels)
        values: list[Value] = []
        for machine, local in enumerate(state.machines):
            recorded = self.recorded_by(machine, local, snapshot)
            assert recorded is not None, f"machine {machine} has recorded nothing for snapshot {snapshot}"
            values.append(recorded.state)
            for channel, content in zip(self.topology.inputs[machine], recorded.channels, strict=True):
                contents[channel] = content
        return Underlying(tuple(values), tuple(contents))

    # -- actions -----------------------------------------------------------------------------------------------

    def events(self, state: State) -> Iterator[Event]:
        """All that may happen in the state, in the order by which ties between counterexamples are broken.

        First the action of all machines at once; then machine by machine: what accepts nothing, then what accepts
        from one channel (in channel order, messages from the head on), from two, ...; then the faults.
        """
        if self.protocol.synchronous:
            yield from self._synchronous(state)
        for machine, local in enumerate(state.machines):
            if not local.crashed:
                for accepts in self._offers(state, machine):
                    for step in self.steps(machine, local, uncoloured(accepts)):
                        yield Event(machine, step.name, (move(machine, local, accepts, step),))
        yield from self._faults(state)

    def offered(self, channel: int, content: Content) -> Iterator[Accepted]:
        """What may be accepted from the channel: as its discipline says, then the protocol's messages that overtake.

        An overtaking message is offered with the payloads of those it leaves behind: all that wait, where there is no
        order. It goes alone: they stay in the channel. Where there is order it overtakes no other of its own kind.
        """
        discipline = self.discipline(channel)
        overtaking = self.protocol.overtakes and channel < len(self.topology.channels)
        for position in discipline.positions(content):
            if not (overtaking and content[position].control):
                yield Accepted(channel, position, content[position])
        own = [position for position, message in enumerate(content) if overtaking and message.control]
        for position in own[:1] if discipline.keeps_order else own:
            behind = content[:position] if discipline.keeps_order else content
            waiting = tuple(m.payload for m in behind if not m.control)
            yield Accepted(channel, position, content[position]._replace(payload=waiting))

    def steps(self, machine: int, local: Local, offered: Offer) -> tuple[Step, ...]:
        """The steps in one local configuration (machine, what it holds, what it is to accept), asked once."""
        configuration = (machine, local, offered)
        found = self._steps.get(configuration)
        if found is None:
            found = self._steps[configuration] = tuple(dict.fromkeys(self._ask(machine, local, offered)))
        return found

    def step(self, state: State, event: Event) -> State:
        """The state after the event."""
        machines, channels, left = list(state.machines), list(state.channels), state.left
        for m in event.moves:
            machines[m.machine] = m.after
            for channel, position, _ in m.accepts:
                channels[channel] = without(channels[channel], position)
            for channel, message in m.sends:
                channels[channel] = self.discipline(channel).push(channels[channel], message)
        fault = event.fault
        if fault is not None:
            index = [kind for kind, _ in self.assumptions.faults].index(fault.kind)
            left = (*left[:index], left[index] - 1, *left[index + 1 :])
            if fault.channel is not None:
                channels[fault.channel] = self.assumptions.struck(channels[fault.channel], fault)
        return State(tuple(machines), tuple(channels), left)

    def discipline(self, channel: int) -> Discipline:
        """The channel's discipline: as assumed for the topology's channels, FIFO for the protocol's own."""
        return self.assumptions.of_channel(channel) if channel < len(self.topology.channels) else Fifo()

    def _ask(self, machine: int, local: Local, offered: Offer) -> Iterator[Step]:
        for step in self.protocol.steps(machine, local, dict(offered)):
            if step.turns & local.red:
                raise InputError(f"{type(self.protocol).__name__}: machine {machine} turns red twice in {step.name!r}")
            for channel, _ in step.sends:
                # Actions of different machines commute only if each channel has one sender: searches rely on it.
                if channel not in self.outputs[machine]:
                    raise InputError(
                        f"{type(self.protocol).__name__}: machine {machine} sends on channel {channel!r} in"
                        f" {step.name!r}; accepted are its own outputs {list(self.outputs[machine])}"
                    )
            self._check_values(type(self.program).actions, machine, step.state, step.memory, step)
            yield step

    def _check_values(self, given_by: Any, machine: int, state: Value, memory: Value, step: Step | None = None) -> None:
        """Refuse a value that is no plain one, or equals an earlier one of another kind: it would be taken for that."""
        values = [("state of machine", machine, state), ("memory of machine", machine, memory)]
        values += [("message on channel", c, message[:2]) for c, message in (() if step is None else step.sends)]
        for what, number, value in values:
            try:
                known = self._kinds.setdefault((what, number), {}).setdefault(value, value)
                if known is value:
                    order_key(value)
            except (TypeError, InputError):
                where = at(type(self.protocol).steps if what.startswith("memory") else given_by)
                by = "" if step is None else f" in action {step.name!r} of machine {machine}"
                raise InputError(f"{where}: {what} {number}{by}: {why_not_plain(value)}") from None
            if known is not value and not alike(value, known):
                raise InputError(
                    f"{what} {number}: {value!r} and {known!r} differ, but are equal in Python and would be taken for"
                    " one; accepted are values that are not equal, such as tuples that begin with different names"
                )

    def _offers(self, state: State, machine: int) -> Iterator[tuple[Accepted, ...]]:
        choices = [list(self.offered(channel, state.channels[channel])) for channel in self.inputs[machine]]
        waiting = [choice for choice in choices if choice]
        for size in range(min(len(waiting), len(waiting) if self.protocol.multi_channel else 1) + 1):
            for channels in combinations(waiting, size):
                yield from product(*channels)

    def _synchronous(self, state: State) -> Iterator[Event]:
        moves = []
        for machine, local in enumerate(state.machines):
            step = None if local.crashed else self.protocol.synchronous_step(machine, local)
            if step is None:
                return
            moves.append(move(machine, local, (), step))
        yield Event(-1, moves[0].step.name, tuple(moves))

    def _faults(self, state: State) -> Iterator[Event]:
        for channel, content in enumerate(state.channels[: len(self.topology.channels)]):
            for _, fault in self.assumptions.channel_faults(channel, content, state.left):
                yield Event(self.topology.machines + channel, fault.kind, (), fault)
        for (kind, _), left in zip(self.assumptions.faults, state.left, strict=True):
            if kind == "crash" and left:
                for machine, local in enumerate(state.machines):
                    if not local.crashed:
                        yield Event(machine, kind, (crash(machine, local),), Fault(kind, None, 0, None))


def _check_conserves(program: Program) -> None:
    """Refuse a program that conserves something of which there is nothing anywhere: 0 = 0 would hold."""
    own = getattr(type(program), "guards", type(program))
    if program.conserves is not None and own.held is Program.held and own.carried is Program.carried:
        raise InputError(
            f"{at(own)}: conserves is {program.conserves!r}, but neither held nor carried says how much of it there is"
        )


def uncoloured(accepts: tuple[Accepted, ...]) -> Offer:
    """The accepted messages as the protocol sees them: without their ghost colours."""
    return tuple((channel, message._replace(red=0)) for channel, _, message in accepts)


def move(machine: int, local: Local, accepts: tuple[Accepted, ...], step: Step) -> Move:
    """The step with the ghost colours on: an action is as red as its machine, and so is what it sends."""
    acting = local.red | step.turns if step.turns_first else local.red
    sends = tuple((c, m if m.control else m._replace(red=acting)) for c, m in step.sends)
    after = Local(step.state, step.memory, local.red | step.turns, local.crashed)
    return Move(machine, local, after, accepts, sends, step, acting)


def crash(machine: int, local: Local) -> Move:
    """The machine stops for ever."""
    step = Step("crash", local.state, local.memory)
    return Move(machine, local, local._replace(crashed=True), (), (), step, local.red)
