"""The recovery line: the latest consistent global checkpoint of the checkpoints there are, found in two ways.

*Rollback propagation* (Randell 1975) undoes orphans one by one. The *rollback-dependency graph* (Bhargava & Lian 1988)
has the machines' intervals as nodes and says which interval cannot stay if another is undone; all that is reachable
from what the failure undoes is undone. Consistent global checkpoints are a lattice, so there is one latest, and both
find it; the tests hold them against each other and against all sets of checkpoints.
"""

from __future__ import annotations

from collections.abc import Iterable

from model.recovery.pattern import Line, Pattern

Interval = tuple[int, int]
"""A machine and the number of one of its intervals."""


def failed(pattern: Pattern, machines: Iterable[int]) -> Line:
    """The latest global checkpoint there is once these machines fail: the others still have their present states."""
    down = set(machines)
    return tuple(last + (machine not in down) for machine, last in enumerate(pattern.last))


def by_propagation(pattern: Pattern, start: Line) -> Line:
    """From `start` back: whoever accepted an orphan, or sent what is lost, goes back to before it did."""
    line = list(start)
    while True:
        before = tuple(line)
        for message in pattern.messages:
            broken = pattern.breaks(message, tuple(line))
            if broken == "orphan" and message.accepted is not None:
                line[message.destination] = message.accepted
            elif broken == "lost":
                line[message.source] = message.sent
        if tuple(line) == before:
            return before


def dependencies(pattern: Pattern) -> dict[Interval, set[Interval]]:
    """The rollback-dependency graph: which intervals are undone with an interval, itself left out.

    A machine that undoes an interval undoes its later ones. The interval in which a message was accepted is undone
    with that in which it was sent; without a log also the other way round.
    """
    graph: dict[Interval, set[Interval]] = {
        (machine, x): {(machine, x + 1)} if x < last else set()
        for machine, last in enumerate(pattern.last)
        for x in range(last + 1)
    }
    for source, sent, destination, accepted in pattern.messages:
        if accepted is not None:
            graph[source, sent].add((destination, accepted))
            if not pattern.logged:
                graph[destination, accepted].add((source, sent))
    return graph


def by_graph(pattern: Pattern, start: Line) -> Line:
    """The first undone interval of each machine, from where it goes on again; `start` where none is undone."""
    undone = {(machine, last) for machine, last in enumerate(pattern.last) if start[machine] <= last}
    if not pattern.logged:  # what is in a channel when machines fail is lost with them
        undone |= {(m.source, m.sent) for m in pattern.messages if m.accepted is None}
    undone = reachable(dependencies(pattern), undone)
    return tuple(min([x for m, x in undone if m == machine], default=own) for machine, own in enumerate(start))


def reachable(graph: dict[Interval, set[Interval]], start: Iterable[Interval]) -> set[Interval]:
    """What can be reached in the graph, the start included."""
    found = set(start)
    waiting = list(found)
    while waiting:
        new = graph[waiting.pop()] - found
        found |= new
        waiting += new
    return found


def useless(pattern: Pattern) -> list[tuple[int, int]]:
    """The checkpoints, as (machine, number), that are part of no consistent global checkpoint: those on a Z-cycle.

    A Z-path (Netzer & Xu 1995) leads from checkpoint (i, x) to (j, y) if there are messages m1 ... mn such that i sent
    m1 after its checkpoint x, j accepted mn before its checkpoint y, and each next message is sent by who accepted the
    one before, in the same or a later interval, maybe before it accepted it. So it is a path of the rollback-dependency
    graph from interval x of i to interval y - 1 of j; a checkpoint on a cycle is never of use.
    """
    graph = dependencies(pattern._replace(logged=True))
    return [
        (machine, x)
        for machine, last in enumerate(pattern.last)
        for x in range(1, last + 1)
        if (machine, x - 1) in reachable(graph, [(machine, x)])
    ]
