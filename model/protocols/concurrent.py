"""Several marker snapshots in progress at once, told apart by ids (after Chandy & Lamport 1985).

To take snapshots again and again, or by several initiators that must be told apart, each marker carries the id of its
snapshot: the marker algorithm k times over, each instance as if the others were not there, on the same channels.

Choices: ids are 0..k-1, given in no order. Any initiator may begin any of the snapshots, each of them once; with
`by=0-2` snapshot 0 begins at machine 0 alone and snapshot 1 at machine 2. Beginning one snapshot, and accepting one
marker, is an action of its own; with joint programs markers of several channels may be accepted in one action.
Are SSS1 and SSS2 ordered, one reachable from the other? `--property snapshots-ordered` asks. By one initiator over
FIFO channels they always are: the markers of the first keep ahead of those of the second all the way.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from model.action import Local, Message, Step, control
from model.errors import InputError
from model.program import Program
from model.protocol import Protocol, Recorded, payloads
from model.recording import Recording
from model.relabelling import Relabelling
from model.topology import Topology
from model.values import Value

Recordings = tuple[Recording | None, ...]

MOST = 62
"""Snapshots at once: far more than can be explored."""


class Concurrent(Protocol):
    """k marker algorithms side by side; a machine remembers one recording for each."""

    marks = True

    def __init__(
        self,
        topology: Topology,
        program: Program,
        initiators: tuple[int, ...],
        *,
        k: int = 2,
        by: int | tuple[int, ...] | None = None,
    ) -> None:
        super().__init__(topology, program, initiators)
        if not 1 <= k <= MOST:
            raise InputError(f"protocol concurrent: k={k}: a whole number from 1 to {MOST}")
        self.snapshots = k
        self.by = (by,) if isinstance(by, int) else by
        if self.by is not None and (len(self.by) != k or not set(self.by) <= set(initiators)):
            shown, accepted = "-".join(map(str, self.by)), ", ".join(map(str, initiators))
            raise InputError(f"protocol concurrent: by={shown}: one initiator ({accepted}) for each of {k} snapshots")

    def initial(self, machine: int) -> Recordings:
        """White for every snapshot."""
        return (None,) * self.snapshots

    def steps(self, machine: int, local: Local, offered: Mapping[int, Message]) -> Iterable[Step]:
        """Begin a snapshot; accept markers; act as the program does, recording."""
        if not offered:
            for number in range(self.snapshots):
                if self.may_begin(machine, local, number):
                    recordings, sends = self.turn_red(machine, local, self.recordings(local), number)
                    yield Step(f"turn red {number}", local.state, recordings, sends, turns=1 << number)
        markers = [message for message in offered.values() if message.control]
        if markers and len(markers) == len(offered):
            yield self.accept_markers(machine, local, offered)
        elif not markers:
            recordings = self.record(machine, self.recordings(local), offered)
            for action in self.underlying(machine, local, offered):
                yield Step(action.name, action.state, recordings, payloads(action), action)

    def may_begin(self, machine: int, local: Local, number: int) -> bool:
        """An initiator may, once for each snapshot that is its own to begin."""
        own = machine in self.initiators if self.by is None else machine == self.by[number]
        return own and self.recordings(local)[number] is None and self.program.may_initiate(machine, local.state)

    # The marker-sending rule, for one snapshot.

    def turn_red(
        self, machine: int, local: Local, recordings: Recordings, number: int
    ) -> tuple[Recordings, tuple[tuple[int, Message], ...]]:
        """Record the state for the snapshot, and one marker with its id for each output channel."""
        state = self.program.record(machine, local.state)
        recording = Recording.begin(state, len(self.topology.inputs[machine]))
        markers = tuple((channel, control(number)) for channel in self.topology.outputs[machine])
        return _with(recordings, number, recording), markers

    # The marker-receiving rule, for the snapshot that the marker names.

    def accept_markers(self, machine: int, local: Local, markers: Mapping[int, Message]) -> Step:
        """Turn red where white, and close each marker's channel for its snapshot."""
        recordings, turns = self.recordings(local), 0
        sends: tuple[tuple[int, Message], ...] = ()
        for channel, marker in sorted(markers.items()):
            number = number_of(marker)
            if recordings[number] is None:
                recordings, more = self.turn_red(machine, local, recordings, number)
                sends, turns = sends + more, turns | 1 << number
            recording = recordings[number]
            assert recording is not None
            closed = recording.close(self.topology.inputs[machine].index(channel))
            recordings = _with(recordings, number, closed)
        names = " and ".join(sorted({f"marker {number_of(marker)}" for marker in markers.values()}))
        return Step(f"accept {names}{', turn red' if turns else ''}", local.state, recordings, sends, turns=turns)

    def record(self, machine: int, recordings: Recordings, messages: Mapping[int, Message]) -> Recordings:
        """The messages recorded for each snapshot for which their channel is open."""
        inputs = self.topology.inputs[machine]
        return tuple(recording and recording.add_open(inputs, messages.items()) for recording in recordings)

    # What each snapshot is.

    def relabelled(self, machine: int, memory: Value, by: Relabelling) -> Value:
        """Each recording follows its channels."""
        assert isinstance(memory, tuple)
        return tuple(recording and recording.relabelled(self.program, machine, by) for recording in memory)

    def recorded(self, machine: int, local: Local, snapshot: int = 0) -> Recorded | None:
        """What was recorded for that snapshot."""
        recording = self.recordings(local)[snapshot]
        return None if recording is None else recording.recorded()

    def done(self, machine: int, local: Local, snapshot: int = 0) -> bool:
        """Red for that snapshot, and every input channel closed by its marker."""
        recording = self.recordings(local)[snapshot]
        return recording is not None and all(recording.closed)

    def had_marker(self, machine: int, local: Local, channel: int, marker: Message) -> bool:
        """Whether a marker with that id has been accepted from the channel."""
        recording = self.recordings(local)[number_of(marker)]
        return recording is not None and recording.closed[self.topology.inputs[machine].index(channel)]

    def recordings(self, local: Local) -> Recordings:
        """What the machine remembers."""
        assert isinstance(local.memory, tuple)
        return local.memory


def number_of(marker: Message) -> int:
    """The id of the marker's snapshot."""
    assert isinstance(marker.tag, int)
    return marker.tag


def _with(recordings: Recordings, number: int, recording: Recording) -> Recordings:
    return (*recordings[:number], recording, *recordings[number + 1 :])
