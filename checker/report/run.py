"""A trace seen as a run with a snapshot: where each machine recorded, which messages cross the cut, S0, SSS and S1."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from checker.report.claims import claim
from checker.report.lifelines import Follower, Lifeline
from checker.report.names import machine_name
from model.action import Move
from model.cut import Cut, cuts_of
from model.program import Underlying
from model.property import CompletedSnapshot, ReachabilityOracle
from model.system import State, System
from model.trace import Counterexample, Trace
from model.values import to_json


@dataclass(frozen=True, slots=True)
class Recording:
    """Where a machine recorded its state: in event number `event`; `before`: ahead of what else the event does."""

    machine: int
    event: int
    before: bool


class Run:
    """One snapshot of a trace; `recorded[m]` is None for a machine that has not recorded, `sss` for an unfinished one.

    events are numbered from 0 here; what people read counts actions from 1.
    """

    def __init__(self, trace: Trace, snapshot: int = 0) -> None:
        self.trace = trace
        self.system: System = trace.system
        self.snapshot = snapshot
        self.states: list[State] = trace.states()
        self.follower = Follower(trace)
        self.lifelines: tuple[Lifeline, ...] = self.follower.found()
        self.recorded: list[Recording | None] = [None] * self.system.topology.machines
        self.start_event: int | None = None
        for number, event in enumerate(trace.events):
            for move in event.moves:
                if move.step.turns >> snapshot & 1:
                    self.recorded[move.machine] = Recording(move.machine, number, move.step.turns_first)
                    if self.start_event is None:
                        self.start_event = number
        self.cuts: tuple[Cut, ...] = cuts_of(self.system, snapshot, self.states, trace.events)
        self.cut: Cut = self.cuts[0]
        end = self.states[-1]
        complete = self.cut.start is not None and self.system.complete(end, snapshot)
        self.sss: Underlying | None = self.system.recorded(end, snapshot) if complete else None
        self.end: Underlying = self.system.project(end)

    def sender(self, lifeline: Lifeline) -> Move | None:
        """The move that sent the message; None if it was there at the start."""
        if lifeline.sent is None:
            return None
        source = self.system.channels[lifeline.channel][0]
        return self._move(lifeline.sent, source)

    def accepter(self, lifeline: Lifeline) -> Move | None:
        """The move that accepted the message, if any did."""
        if lifeline.accepted is None:
            return None
        return self._move(lifeline.accepted, self.system.channels[lifeline.channel][1])

    def _move(self, number: int, machine: int) -> Move:
        return next(move for move in self.trace.events[number].moves if move.machine == machine)

    def is_red(self, move: Move | None) -> bool:
        """Whether the action was red for this snapshot; what was there at the start is white."""
        return move is not None and bool(move.acting >> self.snapshot & 1)

    def backward(self) -> list[int]:
        """The lifelines of red messages accepted in white actions: they cross the cut backwards."""
        return [
            number
            for number, lifeline in enumerate(self.lifelines)
            if not lifeline.message.control
            and lifeline.message.red >> self.snapshot & 1
            and lifeline.accepted is not None
            and not self.is_red(self.accepter(lifeline))
        ]

    def crossing(self, channel: int | None = None) -> list[int]:
        """The lifelines of white messages that no white action accepted: they are in transit at the cut."""
        return [
            number
            for number, lifeline in enumerate(self.lifelines)
            if channel in (None, lifeline.channel)
            and not lifeline.message.control
            and not lifeline.message.red >> self.snapshot & 1
            and (lifeline.accepted is None or self.is_red(self.accepter(lifeline)))
        ]

    def late(self, channel: int) -> list[int]:
        """The lifelines of red messages accepted in red actions: sent after the cut, no part of the channel there."""
        return [
            number
            for number, lifeline in enumerate(self.lifelines)
            if lifeline.channel == channel
            and not lifeline.message.control
            and lifeline.message.red >> self.snapshot & 1
            and self.is_red(self.accepter(lifeline))
        ]

    def journey_json(self, number: int) -> dict[str, Any]:
        """A message's way as JSON data; `lifeline` is its number in `checker.report.lifelines.lifelines`."""
        lifeline = self.lifelines[number]
        source, destination = self.system.channels[lifeline.channel]
        message = lifeline.message
        return {
            "lifeline": number,
            "channel": lifeline.channel,
            "from": machine_name(self.system, source),
            "to": machine_name(self.system, destination),
            "payload": to_json(message.tag if message.control else message.payload),
            "control": message.control,
            "sent": self._end_json(lifeline.sent, source, self.is_red(self.sender(lifeline))),
            "accepted": self._end_json(lifeline.accepted, destination, self.is_red(self.accepter(lifeline))),
            "lost": None if lifeline.lost is None else lifeline.lost + 1,
            "copied": None if lifeline.copied is None else lifeline.copied + 1,
        }

    def _end_json(self, event: int | None, machine: int, red: bool) -> dict[str, Any] | None:
        if event is None:
            return None
        return {"action": event + 1, "machine": machine, "colour": "red" if red else "white"}

    def cut_json(self) -> list[dict[str, Any]]:
        """Where the cut goes: per machine the action in which it recorded, and whether ahead of what else that does."""
        return [
            {
                "machine": machine,
                "label": machine_name(self.system, machine),
                "action": None if found is None else found.event + 1,
                "before": None if found is None else found.before,
            }
            for machine, found in enumerate(self.recorded)
        ]


def judged_run(counterexample: Counterexample) -> Run:
    """The run for the snapshot that the counterexample is about, where several are in progress at once."""
    trace = counterexample.trace
    runs = [Run(trace, number) for number in range(max(1, trace.system.protocol.snapshots))]
    if len(runs) == len(runs[0].cuts) == 1:
        return runs[0]
    return next((run for run in runs if _breaks(run, counterexample)), runs[0])


def _breaks(run: Run, counterexample: Counterexample) -> bool:
    judged = claim(counterexample)
    if run.sss is None or judged is None or not judged.over_snapshots:
        return False
    wanted = counterexample.explanation.get("SSS")
    if wanted is not None:
        return bool(wanted in (to_json(run.sss), to_json(_normal(run))))
    if judged.on_recorded is not None and judged.on_recorded(run.system, run.snapshot, run.sss) is not None:
        return True
    for cut in run.cuts if judged.on_completed is not None else ():
        taken = CompletedSnapshot(run.sss, cut, run.end, ReachabilityOracle())
        if judged.on_completed is not None and judged.on_completed(run.system, run.snapshot, taken) is not None:
            run.cut = cut
            return True
    return False


def _normal(run: Run) -> Underlying:
    assert run.sss is not None
    return run.sss._replace(channels=tuple(map(run.system.normal, run.sss.channels)))
