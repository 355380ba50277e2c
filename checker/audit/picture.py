"""The part of a history around a cut as a space-time diagram: what `checker.draw` lays out for runs of a system.

Nothing of it is replayed, since what a real system did need not be a run of any protocol: the logged events, messages
and recordings are put in the place of those that a replay would have found.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from checker.audit.events import ACCEPT, RECORD, START, Channel, Event
from checker.audit.history import History, Point
from checker.audit.judging import ELSEWHERE, Judgement
from checker.audit.order import ordered, senders
from checker.audit.reasons import lacking
from checker.draw.layout import Diagram
from checker.draw.shapes import Cut as CutLine
from checker.draw.shapes import Layout
from checker.draw.svg import drawn
from checker.report.lifelines import Follower, Lifeline
from checker.report.names import printable
from checker.report.run import Recording, Run
from model import action
from model.assumptions import Assumptions
from model.programs.free import Free
from model.protocol import NoSnapshot
from model.system import System
from model.topology import Topology
from model.trace import Trace

WIDEST, TALLEST = 44, 12
"""The most events and machines in one picture."""


@dataclass(frozen=True, slots=True)
class Sent:
    """A message or marker: its send and its accept, None where the log has none."""

    channel: Channel
    send: Point | None
    accept: Point | None
    event: Event


def svg(judgement: Judgement, why: Sequence[str]) -> str:
    """The diagram as an SVG document, captioned with the first of the sentences."""
    name = f"run {judgement.history.run}, " if judgement.history.run else ""
    title = printable(f"{name}snapshot {judgement.snapshot}: {judgement.verdict}")
    captions = [f"{title}. {why[0]}", *why[1:]] if why else [title]
    return drawn(LogDiagram(LoggedRun(judgement), [*captions, "Numbers under the lanes are lines of the log."]).made())


class LoggedRun(Run):
    """The events around a judgement's cut in the place of a replayed run; `lines` are theirs, `offending` lifelines."""

    def __init__(self, judgement: Judgement) -> None:
        history, self.cut_marked, self.judgement = judgement.history, judgement.marked, judgement
        messages = _messages(history, judgement.snapshot)
        points = _window(judgement, messages)
        number = {point: index for index, point in enumerate(points)}
        names = sorted({machine for machine, _ in points} | set(list(history.machines)[:1]))
        index = {name: number for number, name in enumerate(names)}
        shown = [m for m in messages if {m.channel.source, m.channel.destination} <= index.keys()]
        shown = [m for m in shown if m.send in number or m.accept in number]
        channels = list(dict.fromkeys(m.channel for m in shown))
        topology = Topology(
            len(names), tuple((index[c.source], index[c.destination]) for c in channels), labels=tuple(names)
        )
        program = Free(topology)
        self.system = System(topology, program, NoSnapshot(topology, program, ()), Assumptions())
        self.snapshot, self.start_event, self.sss, self.states = 0, None, None, []
        events = tuple(self._event(point, index[point[0]]) for point in points)
        self.trace = Trace(self.system, next(iter(self.system.initial_states())), events)
        self.lifelines = tuple(self._lifeline(m, channels.index(m.channel), number) for m in shown)
        self.follower = Follower(Trace(self.system, self.trace.initial, ()))
        for lifeline, found in enumerate(self.lifelines):
            if found.accepted is None:
                self.follower.waiting[found.channel].append((found.message, lifeline))
        self.lines = [history.at(point).place.line for point in points]
        self.recorded = [self._recording(name, self.cut_marked.get(name), number) for name in names]
        self.elsewhere = [self._recording(m, (judgement.matching or {}).get(m), number) for m in names]
        bad = _offending(judgement)
        self.offending = frozenset(
            lifeline for lifeline, m in enumerate(shown) if bad & {id(history.at(p)) for p in _ends(m)}
        )
        self._crossing = [
            j for j, m in enumerate(shown) if not self.lifelines[j].message.control and _crosses(judgement, m)
        ]

    def crossing(self, channel: int | None = None) -> list[int]:
        """The messages in their channels at the cut."""
        return self._crossing

    def _event(self, point: Point, machine: int) -> action.Event:
        event = self.judgement.history.at(point)
        name = "step" if event.kind in (START, RECORD) or event.channel is None else event.kind
        own = action.Action(name, None) if event.snapshot is None else None
        turns = point == _turning(self.judgement.history, point[0], self.cut_marked.get(point[0]))
        step = action.Step(name, None, None, action=own, turns=int(turns))
        local = action.Local(None)
        return action.Event(
            machine, event.text, (action.Move(machine, local, local, (), (), step, int(_red(self.judgement, point))),)
        )

    def _lifeline(self, m: Sent, channel: int, number: dict[Point, int]) -> Lifeline:
        marker = m.event.message is None
        red = int(m.send is not None and _red(self.judgement, m.send))
        message = action.Message(m.event.message, f"marker {m.event.snapshot}" if marker else None, marker, red)
        sent = None if m.send is None else number.get(m.send)
        return Lifeline(channel, message, sent, None if m.accept is None else number.get(m.accept))

    def _recording(self, machine: str, position: int | None, number: dict[Point, int]) -> Recording | None:
        """Beside the last event shown before the position, or before the first one after it."""
        if position is None:
            return None
        turning = _turning(self.judgement.history, machine, position)
        index = self.system.topology.labels.index(machine)
        if turning in number:
            return Recording(index, number[turning], True)
        before = [n for (m, p), n in number.items() if m == machine and p < position]
        after = [n for (m, p), n in number.items() if m == machine and p >= position]
        if before:
            return Recording(index, max(before), False)
        return Recording(index, min(after), True) if after else Recording(index, 0, True)


