"""Spezialetti & Kearns 1986, "Efficient distributed snapshots": several initiators share one snapshot.

The rules. Who initiates records its state and sends markers with its name on all output channels. A machine that is
reached by its first marker records, joins the region of the initiator named, and sends markers with that name. From
then on it records each channel until its marker, as in `marker`, whatever name that bears; but of a marker with
another name it notes that the two regions have a common border. When its channels are closed it reports to its
initiator what it has recorded, and with whom it has borders. Initiators of regions with a border exchange what they
know; so each comes to know the whole snapshot, though nobody recorded twice, and no marker went twice over a channel.

Choices: a report goes straight to the initiator, not up the tree that the markers make. The paper's initiators exchange
in rounds, once a region is complete; here whenever they learn something. The number of machines is known: an initiator
is done when all have reported. Broken: `exchanges=false`; `borders=false`, nobody notes them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from model.action import Local, Message, Step, control
from model.program import Program
from model.protocol import Recorded, payloads
from model.protocols.talking import Talking
from model.recording import Recording
from model.topology import Topology

Names = frozenset[int]
Sends = tuple[tuple[int, Message], ...]


class Region(NamedTuple):
    """recording: None while white. master: the initiator whose region it is in. borders: the others met.

    reported: of an initiator, the machines that it knows the records of; else whether the machine has reported.
    """

    recording: Recording | None = None
    master: int | None = None
    borders: Names = frozenset()
    reported: Names = frozenset()


class SpezialettiKearns(Talking):
    """Markers with their initiator's name; regions that meet exchange what they have."""

    def __init__(
        self,
        topology: Topology,
        program: Program,
        initiators: tuple[int, ...],
        *,
        exchanges: bool = True,
        borders: bool = True,
    ) -> None:
        super().__init__(topology, program, initiators)
        self.exchanges, self.borders = exchanges, borders

    def initial(self, machine: int) -> Region:
        """White."""
        return Region()

    def steps(self, machine: int, local: Local, offered: Mapping[int, Message]) -> Iterable[Step]:
        """Initiate; accept a marker; hear a report; act, recording."""
        region = region_of(local)
        white = region.recording is None
        if not offered and machine in self.initiators and white and self.program.may_initiate(machine, local.state):
            yield self.go_on("turn red", machine, local, *self.join(machine, local, machine), 1)
        controls = [(c, message) for c, message in offered.items() if message.control]
        if len(controls) == len(offered) == 1:
            channel, message = controls[0]
            if channel < len(self.topology.channels):
                yield self.marker(machine, local, region, channel, message)
            else:
                yield self.hear(machine, local, region, message)
        elif not controls:
            if region.recording is not None:
                recording = region.recording.add_open(self.topology.inputs[machine], offered.items())
                region = region._replace(recording=recording)
            for action in self.underlying(machine, local, offered):
                yield Step(action.name, action.state, region, payloads(action), action)

    # Markers.

    def join(self, machine: int, local: Local, master: int) -> tuple[Region, Sends]:
        """Record the state; markers with the region's name."""
        recording = Recording.begin(self.program.record(machine, local.state), len(self.topology.inputs[machine]))
        sends = tuple((channel, control(master)) for channel in self.topology.outputs[machine])
        return Region(recording, master), sends

    def marker(self, machine: int, local: Local, region: Region, channel: int, message: Message) -> Step:
        """The first: join. Each: its channel is closed; another name is a border."""
        name, sends, white = message.tag, Sends(), region.recording is None
        assert isinstance(name, int)
        if white:
            region, sends = self.join(machine, local, name)
        assert region.recording is not None
        region = region._replace(recording=region.recording.close(self.topology.inputs[machine].index(channel)))
        if self.borders and name != region.master:
            region = region._replace(borders=region.borders | {name})
        return self.go_on("accept marker" + ", turn red" * white, machine, local, region, sends, int(white))

    # Reports, and exchanges between initiators.

    def go_on(self, name: str, machine: int, local: Local, region: Region, sends: Sends, turns: int) -> Step:
        """With the last channel closed, report to the initiator of the region."""
        own, master = frozenset({machine}), region.master
        assert region.recording is not None and master is not None
        if all(region.recording.closed) and machine not in region.reported:
            if machine == master:
                region, more = self.learn(machine, region, own, region.borders)
            else:
                more = self.to_each(machine, [(master, control((own, region.borders)))])
                region = region._replace(reported=own)
            sends = (*sends, *more)
        return Step(name, local.state, region, sends, turns=turns)

    def hear(self, machine: int, local: Local, region: Region, message: Message) -> Step:
        """A report of its region, or what another initiator knows."""
        assert isinstance(message.tag, tuple)
        region, sends = self.learn(machine, region, *message.tag)
        return Step("accept report", local.state, region, sends)

    def learn(self, machine: int, region: Region, reported: Names, borders: Names) -> tuple[Region, Sends]:
        """What is new to an initiator goes to those with whom its region has borders."""
        borders = (region.borders | borders) - {machine}
        known = region._replace(reported=region.reported | reported, borders=borders)
        if not self.exchanges or known == region:
            return known, ()
        news = control((known.reported, frozenset({machine})))
        return known, self.to_each(machine, [(other, news) for other in sorted(known.borders)])

    def recorded(self, machine: int, local: Local, snapshot: int = 0) -> Recorded | None:
        """What a red machine has recorded."""
        recording = region_of(local).recording
        return None if recording is None else recording.recorded()

    def done(self, machine: int, local: Local, snapshot: int = 0) -> bool:
        """It has reported; an initiator knows all."""
        region = region_of(local)
        most = self.topology.machines if region.master == machine else 1
        return region.recording is not None and all(region.recording.closed) and len(region.reported) >= most


def region_of(local: Local) -> Region:
    """What the machine remembers."""
    assert isinstance(local.memory, Region)
    return local.memory
