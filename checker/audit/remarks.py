"""What a log shows amiss apart from its snapshots: events logged twice, messages that nobody sent, silent machines.

These are findings about the log or the system, and no errors: snapshots are judged all the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import pairwise

from checker.audit.events import ACCEPT, START, Event
from checker.audit.history import History
from checker.audit.reasons import Places
from checker.report.names import printable

Findings = dict[str, tuple[int, str]]
"""What was found, by what it is: how often, and where first."""


def findings(history: History, places: Places) -> Findings:
    """What one run shows amiss."""
    found: Findings = {}
    for words, find in KINDS.items():
        told = list(find(history, places))
        if told:
            found[words] = len(told), printable(told[0])
    return found


def together(all_findings: Iterable[Findings]) -> Findings:
    """The findings of several runs, in their order."""
    found: Findings = {}
    for own in all_findings:
        for words, (number, first) in own.items():
            before, earliest = found.get(words, (0, first))
            found[words] = before + number, earliest
    return found


def remarks(found: Findings) -> list[str]:
    """A sentence for each kind of finding."""
    return [f"{found[words][0]} {words}; first: {found[words][1]}." for words in KINDS if words in found]


def _repeated(history: History, places: Places) -> Iterable[str]:
    return (places(event) for event in history.repeated)


def _logged_twice(history: History, places: Places) -> Iterable[str]:
    return (f"{places(event)}: {event.text}" for event in _doubled(history))


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


KINDS: dict[str, Callable[[History, Places], Iterable[str]]] = {
    "accepts repeated the line before them and counted once (--once)": _repeated,
    "accepts repeat the line before them, where more is accepted than sent: logged twice? (--once)": _logged_twice,
    "accepts are of messages that no line sends": _unsent,
    "accepts are not of the message that FIFO has due, or it was changed on its way": _other_order,
    "messages are never accepted: lost, or on their way where the log ends": _never_accepted,
    "machines have no line of their own": _silent,
    "machines start again in the middle of their log": _restarted,
    "snapshots are claimed more than once": _claimed_again,
    "machines have lines in several files, read in the order of the files' names": _scattered,
}
