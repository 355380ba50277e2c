"""The snapshot components of PyPI's adhoccomputing 2.1.7, unmodified, behind the interface of classes under test:

    redwhite check biring:2 --implementation examples/adhoc_snapshots.py:ChandyLamport
    redwhite check biring:2 --implementation examples/adhoc_snapshots.py:LaiYang

The first reports every channel empty, the second raises TypeError: docs/implementations.md says where.
"""

import sys
from dataclasses import dataclass
from unittest.mock import MagicMock

for module in ("requests", "requests.adapters", "adhoccomputing.Experimentation.Topology"):
    sys.modules.setdefault(module, MagicMock())  # its network and its processes, which nothing here uses
from adhoccomputing.DistributedAlgorithms.Snapshot import Snapshot as theirs  # noqa: E402

theirs.GenericModel.__init__ = lambda self, *rest: vars(self).update(
    eventhandlers={}, componentname=rest[0], componentinstancenumber=rest[1]
)
MARK = theirs.GenericMessage(theirs.GenericMessageHeader(theirs.ChandyLamportMessageTypes.MARK, None, None), None)


@dataclass(frozen=True)
class Event:
    """What their handlers look at of an event."""

    eventcontent: object
    fromchannel: int = -1


class ChandyLamport:
    """Each machine pays once, to its first neighbour; a channel is called by the neighbour at its other end."""

    model, actions = theirs.ChandyLamportComponentModel, ("pay",)

    def __init__(self, name, outputs, inputs):
        self.outputs, self.paid = outputs, False
        self.component = self.model("bank", name)
        self.component.chnls, self.component.send_down = set(inputs), self.send_down

    is_control = staticmethod(lambda message: message == "mark")

    def pay(self):
        if self.paid:
            return False
        self.paid = True
        self.send(self.outputs[0], "money")

    def snapshot(self):
        self.component.take_snapshot(None)

    def receive(self, sender, message):
        self.component.msg_recv(Event(MARK if message == "mark" else message, sender))

    def send_down(self, event):  # what they broadcast: marks, and each machine's part of the result
        if event.eventcontent.header.messagetype is theirs.ChandyLamportMessageTypes.MARK:
            self.record(0)
            for to in self.outputs:
                self.send(to, "mark")
        else:
            found = event.eventcontent.payload.chnl_states
            self.report(0, None, {c: [e.eventcontent for part in found[c] for e in part] for c in self.component.chnls})


class Envelope:
    """The same for Lai and Yang's, who write in it."""

    def __init__(self, eventcontent, fromchannel=-1):
        self.eventcontent, self.fromchannel = eventcontent, fromchannel


class LaiYang(ChandyLamport):
    """A message is (content, whether its sender had recorded); for two machines, since they broadcast payments too."""

    theirs.Event = lambda source, kind, content: Envelope(content)  # theirs holds the time of day
    model = theirs.LaiYangComponentModel
    is_control = staticmethod(lambda message: message[0] != "money")
    payload = staticmethod(lambda message: message[0])

    def pay(self):
        if self.paid:
            return False
        self.paid = True
        self.component.send_msg(Envelope("money"))

    def snapshot(self):
        super().snapshot()
        self.record(0)

    def receive(self, sender, message):
        white = self.component.state is None
        self.component.msg_recv(Envelope(message, sender))
        if white and self.component.state is not None:
            self.record(0)

    def send_down(self, event):
        for to in self.outputs:
            self.send(to, event.eventcontent)
