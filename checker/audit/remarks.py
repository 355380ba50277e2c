"""What a log shows amiss apart from its snapshots: events logged twice, messages that nobody sent, silent machines.

These are findings about the log or the system, and no errors: snapshots are judged all the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import pairwise

from checker.audit.events import ACCEPT, START, Claim, Event, natural
from checker.audit.history import History
from checker.audit.reasons import Places
from checker.report.names import printable

Findings = dict[str, tuple[int, str]]
"""What was found, by what it is: how often, and where first."""
Found = tuple[Event | Claim | str, Event | None]
"""A line or the name of a machine; and of an accept that is not of the message due, the send of that."""


def findings(history: History, places: Places) -> Findings:
    """What one run shows amiss."""
    found: Findings = {}
    for words, find in KINDS.items():
        told = sorted(find(history), key=_place)
        if told:
            found[words] = len(told), words_of(told[0], places)
    return found


def _place(found: Found) -> tuple[object, ...]:
    """By the line, or by the name."""
    line = found[0]
    return (natural(line),) if isinstance(line, str) else (natural(line.place.file), line.place.line)


def words_of(found: Found, places: Places) -> str:
    """What was found, and where."""
    line, sent = found
    if isinstance(line, str):
        return printable(line)
    if isinstance(line, Claim):
        return printable(f"{line.snapshot} ({places(line)})")
    if line.message is None or line.channel is None:
        return printable(f"{line.machine} ({places(line)})")
    what = f"{line.message} on {line.channel} ({places(line)})"
    return printable(what if sent is None else f"{what} where {sent.message} ({places(sent)}) is due")


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


def _repeated(history: History) -> Iterator[Found]:
    return ((event, None) for event in history.repeated)


def _logged_twice(history: History) -> Iterator[Found]:
    excess = {c for c, traffic in history.traffic.items() if len(traffic.accepts) > len(traffic.sends)}
    for events in history.machines.values():
        for before, event in pairwise(events):
            if event.kind == ACCEPT and event.channel in excess and before.said == event.said:
                yield event, None


def _pairs(history: History) -> Iterator[tuple[Event | None, Event | None]]:
    for channel in history.traffic:
        for send, accept in history.pairs(channel):
            yield send and history.at(send), accept and history.at(accept)


def _unsent(history: History) -> Iterator[Found]:
    return ((accept, None) for send, accept in _pairs(history) if accept is not None and send is None)


def _other_order(history: History) -> Iterator[Found]:
    pairs = ((send, accept) for send, accept in _pairs(history) if send is not None and accept is not None)
    return ((accept, send) for send, accept in pairs if send.message != accept.message)


def _never_accepted(history: History) -> Iterator[Found]:
    return ((send, None) for send, accept in _pairs(history) if send is not None and accept is None)


def _silent(history: History) -> Iterator[Found]:
    return ((machine, None) for machine, events in history.machines.items() if not events)


def _restarted(history: History) -> Iterator[Found]:
    for events in history.machines.values():
        yield from ((event, None) for event in events[1:] if event.kind == START)


def _claimed_again(history: History) -> Iterator[Found]:
    seen: set[str] = set()
    for claim in history.claims:
        if claim.snapshot in seen:
            yield claim, None
        seen.add(claim.snapshot)


def _scattered(history: History) -> Iterator[Found]:
    for machine, events in history.machines.items():
        if len({event.place.file for event in events}) > 1:
            yield machine, None


REPEATED = "accepts repeated the line before them and counted once (--once)"
DOUBLED = "accepts repeat the line before them, where more is accepted than sent: logged twice? (--once)"
UNSENT = "accepts are of messages that no line sends"
ORDER = "accepts are not of the message that FIFO has due, or it was changed on its way"
LOST = "messages are never accepted: lost, or on their way where the log ends"
SILENT = "machines have no line of their own"
RESTARTED = "machines start again in the middle of their log"
AGAIN = "snapshots are claimed more than once"
SCATTERED = "machines have lines in several files, read in the order of the files' names"
KINDS: dict[str, Callable[[History], Iterator[Found]]] = {
    REPEATED: _repeated,
    DOUBLED: _logged_twice,
    UNSENT: _unsent,
    ORDER: _other_order,
    LOST: _never_accepted,
    SILENT: _silent,
    RESTARTED: _restarted,
    AGAIN: _claimed_again,
    SCATTERED: _scattered,
}
