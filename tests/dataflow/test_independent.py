"""The same systems written anew, without the model: their state counts agree with the manifest's.

A vee of two sources with one record each and a sink, channels FIFO. A state is (offsets and barriers of the sources,
the two queues, what the sink did); nothing of the project is used to explore it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.dataflow.test_manifest import ENTRIES

State = Any


def aligned(state: State, align: bool) -> Iterator[State]:
    """Sources (offset, recorded offset), queues, sink: (processed, inputs marked, record)."""
    sources, queues, (processed, marked, record) = state
    for s in (0, 1):
        offset, recorded = sources[s]
        if recorded is None:
            yield put(sources, s, (offset, offset)), put(queues, s, (*queues[s], "b")), state[2]
        if offset == 0:
            # The ghost colour: red if the source has recorded its offset.
            message = (s, recorded is not None)
            yield put(sources, s, (1, recorded)), put(queues, s, (*queues[s], message)), state[2]
        if queues[s] and not (align and s in marked and record is None):
            head, rest = queues[s][0], put(queues, s, queues[s][1:])
            if head != "b":
                yield sources, rest, (processed | {head[0]}, marked, record)
            elif len(marked) == 1:
                yield sources, rest, (processed, frozenset(), processed)
            else:
                yield sources, rest, (processed, marked | {s}, record)


def unaligned(state: State) -> Iterator[State]:
    """The sink: (processed, record, what was recorded of each queue, queues closed)."""
    sources, queues, (processed, record, kept, closed) = state
    for s in (0, 1):
        offset, recorded = sources[s]
        if recorded is None:
            yield put(sources, s, (offset, offset)), put(queues, s, (*queues[s], "b")), state[2]
        if offset == 0:
            message = (s, recorded is not None)
            yield put(sources, s, (1, recorded)), put(queues, s, (*queues[s], message)), state[2]
        if queues[s]:
            head, rest = queues[s][0], put(queues, s, queues[s][1:])
            if head == "b":
                known = processed if record is None else record
                yield sources, rest, (processed, known, kept, closed | {s})
            else:
                more = kept | {head[0]} if record is not None and s not in closed else kept
                yield sources, rest, (processed | {head[0]}, record, more, closed)


def put(row: tuple[Any, ...], index: int, value: Any) -> tuple[Any, ...]:
    return (*row[:index], value, *row[index + 1 :])


def count(start: State, successors: Any) -> tuple[int, int]:
    seen, waiting, transitions = {start}, [start], 0
    while waiting:
        for succ in successors(waiting.pop()):
            transitions += 1
            if succ not in seen:
                seen.add(succ)
                waiting.append(succ)
    return len(seen), transitions


NOTHING: frozenset[int] = frozenset()
FREE = (((0, None), (0, None)), ((), ()))


@pytest.mark.parametrize(
    ("protocol", "start", "successors"),
    [
        ("barrier", (*FREE, (NOTHING, NOTHING, None)), lambda state: aligned(state, True)),
        ("barrier,align=false", (*FREE, (NOTHING, NOTHING, None)), lambda state: aligned(state, False)),
        ("unaligned", (*FREE, (NOTHING, None, NOTHING, NOTHING)), unaligned),
    ],
)
def test_a_second_writing_of_the_system_has_as_many_states(protocol: str, start: State, successors: Any) -> None:
    entry = next(
        e
        for e in ENTRIES
        if (e.topology, e.program, e.protocol, e.relax) == ("vee", "dataflow,records=1", protocol, "")
    )
    assert count(start, successors) == (entry.states, entry.transitions)
