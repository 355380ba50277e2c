"""Visible output: what the outside world sees of a dataflow that fails once, at any moment, and is restored.

Operator state is restored; what a sink has already put out is not taken back. So exactly-once state does not make
exactly-once output: that takes a sink that puts out only what no restored run can put out again (two-phase commit), or
one whose writes may be repeated (idempotent).

Choices: the computation fails as a whole, and is restored from the last complete snapshot, or from the start where
there is none; it does not fail again. All sinks write to one place outside.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

from model.dataflow import sinks
from model.program import Underlying
from model.programs.dataflow import Record, Records
from model.property import Reason
from model.restore import Compare, listed, program_of, restorer, words
from model.system import State, System
from model.values import Value, to_json


def visible_output(compare: Compare) -> Callable[[System, State], Reason | None]:
    """Why, if the whole computation failed in this state and was restored once, the outside would see wrong output.

    It is restored from the last complete snapshot, or from the start. sink=direct: a sink's output is visible as it is
    processed. two-phase: what a snapshot covers becomes visible when that is complete (at the end: the rest). eager:
    already when the sink has recorded its own state. idempotent: as direct, but a record written twice shows once.
    It is wrong for good at the end of the restored run: the failure and that run's actions count in the length.
    """

    def on_state(system: System, state: State) -> Reason | None:
        runs = restorer(system)
        number, restored = last_complete(system, state)
        seen = _seen_at_failure(system, state, restored)
        wrong: list[tuple[int, Reason]] = []
        for end in sorted(runs.ends(restored)):
            found = seen + _output(system, end) - _output(system, processed(system, restored.machines))
            outputs = [_output(system, free) for free in sorted(runs.failure_free())]
            if program_of(system).sink == "idempotent":
                found, outputs = Counter(set(found)), [Counter(set(output)) for output in outputs]
            if not any(compare(found, output) for output in outputs):
                run = runs.run_to(restored, end)
                wrong.append((len(run), _seen_wrong(number, found, outputs[0], run)))
        if wrong:
            return min(wrong, key=lambda one: one[0])[1]
        return None

    return on_state


def last_complete(system: System, state: State) -> tuple[int | None, Underlying]:
    """The last complete snapshot and its number; None and the start where there is none."""
    for number in reversed(range(system.protocol.snapshots)):
        if system.complete(state, number):
            return number, system.recorded(state, number)
    return None, restorer(system).start


def processed(system: System, machines: tuple[Value, ...]) -> tuple[Records, ...]:
    """What each machine has processed."""
    return tuple(program_of(system).processed(machine) for machine in machines)


def _output(system: System, effects: tuple[Records, ...]) -> Counter[Record]:
    """What all sinks together have put out."""
    return Counter(record for machine in sinks(system.topology) for record in effects[machine])


def _seen_at_failure(system: System, state: State, restored: Underlying) -> Counter[Record]:
    sink = program_of(system).sink
    if sink == "two-phase":
        return _output(system, processed(system, restored.machines))
    now = [local.state for local in state.machines]
    if sink == "eager":
        now = list(restored.machines)
        for machine in sinks(system.topology):
            for number in range(system.protocol.snapshots):
                recorded = system.protocol.recorded(machine, state.machines[machine], number)
                if recorded is not None:
                    now[machine] = recorded.state
    return _output(system, processed(system, tuple(now)))


def _seen_wrong(
    number: int | None, found: Counter[Record], wanted: Counter[Record], run: list[dict[str, Any]]
) -> Reason:
    lost, doubled = listed(wanted - found), listed(found - wanted)
    source = "the start" if number is None else "SSS"
    return {
        "kind": f"failed here and restored from {source}: {words('the output', lost, doubled)}",
        "lost": to_json(lost),
        "doubled": to_json(doubled),
        "restored_run": run,
        "further": 1 + len(run),
    }
