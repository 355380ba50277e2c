"""A snapshot algorithm with holes: what the known algorithms decide differently is an option here, to be filled in.

The holes, in the order in which a snapshot goes: who begins; what a white machine does with a marker and with a
message; when markers are sent, by whom and on which channels; whether messages carry their sender's colour; what a red
machine records of a channel, and until when; when the snapshot is complete. Chandy and Lamport's algorithm is one
filling (the defaults), Lai and Yang's another; most are wrong. `redwhite synthesise` searches for the right ones.

Choices: an action accepts from one channel at a time. `complete=empty` is what counting white messages finds out: no
white message is left in any channel. Each time that a hole decides something, the fillings that would decide otherwise
are taken out of `alike`: what is left behaves, in all that was asked so far, as this one does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TypeVar

from model.action import Action, Local, Message, Step
from model.errors import InputError
from model.program import Program
from model.protocol import Protocol, Recorded, payloads
from model.protocols.marker import MARKER
from model.recording import Recording
from model.relabelling import Relabelling
from model.topology import Topology
from model.values import Value

WHITE, RED = "white", "red"
WAIT = {True: "turn", False: "wait"}
Sends = tuple[tuple[int, Message], ...]
Answer = TypeVar("Answer")

HOLES: dict[str, dict[str, str]] = {
    "begins": {
        "initiators": "Only the initiators turn red by themselves.",
        "everyone": "Every machine may turn red by itself.",
    },
    "marker": {
        "first": "A white machine turns red on its first marker, whose channel it closes.",
        "last": "A white machine turns red once a marker has come on each input.",
        "ignored": "A white machine ignores markers.",
    },
    "message": {
        "accepted": "A white machine accepts every message, and stays white.",
        "red-before": "A white machine turns red before it accepts a red message.",
        "red-after": "A white machine turns red after it has accepted a red message.",
        "any-before": "A white machine turns red before it accepts any message.",
    },
    "sends": {
        "turning": "Markers are sent in the action of turning red.",
        "held": "Markers are sent after turning red, each before anything else on its channel.",
        "later": "Markers are sent some time after turning red.",
        "never": "No markers are sent.",
    },
    "outputs": {
        "all": "Markers go out on every output.",
        "onward": "Markers go out on every output but those back to where the machine's first marker came from.",
        "one": "A marker goes out on the first output only.",
    },
    "senders": {
        "everyone": "Every machine sends markers.",
        "initiators": "Only the initiators send markers.",
    },
    "tags": {
        "none": "Messages carry nothing of the snapshot.",
        "colour": "Messages carry their sender's colour.",
    },
    "records": {
        "all": "A red machine records what it accepts.",
        "white": "A red machine records the white messages that it accepts.",
        "nothing": "Nothing is recorded of channels.",
    },
    "until": {
        "own": "A channel is recorded until its own marker.",
        "every": "A channel is recorded until every input has had its marker.",
        "end": "A channel is recorded to the end.",
    },
    "complete": {
        "closed": "Complete when each input has had its marker.",
        "some": "Complete when some input has had its marker.",
        "red": "Complete when all are red.",
        "empty": "Complete when all are red and no white message is in any channel.",
    },
}
"""Each hole's fillings, with the rule that a filling is; the defaults come first."""


