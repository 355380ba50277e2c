"""Claims about recovery: what would be, if all machines failed in a state of the run and went back to checkpoints.

A failure of some machines only undoes no more: the others may keep their present states. `useless checkpoints`,
`forced checkpoints` and stamps are about the run so far. Where a claim has a number, it is given after a colon, as in
`no-domino:2`; the least number that holds is the worst case over all runs, and the next smaller one shows the run.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import NamedTuple

from model.property import Property, Reason
from model.recovery.checkpointing import Checkpointing
from model.recovery.line import dependencies, reachable, useless
from model.recovery.pattern import History, Line, Pattern, Stamps, restored
from model.system import State, System
from model.values import to_json

Counted = Callable[..., Property]


class Recovery(NamedTuple):
    """What a failure of all machines comes to. stamps: of each machine's checkpoints; forced: how many there are."""

    pattern: Pattern
    line: Line
    stamps: Stamps
    forced: int


def recovery(system: System, state: State) -> Recovery:
    """What a failure of all machines in this state comes to; worked out once for each tuple of histories."""
    histories = tuple(local.memory for local in state.machines)
    known = system.remember("recoveries", dict[tuple[object, ...], Recovery])
    found: Recovery | None = known.get(histories)
    if found is None:
        found = known[histories] = _recovery(protocol_of(system), tuple(h for h in histories if isinstance(h, History)))
    return found


def _recovery(protocol: Checkpointing, histories: tuple[History, ...]) -> Recovery:
    stamps = tuple(tuple(c.stamp for c in history.checkpoints) for history in histories)
    forced = sum(c.forced for history in histories for c in history.checkpoints)
    return Recovery(protocol.pattern(histories), protocol.recovery_line(histories), stamps, forced)


def protocol_of(system: System) -> Checkpointing:
    """The protocol that takes the checkpoints."""
    assert isinstance(system.protocol, Checkpointing)
    return system.protocol


def checkpoints(system: System) -> bool:
    """Whether machines take checkpoints by themselves."""
    return isinstance(system.protocol, Checkpointing)


def stamps_them(system: System) -> bool:
    """Whether they write stamps with them."""
    return checkpoints(system) and any(
        local.memory.checkpoints[0].stamp is not None
        for local in system.initial_states()[0].machines
        if isinstance(local.memory, History)
    )


def _inconsistent(system: System, state: State) -> Reason | None:
    found = recovery(system, state)
    for message in found.pattern.messages:
        broken = found.pattern.breaks(message, found.line)
        if broken:
            source, destination = system.topology.label(message.source), system.topology.label(message.destination)
            what = "accepted before the line and sent after it" if broken == "orphan" else "in transit, and not logged"
            kind = f"the recovery line is not consistent: a message from {source} to {destination} is {what}"
            histories = tuple(local.memory for local in state.machines if isinstance(local.memory, History))
            again = restored(system.topology, histories, found.line, found.pattern.logged)
            read = {"line": to_json(found.line), "restored": to_json(again)}
            return {"kind": kind, "machine": message.destination, **read}
    return None


def _useless(system: System, state: State) -> Reason | None:
    for machine, number in useless(recovery(system, state).pattern):
        kind = f"checkpoint {number} of {system.topology.label(machine)} is on a Z-cycle: no recovery line can have it"
        return {"kind": kind, "machine": machine, "checkpoint": number}
    return None


def _stamps_fall(system: System, state: State) -> Reason | None:
    """A Z-path from checkpoint (i, x) to (j, y) is a path from interval x of i to interval y - 1 of j."""
    found = recovery(system, state)
    graph = dependencies(found.pattern._replace(logged=True))
    for machine, x in graph:
        for other, before in sorted(reachable(graph, graph[machine, x])):
            if before < found.pattern.last[other]:
                first, then = found.stamps[machine][x], found.stamps[other][before + 1]
                if first >= then:
                    names = system.topology.label(machine), system.topology.label(other)
                    kind = f"a Z-path leads from checkpoint {x} of {names[0]}, stamped {first}, to {before + 1} of"
                    return {"kind": f"{kind} {names[1]}, stamped {then}", "machine": other}
    return None


def _counted(name: str, claim: str, source: str, count: Callable[[System, Recovery], tuple[int, str]]) -> Counted:
    """A claim that a number, told with what it is of, is never more than another one."""

    @cache
    def at_most(most: int, shown: str = "") -> Property:
        def on_state(system: System, state: State) -> Reason | None:
            found = recovery(system, state)
            number, kind = count(system, found)
            return None if number <= most else {"kind": kind, "line": to_json(found.line)}

        text = claim.format(most=most)
        return Property(
            shown or f"{name}:{most}", text, source, checkpoints, on_state=on_state, asked=True, symmetric=True
        )

    return at_most


def _back(system: System, found: Recovery) -> tuple[int, str]:
    back = [last - own for last, own in zip(found.pattern.last, found.line, strict=True)]
    furthest = system.topology.label(back.index(max(back)))
    return max(back), f"{furthest} goes back past {max(back)} of its checkpoints"


def _undone(system: System, found: Recovery) -> tuple[int, str]:
    undone = found.pattern.undone(found.line)
    return undone, f"going back to the recovery line undoes {undone} sends and accepts"


def _forced(system: System, found: Recovery) -> tuple[int, str]:
    return found.forced, f"{found.forced} checkpoints were forced"


no_domino = _counted(
    "no-domino",
    "A failure sends no machine back past more than {most} of its checkpoints.",
    "Randell 1975, the domino effect",
    _back,
)
lost_work = _counted(
    "lost-work",
    "A failure undoes at most {most} sends and accepts.",
    "Elnozahy, Alvisi, Wang & Johnson 2002, section 2",
    _undone,
)
forced_checkpoints = _counted(
    "forced-checkpoints",
    "At most {most} checkpoints are forced in a run.",
    "what communication-induced checkpointing costs",
    _forced,
)
COUNTED: dict[str, Counted] = {
    "no-domino": no_domino,
    "lost-work": lost_work,
    "forced-checkpoints": forced_checkpoints,
}
"""Claims that take a number, which stands after a colon; it is 1 where none is given."""


def counted(text: str) -> Property | None:
    """The claim that `NAME:N` names, if it is one of those that take a number."""
    name, _, number = text.partition(":")
    return COUNTED[name](int(number)) if name in COUNTED and number.isascii() and number.isdigit() else None


RECOVERY_PROPERTIES: tuple[Property, ...] = (
    Property(
        "recovery-line-consistent",
        "The global checkpoint to which the machines go back after a failure is consistent, nothing in transit lost.",
        "Randell 1975; Chandy & Lamport 1985, consistent global states",
        checkpoints,
        on_state=_inconsistent,
        symmetric=True,
    ),
    Property(
        "no-useless-checkpoint",
        "Each checkpoint is part of a consistent global checkpoint: none is on a Z-cycle.",
        "Netzer & Xu 1995, necessary and sufficient conditions for consistent global snapshots",
        checkpoints,
        on_state=_useless,
        symmetric=True,
    ),
    Property(
        "stamps-increase",
        "Along every Z-path the stamps of the checkpoints increase.",
        "Helary, Mostefaoui, Netzer & Raynal 2000, theorem 1",
        stamps_them,
        on_state=_stamps_fall,
        symmetric=True,
    ),
    *(at_most(1, name) for name, at_most in COUNTED.items()),
)
