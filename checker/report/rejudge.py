"""Whether a run shows what is claimed of it: a trace file says what was found, and only the run itself is believed.

A run breaks a property after k actions if its k-th action does, or the state after it, or a snapshot that is complete
there; a liveness property (with a goal) by ending, or by a loop that is weakly fair, without the goal having been
reached since a snapshot began. A witness shows that a snapshot completes. A walk claims nothing.
"""

from __future__ import annotations

from dataclasses import dataclass

from checker.judging.reachability import CutOff, SearchedReachability
from checker.judging.rejudge import first_breach
from checker.report.claims import WALK, WITNESSES
from model.errors import InputError, like
from model.properties import PROPERTIES, known, named, own_property
from model.property import Property, Reason, further_of
from model.protocol import NoSnapshot
from model.trace import Counterexample, Trace
from model.verdict import COMPLETES

MOST_UNDERLYING = 100_000
"""Underlying states searched for a claim about reachability; where there are more, it is left undecided."""


@dataclass(frozen=True, slots=True)
class Breach:
    """After how many actions a run first breaks a property, and why."""

    length: int
    reason: Reason


def shown(trace: Trace, name: str, kind: str, length: int | None = None) -> Counterexample:
    """The run as what it shows: `name` broken (or witnessed), with the reason that the run itself gives.

    `InputError`, in one line, where it does not show that, or shows it after another number of actions than `length`.
    The reason `kind` is taken from the claim only of a walk, and where no run alone can tell (see `told_by_search`).
    """
    _check_loop(trace)
    if name == WALK or told_by_search(trace, name):
        found = Breach(len(trace), {"kind": kind})
    elif name in WITNESSES:
        found = _required(witnessed(trace, name), trace, f"there is no moment at which {name}")
    elif (claim := own_property(name) if ".py" in name else named(name, known(trace.system))) is not None:
        found = _required(breach(trace, claim), trace, f"it does not break {name}")
    else:
        near, others = like(name, PROPERTIES), ", ".join((*WITNESSES, WALK))
        raise InputError(f"unknown property {name!r}: {near}accepted are those of `redwhite list` and {others}")
    if length is not None and length != found.length + further_of(found.reason):
        raise InputError(f"length {length!r}: this run shows {name!r} after {_actions(found.length)}")
    if trace.loop is None and found.length < len(trace):
        raise InputError(f"this run shows {name!r} after {_actions(found.length)} already, not after all {len(trace)}")
    return Counterexample(name, trace, found.reason)


def told_by_search(trace: Trace, name: str) -> bool:
    """Whether only a search can tell: a state that the protocol makes unreachable is shown by a run without it."""
    return name in PROPERTIES and PROPERTIES[name].preserves and isinstance(trace.system.protocol, NoSnapshot)


def _required(found: Breach | None, trace: Trace, otherwise: str) -> Breach:
    if found is None:
        loop = "" if trace.loop is None else f" and then a loop of {len(trace) - trace.loop}"
        raise InputError(f"this run of {_actions(len(trace) if trace.loop is None else trace.loop)}{loop}: {otherwise}")
    return found


def _actions(count: int) -> str:
    return f"{count} action{'' if count == 1 else 's'}"


def _check_loop(trace: Trace) -> None:
    """Refuse a loop that does not lead back to where it begins."""
    if trace.loop is not None:
        states = trace.states()
        if trace.loop >= len(trace) or states[trace.loop] != states[-1]:
            raise InputError(f"loop {trace.loop}: the run does not come back to the state after action {trace.loop}")


# -- what a run breaks -----------------------------------------------------------------------------------------


def breach(trace: Trace, judged: Property) -> Breach | None:
    """The first violation of the property by the run; None if there is none."""
    oracle = SearchedReachability(trace.system, MOST_UNDERLYING)
    try:
        found = first_breach(judged, trace, oracle)
    except CutOff as cut:
        raise InputError(f"{judged.name}: undecided for this run ({cut})") from None
    if found is None:
        return None
    length, reason = found
    return Breach(length, reason)


def witnessed(trace: Trace, name: str) -> Breach | None:
    """After how many actions a snapshot is complete; with IN_CHANNEL, one that has a message in a channel."""
    for number, state in enumerate(trace.states()):
        for snapshot in range(trace.system.protocol.snapshots):
            if trace.system.complete(state, snapshot) and (
                name == COMPLETES or any(trace.system.recorded(state, snapshot).channels)
            ):
                return Breach(number, {"kind": name})
    return None
