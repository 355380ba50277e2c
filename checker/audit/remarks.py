"""What a log shows amiss apart from its snapshots: events logged twice, messages that nobody sent, silent machines.

These are findings about the log or the system, and no errors: snapshots are judged all the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from checker.audit.events import ACCEPT, START, Event
from checker.audit.history import History
from checker.audit.reasons import Places
from checker.report.names import printable


def remarks(histories: Sequence[History], places: Places, once: bool) -> list[str]:
    """A sentence for each kind of finding: how often, and where first."""
    kinds = (
        (_unsent, "accepts are of messages that no line sends"),
        (_other_order, "accepts are not of the message that FIFO has due, or it was changed on its way"),
        (_never_accepted, "messages are never accepted: lost, or on their way where the log ends"),
        (_silent, "machines have no line of their own"),
        (_restarted, "machines start again in the middle of their log"),
        (_claimed_again, "snapshots are claimed more than once"),
        (_scattered, "machines have lines in several files, read in the order of the files' names"),
    )
    told = []
    for find, words in kinds:
        found = [where for history in histories for where in find(history, places)]
        if found:
            told.append(f"{len(found)} {words}; first: {printable(found[0])}.")
    return _repeated(histories, places, once) + told


def _repeated(histories: Sequence[History], places: Places, once: bool) -> list[str]:
    dropped = sum(history.repeated for history in histories)
    if once:
        return [f"{dropped} accepts repeated the line before them and count once (--once)."] if dropped else []
    found = [event for history in histories for event in _doubled(history)]
    if not found:
        return []
    first = printable(f"{places(found[0])}: {found[0].text}")
    words = f"{len(found)} accepts repeat the line before them on channels with more accepts than sends"
    return [f"{words}: logged twice? With --once each counts once. First: {first}"]


def _doubled(history: History) -> Iterator[Event]:
    excess = {c for c, traffic in history.traffic.items() if len(traffic.accepts) > len(traffic.sends)}
    for events in history.machines.values():
        for before, event in pairwise(events):
            if event.kind == ACCEPT and event.channel in excess and before.said == event.said:
                yield event


def _unsent(history: History, places: Places) -> Iterable[str]:
    for channel, traffic in history.traffic.items():
        for position, send in zip(traffic.accepts, traffic.sender, strict=True):
            if send is None:
                event = history.machines[channel.destination][position]
                yield f"{event.message} on {channel} ({places(event)})"


def _other_order(history: History, places: Places) -> Iterable[str]:
    for channel, traffic in history.traffic.items():
        for position, send in zip(traffic.accepts, traffic.sender, strict=True):
            if send is not None:
                sent = history.machines[channel.source][traffic.sends[send]]
                event = history.machines[channel.destination][position]
                if sent.message != event.message:
                    yield f"{event.message} on {channel} ({places(event)}) where {sent.message} ({places(sent)}) is due"


def _never_accepted(history: History, places: Places) -> Iterable[str]:
    for channel, traffic in history.traffic.items():
        for position, accept in zip(traffic.sends, traffic.accepter, strict=True):
            if accept is None:
                event = history.machines[channel.source][position]
                yield f"{event.message} on {channel} ({places(event)})"


def _silent(history: History, places: Places) -> Iterable[str]:
    return (machine for machine, events in history.machines.items() if not events)


def _restarted(history: History, places: Places) -> Iterable[str]:
    for machine, events in history.machines.items():
        yield from (f"{machine} ({places(event)})" for event in events[1:] if event.kind == START)


def _claimed_again(history: History, places: Places) -> Iterable[str]:
    seen: set[str] = set()
    for claim in history.claims:
        if claim.snapshot in seen:
            yield f"{claim.snapshot} ({places(claim)})"
        seen.add(claim.snapshot)


def _scattered(history: History, places: Places) -> Iterable[str]:
    for machine, events in history.machines.items():
        if len({event.place.file for event in events}) > 1:
            yield machine
