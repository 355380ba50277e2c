"""Each claimed snapshot of a history judged: consistent, elsewhere, impossible or incomplete, and wherein it differs.

The cut that the log marks is compared first; only a claim that is not that cut is looked for elsewhere.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from checker.audit.cuts import matching_cut
from checker.audit.events import Channel, Claim, Event
from checker.audit.history import Cut, History

CONSISTENT, ELSEWHERE, IMPOSSIBLE, INCOMPLETE = "consistent", "elsewhere", "impossible", "incomplete"
VERDICTS = (CONSISTENT, ELSEWHERE, IMPOSSIBLE, INCOMPLETE)


@dataclass(frozen=True, slots=True)
class Orphan:
    """An accept before the cut whose send is not before it; `sent` is None where no line sends it."""

    channel: Channel
    accepted: Event
    sent: Event | None


@dataclass(frozen=True, slots=True)
class WrongChannel:
    """A channel that should hold `held`, the messages of these sends; `channel` is a name where there is no such."""

    channel: Channel | str
    claimed: tuple[str, ...]
    held: tuple[Event, ...]


@dataclass(frozen=True, slots=True)
class WrongState:
    """A machine that was in state `held` where it recorded (None: the log does not say), and not in the one claimed.

    `seen`: whether it was ever in that one; `after`: the event after which it first was, None for the start.
    """

    machine: str
    claimed: str
    held: str | None
    seen: bool
    after: Event | None


@dataclass(frozen=True, slots=True)
class Judgement:
    """The verdict on one claim; `claim` is None for a snapshot that began and was never announced.

    marked: where each machine recorded, as far as the log says; matching: the least consistent cut that the claim is.
    unmarked: machines that recorded nowhere; missing: machines whose state is not in the claim.
    """

    history: History
    snapshot: str
    verdict: str
    claim: Claim | None
    marked: Cut
    matching: Cut | None = None
    unmarked: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    orphans: tuple[Orphan, ...] = ()
    channels: tuple[WrongChannel, ...] = ()
    states: tuple[WrongState, ...] = ()


Search = Callable[[History, Claim, bool], Cut | None]
"""Finds the consistent cut that a claim is; the flag: a state that the log does not say may be any."""


def judged(history: History, search: Search = matching_cut) -> list[Judgement]:
    """A judgement for each claim in order, the same claim logged again left out, then for what was never claimed."""
    claims: dict[tuple[object, ...], Claim] = {}
    for claim in history.claims:
        said = (claim.snapshot, tuple(sorted(claim.states.items())), tuple(sorted(claim.channels.items())))
        claims.setdefault(said, claim)
    found = [_judged(history, claim, search) for claim in claims.values()]
    claimed = {claim.snapshot for claim in history.claims}
    begun = sorted(snapshot for snapshot in history.marked if snapshot not in claimed)
    return found + [
        Judgement(history, snapshot, INCOMPLETE, None, history.marked[snapshot], unmarked=_unmarked(history, snapshot))
        for snapshot in begun
    ]


def _unmarked(history: History, snapshot: str) -> tuple[str, ...]:
    return tuple(sorted(history.machines.keys() - history.marked.get(snapshot, {}).keys()))


def _judged(history: History, claim: Claim, search: Search) -> Judgement:
    marked = history.marked.get(claim.snapshot, {})
    missing = tuple(sorted(history.machines.keys() - claim.states.keys()))
    unmarked = _unmarked(history, claim.snapshot)
    if missing:
        return Judgement(history, claim.snapshot, INCOMPLETE, claim, marked, unmarked=unmarked, missing=missing)
    orphans, channels = _compared_channels(history, claim, marked)
    states = _wrong_states(history, claim, marked)
    verdict, matching = CONSISTENT, None
    if unmarked or orphans or channels or states:
        verdict, matching = _elsewhere(history, claim, search)
    return Judgement(history, claim.snapshot, verdict, claim, marked, matching, unmarked, (), orphans, channels, states)


def _elsewhere(history: History, claim: Claim, search: Search) -> tuple[str, Cut | None]:
    """The verdict on a claim that is not the cut marked, and the consistent cut that it is.

    Where only states that the log does not say could make it one, it is incomplete.
    """
    known = claim.states.keys() <= history.machines.keys()
    exact = search(history, claim, False)
    if exact is not None and known:
        return ELSEWHERE, exact
    possible = search(history, claim, True)
    return (IMPOSSIBLE, None) if possible is None else (INCOMPLETE, possible)


def _compared_channels(
    history: History, claim: Claim, marked: Cut
) -> tuple[tuple[Orphan, ...], tuple[WrongChannel, ...]]:
    """The orphans of the marked cut, and the channels whose contents there are not those claimed.

    A channel whose ends have not both recorded has no contents to compare with.
    """
    orphans: list[Orphan] = []
    wrong: list[WrongChannel] = []
    claimed: dict[Channel, tuple[str, ...]] = {}
    for name, content in claim.channels.items():
        if name in history.channel_names:
            claimed[history.channel_names[name]] = content
        elif content:
            wrong.append(WrongChannel(name, content, ()))
    for channel in history.traffic:
        if not {channel.source, channel.destination} <= marked.keys():
            continue
        waiting, accepts = history.contents(channel, marked)
        orphans += [Orphan(channel, accepted, sent) for accepted, sent in accepts]
        content = claimed.get(channel, ())
        if content != tuple(send.message for send in waiting):
            wrong.append(WrongChannel(channel, content, tuple(waiting)))
    return tuple(orphans), tuple(wrong)


def _wrong_states(history: History, claim: Claim, marked: Cut) -> tuple[WrongState, ...]:
    wrong = []
    for machine, claimed in claim.states.items():
        states = history.states.get(machine, [None])
        if machine in history.machines and machine not in marked:
            continue
        held = states[marked[machine]] if machine in marked else None
        if held == claimed or (held is None and claimed == "null" and machine in marked):
            continue
        first = states.index(claimed) if claimed in states else None
        after = history.machines[machine][first - 1] if first else None
        wrong.append(WrongState(machine, claimed, held, first is not None, after))
    return tuple(wrong)
