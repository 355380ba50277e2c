"""A trace as the log that a real system would have written of it, in the format that `redwhite audit` reads.

An action of several accepts and sends is as many lines, accepts first, the last with the state that the action leaves.
Messages have ids, so that the log says which accept is of which send whatever the channels' discipline. A message that
was doubled is accepted twice and sent once: in the log the second accept has no send.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from checker.export.clocks import unique
from checker.report.lifelines import Follower
from checker.report.names import machine_name
from checker.report.run import Run
from model.action import Message, Move
from model.trace import Counterexample, Trace
from model.values import Value, to_json

Line = dict[str, Any]


def log(found: Counterexample) -> str:
    """The content of the log, a JSON object a line."""
    return "".join(f"{json.dumps(line)}\n" for line in lines(found.trace))


def lines(trace: Trace, at_once: bool = False) -> Iterator[Line]:
    """The lines: each machine's start, the events, and each snapshot that is complete at the end, as it is then.

    at_once: snapshots are announced as soon as they are complete, as systems do.
    """
    return _Writer(trace, at_once).lines()


class _Writer:
    """The names of machines and channels, and which message is accepted and sent where."""

    def __init__(self, trace: Trace, at_once: bool) -> None:
        self.trace, self.system, self.at_once = trace, trace.system, at_once
        machines = range(self.system.topology.machines)
        self.names = unique([machine_name(self.system, machine) for machine in machines])
        self.follower = Follower(trace)
        self.states = trace.states()
        self.announced: set[int] = set()

    def lines(self) -> Iterator[Line]:
        for machine, local in enumerate(self.trace.initial.machines):
            state = to_json(self.system.program.record(machine, local.state))
            own = {"machine": self.names[machine], "event": "start", "state": state}
            outputs = [self._output(channel) for channel in self.system.topology.outputs[machine]]
            yield {**own, "to": outputs} if outputs else own
        for number, event in enumerate(self.trace.events):
            ended, begun = list(self.follower.taken[number]), list(self.follower.sent[number])
            for move in event.moves:
                yield from self._move(move, ended, begun)
            if self.at_once:
                yield from self._claims(number + 1)
        if not self.at_once:
            yield from self._claims(len(self.trace.events))

    def _claims(self, events: int) -> Iterator[Line]:
        """The snapshots that are complete after so many events and were not announced before."""
        state = self.states[events]
        for snapshot in range(self.system.protocol.snapshots):
            if snapshot not in self.announced and self.system.complete(state, snapshot):
                run = Run(Trace(self.system, self.trace.initial, self.trace.events[:events]), snapshot)
                if run.sss is not None:
                    self.announced.add(snapshot)
                    yield self._claim(run)

    def _move(self, move: Move, ended: list[int], begun: list[int]) -> Iterator[Line]:
        """One machine's lines in an event; takes its messages off the two lists."""
        own = {"machine": self.names[move.machine]}
        records = [
            {**own, "event": "record", "snapshot": number}
            for number in range(self.system.protocol.snapshots)
            if move.step.turns >> number & 1
        ]
        taken = [(c, 0, message, ended.pop(0)) for c, _, message in move.accepts]
        given = [(c, 1, message, begun.pop(0)) for c, message in move.sends]
        kinds = ("accept", "send")
        carried = [
            {**own, "event": kinds[one[1]], **self._carried(*one)} for one in taken + given if self._told(one[2])
        ]
        record = self.system.program.record
        before, after = (to_json(record(move.machine, local.state)) for local in (move.before, move.after))
        if before != after:
            carried = carried or [{**own, "event": "step"}]
            carried[-1]["state"] = after
        yield from records + carried if move.step.turns_first else carried + records

    def _told(self, message: Message) -> bool:
        """Whether the message has a line: a control message that names no snapshot has none where there are several."""
        return not message.control or self.system.protocol.snapshots == 1 or isinstance(message.tag, int)

    def _carried(self, channel: int, end: int, message: Message, lifeline: int) -> Line:
        """The other end of the channel, and the message, or the marker by its snapshot."""
        line = {("from", "to")[end]: self.names[self.system.channels[channel][end]]}
        name = self._parallel(channel)
        if name:
            line["channel"] = name
        if message.control:
            several = self.system.protocol.snapshots > 1
            return {**line, "marker": to_json(message.tag) if several else 0}
        original = self.follower.all[lifeline].original
        return {**line, "message": to_json(message.payload), "id": lifeline if original is None else original}

    def _parallel(self, channel: int) -> str:
        """What tells the channel from those beside it; nothing if it is alone."""
        ends = self.system.channels[channel]
        return str(channel) if self.system.channels.count(ends) > 1 else ""

    def _output(self, channel: int) -> str | list[str]:
        """The machine that the channel leads to, with its name if there are parallel ones."""
        name, parallel = self.names[self.system.channels[channel][1]], self._parallel(channel)
        return [name, parallel] if parallel else name

    def _claim(self, run: Run) -> Line:
        assert run.sss is not None
        states = dict(zip(self.names, map(to_json, run.sss.machines), strict=True))
        channels = {}
        for channel, content in enumerate(run.sss.channels):
            source, destination = (self.names[end] for end in self.system.channels[channel])
            number = self._parallel(channel)
            name = f"{source}>{destination}" + (f"#{number}" if number else "")
            channels[name] = to_json(self._as_sent(run, channel, content))
        return {"event": "snapshot", "snapshot": run.snapshot, "states": states, "channels": channels}

    def _as_sent(self, run: Run, channel: int, content: tuple[Value, ...]) -> tuple[Value, ...]:
        """The contents; of a channel without order in the order in which they were sent, as logs have them."""
        sent = run.cut.sent[channel]
        unordered = not self.system.assumptions.discipline.keeps_order
        return sent if unordered and self.system.normal(content) == self.system.normal(sent) else content
