"""The observer's snapshot: the section "Algorithm" of the encyclopedia's article on the Chandy-Lamport algorithm.

1. "The observer process (the process taking a snapshot): saves its own local state; sends a snapshot request message
   bearing a snapshot token to all other processes."
2. "A process receiving the snapshot token for the first time on any message: sends the observer process its own saved
   state; attaches the snapshot token to all subsequent messages (to help propagate the snapshot token)."
3. "When a process that has already received the snapshot token receives a message that does not bear the snapshot
   token, this process will forward that message to the observer process", for it was sent before the cut-off.

Choices: the text leaves five things open, and each has an option whose default is the reading that is right.
`requests`: how requests travel. separate: beside the channels; inband: on the first channel from the observer to that
machine, if there is one; none: the token only spreads on messages. `observer_tags`: whether the observer, which never
receives the token, attaches it too. `observer_logs`: whether it logs token-less messages that reach itself.
`save`: whether a machine saves its state before or after it handles the message that first brings the token.
`done`: naive: when all machines have reported; counted: when, besides, the reports and forwards show that every
message sent without the token has arrived (the reports say how many were sent and accepted). `literal=true` is the
text word for word: the observer neither tags nor logs, and is done when all have reported.
Reports and forwards reach the observer at once; machine 0 is the observer, and nobody else begins.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from model.action import Local, Message, Step, control
from model.errors import InputError
from model.program import Program
from model.protocol import payloads
from model.protocols.counting import Counted, Counting
from model.topology import Topology

OBSERVER = 0
TOKEN = "token"
REQUEST = control("request")


class Reading(NamedTuple):
    """What the text leaves open, settled."""

    requests: str = "separate"
    observer_tags: bool = True
    observer_logs: bool = True
    save: str = "before"
    done: str = "counted"


LITERAL = Reading(observer_tags=False, observer_logs=False, done="naive")
ACCEPTED = {"requests": ("separate", "inband", "none"), "save": ("before", "after"), "done": ("naive", "counted")}


class Observer(Counting):
    """One observer asks for states and collects late messages, by a token on requests and messages."""

    def __init__(
        self,
        topology: Topology,
        program: Program,
        initiators: tuple[int, ...],
        *,
        literal: bool = False,
        requests: str | None = None,
        observer_tags: bool | None = None,
        observer_logs: bool | None = None,
        save: str | None = None,
        done: str | None = None,
    ) -> None:
        super().__init__(topology, program, initiators)
        if initiators != (OBSERVER,):
            raise InputError(f"initiators {','.join(map(str, initiators))}: the observer is machine {OBSERVER}, alone")
        given = {"requests": requests, "observer_tags": observer_tags, "observer_logs": observer_logs}
        given |= {"save": save, "done": done}
        self.reading = _settled(literal, {key: value for key, value in given.items() if value is not None})
        others = [m for m in range(topology.machines) if m != OBSERVER]
        self.requests = tuple((OBSERVER, m) for m in others) if self.reading.requests == "separate" else ()

    def readings(self) -> Mapping[str, Any]:
        """All five, whatever was given."""
        return self.reading._asdict()

    def control_channels(self) -> tuple[tuple[int, int], ...]:
        """Separate requests: one pending message to each other machine at most."""
        return self.requests

    def steps(self, machine: int, local: Local, offered: Mapping[int, Message]) -> Iterable[Step]:
        """1: the observer begins. 2: a request is accepted. 2 and 3: the program acts on messages with a token."""
        memory = self.memory(local)
        if not offered and machine == OBSERVER and self.may_begin(local):
            yield Step("save, request", local.state, self.begin(machine, local.state, memory), self.ask(), turns=1)
        if not any(message.control for message in offered.values()):
            yield from self.act(machine, local, offered)
        elif len(offered) == 1 and memory.recording is None:
            yield Step("accept request, save", local.state, self.begin(machine, local.state, memory), turns=1)
        elif len(offered) == 1:
            yield Step("accept request", local.state, memory)

    def may_begin(self, local: Local) -> bool:
        """The observer may, once."""
        return self.memory(local).recording is None and self.program.may_initiate(OBSERVER, local.state)

    def ask(self) -> tuple[tuple[int, Message], ...]:
        """The requests: one to each other machine that can be asked."""
        if self.reading.requests == "inband":
            to = {self.topology.channels[c][1]: c for c in reversed(self.topology.outputs[OBSERVER])}
            return tuple((c, REQUEST) for m, c in sorted(to.items()) if m != OBSERVER)
        return tuple((len(self.topology.channels) + number, REQUEST) for number in range(len(self.requests)))

    def act(self, machine: int, local: Local, offered: Mapping[int, Message]) -> Iterable[Step]:
        """The program's actions; a machine that receives the token for the first time saves before or after."""
        memory, before = self.memory(local), self.reading.save == "before"
        first = memory.recording is None and any(message.tag == TOKEN for message in offered.values())
        if first and before:
            memory = self.begin(machine, local.state, memory)
        plain = [(channel, message) for channel, message in offered.items() if message.tag is None]
        if memory.recording is not None and (machine != OBSERVER or self.reading.observer_logs):
            recording = memory.recording.add_open(self.topology.inputs[machine], plain)
            memory = memory._replace(recording=recording)
        tags = memory.recording is not None and (machine != OBSERVER or self.reading.observer_tags)
        for action in self.underlying(machine, local, offered):
            sends = payloads(action, TOKEN if tags else None)
            after = self.count(memory, 0 if tags else len(sends), len(plain))
            if first and not before:
                after = self.begin(machine, action.state, after)
            name = action.name if not first else f"save, {action.name}" if before else f"{action.name}, save"
            yield Step(name, action.state, after, sends, action, int(first), before)

    def count(self, memory: Counted, sent: int, accepted: int) -> Counted:
        """The memory after so many token-less messages; nothing is counted where nobody asks for the counts."""
        return memory.counted(sent, accepted) if self.reading.done == "counted" else memory


def _settled(literal: bool, given: Mapping[str, Any]) -> Reading:
    base = LITERAL if literal else Reading()
    for key, value in given.items():
        if value not in ACCEPTED.get(key, (True, False)):
            raise InputError(f"protocol observer: {key}={value}: choose from {', '.join(ACCEPTED[key])}")
        if literal and value != getattr(base, key):
            shown = str(getattr(base, key)).lower()
            raise InputError(f"protocol observer: literal=true has {key}={shown}, not {str(value).lower()}")
    return base._replace(**given)
