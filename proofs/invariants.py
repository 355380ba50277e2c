"""The invariants of theorems 6 and 7, named once: as predicates over a small view of any running state.

This module is plain Python over the standard library, so that an explorer can check every state it reaches against
what is proved for every number of machines. `proofs.marker_invariants` holds the same list, name by name, as z3
formulas; a test holds the two lists together and compares them on finite states.

A view keeps of a state what the theory speaks of: the colour of each machine, and of each channel the queue of items
in it, oldest first. What left the channel long ago appears only in the optional history, as three strings.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable
from dataclasses import dataclass

WHITE, MARKER, RED = "white", "marker", "red"


@dataclass(frozen=True, slots=True)
class History:
    """The messages of one channel, in order: sent by white actions, accepted by white actions, recorded."""

    sent_white: tuple[Hashable, ...]
    accepted_white: tuple[Hashable, ...]
    recorded: tuple[Hashable, ...]
    waiting_white: tuple[Hashable, ...]
    """The white messages that are still in the channel."""


@dataclass(frozen=True, slots=True)
class ChannelView:
    """One channel: its ends, the kinds of the items in it (oldest first), and what is known of its marker.

    `marked`: the source has put its marker on the channel; for `marker` that is as soon as the source is red, for
    `lazy-marker` it may be later. `closed`: the destination has accepted the marker, so the record is complete.
    """

    source: int
    destination: int
    queue: tuple[str, ...]
    marked: bool
    closed: bool
    history: History | None = None


@dataclass(frozen=True, slots=True)
class View:
    """A running state in the vocabulary of the theory: `red[m]` for each machine, and the channels."""

    red: tuple[bool, ...]
    channels: tuple[ChannelView, ...]


@dataclass(frozen=True, slots=True)
class Invariant:
    """A sentence about one channel that holds in every state of every run under the theorem's assumptions.

    `holds(view, channel)` judges it in a state; where `historical` is true it needs `channel.history`.
    """

    name: str
    theorem: int
    sentence: str
    holds: Callable[[View, ChannelView], bool]
    historical: bool = False


def _implies(premise: bool, conclusion: bool) -> bool:
    return conclusion or not premise


def _marker_ahead(channel: ChannelView) -> bool:
    """Each red message in the queue has a marker before it."""
    before = channel.queue[: channel.queue.index(RED)] if RED in channel.queue else (MARKER,)
    return MARKER in before


def _white_first(channel: ChannelView) -> bool:
    """No white message stands behind a marker."""
    return MARKER not in channel.queue or WHITE not in channel.queue[channel.queue.index(MARKER) :]


def _all_white(channel: ChannelView) -> bool:
    h = channel.history
    return h is None or not Counter(h.accepted_white) - Counter(h.sent_white)


def _none_but_early_left(channel: ChannelView) -> bool:
    """Every message sent white was accepted white, or still waits."""
    h = channel.history
    return h is None or not Counter(h.sent_white) - Counter(h.accepted_white + h.waiting_white)


def _partition(channel: ChannelView) -> bool:
    """Every message sent white but not accepted white is recorded or still waits; and nothing else is recorded."""
    h = channel.history
    return h is None or Counter(h.sent_white) - Counter(h.accepted_white) == Counter(h.recorded + h.waiting_white)


def _from_the_front(channel: ChannelView) -> bool:
    """What is recorded of what was sent white, and then what still waits, stands in the order in which it was sent."""
    h = channel.history
    if h is None:
        return True
    recorded = tuple(message for message in h.recorded if message in h.sent_white)
    sent = iter(h.sent_white)
    return all(any(message == other for other in sent) for message in recorded + h.waiting_white)


INVARIANTS: tuple[Invariant, ...] = (
    Invariant(
        "marker at once",
        6,
        "a red machine has put its marker on each of its output channels",
        lambda v, c: _implies(v.red[c.source], c.marked),
    ),
    Invariant(
        "marker on its way",
        6,
        "a channel on which the marker was put is closed, or a marker is in it",
        lambda v, c: _implies(c.marked, c.closed or MARKER in c.queue),
    ),
    Invariant(
        "marker ahead",
        6,
        "ahead of each red message in a channel there is a marker, unless the channel is closed",
        lambda v, c: c.closed or _marker_ahead(c),
    ),
    Invariant(
        "closed by the red",
        6,
        "only a red machine has closed an input channel",
        lambda v, c: _implies(c.closed, v.red[c.destination]),
    ),
    Invariant(
        "red from the red",
        7,
        "red messages come from red machines",
        lambda v, c: _implies(RED in c.queue, v.red[c.source]),
    ),
    Invariant(
        "white before red",
        7,
        "no white message stands behind a red one",
        lambda v, c: RED not in c.queue or WHITE not in c.queue[c.queue.index(RED) :],
    ),
    Invariant(
        "marked by the red",
        7,
        "only a red machine has put its marker on an output channel",
        lambda v, c: _implies(c.marked, v.red[c.source]),
    ),
    Invariant(
        "marker from the marked",
        7,
        "a marker is in a channel, or was accepted from it, only after it was put on it",
        lambda v, c: _implies(MARKER in c.queue or c.closed, c.marked),
    ),
    Invariant(
        "one marker",
        7,
        "each channel carries at most one marker",
        lambda v, c: c.queue.count(MARKER) <= 1,
    ),
    Invariant(
        "none once closed",
        7,
        "a closed channel carries no marker",
        lambda v, c: _implies(c.closed, MARKER not in c.queue),
    ),
    Invariant(
        "white before the marker",
        7,
        "no white message stands behind a marker",
        lambda v, c: _white_first(c),
    ),
    Invariant(
        "closed is flushed",
        7,
        "a closed channel carries no white message",
        lambda v, c: _implies(c.closed, WHITE not in c.queue),
    ),
    Invariant(
        "early is white",
        7,
        "what white actions accepted was sent by white actions",
        lambda v, c: _all_white(c),
        historical=True,
    ),
    Invariant(
        "white accepts early",
        7,
        "of what was sent white, a white machine has accepted by white actions all that has left its input channels",
        lambda v, c: v.red[c.destination] or _none_but_early_left(c),
        historical=True,
    ),
    Invariant(
        "recorded is the rest",
        7,
        "recorded are exactly the messages sent white that were accepted, but not by white actions",
        lambda v, c: _partition(c),
        historical=True,
    ),
    Invariant(
        "recorded from the front",
        7,
        "all messages sent white ahead of a recorded one have left the channel",
        lambda v, c: _from_the_front(c),
        historical=True,
    ),
    Invariant(
        "white records nothing",
        7,
        "nothing is recorded of the input channels of a white machine",
        lambda v, c: c.history is None or v.red[c.destination] or not c.history.recorded,
        historical=True,
    ),
)


def violations(view: View) -> tuple[tuple[str, int], ...]:
    """Name of the invariant and index of the channel, for every invariant that fails in the state."""
    return tuple(
        (invariant.name, index)
        for invariant in INVARIANTS
        for index, channel in enumerate(view.channels)
        if not invariant.holds(view, channel)
    )


def complete(view: View) -> bool:
    """The snapshot is complete: all machines are red and all channels are closed."""
    return all(view.red) and all(channel.closed for channel in view.channels)
