"""Why a claimed snapshot is not the cut that the log marks, in sentences, each with the lines that show it."""

from __future__ import annotations

from collections.abc import Collection
from os.path import commonpath, relpath
from pathlib import Path
from typing import Protocol

from checker.audit.events import Event, Place
from checker.audit.history import Cut, History
from checker.audit.judging import ELSEWHERE, IMPOSSIBLE, Judgement, Orphan, WrongChannel, WrongState
from checker.report.names import listed, printable

MOST = 3
"""How many differences of a kind are told in full."""


class Placed(Protocol):
    """What stands at a line."""

    @property
    def place(self) -> Place:
        """Which line."""


class Places:
    """How lines are called: by number, and by file where there are several, from the folder on that has them all."""

    def __init__(self, files: Collection[str]) -> None:
        self.several = len(files) > 1
        self.folder = commonpath([str(Path(file).parent) for file in files]) if self.several else ""

    def __call__(self, line: Placed) -> str:
        """The line's name."""
        if not self.several:
            return f"line {line.place.line}"
        return f"{relpath(line.place.file, self.folder or '.')}:{line.place.line}"

    def position(self, history: History, machine: str, position: int) -> str:
        """A position in a machine's log."""
        events = history.machines[machine]
        return f"after {self(events[position - 1])}" if position else "before its first line"


def why(judgement: Judgement, places: Places) -> list[str]:
    """Sentences, the first one fit for a caption; none for a consistent snapshot."""
    told: list[str] = []
    told += _few([_orphan(judgement, orphan, places) for orphan in judgement.orphans])
    told += _few([_channel(judgement, wrong, places) for wrong in judgement.channels])
    told += _few([_state(judgement, wrong, places) for wrong in judgement.states])
    told += _absent(judgement, places)
    if judgement.verdict == ELSEWHERE and judgement.matching is not None:
        told.append(f"It is a consistent cut elsewhere in the log: {cut_words(judgement, judgement.matching, places)}.")
    if judgement.verdict == IMPOSSIBLE:
        told.append("No consistent cut of the log has these states and contents.")
    elif judgement.verdict != ELSEWHERE and judgement.matching is not None:
        told.append("Whether it is a consistent cut cannot be told: the log does not say all states.")
    return [printable(sentence) for sentence in told]


def cut_words(judgement: Judgement, cut: Cut, places: Places) -> str:
    """A cut: how far each machine is."""
    return listed([f"{m} {places.position(judgement.history, m, p)}" for m, p in sorted(cut.items())])


def _few(sentences: list[str]) -> list[str]:
    rest = len(sentences) - MOST
    return sentences if rest <= 0 else [*sentences[:MOST], f"And {rest} more like this."]


def _orphan(judgement: Judgement, orphan: Orphan, places: Places) -> str:
    channel, accepted = orphan.channel, orphan.accepted
    start = f"{channel.destination} accepted {accepted.message} from {channel.source} ({places(accepted)}) before it"
    if orphan.sent is None:
        return f"{start} recorded, and no line sends it."
    recorded = _recorded(judgement, channel.source, places)
    return f"{start} recorded, but it was sent ({places(orphan.sent)}) after {channel.source} had {recorded}."


def _recorded(judgement: Judgement, machine: str, places: Places) -> str:
    """Where a machine recorded: its `record` or marker is the event at that position or the one before it."""
    events, position = judgement.history.machines[machine], judgement.marked[machine]
    at = events[position - 1] if position and events[position - 1].kind == "record" else None
    at = at or (events[position] if position < len(events) else None)
    return "recorded" if at is None else f"recorded ({places(at)})"


def _channel(judgement: Judgement, wrong: WrongChannel, places: Places) -> str:
    claimed = _contents(wrong.claimed)
    if isinstance(wrong.channel, str):
        return f"{wrong.channel} is claimed to hold {claimed}, and the log has no such channel."
    held = tuple(str(send.message) for send in wrong.held)
    start = f"{wrong.channel} held {_contents(held)} at the cut, and {claimed} is claimed"
    left_out = lacking(wrong)
    if not left_out:
        return f"{start}."
    history = judgement.history
    told = []
    for send in left_out[:MOST]:
        accept = history.accept_of(wrong.channel, send)
        ended = f"accepted on {places(accept)}" if accept is not None else "not accepted in the log"
        told.append(f"{send.message} (sent on {places(send)}, {ended})")
    return f"{start}: missing is {listed(told)}."


def lacking(wrong: WrongChannel) -> list[Event]:
    """The sends that the claim leaves out, where it has all the others in order."""
    claimed, left_out = list(wrong.claimed), []
    for send in wrong.held:
        if claimed and claimed[0] == send.message:
            claimed.pop(0)
        else:
            left_out.append(send)
    return [] if claimed else left_out


def _contents(content: tuple[str, ...]) -> str:
    return f"[{', '.join(content)}]"


def _state(judgement: Judgement, wrong: WrongState, places: Places) -> str:
    if wrong.machine not in judgement.history.machines:
        return f"{wrong.machine} is claimed to be in state {wrong.claimed}, and no line of the log is about it."
    recorded = _recorded(judgement, wrong.machine, places)
    held = "in a state that the log does not say" if wrong.held is None else f"in state {wrong.held}"
    start = f"{wrong.machine} was {held} where it {recorded}, and {wrong.claimed} is claimed"
    if not wrong.seen:
        return f"{start}: it is never in that state."
    since = "at the start" if wrong.after is None else f"after {places(wrong.after)}"
    return f"{start}: it is in that state first {since}."


def _absent(judgement: Judgement, places: Places) -> list[str]:
    """Who recorded nothing, whose state is not claimed, or that nothing was claimed."""
    told = []
    if judgement.missing:
        told.append(f"The claim lacks the state of {listed(list(judgement.missing)[:10])}.")
    if judgement.claim is None:
        lines = [judgement.history.machines[m][max(p - 1, 0)] for m, p in judgement.marked.items()]
        begun = f" ({places(min(lines, key=lambda line: line.place[::-1]))})" if lines else ""
        told.append(f"It began{begun}, and no line claims what it is.")
    if judgement.unmarked:
        names = listed(list(judgement.unmarked)[:10])
        told.append(f"The log does not say where {names} recorded.")
    return told