class Sketch(Protocol):
    """A snapshot algorithm with its rules to choose: the defaults are Chandy and Lamport's, most others are wrong."""

    def __init__(
        self,
        topology: Topology,
        program: Program,
        initiators: tuple[int, ...],
        *,
        begins: str = "initiators",
        marker: str = "first",
        message: str = "accepted",
        sends: str = "turning",
        outputs: str = "all",
        senders: str = "everyone",
        tags: str = "none",
        records: str = "all",
        until: str = "own",
        complete: str = "closed",
    ) -> None:
        given = (begins, marker, message, sends, outputs, senders, tags, records, until, complete)
        self.filled = dict(zip(HOLES, given, strict=True))
        for name, value in self.filled.items():
            if value not in HOLES[name]:
                raise InputError(f"sketch,{name}={value}: accepted are {', '.join(HOLES[name])}")
        self.alike = {name: set(values) for name, values in HOLES.items()}
        self.everyone = begins == "everyone"
        self.completes_on_empty_channels = complete == "empty"
        super().__init__(topology, program, initiators)
        self.marks = sends != "never"
        self.first_initiators = initiators

    def decide(self, name: str, answer: Callable[[str], Answer]) -> Answer:
        """What the hole's filling decides; the fillings that would decide otherwise are no longer alike."""
        decided = answer(self.filled[name])
        alike = self.alike[name]
        if len(alike) > 1:
            alike -= {value for value in alike if answer(value) != decided}
        return decided

    def steps(self, machine: int, local: Local, offered: Mapping[int, Message]) -> Iterable[Step]:
        """Turn red; send a marker; accept a marker; act as the program does."""
        markers = [channel for channel, message in offered.items() if message.control]
        if not offered:
            yield from self.spontaneous(machine, local)
        if len(offered) == 1 and markers:
            yield self.accept_marker(machine, local, markers[0])
        elif not markers:
            yield from self.act(machine, local, offered)

    def spontaneous(self, machine: int, local: Local) -> Iterator[Step]:
        """Turn red by itself; send a marker that is still to go out."""
        if not local.red and self.may_begin(machine) and self.program.may_initiate(machine, local.state):
            memory, sends = self.turn(machine, local.memory, local.state)
            yield Step("turn red", local.state, memory, sends, turns=1)
        if isinstance(local.memory, Recording):
            for channel in local.memory.unsent:
                rest = tuple(other for other in local.memory.unsent if other != channel)
                yield Step("send marker", local.state, local.memory._replace(unsent=rest), ((channel, MARKER),))

    def may_begin(self, machine: int) -> bool:
        """Whether the machine may turn red by itself."""
        return self.decide("begins", lambda who: who == "everyone" or machine in self.first_initiators)

    def turn(self, machine: int, memory: Value, state: Value, source: int | None = None) -> tuple[Recording, Sends]:
        """The memory of a machine that has just turned red, and the markers that go out with it."""
        recording = Recording.begin(self.program.record(machine, state), len(self.topology.inputs[machine]))
        if isinstance(memory, tuple):  # markers that came before, where all are waited for
            recording = recording._replace(closed=memory)
        outputs = self.marked(machine, source)
        if bool(outputs) and self.decide("sends", lambda when: when == "turning"):
            return recording, tuple((channel, MARKER) for channel in outputs)
        return recording._replace(unsent=outputs), ()

    def marked(self, machine: int, source: int | None) -> tuple[int, ...]:
        """The outputs that are to get a marker; source: the machine from which the first one came, if one did."""
        outputs = self.topology.outputs[machine]
        never = bool(outputs) and self.decide("sends", lambda when: when == "never")
        if never or not outputs:
            return ()
        if not self.decide("senders", lambda who: who == "everyone" or machine in self.first_initiators):
            return ()
        onward = tuple(channel for channel in outputs if self.topology.channels[channel][1] != source)
        choice = {"all": outputs, "onward": onward, "one": outputs[:1]}
        return self.decide("outputs", choice.__getitem__)

    def accept_marker(self, machine: int, local: Local, channel: int) -> Step:
        """What a marker does: perhaps the machine turns red; a red machine closes its channel."""
        index = self.topology.inputs[machine].index(channel)
        if isinstance(local.memory, Recording):
            return Step("accept marker", local.state, local.memory.close(index))
        came = tuple(local.memory) if isinstance(local.memory, tuple) else (False,) * len(self.topology.inputs[machine])
        came = (*came[:index], True, *came[index + 1 :])
        does = self.decide("marker", {"ignored": "ignore", "first": "turn", "last": WAIT[all(came)]}.__getitem__)
        if does == "ignore":
            return Step("ignore marker", local.state, local.memory)
        if does == "wait":
            return Step("accept marker", local.state, came)
        recording, sends = self.turn(machine, came, local.state, self.topology.channels[channel][0])
        return Step("accept marker, turn red", local.state, recording, sends, turns=1)

    def act(self, machine: int, local: Local, offered: Mapping[int, Message]) -> Iterator[Step]:
        """The program's actions; a white machine may have to turn red with them, before or after."""
        red = isinstance(local.memory, Recording)
        before = after = False
        if offered and not red:
            reddened = any(message.tag == RED for message in offered.values())
            before = self.decide("message", lambda w: w == "any-before" or (reddened and w == "red-before"))
            after = self.decide("message", lambda does: reddened and does == "red-after")
        memory, markers = local.memory, Sends()
        if before:
            memory, markers = self.turn(machine, local.memory, local.state)
        if isinstance(memory, Recording) and offered:
            memory = self.record(machine, memory, offered)
        for action in self.underlying(machine, local, offered):
            if self.held_back(memory, action):
                continue
            sends = markers + payloads(action, self.tag(memory) if action.sends else None)
            if after:
                turned, more = self.turn(machine, local.memory, action.state)
                yield Step(f"{action.name}, turn red", action.state, turned, sends + more, action, 1, False)
            else:
                name = f"turn red, {action.name}" if before else action.name
                yield Step(name, action.state, memory, sends, action, int(before))

    def held_back(self, memory: Value, action: Action) -> bool:
        """Whether the action would send ahead of a marker that is to go first."""
        if not isinstance(memory, Recording) or not memory.unsent or not action.sends:
            return False
        ahead = any(channel in memory.unsent for channel, _ in action.sends)
        return self.decide("sends", lambda when: ahead and when == "held")

    def tag(self, memory: Value) -> Value:
        """What a message carries."""
        colour = RED if isinstance(memory, Recording) else WHITE
        return self.decide("tags", lambda what: None if what == "none" else colour)

    def record(self, machine: int, recording: Recording, offered: Mapping[int, Message]) -> Recording:
        """The record after these messages were accepted."""
        for channel, message in offered.items():
            index = self.topology.inputs[machine].index(channel)
            keeps = {"all": True, "white": message.tag == WHITE, "nothing": False}
            if self.decide("records", keeps.__getitem__):
                closed = {"own": recording.closed[index], "every": all(recording.closed), "end": False}
                if not self.decide("until", closed.__getitem__):
                    recording = recording.add(index, message.payload)
        return recording

    def relabelled(self, machine: int, memory: Value, by: Relabelling) -> Value:
        """The recording follows its channels, and so do the markers that came before."""
        if isinstance(memory, Recording):
            return memory.relabelled(self.program, machine, by)
        return by.per_input(machine, memory) if isinstance(memory, tuple) else memory

    def recorded(self, machine: int, local: Local, snapshot: int = 0) -> Recorded | None:
        """The recorded state and channels of a red machine."""
        return local.memory.recorded() if isinstance(local.memory, Recording) else None

    def done(self, machine: int, local: Local, snapshot: int = 0) -> bool:
        """Red, and as many markers accepted as completion asks for."""
        if not isinstance(local.memory, Recording):
            return False
        flags = local.memory.closed
        asks = {"closed": all(flags), "some": any(flags), "red": True, "empty": True}
        return self.decide("complete", asks.__getitem__)

    def closed(self, machine: int, local: Local, channel: int) -> bool:
        """Whether the channel's marker has been accepted."""
        if not isinstance(local.memory, Recording):
            return False
        return local.memory.closed[self.topology.inputs[machine].index(channel)]
