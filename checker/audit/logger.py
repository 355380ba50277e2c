"""A small logger for one's own code: each call writes one line that `redwhite audit` reads. Standard library only.

    from checker.audit import Log

    log = Log("N1.jsonl", machine="N1", state=10)
    log.send("N2", 3, state=7)              # just before or after the message is handed to the network
    log.accept("N2", 1, state=8)
    log.record(0)                           # the machine's state is recorded here, for snapshot 0
    log.send_marker("N2", 0)
    log.snapshot(0, {"N1": 8, "N2": 5}, {"N1>N2": [3]})     # whoever announces it

Calls come from any thread or task: each is one write of one whole line at the end of the file, so that several
processes may share a file too, and a process that is killed leaves whole lines behind. What the log cannot know is the
order of two actions of one machine that its own code does not order: make the call where the action is made, under the
same lock, or with no `await` between.
"""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

UNCHANGED: Any = object()
"""No state is given: it is as it was. (None is a state like any other.)"""


class Log:
    """A log that one machine, or who announces snapshots, writes; lines are added to what the file has.

    Values are whatever JSON can say; another value raises TypeError, and nothing is written.
    """

    def __init__(
        self, path: str | Path, machine: str | None = None, run: str | None = None, state: Any = UNCHANGED
    ) -> None:
        """Open the file; with `state`, the machine starts in that state."""
        self.machine = machine
        self._common = {"run": run} if run is not None else {}
        self._lock = threading.Lock()
        self._file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
        if state is not UNCHANGED:
            self.start(state)

    def start(self, state: Any) -> None:
        """The machine begins in this state."""
        self._event("start", state)

    def step(self, state: Any) -> None:
        """A local action that changes the state."""
        self._event("step", state)

    def send(
        self, to: str, message: Any, *, state: Any = UNCHANGED, id: Any = None, channel: str | None = None
    ) -> None:
        """A message is sent; `id` pairs it with its accept unless that is the k-th, `channel` names a parallel one."""
        self._event("send", state, to=to, message=message, **_given(id=id, channel=channel))

    def accept(
        self, sender: str, message: Any, *, state: Any = UNCHANGED, id: Any = None, channel: str | None = None
    ) -> None:
        """A message is accepted; `state` is the state after it."""
        self._event("accept", state, **{"from": sender}, message=message, **_given(id=id, channel=channel))

    def send_marker(self, to: str, snapshot: Any, *, channel: str | None = None) -> None:
        """A snapshot's marker is sent."""
        self._event("send", to=to, marker=snapshot, **_given(channel=channel))

    def accept_marker(self, sender: str, snapshot: Any, *, channel: str | None = None) -> None:
        """A snapshot's marker is accepted."""
        self._event("accept", **{"from": sender}, marker=snapshot, **_given(channel=channel))

    def record(self, snapshot: Any) -> None:
        """The machine records its state for the snapshot, here."""
        self._event("record", snapshot=snapshot)

    def snapshot(self, snapshot: Any, states: Mapping[str, Any], channels: Mapping[str, Sequence[Any]]) -> None:
        """A snapshot is announced: each machine's state, and the contents of channels by names like "N1>N2".

        Channels left out are announced empty; one that has parallels is called "N1>N2#its name".
        """
        contents = {name: list(content) for name, content in channels.items()}
        self.write(
            {**self._common, "event": "snapshot", "snapshot": snapshot, "states": dict(states), "channels": contents}
        )

    def write(self, line: Mapping[str, Any]) -> None:
        """One line, as it is."""
        left = memoryview(f"{json.dumps(line)}\n".encode())
        with self._lock:
            while left:
                left = left[os.write(self._file, left) :]

    def close(self) -> None:
        """Close the file; what was written is in it already."""
        with self._lock:
            if self._file >= 0:
                os.close(self._file)
                self._file = -1

    def __enter__(self) -> Log:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _event(self, event: str, state: Any = UNCHANGED, **said: Any) -> None:
        if self.machine is None:
            raise ValueError("this log has no machine: it can announce snapshots only")
        line = {**self._common, "machine": self.machine, "event": event, **said}
        self.write(line if state is UNCHANGED else {**line, "state": state})


def _given(**options: Any) -> dict[str, Any]:
    return {name: value for name, value in options.items() if value is not None}
