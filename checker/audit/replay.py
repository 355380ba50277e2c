"""A logged run replayed against a protocol as the model defines it: the first line that the protocol does not allow.

The underlying computation is the log's own: a machine may do what its next line says, and nothing else. What the
machine does about the snapshot is then up to the protocol's functions: for each line of a machine there has to be a
step of the model that accepts, sends and records what the line says, and what is accepted has to be what the channel,
as the model has it, offers. Snapshots are replayed one at a time, as if the others were not there.

Choices: *A step of the model is several lines of a log.* What a step sends waits beside its channel until the line that
sends it; so a marker may be logged late, but not after a message that the model sends after it. A machine that turns
red in accepting may log its `record` before or after the accept, with none of its other events in between. *Who
begins.* Every machine may. *Which channels there are.* Those over which anything went, markers
included, and those that the lines say with which machines start.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from checker.audit.events import ACCEPT, RECORD, SEND, Claim, Event, natural
from checker.audit.history import History
from checker.audit.judging import Judgement
from checker.audit.logged_program import Logged, acts, payload
from checker.audit.order import ordered
from model.action import Accepted, Local, Message, Step
from model.assumptions import Assumptions, parse_relaxations
from model.catalogue import PROTOCOLS, find
from model.errors import InputError
from model.program import Program
from model.protocol import Protocol
from model.system import State, System, move, uncoloured
from model.topology import Topology
from model.values import Value

MARKER = "marker"


@dataclass(frozen=True, slots=True)
class Broken:
    """What the protocol does not allow: the line (None: something that never happens), and a sentence."""

    line: Event | Claim | None
    why: str


class NotAllowed(Exception):
    """The replay has come to what the protocol does not allow."""

    def __init__(self, line: Event | Claim | None, why: str) -> None:
        super().__init__(why)
        self.broken = Broken(line, why)


@dataclass(slots=True)
class Run:
    """The state that the lines so far lead to, for one snapshot or, as long as it has not begun, for any.

    machines: as in `model.system.State`; channels: the messages in each, in order, and `lines`: who sent them; waiting:
    what was sent in a step and what no line has sent yet. recording: the machines that have a `record` line; ahead,
    behind: per machine the `record` line whose accept is still to come, and the accept whose `record` line is.
    """

    machines: list[Local]
    channels: list[tuple[Message, ...]]
    waiting: list[tuple[Message, ...]]
    lines: list[tuple[Event, ...]]
    recording: set[int] = field(default_factory=set)
    ahead: dict[int, Event] = field(default_factory=dict)
    behind: dict[int, Event] = field(default_factory=dict)

    def copied(self, recording: set[int]) -> Run:
        """The same, to be changed by itself."""
        return Run(self.machines[:], self.channels[:], self.waiting[:], self.lines[:], recording)


class Replay:
    """The replays of one history against one protocol."""

    def __init__(self, history: History, protocol: str = MARKER, relax: str = "") -> None:
        self.history, self.name = history, protocol
        self.machines = sorted(history.machines, key=natural)
        self.number = {name: number for number, name in enumerate(self.machines)}
        self.channels = sorted(history.traffic, key=lambda channel: tuple(map(natural, channel)))
        self.index = {channel: number for number, channel in enumerate(self.channels)}
        ends = tuple((self.number[c.source], self.number[c.destination]) for c in self.channels)
        topology = Topology(len(self.machines), ends, labels=tuple(self.machines))
        program = Logged(topology, history, self.machines, self.index)
        self.protocol = made(protocol, topology, program)
        self.system = System(topology, program, self.protocol, assumed(relax))
        self.order = [(history.at(point), acts(history, point)) for point in ordered(history)]
        self.own: dict[str, list[int]] = {}
        """Per snapshot the numbers, in that order, of the events about it."""
        self.recording: dict[str, set[int]] = {}
        """Per snapshot the machines that say where they record."""
        for number, (event, _) in enumerate(self.order):
            if event.snapshot is not None:
                self.own.setdefault(event.snapshot, []).append(number)
                if event.kind == RECORD:
                    self.recording.setdefault(event.snapshot, set()).add(self.number[event.machine])
        self._begun: dict[str, Run] = {}
        self._outside = self._follow_computation()

    def _follow_computation(self) -> tuple[int, Broken] | None:
        """Replay what is about no snapshot, and keep the state in which each begins; what is not allowed of it."""
        (initial,) = self.system.initial_states()
        empty: list[tuple[Message, ...]] = [()] * len(self.channels)
        run = Run(list(initial.machines), [*initial.channels], empty, [()] * len(self.channels))
        first = {numbers[0]: snapshot for snapshot, numbers in self.own.items()}
        for number, (event, acting) in enumerate(self.order):
            if number in first:
                self._begun[first[number]] = run.copied(self.recording.get(first[number], set()))
            try:
                self._line(run, event, acting, False)
            except NotAllowed as found:
                return number, found.broken
        return None

    def first_broken(self, judgement: Judgement) -> Broken | None:
        """The first line that the protocol does not allow, were this its only snapshot; None if it allows all."""
        outside, snapshot = self._outside, judgement.snapshot
        end = outside[0] if outside else len(self.order)
        over = outside is None
        if snapshot in self._begun:
            own = self.own[snapshot]
            run = self._begun[snapshot].copied(self._begun[snapshot].recording)
            for number in range(own[0], end):
                if number > own[-1] and (number - own[-1] - 1) % len(self.machines) == 0 and self._over(run):
                    over = True
                    break
                event, acting = self.order[number]
                try:
                    self._line(run, event, acting, event.snapshot == snapshot)
                except NotAllowed as found:
                    return found.broken
            broken = self._at_the_end(run, judgement) if over else None
            if broken is not None:
                return broken
        return outside[1] if outside else None

    def _over(self, run: Run) -> bool:
        """Whether the snapshot is complete and nothing of it is under way; takes time in the number of machines."""
        return not (run.ahead or run.behind or any(run.waiting)) and self._complete(run)

    def _complete(self, run: Run) -> bool:
        """Whether the snapshot is complete, as the model has it."""
        return self.system.complete(State(tuple(run.machines), tuple(run.channels)))

    # One line.

    def _line(self, run: Run, event: Event, acting: bool, own: bool) -> None:
        """Let the machine do what the line says; `NotAllowed` if it may not.

        acting: it does something of the computation; own: it is about the snapshot, others' being passed over.
        """
        machine, channel = self.number[event.machine], -1 if event.channel is None else self.index[event.channel]
        message = event.message is not None
        if acting and not (message and event.kind == ACCEPT) and not (own and event.kind != RECORD):
            self._act(run, machine, event, ())
        if message and event.kind == SEND:
            self._leave(run, event, channel, lambda waiting: waiting.payload == payload(event))
        elif event.kind == ACCEPT and (message or own):
            self._accept(run, machine, event, channel)
        elif own and event.kind == SEND:
            self._send_marker(run, machine, event, channel)
        elif own:
            self._record(run, machine, event)
        if acting and own and event.kind != RECORD:
            self._act(run, machine, event, ())

    def _record(self, run: Run, machine: int, event: Event) -> None:
        """The machine records: by itself, or in accepting what the line before it accepted or the next one will."""
        if machine in run.behind:
            del run.behind[machine]
        elif run.machines[machine].red:
            raise NotAllowed(event, f"{event.machine} records a second time")
        elif not self._turn_red(run, machine):
            run.ahead[machine] = event

    def _turn_red(self, run: Run, machine: int) -> bool:
        """Whether the machine may record by itself, if need be after a step that no line shows; then it has."""
        steps = [step for step in self._steps(run, machine, ()) if step.action is None]
        before = run.machines[machine]
        for step in sorted(steps, key=lambda step: not step.turns):
            if step.turns or not step.sends:
                self._take(run, machine, (), step)
                if step.turns or (step.memory != before.memory and self._turn_red(run, machine)):
                    return True
                run.machines[machine] = before
        return False

    def _send_marker(self, run: Run, machine: int, event: Event, channel: int) -> None:
        """A marker goes out: one that a step of the machine has sent, or sends by itself now."""
        if not any(message.control for message in run.waiting[channel]):
            for step in self._steps(run, machine, ()):
                if step.action is None and not step.turns and any(c == channel and m.control for c, m in step.sends):
                    self._take(run, machine, (), step)
                    break
            else:
                red = run.machines[machine].red
                which = (
                    f"a second marker on {event.channel}"
                    if red
                    else f"its marker on {event.channel} before it has recorded"
                )
                raise NotAllowed(event, f"{event.machine} sends {which}")
        self._leave(run, event, channel, lambda message: message.control)

    def _leave(self, run: Run, event: Event, channel: int, wanted: Callable[[Message], bool]) -> None:
        """What waits beside the channel goes into it."""
        waiting = run.waiting[channel]
        for position in self.system.discipline(channel).positions(waiting):
            if wanted(waiting[position]):
                run.waiting[channel] = waiting[:position] + waiting[position + 1 :]
                run.channels[channel] += (waiting[position],)
                run.lines[channel] += (event,)
                return
        ahead = "its marker" if waiting[0].control else "what it sent before"
        raise NotAllowed(event, f"{event.machine}, which has recorded, sends on {event.channel} before {ahead}")

    def _accept(self, run: Run, machine: int, event: Event, channel: int) -> None:
        """A message or marker is accepted that the channel offers, in a step that the protocol has."""
        content = run.channels[channel]
        wanted = None if event.message is None else payload(event)
        for accepted in self.system.offered(channel, content):
            message = accepted.message
            if message.control == (wanted is None) and (message.control or message.payload == wanted):
                self._act(run, machine, event, (accepted,))
                run.channels[channel] = content[: accepted.position] + content[accepted.position + 1 :]
                lines = run.lines[channel]
                run.lines[channel] = lines[: accepted.position] + lines[accepted.position + 1 :]
                return
        raise NotAllowed(event, self._why_not_offered(run, event, channel, wanted))

    def _why_not_offered(self, run: Run, event: Event, channel: int, wanted: Value | None) -> str:
        """Why the channel does not offer what the line accepts."""
        content = run.channels[channel]
        what = f"{event.machine} accepts {event.message} from {self.channels[channel].source}, and no line sends it"
        if wanted is None and not any(message.control for message in content):
            which = "a second marker" if self._had_marker(run, channel) else "a marker"
            return f"{event.machine} accepts {which} from {self.channels[channel].source} that none sent"
        if wanted is None:
            return f"on {event.channel} the marker has overtaken a message that was sent before it"
        if not content:
            return what
        if content[0].control:
            there = any(message.payload == wanted for message in content)
            return f"on {event.channel} a message that was sent after the marker has overtaken it" if there else what
        due = run.lines[channel][0]
        where = f"{event.message} is accepted where {due.message} is due (line {due.place.line})"
        return f"{event.channel} is not FIFO: {where}"

    def _had_marker(self, run: Run, channel: int) -> bool:
        machine = self.number[self.channels[channel].destination]
        return self.protocol.closed(machine, run.machines[machine], channel)

    def _act(self, run: Run, machine: int, event: Event, accepts: tuple[Accepted, ...]) -> None:
        """A step of the machine that accepts this, and does the computation's action if the line is one."""
        if machine in run.behind:
            heard = run.behind[machine]
            why = f"{event.machine} has accepted a marker (line {heard.place.line}), acts, and has not recorded yet"
            raise NotAllowed(event, why)
        marker = any(accepted.message.control for accepted in accepts)
        steps = [step for step in self._steps(run, machine, accepts) if (step.action is None) == marker]
        line = run.ahead.pop(machine, None)
        if line is not None and not any(step.turns for step in steps):
            raise NotAllowed(line, f"{self.name} does not let {event.machine} record here")
        if not steps:
            held = "accept" if accepts else event.kind
            raise NotAllowed(
                event, f"{self.name} does not let {event.machine} {held} {event.message or 'the marker'} here"
            )
        step = steps[0]
        if step.turns and line is None and machine in run.recording:
            run.behind[machine] = event
        self._take(run, machine, accepts, step)

    def _steps(self, run: Run, machine: int, accepts: tuple[Accepted, ...]) -> list[Step]:
        """The steps that the protocol has in the machine's state."""
        return list(self.protocol.steps(machine, run.machines[machine], dict(uncoloured(accepts))))

    @staticmethod
    def _take(run: Run, machine: int, accepts: tuple[Accepted, ...], step: Step) -> None:
        """The step is done; what it sends waits for the lines that send it."""
        done = move(machine, run.machines[machine], accepts, step)
        run.machines[machine] = done.after
        for channel, message in done.sends:
            run.waiting[channel] += (message,)

    # All lines were allowed: what never happened, and what was announced.

    def _at_the_end(self, run: Run, judgement: Judgement) -> Broken | None:
        for machine, line in run.ahead.items():
            return Broken(line, f"{self.name} does not let {self.machines[machine]} record here")
        for channel, waiting in zip(self.channels, run.waiting, strict=True):
            if waiting:
                return Broken(None, f"{channel.source} has recorded, and its marker is never sent on {channel}")
        claim = judgement.claim
        if claim is None or judgement.missing:
            return None
        if not self._complete(run):
            return Broken(claim, f"it is announced, and it is not complete: {self._lacking(run)}")
        return self._announced(run, claim)

    def _lacking(self, run: Run) -> str:
        """What a snapshot that is not complete lacks."""
        for machine, (name, local) in enumerate(zip(self.machines, run.machines, strict=True)):
            if not local.red:
                return f"{name} has not recorded"
            for channel in self.system.topology.inputs[machine]:
                if self.protocol.marks and not self.protocol.closed(machine, local, channel):
                    return f"{name} has not accepted the marker of {self.channels[channel]}"
        return "messages sent before it are still on their way"

    def _announced(self, run: Run, claim: Claim) -> Broken | None:
        """Whether what was announced is what the machines recorded."""
        names = self.history.channel_names
        claimed = {names.get(name, name): content for name, content in claim.channels.items()}
        for machine, (name, local) in enumerate(zip(self.machines, run.machines, strict=True)):
            recorded = self.protocol.recorded(machine, local)
            assert recorded is not None
            for channel, content in zip(self.system.topology.inputs[machine], recorded.channels, strict=True):
                own = self.system.normal(claimed.pop(self.channels[channel], ()))
                held = self.system.normal(tuple(message[0] for message in content if isinstance(message, tuple)))
                if own != held and own == held[: len(own)] and self.protocol.marks:
                    return Broken(
                        claim, f"what was announced of {self.channels[channel]} ends before its marker had closed it"
                    )
                if own != held:
                    why = f"what was announced of {self.channels[channel]} is not what was accepted before its marker"
                    return Broken(claim, why)
            if recorded.state != claim.states[name] and (recorded.state is not None or claim.states[name] != "null"):
                return Broken(claim, f"the state announced for {name} is not the one it was in where it recorded")
        other = next((name for name, content in claimed.items() if content), None)
        return (
            None
            if other is None
            else Broken(claim, f"{other}, of which messages were announced, is no channel of the log")
        )


def made(protocol: str, topology: Topology, program: Program) -> Protocol:
    """The protocol of that name, which all machines may initiate."""
    _, found, options = find(protocol, PROTOCOLS, Protocol)
    own: Protocol = found(topology, program, tuple(range(topology.machines)), **options)
    if own.synchronous or own.control_channels() or own.snapshots != 1 or not own.records:
        words = "accepted for logs are those of one snapshot at a time, whose messages all go over the channels"
        raise InputError(f"--protocol {protocol!r}: {words}")
    return own


def assumed(relax: str) -> Assumptions:
    """What is assumed of the channels; `InputError` for what a log does not tell: when a fault happened."""
    found = parse_relaxations(relax)
    if found.faults:
        raise InputError(f"--relax {relax!r}: accepted for logs are fifo and overtake:K")
    return found
