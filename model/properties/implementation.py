"""Claims about classes under test: they raise nothing; one that never says when it records reports some cut."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any

from model.action import Move
from model.implementation.superposed import Past, Snapshotting, SnapshottingObjects
from model.property import Property, Reason
from model.system import State, System
from model.values import to_json


def _raises(system: System, move: Move) -> Reason | None:
    after = move.after.memory
    if not isinstance(after, Snapshotting) or after.raised is None or after == move.before.memory:
        return None
    return {"kind": f"the class raises {after.raised}", "machine": move.machine}


def _no_cut_matches(system: System, state: State) -> Reason | None:
    for snapshot in range(system.protocol.snapshots):
        if system.complete(state, snapshot):
            claimed = system.recorded(state, snapshot)
            if not any(_matches(system, cut, claimed.channels) for cut in _cuts(system, state, claimed.machines)):
                return {"kind": "no consistent cut of the run is what was reported", "SSS": to_json(claimed)}
    return None


def _cuts(system: System, state: State, claimed: Sequence[object]) -> Iterator[tuple[Any, ...]]:
    """All choices of a moment of each machine's past at which it was in the state that was reported of it."""
    memories: list[Any] = [local.memory for local in state.machines]
    pasts: list[Past] = [memory.past for memory in memories]
    return product(
        *([(past, m) for m in past.moments if m[0] == value] for past, value in zip(pasts, claimed, strict=True))
    )


def _matches(system: System, cut: tuple[Any, ...], claimed: Sequence[tuple[object, ...]]) -> bool:
    """Whether each channel held what was reported of it at the cut, and nothing had been accepted unsent."""
    topology = system.topology
    for channel, (source, destination) in enumerate(topology.channels):
        past, (_, sent, _) = cut[source]
        accepted = cut[destination][1][2][topology.inputs[destination].index(channel)]
        place = topology.outputs[source].index(channel)
        if accepted > sent[place] or past.sent[place][accepted : sent[place]] != claimed[channel]:
            return False
    return True


def _under_test(system: System) -> bool:
    return isinstance(system.protocol, SnapshottingObjects)


def _unmarked(system: System) -> bool:
    """Only in channels that keep order and lose nothing do counts say which messages were in a channel."""
    assumptions = system.assumptions
    whole = assumptions.discipline.keeps_order and not assumptions.faults
    return _under_test(system) and not system.protocol.records and whole


IMPLEMENTATION_PROPERTIES = (
    Property(
        "raises-nothing",
        "No method of the class under test raises an exception.",
        "CONTRACT, section 7",
        _under_test,
        on_move=_raises,
    ),
    Property(
        "matches-a-cut",
        "What is reported is some consistent cut of the run, where the class never says when it records.",
        "CONTRACT, sections 6 and 7",
        _unmarked,
        on_state=_no_cut_matches,
        # A claim about completed snapshots, though it takes the whole state: vacuous where none completes.
        on_recorded=lambda system, snapshot, recorded: None,
    ),
)
