"""The marker algorithm broken on purpose, one rule at a time: the mutants of Redwhite's catalogue, over sockets.

`early-complete` is not here: every branch is right, and whoever announces snapshots does not wait until the last
channel is closed (see `__main__.py`).
"""

from __future__ import annotations

import random
from pathlib import Path

from examples.bank.branch import Branch, Line


class LateMarker(Branch):
    """Forgets "before p sends further messages": markers go out some time after the recording."""

    def begin(self, snapshot: int) -> None:
        """Record only."""
        if snapshot not in self.recordings:
            self.do({"event": "record", "snapshot": snapshot})

    def idle(self) -> None:
        """Put the markers, sooner or later."""
        if random.random() < 0.2:
            self.put_markers()


class LazyMarker(LateMarker):
    """Forgets nothing, a control: a marker goes out later, yet before anything else on its channel."""

    def transfer(self, to: str, amount: int) -> None:
        """The markers that the channel still lacks go first."""
        for snapshot in self.recordings:
            if self.owes(to, snapshot):
                self.do({"event": "send", "to": to, "marker": snapshot})
        super().transfer(to, amount)


class LateRecord(Branch):
    """Forgets "after p records its state": the markers go out first, the state is recorded later."""

    def __init__(self, name: str, others: list[str], balance: int, path: Path) -> None:
        self.early: list[tuple[int, str]] = []
        """Markers accepted before recording, by snapshot and sender."""
        super().__init__(name, others, balance, path)

    def begin(self, snapshot: int) -> None:
        """Markers only."""
        for other in self.others:
            if self.owes(other, snapshot):
                self.do({"event": "send", "to": other, "marker": snapshot})

    def apply(self, line: Line) -> None:
        """A marker may close a channel before there is a recording: that is remembered."""
        if line["event"] == "accept" and "marker" in line and line["marker"] not in self.recordings:
            self.accepted[line["from"]] += 1
            self.early.append((line["marker"], line["from"]))
            return
        super().apply(line)
        if line["event"] == "record":
            early = {sender for snapshot, sender in self.early if snapshot == line["snapshot"]}
            self.recordings[line["snapshot"]].closed |= early

    def put_markers(self) -> None:
        """They are out."""

    def idle(self) -> None:
        """Record, sooner or later."""
        begun = {line["marker"] for lines in self.sent.values() for line in lines if "marker" in line}
        for snapshot in begun - self.recordings.keys():
            if random.random() < 0.2:
                self.do({"event": "record", "snapshot": snapshot})


class MissingMarker(Branch):
    """Forgets one channel: the first branch never puts a marker on its first output."""

    def owes(self, other: str, snapshot: int) -> bool:
        """Not on that channel."""
        forgotten = self.name < min(self.others) and other == min(self.others)
        return not forgotten and super().owes(other, snapshot)


class NoChannelState(Branch):
    """Forgets the channels: only the balances are recorded."""

    def keep(self, sender: str, message: int) -> None:
        """Nothing."""


class KeepRecording(Branch):
    """Forgets "along c": a channel is recorded until all markers came, not only its own."""

    def keep(self, sender: str, message: int) -> None:
        """Record until the whole recording is done."""
        for recording in self.recordings.values():
            if not recording.done:
                recording.channels[sender].append(message)


class DuplicateLog(Branch):
    """Forgets that each message is received once: what is logged at two places is recorded twice."""

    def keep(self, sender: str, message: int) -> None:
        """Record it, and once more."""
        super().keep(sender, message)
        super().keep(sender, message)


class Overwrite(Branch):
    """Forgets that a channel is closed: a second marker loses its record. Markers are doubled here, as if resent."""

    def begin(self, snapshot: int) -> None:
        """Record, and put each marker twice."""
        if snapshot not in self.recordings:
            self.do({"event": "record", "snapshot": snapshot})
            for other in self.others:
                for _ in range(2):
                    self.do({"event": "send", "to": other, "marker": snapshot})

    def apply(self, line: Line) -> None:
        """A marker on a closed channel records what came since the first one, which is nothing."""
        if line["event"] == "accept" and "marker" in line:
            recording = self.recordings[line["marker"]]
            if line["from"] in recording.closed:
                recording.channels[line["from"]] = []
        super().apply(line)


MUTANTS: dict[str, type[Branch]] = {
    "late-marker": LateMarker,
    "lazy-marker": LazyMarker,
    "late-record": LateRecord,
    "missing-marker": MissingMarker,
    "no-channel-state": NoChannelState,
    "keep-recording": KeepRecording,
    "overwrite": Overwrite,
    "duplicate-log": DuplicateLog,
    "early-complete": Branch,
}
CONTROLS = ("lazy-marker",)
"""Changed, and right all the same."""
