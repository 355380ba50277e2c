"""Consistent cuts and Dijkstra's equivalent computation: S0 ->* SSS ->* S1."""

from __future__ import annotations

from model.applying import cuts
from model.kinds import Defect, OfCut
from model.program import Underlying
from model.property import CompletedSnapshot, Evidence, Property, Reason
from model.system import System
from model.values import show, to_json


def _crossed(system: System, snapshot: int, taken: CompletedSnapshot) -> Reason | None:
    if taken.cut.crossed:
        return {"kind": "an accept before the cut is recorded whose send comes after it"}
    return None


def _channels_differ(system: System, snapshot: int, taken: CompletedSnapshot) -> Reason | None:
    channels = zip(taken.recorded.channels, map(system.normal, taken.cut.sent), strict=True)
    for channel, (recorded, sent) in enumerate(channels):
        if recorded != sent:
            return {
                "kind": f"channel recorded as {show(recorded)}, but in transit at the cut was {show(sent)}",
                "channel": channel,
                "recorded": to_json(recorded),
                "expected": to_json(sent),
            }
    return None


def _unreachable(system: System, snapshot: int, taken: CompletedSnapshot) -> Reason | None:
    start = taken.cut.start
    assert start is not None
    recorded = taken.recorded
    if taken.reachability.through(start, recorded, taken.end, taken.cut.spent):
        return None
    states = {"S0": to_json(start), "SSS": to_json(recorded), "S1": to_json(taken.end)}
    if not taken.reachability.to_recorded(start, recorded, taken.cut.spent):
        return {"kind": "SSS is not reachable from S0", **states}
    return {"kind": "S1 is not reachable from SSS", **states}


def _not_equivalent(system: System, snapshot: int, taken: CompletedSnapshot) -> Reason | None:
    if taken.cut.crossed or taken.cut.displaced:
        return {"kind": "with all white actions first, the run is no run of the system"}
    channels = tuple(map(system.normal, taken.cut.channels))
    between = system.view(Underlying(taken.cut.machines, channels))
    recorded = taken.recorded
    if between != recorded:
        return {
            "kind": "between its white and red actions the reordered run is not in SSS",
            "SSS": to_json(recorded),
            "between": to_json(between),
        }
    return None


CUT_PROPERTIES = (
    Property(
        "consistent-cut",
        "No accept is recorded without its send.",
        "Mattern 1989, consistent cuts",
        cuts,
        on_completed=OfCut(_crossed, Defect.CROSSED, exactly=True),
        evidence=Evidence.CROSSING,
        symmetric=True,
        monotone=True,
    ),
    Property(
        "channel-exact",
        "A channel is recorded as what was sent before the cut and not accepted before it, in order.",
        "Chandy & Lamport 1985, section 3.1",
        cuts,
        on_completed=OfCut(_channels_differ, Defect.CHANNELS, exactly=True),
        evidence=Evidence.CHANNELS,
        symmetric=True,
    ),
    Property(
        "reachable",
        "SSS is reachable from S0, and S1 from SSS, in the underlying computation.",
        "EWD864a; Chandy & Lamport 1985, theorem 1",
        cuts,
        # Whatever run is equivalent to one through SSS shows that SSS is reachable.
        on_completed=OfCut(_unreachable, Defect.ORDER, by_states=True),
        evidence=Evidence.STATES,
        symmetric=True,
    ),
    Property(
        "equivalent",
        "The run with its white actions first is a run, ends in the same state and passes through SSS.",
        "EWD864a, the exchange of successive red and white actions",
        cuts,
        on_completed=OfCut(_not_equivalent, Defect.ORDER, exactly=True),
        evidence=Evidence.ORDER,
        symmetric=True,
    ),
)
