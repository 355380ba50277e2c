"""Venkatesan 1993, "Message-optimal incremental snapshots": markers only where messages have gone since the last one.

The rules. Snapshots are taken again and again by one initiator, each once the one before is complete. It records its
state and tells all others (down a spanning tree) to begin. Whoever is told, or gets a marker, of a snapshot that it has
not recorded yet records its state, and sends a marker on each output channel on which it has sent a message since its
last record. A marker ends its channel's record, for earlier snapshots too, and is acknowledged. When all its markers
are acknowledged a machine says that it is done; when all are, the snapshot is complete. A channel without a marker was
empty.

Choices: the tree is a star, over ways of its own; before the first snapshot is counted like after one. The text that we
know does not say what keeps a message from overtaking the news on a channel that had no marker: here a marker goes
ahead of the first message, and needs no acknowledgement. That is conjecture; `ahead=false` (broken) leaves it out.
Broken as well: `used=false`, no channel counts as used.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from model.action import Action, Local, Message, Step, control
from model.errors import InputError
from model.program import Program
from model.protocol import Recorded, payloads
from model.protocols.talking import Talking
from model.recording import Recording
from model.topology import Topology

Sends = tuple[tuple[int, Message], ...]
ACKNOWLEDGE, DONE = control(("acknowledge", 0, False)), control(("done", 0, False))


class Node(NamedTuple):
    """recordings: one a snapshot. used, marked: outputs with a message, a marker, since the last record.

    waits: what must still come before it is done. complete: with how many snapshots it is done; of the initiator, how
    many are complete.
    """

    recordings: tuple[Recording, ...] = ()
    used: frozenset[int] = frozenset()
    marked: frozenset[int] = frozenset()
    waits: int = 0
    complete: int = 0


class Venkatesan(Talking):
    """Incremental snapshots: a channel that was not used needs no marker."""

    def __init__(
        self,
        topology: Topology,
        program: Program,
        initiators: tuple[int, ...],
        *,
        k: int = 2,
        ahead: bool = True,
        used: bool = True,
    ) -> None:
        if len(initiators) != 1 or k < 1:
            raise InputError(
                f"protocol venkatesan: initiators {list(initiators)}, k={k}: accepted is one, and k from 1"
            )
        super().__init__(topology, program, initiators)
        self.snapshots, self.ahead, self.used = k, ahead, used

    def initial(self, machine: int) -> Node:
        """Nothing recorded or used."""
        return Node()

    def steps(self, machine: int, local: Local, offered: Mapping[int, Message]) -> Iterable[Step]:
        """Begin; hear of a snapshot; accept a marker; act, recording."""
        node = node_of(local)
        if not offered and self.begins(machine, local, node):
            told = self.to_all(machine, control(("begin", len(node.recordings) + 1, False)))
            began, sends = self.record(machine, local, node._replace(waits=len(told)))
            yield self.go_on("begin, record", machine, local, began, (*told, *sends), turns=1 << len(node.recordings))
        controls = [(c, message) for c, message in offered.items() if message.control]
        if len(controls) == len(offered) == 1:
            yield self.hear(machine, local, node, *controls[0])
        elif not controls:
            kept = tuple(r.add_open(self.topology.inputs[machine], offered.items()) for r in node.recordings)
            for action in self.underlying(machine, local, offered):
                after, sends = self.send(node._replace(recordings=kept), action)
                yield Step(action.name, action.state, after, sends, action)

    def begins(self, machine: int, local: Local, node: Node) -> bool:
        """The initiator, once the snapshot before is complete."""
        free = machine in self.initiators and node.complete == len(node.recordings) < self.snapshots
        return free and self.program.may_initiate(machine, local.state)

    def record(self, machine: int, local: Local, node: Node) -> tuple[Node, Sends]:
        """The state; a marker on each channel used."""
        recording = Recording.begin(self.program.record(machine, local.state), len(self.topology.inputs[machine]))
        recordings, marked = (*node.recordings, recording), node.used if self.used else frozenset()
        marker = control(("marker", len(recordings), True))
        waits = node.waits + len(marked)
        return Node(recordings, frozenset(), marked, waits, node.complete), tuple((c, marker) for c in sorted(marked))

    def hear(self, machine: int, local: Local, node: Node, channel: int, message: Message) -> Step:
        """To begin, or a marker: record, if that has not been. Acknowledged, or another is done: less to wait for."""
        assert isinstance(message.tag, tuple)
        word, number, answered = message.tag
        sends, turns = Sends(), 0
        if word in ("acknowledge", "done"):
            node = node._replace(waits=node.waits - 1)
        elif len(node.recordings) < number:
            turns = 1 << len(node.recordings)
            node, sends = self.record(machine, local, node)
        if word == "marker":
            index, source = self.topology.inputs[machine].index(channel), self.topology.channels[channel][0]
            closed = (r.close(index) if n < number else r for n, r in enumerate(node.recordings))
            node = node._replace(recordings=tuple(closed))
            if answered and source == machine:
                node = node._replace(waits=node.waits - 1)
            elif answered:
                sends = (*sends, *self.to_each(machine, [(source, ACKNOWLEDGE)]))
        return self.go_on(f"accept {word}" + ", record" * bool(turns), machine, local, node, sends, turns)

    def go_on(self, name: str, machine: int, local: Local, node: Node, sends: Sends = (), turns: int = 0) -> Step:
        """With nothing left to wait for: done, or complete."""
        if not node.waits and node.complete < len(node.recordings):
            node = node._replace(complete=len(node.recordings))
            done = [] if machine in self.initiators else [(self.initiators[0], DONE)]
            sends = (*sends, *self.to_each(machine, done))
        return Step(name, local.state, node, sends, turns=turns)

    def send(self, node: Node, action: Action) -> tuple[Node, Sends]:
        """What the action sends; on a channel without a marker since the last record, a marker goes ahead."""
        channels = frozenset(channel for channel, _ in action.sends)
        late = sorted(channels - node.marked) if node.recordings and self.ahead else []
        marker = control(("marker", len(node.recordings), False))
        after = node._replace(used=node.used | channels, marked=node.marked | frozenset(late))
        return after, (*((channel, marker) for channel in late), *payloads(action))

    def recorded(self, machine: int, local: Local, snapshot: int = 0) -> Recorded | None:
        """What was recorded for that snapshot."""
        recordings = node_of(local).recordings
        return recordings[snapshot].recorded() if snapshot < len(recordings) else None

    def done(self, machine: int, local: Local, snapshot: int = 0) -> bool:
        """Recorded; the initiator knows that all markers have been acknowledged."""
        node = node_of(local)
        return snapshot < (node.complete if machine in self.initiators else len(node.recordings))


def node_of(local: Local) -> Node:
    """What the machine remembers."""
    assert isinstance(local.memory, Node)
    return local.memory
