"""A class under test as a program and a protocol, so that every engine and every property applies to it.

In a class the state of the computation and that of the snapshot are one object's. They are told apart by running two
objects a machine: the *plain* one is never asked for a snapshot and never sees a control message; it is the program.
The *snapshotting* one lives through everything; it is the protocol's memory. That a snapshot does not disturb the
computation means that the two always do the same: what the snapshotting one sends is on the wire, what the plain one
would have sent is what the program's action says, and `non-interference` compares them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from model.action import Action, Local, Message, Step, control
from model.errors import InputError
from model.implementation.driving import Effects, Implementation
from model.program import Program
from model.protocol import Protocol, Recorded
from model.topology import Topology
from model.user_code import load_class
from model.values import Value, show


class PlainObjects(Program):
    """The computation: one object a machine that is never asked for a snapshot.

    `record` is what the class's method `state` gives, if it has one; otherwise states are not compared, only channels.
    """

    def __init__(self, topology: Topology, *, of: str) -> None:
        super().__init__(topology)
        self.under_test = Implementation(load_class(of, object), topology)

    def initial(self, machine: int) -> Value:
        """The object's value when it has just been made."""
        return self.under_test.initial(machine)

    def actions(self, machine: int, state: Value, offered: Mapping[int, Value]) -> Iterator[Action]:
        """Its named actions that are enabled; or the delivery of what is offered."""
        if not offered:
            for name in self.under_test.actions:
                yield from self._action(name, machine, state, {}, self.under_test.call(machine, state, name))
        elif len(offered) == 1:
            ((channel, message),) = offered.items()
            sender = self.topology.channels[channel][0]
            done = self.under_test.call(machine, state, "receive", sender, message)
            yield from self._action("accept", machine, state, offered, done)

    def record(self, machine: int, state: Value) -> Value:
        """What the object would report as its state."""
        return self.under_test.reportable(machine, state)

    def _action(
        self, name: str, machine: int, state: Value, offered: Mapping[int, Value], done: Effects
    ) -> Iterator[Action]:
        if done.raised is not None:
            raise self.under_test.wrong(machine, f"{name} raises {done.raised}, without any snapshot")
        if offered or done.enabled:
            sends = [(to, m) for to, m in done.sends if not self.under_test.is_control(m)]
            carried = tuple((self.under_test.channel_to[machine][to], message) for to, message in sends)
            yield Action(name, done.state, offered, carried)
        elif done.state != state or done.sends or done.records or done.reports:
            raise self.under_test.wrong(machine, f"{name} returned False, yet it changed, sent or recorded something")


class Past(NamedTuple):
    """What a machine has been through: moments as (state, messages sent on each output, accepted from each input).

    sent: what it has sent on each output so far, in order.
    """

    moments: tuple[tuple[Value, tuple[int, ...], tuple[int, ...]], ...]
    sent: tuple[tuple[Value, ...], ...]


class Snapshotting(NamedTuple):
    """The memory of a machine: its snapshotting object, and of each snapshot what it recorded and reported.

    accepted: what it accepted from each input so far, kept only where a message carries more than the computation's.
    raised: what its code raised, in words; from then on the machine does nothing any more. past: kept only where the
    class never says when it records.
    """

    object: Value
    initiated: bool
    recorded: tuple[Value, ...]
    reported: tuple[Value, ...]
    accepted: tuple[tuple[Value, ...], ...] = ()
    raised: str | None = None
    past: Past | None = None


