"""One order of all events of a history: each after those of its machine before it, each accept after its send.

Of such orders it is the one nearest to the lines' own numbers: pictures and explanations need an order, verdicts none.
"""

from __future__ import annotations

from collections import defaultdict
from heapq import heapify, heappop, heappush

from checker.audit.events import ACCEPT
from checker.audit.history import History, Point


def senders(history: History) -> dict[Point, Point]:
    """Each accept's send: a message's as paired, the k-th accept of a snapshot's marker on a channel with the k-th."""
    found: dict[Point, Point] = {}
    for channel in history.traffic:
        for send, accept in history.pairs(channel):
            if send is not None and accept is not None:
                found[accept] = send
    markers: defaultdict[object, tuple[list[Point], list[Point]]] = defaultdict(lambda: ([], []))
    for machine, events in history.machines.items():
        for position, event in enumerate(events):
            if event.channel is not None and event.message is None:
                ends = markers[event.channel, event.snapshot]
                ends[event.kind == ACCEPT].append((machine, position))
    for sends, accepts in markers.values():
        found |= dict(zip(accepts, sends, strict=False))
    return found


def ordered(history: History) -> list[Point]:
    """All events in such an order; what waits for sends that wait for it in turn follows when nothing else is left."""
    send_of = senders(history)
    done: set[Point] = set()
    waiting: defaultdict[Point, list[Point]] = defaultdict(list)
    ready = [_keyed(history, (machine, 0)) for machine, events in history.machines.items() if events]
    heapify(ready)
    stuck: list[tuple[int, str, Point]] = []
    order: list[Point] = []
    while ready or stuck:
        forced = not ready
        point = heappop(ready or stuck)[2]
        if point in done:
            continue
        send = send_of.get(point)
        if send is not None and send not in done and not forced:
            waiting[send].append(point)
            heappush(stuck, _keyed(history, point))
            continue
        done.add(point)
        order.append(point)
        machine, position = point
        if position + 1 < len(history.machines[machine]):
            heappush(ready, _keyed(history, (machine, position + 1)))
        for accept in waiting.pop(point, ()):
            heappush(ready, _keyed(history, accept))
    return order


def _keyed(history: History, point: Point) -> tuple[int, str, Point]:
    place = history.at(point).place
    return place.line, place.file, point
