"""Properties of snapshots asked of a log's: conservation, and one's own that are made by `on_snapshot` and `on_cut`.

A predicate sees SSS as it was announced: `sss.machines` in the natural order of the machines' names, `sss.channels` in
that of (source, destination), and both by name too: `sss.machines["N1"]`, `sss.channels["N1>N2"]`. Values are those of
the JSON, lists as tuples. A log has no global time: S0 and S1 are the states just before the first machine recorded and
just after the last marker of the snapshot was accepted, in the order of events that is nearest to the lines' own.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

from checker.audit.events import Claim, natural
from checker.audit.history import History
from checker.audit.judging import Judgement
from checker.audit.order import ordered
from model.assumptions import Assumptions
from model.cut import Cut
from model.errors import InputError
from model.program import Underlying
from model.programs.free import Free
from model.properties import own_property
from model.properties.conservation import CONSERVATION
from model.property import CompletedSnapshot, Property, ReachabilityOracle
from model.protocol import NoSnapshot
from model.system import System
from model.topology import Topology


class Named(tuple[Any, ...]):
    """Values in an order of their names; an index may be a name."""

    names: dict[str, int]

    def __new__(cls, named: dict[str, Any]) -> Named:
        """The values of a mapping, in its order."""
        made = super().__new__(cls, named.values())
        made.names = {name: number for number, name in enumerate(named)}
        return made

    def __getitem__(self, index: Any) -> Any:
        return super().__getitem__(self.names[index] if isinstance(index, str) else index)


class LogProperties:
    """The properties asked for, by name."""

    def __init__(self, names: Sequence[str]) -> None:
        self.conserves = CONSERVATION.name in names
        self.own: list[Property] = []
        for name in names:
            if name == CONSERVATION.name:
                continue
            found = own_property(name) if ".py:" in name else None
            if found is None or (found.on_recorded is None and found.on_completed is None):
                words = f"accepted of a log are {CONSERVATION.name}, and FILE.py:NAME made by on_snapshot or on_cut"
                raise InputError(f"property {name!r}: {words}")
            self.own.append(found)

    @property
    def of_runs(self) -> bool:
        """Whether one of them asks of more than the snapshot."""
        return any(judged.on_completed is not None for judged in self.own)

    def broken(self, judgement: Judgement) -> list[tuple[str, str]]:
        """Which of them an announced snapshot breaks, and why; nothing is asked of one that lacks states."""
        claim, history = judgement.claim, judgement.history
        if claim is None or judgement.missing:
            return []
        found = [(CONSERVATION.name, why) for why in (_conservation(history, claim) if self.conserves else ())]
        if self.own:
            system, sss = _system(history), _claimed(history, claim)
            for judged in self.own:
                reason = None
                if judged.on_recorded is not None:
                    reason = judged.on_recorded(system, 0, sss)
                elif judged.on_completed is not None:
                    start, end = _around(judgement)
                    cut = Cut(sss.machines, sss.channels, sss.channels, start=start)
                    reason = judged.on_completed(system, 0, CompletedSnapshot(sss, cut, end, ReachabilityOracle()))
                if reason is not None:
                    found.append((judged.name, f"{judged.claim!r} does not hold of it."))
        return found


def _conservation(history: History, claim: Claim) -> Iterable[str]:
    """What a snapshot holds in all ought to be what the machines had at first."""
    held = [*claim.states.values(), *(text for content in claim.channels.values() for text in content)]
    total, before = sum(map(_number, held)), sum(_number(states[0]) for states in history.states.values())
    if total != before:
        yield f"It holds {total} in all, and the machines began with {before}."


def _number(text: str | None) -> int | float:
    value = None if text is None else json.loads(text)
    if not isinstance(value, int | float) or isinstance(value, bool):
        said = text or "a state not logged"
        raise InputError(f"property {CONSERVATION.name}: {said} is no number, so there is no total")
    return value


def _claimed(history: History, claim: Claim) -> Underlying:
    """The claim as a state."""
    machines = {name: _value(claim.states[name]) for name in sorted(claim.states, key=natural)}
    contents = {name: claim.channels.get(name, ()) for name in _channels(history)}
    contents |= {name: content for name, content in claim.channels.items() if name not in contents}
    channels = {name: tuple(map(_value, content)) for name, content in contents.items()}
    return Underlying(Named(machines), Named(channels))


def _around(judgement: Judgement) -> tuple[Underlying, Underlying]:
    """S0 and S1 of the snapshot."""
    history, order = judgement.history, ordered(judgement.history)
    own = [n for n, point in enumerate(order) if history.at(point).snapshot == judgement.snapshot]
    first, last = (own[0], own[-1] + 1) if own else (0, len(order))
    return _state_after(history, order[:first]), _state_after(history, order[:last])


def _state_after(history: History, points: Sequence[tuple[str, int]]) -> Underlying:
    cut = dict.fromkeys(history.machines, 0)
    for machine, position in points:
        cut[machine] = position + 1
    machines = {name: _value(history.states[name][cut[name]]) for name in sorted(cut, key=natural)}
    channels = {}
    for name, channel in _channels(history).items():
        channels[name] = tuple(_value(send.message) for send in history.contents(channel, cut)[0])
    return Underlying(Named(machines), Named(channels))


def _channels(history: History) -> dict[str, Any]:
    """The channels by name, in the natural order of their ends."""
    order = sorted(history.traffic, key=lambda channel: tuple(natural(part) for part in channel))
    return {str(channel): channel for channel in order}


def _system(history: History) -> System:
    """A system of the log's machines and channels, which does nothing: predicates of a log ask nothing of it."""
    names = sorted(history.machines, key=natural)
    ends = tuple((names.index(c.source), names.index(c.destination)) for c in _channels(history).values())
    topology = Topology(len(names), ends, labels=tuple(names))
    program = Free(topology)
    return System(topology, program, NoSnapshot(topology, program, ()), Assumptions())


def _value(text: str | None) -> Any:
    """The JSON value, lists as tuples; None where the log does not say."""
    return _frozen(json.loads(text)) if text is not None else None


def _frozen(value: Any) -> Any:
    return tuple(map(_frozen, value)) if isinstance(value, list) else value