def _turning(history: History, machine: str, position: int | None) -> Point | None:
    """The event in which a machine that records at the position does so: its `record`, or the marker it accepts."""
    events = history.machines[machine]
    if position is None:
        return None
    if position and events[position - 1].kind == RECORD:
        return machine, position - 1
    marker = position < len(events) and events[position].kind == ACCEPT and events[position].snapshot is not None
    return (machine, position) if marker else None


def _messages(history: History, snapshot: str) -> list[Sent]:
    """The messages, and the markers of this snapshot."""
    send_of = senders(history)
    accept_of = {send: accept for accept, send in send_of.items()}
    found = []
    for machine, events in history.machines.items():
        for position, event in enumerate(events):
            if event.channel is None or event.snapshot not in (None, snapshot):
                continue
            point = machine, position
            if event.kind != ACCEPT:
                found.append(Sent(event.channel, point, accept_of.get(point), event))
            elif point not in send_of:
                found.append(Sent(event.channel, None, point, event))
    return found


def _ends(message: Sent) -> list[Point]:
    return [point for point in (message.send, message.accept) if point is not None]


def _offending(judgement: Judgement) -> set[int]:
    """The identities of the accepts that are orphans and of the sends that the claim leaves out."""
    orphans = {id(orphan.accepted) for orphan in judgement.orphans}
    return orphans | {id(send) for wrong in judgement.channels for send in lacking(wrong)}


def _window(judgement: Judgement, messages: list[Sent]) -> list[Point]:
    """The events to show, in one order: all that concern the snapshot where there is room, else those that matter most.

    First come offending messages and where their machines recorded, then where others recorded, and the markers and
    the messages that cross the cut between the machines concerned; never one end of a message without the other.
    """
    history, bad = judgement.history, _offending(judgement)
    order = [
        point
        for point in ordered(history)
        if (event := history.at(point)).kind != START and event.snapshot in (None, judgement.snapshot)
    ]
    if len(order) <= WIDEST and len(history.machines) <= TALLEST:
        return order
    offending = [m for m in messages if bad & {id(history.at(p)) for p in _ends(m)}]
    concerned = {end for m in offending for end in m.channel[:2]} | {wrong.machine for wrong in judgement.states}
    concerned = concerned or set(list(history.machines)[:TALLEST])
    recorded = [_turning(history, machine, position) for machine, position in judgement.marked.items()]
    near = [m for m in messages if {m.channel.source, m.channel.destination} <= concerned]
    groups = [_ends(m) for m in offending]
    groups += [[point] for point in recorded if point is not None and point[0] in concerned]
    groups += [[point] for point in recorded if point is not None]
    groups += [_ends(m) for m in near if m.event.snapshot is not None]
    groups += [_ends(m) for m in near if m.event.snapshot is None and _crosses(judgement, m)]
    shown: set[Point] = set()
    machines: set[str] = set()
    for group in groups:
        others = machines | {machine for machine, _ in group}
        if len(shown.union(group)) <= WIDEST and len(others) <= TALLEST:
            shown.update(group)
            machines = others
    return [point for point in order if point in shown]


def _crosses(judgement: Judgement, message: Sent) -> bool:
    """Whether a message is in its channel at the cut marked."""
    if message.send is None or _red(judgement, message.send):
        return False
    return message.accept is None or _red(judgement, message.accept)


def _red(judgement: Judgement, point: Point) -> bool:
    """Whether an event comes after its machine recorded."""
    return point[1] >= judgement.marked.get(point[0], 1 << 62)


class LogDiagram(Diagram):
    """A diagram whose events are lines of a log."""

    def __init__(self, run: LoggedRun, captions: Sequence[str]) -> None:
        super().__init__(run, captions, run.offending, 600.0)
        self.logged = run

    def made(self) -> Layout:
        """The layout, with lines' numbers under the lanes."""
        layout = super().made()
        layout.ticks = [(line, x) for line, (_, x) in zip(self.logged.lines, layout.ticks, strict=True)]
        return layout

    def _cuts(self) -> list[CutLine]:
        """The cut marked where every machine shown recorded; and, of a snapshot found elsewhere, the one that it is."""
        cuts = []
        for recorded, name in ((self.run.recorded, "cut marked"), (self.logged.elsewhere, "cut claimed")):
            main = recorded is self.run.recorded
            if all(recorded) and (main or self.logged.judgement.verdict == ELSEWHERE):
                points = tuple((self._across(found), self.y(m)) for m, found in enumerate(recorded))
                cuts.append(CutLine(points, self._pieces(points), main, name))
        return cuts

    def _across(self, found: Recording | None) -> float:
        assert found is not None
        at = self.run.trace.events[found.event].moves[0] if self.run.trace.events else None
        upon = at is not None and at.machine == found.machine and at.step.turns
        return self.beside(found.event, bool(upon) or found.before)

    def _recorded(self) -> list[str]:
        """What each machine's state was where it recorded, and what is claimed."""
        judgement, lines = self.logged.judgement, []
        for machine in self.names:
            position = judgement.marked.get(machine)
            held = None if position is None else judgement.history.states[machine][position]
            claimed = None if judgement.claim is None else judgement.claim.states.get(machine)
            lines.append(f"{machine} recorded nothing" if position is None else f"{machine} recorded {held or '?'}")
            if claimed is not None and claimed != held:
                lines[-1] += f", and {claimed} is claimed"
        return [printable(line) for line in lines]
