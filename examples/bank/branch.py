"""One branch of a bank: transfers, and the marker algorithm over them, as a function of the lines of its log.

Whatever a branch does is a line that is first logged and then applied; so a branch that was killed is again what it was
once its own log has been applied. A message or marker is sent when it is logged: the network delivers each channel's
lines in their order, from wherever it had come to (see `machine.py`).
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from redwhite import Log

Line = dict[str, Any]


class Recording:
    """What a branch records for one snapshot: its balance, and each input channel until it is closed."""

    def __init__(self, state: int, inputs: list[str]) -> None:
        self.state = state
        self.channels: dict[str, list[int]] = {sender: [] for sender in inputs}
        self.closed: set[str] = set()

    @property
    def done(self) -> bool:
        """Whether all channels are closed."""
        return self.closed == self.channels.keys()


class Branch:
    """A branch and all that it knows: its balance, what it sent on each channel, its recordings."""

    def __init__(self, name: str, others: list[str], balance: int, path: Path) -> None:
        self.name, self.others, self.balance = name, others, balance
        self.sent: dict[str, list[Line]] = {other: [] for other in others}
        self.accepted = dict.fromkeys(others, 0)
        self.marked: set[tuple[str, int]] = set()
        self.recordings: dict[int, Recording] = {}
        known = path.read_text().splitlines() if path.exists() else []
        self.log = Log(path, machine=name)
        for line in known:
            self.apply(json.loads(line))
        if not known:
            self.log.start(balance)

    def do(self, line: Line) -> None:
        """Log a line and apply it."""
        self.log.write({"machine": self.name, **line})
        self.apply(line)

    def apply(self, line: Line) -> None:
        """What the line does to the branch."""
        event = line["event"]
        if event == "send":
            self.sent[line["to"]].append(line)
            if "marker" in line:
                self.marked.add((line["to"], line["marker"]))
        elif event == "accept":
            self.accepted[line["from"]] += 1
            if "marker" in line:
                self.recordings[line["marker"]].closed.add(line["from"])
            else:
                self.keep(line["from"], line["message"])
        elif event == "record":
            self.recordings[line["snapshot"]] = Recording(self.balance, self.others)
        self.balance = line.get("state", self.balance)

    # The underlying computation.

    def transfer(self, to: str, amount: int) -> None:
        """Send some money, if there is as much."""
        if self.balance >= amount:
            self.do({"event": "send", "to": to, "message": amount, "state": self.balance - amount})

    def deliver(self, sender: str, frame: Line) -> None:
        """Accept the next message or marker of a channel."""
        if "marker" in frame:
            self.heed(sender, frame["marker"])
        else:
            state = self.balance + frame["message"]
            self.do({"event": "accept", "from": sender, "message": frame["message"], "state": state})

    # The marker algorithm (Chandy & Lamport 1985, section 3).

    def begin(self, snapshot: int) -> None:
        """Record the state and put a marker on each output, if that was not done yet."""
        if snapshot not in self.recordings:
            self.do({"event": "record", "snapshot": snapshot})
            self.put_markers()

    def heed(self, sender: str, snapshot: int) -> None:
        """Accept a marker: record on the first one; its channel is closed."""
        self.begin(snapshot)
        self.do({"event": "accept", "from": sender, "marker": snapshot})

    def put_markers(self) -> None:
        """Put the markers that are due: after a crash too, when some of a snapshot's may be missing."""
        for snapshot in self.recordings:
            for other in self.others:
                if self.owes(other, snapshot):
                    self.do({"event": "send", "to": other, "marker": snapshot})

    def owes(self, other: str, snapshot: int) -> bool:
        """Whether the snapshot's marker has not been put on a channel."""
        return (other, snapshot) not in self.marked

    def keep(self, sender: str, message: int) -> None:
        """Record a message wherever its channel is open."""
        for recording in self.recordings.values():
            if sender not in recording.closed:
                recording.channels[sender].append(message)

    def reports(self) -> list[Line]:
        """What it has recorded so far, for whoever announces snapshots."""
        return [
            {
                "snapshot": snapshot,
                "machine": self.name,
                "state": recording.state,
                "channels": {f"{sender}>{self.name}": content for sender, content in recording.channels.items()},
                "done": recording.done,
            }
            for snapshot, recording in self.recordings.items()
        ]

    def idle(self) -> None:
        """Now and then, between other things; for those that put off what they should do at once."""