class SnapshottingObjects(Protocol):
    """The snapshot: one object a machine that lives through everything.

    A class that takes several snapshots at once names them in a tuple `snapshots`; otherwise there is one, whatever
    it is called.
    """

    def __init__(self, topology: Topology, program: Program, initiators: tuple[int, ...]) -> None:
        super().__init__(topology, program, initiators)
        if not isinstance(program, PlainObjects):
            raise InputError("protocol implementation: it goes with program implementation,of=FILE.py:CLASS only")
        self.under_test = program.under_test
        names: Any = getattr(self.under_test.kind, "snapshots", (None,))
        if not isinstance(names, tuple) or not names:
            raise InputError(f"class {self.under_test.kind.__name__}: snapshots = {names!r}: a tuple of their names")
        self.names = names
        self.snapshots = len(names)
        self.records = self.under_test.names_record()
        self.strips = callable(getattr(self.under_test.kind, "payload", None))

    def initial(self, machine: int) -> Value:
        """An object that has just been made."""
        accepted = ((),) * len(self.topology.inputs[machine]) if self.strips else ()
        nothing = (None,) * self.snapshots
        state = self.under_test.initial(machine)
        none = (0,) * len(self.topology.inputs[machine])
        unsent = ((),) * len(self.topology.outputs[machine])
        moment = (self.under_test.reportable(machine, state), (0,) * len(unsent), none)
        past = None if self.records else Past((moment,), unsent)
        return Snapshotting(state, False, nothing, nothing, accepted, past=past)

    def steps(self, machine: int, local: Local, offered: Mapping[int, Message]) -> Iterable[Step]:
        """Initiate a snapshot; act; take what is delivered."""
        memory = local.memory
        assert isinstance(memory, Snapshotting)
        if memory.raised is not None:
            return
        if offered:
            if len(offered) == 1:
                ((channel, message),) = offered.items()
                yield self._delivery(machine, local, memory, channel, message)
            return
        if self._may_initiate(machine, local, memory):
            done = self.under_test.call(machine, memory.object, "snapshot")
            # Where it is red from now on, that says it as well: the state holds nothing twice.
            again = self.snapshots > 1 or not done.records
            yield self._step("initiate", machine, local, memory._replace(initiated=again), done, None)
        plain = {action.name: action for action in self.underlying(machine, local, {})}
        for name in self.under_test.actions:
            done = self.under_test.call(machine, memory.object, name)
            if done.enabled:
                yield self._step(name, machine, local, memory, done, plain.get(name))

    def _may_initiate(self, machine: int, local: Local, memory: Snapshotting) -> bool:
        return machine in self.initiators and not memory.initiated and (self.snapshots > 1 or not local.red)

    def _delivery(self, machine: int, local: Local, memory: Snapshotting, channel: int, message: Message) -> Step:
        sender = self.topology.channels[channel][0]
        if message.control:
            done = self.under_test.call(machine, memory.object, "receive", sender, message.tag)
            return self._step("accept", machine, local, memory, done, None)
        (action,) = self.underlying(machine, local, {channel: message})
        tagged: Any = message.tag
        wire = message.payload if tagged is None else tagged[0]
        if self.strips:
            place = self.topology.inputs[machine].index(channel)
            content = (*memory.accepted[place], message.payload)
            memory = memory._replace(accepted=(*memory.accepted[:place], content, *memory.accepted[place + 1 :]))
        done = self.under_test.call(machine, memory.object, "receive", sender, wire)
        return self._step(action.name, machine, local, memory, done, action)

    def _step(
        self, name: str, machine: int, local: Local, memory: Snapshotting, done: Effects, action: Action | None
    ) -> Step:
        """The step of a machine whose snapshotting object did this, and whose plain one did `action`."""
        if done.raised is not None:
            return Step(f"{name} raises {done.raised}", local.state, memory._replace(raised=done.raised))
        sends = tuple(self._on_the_wire(machine, done, action))
        turns, first = 0, True
        state_before = self.under_test.reportable(machine, memory.object) if done.records else None
        memory = memory._replace(object=done.state)
        for snapshot, sent_before, state in done.records:
            number = self._number(machine, snapshot)
            memory = memory._replace(recorded=_put(memory.recorded, number, (state,)))
            turns |= 1 << number
            before = any(not self.under_test.is_control(message) for _, message in done.sends[:sent_before])
            first = first and not before and state == state_before
        for snapshot, state, channels in done.reports:
            number = self._number(machine, snapshot)
            memory = memory._replace(
                reported=_put(memory.reported, number, self._result(machine, memory, state, channels))
            )
            turns |= 1 << number
        turns &= ~local.red
        if memory.past is not None:
            memory = memory._replace(past=self._after(machine, memory, sends, action))
        after = local.state if action is None else action.state
        return Step(name, after, memory, sends, action, turns, first)

    def _after(
        self, machine: int, memory: Snapshotting, sends: tuple[tuple[int, Message], ...], action: Action | None
    ) -> Past:
        """The machine's past with the moment after this step."""
        assert memory.past is not None
        sent = list(memory.past.sent)
        for channel, message in sends:
            if not message.control:
                place = self.topology.outputs[machine].index(channel)
                sent[place] = (*sent[place], message.payload)
        accepted = list(memory.past.moments[-1][2])
        for channel, _ in () if action is None else action.accepts:
            accepted[self.topology.inputs[machine].index(channel)] += 1
        state = self.under_test.reportable(machine, memory.object)
        moment = (state, tuple(map(len, sent)), tuple(accepted))
        moments = memory.past.moments
        return Past(moments if moment == moments[-1] else (*moments, moment), tuple(sent))

    def _on_the_wire(self, machine: int, done: Effects, action: Action | None) -> Iterator[tuple[int, Message]]:
        """Its messages, in order: each of the computation's with that which the plain object sent in its place."""
        plain = list(action.sends) if action is not None else []
        for to, message in done.sends:
            channel = self.under_test.channel_to[machine][to]
            if self.under_test.is_control(message):
                yield channel, control(message)
                continue
            twin = next((sent for sent in plain if sent[0] == channel and self._same(sent[1], message)), None)
            if twin is None:
                yield channel, Message(message)
            else:
                plain.remove(twin)
                yield channel, Message(twin[1], None if twin[1] == message else (message,))

    def _same(self, plain: Value, message: Value) -> bool:
        return plain == message or self.under_test.payload(plain) == self.under_test.payload(message)

    def _result(
        self, machine: int, memory: Snapshotting, state: Value, channels: Mapping[int, tuple[Value, ...]]
    ) -> Value:
        """What was reported: the state (None if states are not compared), then each input's messages in order."""
        if not callable(getattr(self.under_test.kind, "state", None)):
            state = None
        found = []
        for place, channel in enumerate(self.topology.inputs[machine]):
            messages = channels.get(self.topology.channels[channel][0], ())
            found.append(self._accepted(memory.accepted[place], messages) if self.strips else messages)
        return (state, tuple(found))

    def _accepted(self, accepted: tuple[Value, ...], reported: tuple[Value, ...]) -> tuple[Value, ...]:
        """What was reported, as the messages that the plain object would have accepted, as far as there were such."""
        left, found = list(accepted), []
        for item in reported:
            wanted = item if item in left else next((m for m in left if self.under_test.payload(m) == item), item)
            if wanted in left:
                left.remove(wanted)
            found.append(wanted)
        return tuple(found)

    def _number(self, machine: int, snapshot: Value) -> int:
        if self.names == (None,):
            return 0
        if snapshot not in self.names:
            raise self.under_test.wrong(machine, f"snapshot {show(snapshot)}: its `snapshots` are {self.names}")
        return self.names.index(snapshot)

    # What the snapshot is.

    def recorded(self, machine: int, local: Local, snapshot: int = 0) -> Recorded | None:
        """What the machine reported; before that, what it recorded, with nothing in its channels."""
        memory: Any = local.memory
        if memory.reported[snapshot] is not None:
            return Recorded(*memory.reported[snapshot])
        if memory.recorded[snapshot] is not None:
            return Recorded(memory.recorded[snapshot][0], ((),) * len(self.topology.inputs[machine]))
        return None

    def done(self, machine: int, local: Local, snapshot: int = 0) -> bool:
        """Whether the machine has reported."""
        memory: Any = local.memory
        return memory.reported[snapshot] is not None


def _put(values: tuple[Value, ...], place: int, value: Value) -> tuple[Value, ...]:
    return (*values[:place], value, *values[place + 1 :])
