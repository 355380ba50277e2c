"""The catalogue of properties (CONTRACT section 5), in the order in which verdicts list them."""

from __future__ import annotations

from collections.abc import Sequence

from model.action import Local, Message, Move
from model.claims import Monitor, property_of
from model.errors import InputError, like
from model.implementation.claims import IMPLEMENTATION_PROPERTIES
from model.monitor import Condition
from model.ordered import unordered
from model.output import OUTPUT_PROPERTIES
from model.program import Underlying, exact_actions
from model.property import CompletedSnapshot, Property, Reason
from model.recovery.claims import RECOVERY_PROPERTIES, counted
from model.restore import RESTORE_PROPERTIES
from model.system import State, System
from model.user_code import load_file
from model.values import show, to_json


def _red_in_white(system: System, move: Move) -> Reason | None:
    for channel, _, message in move.accepts:
        if not message.control and message.red & ~move.acting:
            return {
                "kind": "a red message is accepted in a white action",
                "machine": move.machine,
                "channel": channel,
                "message": to_json(message.payload),
            }
    return None


def _second_marker_accepted(system: System, move: Move) -> Reason | None:
    for channel, _, message in move.accepts:
        if message.control and system.protocol.had_marker(move.machine, move.before, channel, message):
            return {"kind": "a second marker comes along a channel", "channel": channel}
    return None


def _two_markers(system: System, state: State) -> Reason | None:
    for channel, content in enumerate(state.channels):
        for number in range(system.protocol.snapshots):
            markers = [m for m in content if m.control and _of_snapshot(m, number, system)]
            if len(markers) > 1:
                return {"kind": "a channel carries two markers at once", "channel": channel}
    return None


def _of_snapshot(message: Message, number: int, system: System) -> bool:
    return system.protocol.snapshots == 1 or message.tag == number


def total(system: System, view: Underlying) -> int:
    """How much of what the program conserves there is in a state, as it would be recorded."""
    program = system.program
    held = sum(program.held(m, recorded) for m, recorded in enumerate(view.machines))
    return held + sum(program.carried(payload) for content in view.channels for payload in content)


def conserved_total(system: System) -> int:
    """How much there is at the start."""
    return total(system, system.view(system.project(system.initial_states()[0])))


def _state_total(system: System, state: State) -> Reason | None:
    found, start = total(system, system.view(system.project(state))), conserved_total(system)
    return None if found == start else _difference("the state", found, start, system)


def _recorded_total(system: System, snapshot: int, recorded: Underlying) -> Reason | None:
    found, start = total(system, recorded), conserved_total(system)
    return None if found == start else _difference("the recorded state SSS", found, start, system)


def _difference(where: str, found: int, start: int, system: System) -> Reason:
    return {
        "kind": f"{where} has {found} {system.program.conserves}, the computation began with {start}",
        "found": found,
        "expected": start,
    }


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


def _interferes(system: System, move: Move) -> Reason | None:
    action = move.step.action
    accepted = {c: m.payload for c, _, m in move.accepts if not m.control}
    sent = tuple(sorted((c, m.payload) for c, m in move.sends if not m.control))
    if action is None:
        if move.after.state == move.before.state and not accepted and not sent:
            return None
    elif (
        max(accepted, default=0) < len(system.topology.channels)  # what a channel of the protocol's carries is its own
        and action in exact_actions(system.program, move.machine, move.before.state, accepted)
        and move.after.state == action.state
        and sent == action.sends
    ):
        return None
    return {"kind": "a superposed step changes the underlying computation", "machine": move.machine}


def _new_deadlock(system: System, state: State) -> Reason | None:
    if any(event.fault is None for event in system.events(state)):
        return None
    alone = system.alone()
    underlying = alone.embed(system.project(state), tuple(local.crashed for local in state.machines))
    for event in alone.events(underlying):
        if event.fault is None:
            return {
                "kind": f"nothing can happen, yet alone the computation could go on with {event.name!r}",
                "machine": event.actor,
            }
    return None


def _stable(system: System, snapshot: int, taken: CompletedSnapshot) -> Reason | None:
    start = taken.cut.start
    assert start is not None
    views = (system.view(start), taken.recorded, system.view(taken.end))
    for name, predicate in system.program.stable_predicates().items():
        before, recorded, after = map(predicate, views)
        if before and not recorded:
            return {"kind": f"{name} holds in S0 but not in SSS", "predicate": name}
        if recorded and not after:
            return {"kind": f"{name} holds in SSS but not in S1", "predicate": name}
    return None


def _unstable(system: System, state: State) -> Reason | None:
    view = system.view(system.project(state))
    for name, predicate in system.program.stable_predicates().items():
        if predicate(view):
            for event in system.events(state):
                if not predicate(system.view(system.project(system.step(state, event)))):
                    return {"kind": f"{name} holds here, and no longer after {event.name!r}", "predicate": name}
    return None


def _snapshots(system: System) -> bool:
    return system.protocol.snapshots > 0


def _cuts(system: System) -> bool:
    return _snapshots(system) and system.protocol.records


def _every(system: System) -> int:
    return (1 << system.protocol.snapshots) - 1


def _done(system: System, machine: int, local: Local) -> bool:
    return all(system.protocol.done(machine, local, s) for s in range(system.protocol.snapshots))


def _outstanding(system: System, machine: int, local: Local) -> tuple[int, ...]:
    return tuple(system.protocol.outstanding(machine, local, s) for s in range(system.protocol.snapshots))


def _not_awaited(system: System, message: Message) -> bool:
    waited = system.protocol.completes_on_empty_channels and not message.control
    return not waited or message.red & _every(system) == _every(system)


ALL_RED = Condition(lambda system, machine, local: local.red & _every(system) == _every(system))
"""Every machine has recorded its state, for each snapshot."""

COMPLETE = Condition(_done, _outstanding, _not_awaited)
"""Each snapshot is complete, as `System.complete` says."""

PROPERTIES: dict[str, Property] = {
    p.name: p
    for p in (
        Property(
            "no-red-in-white",
            "No red message is accepted in a white action.",
            'EWD864a, "no red message is accepted in a white action"',
            _cuts,
            on_move=_red_in_white,
            positions=False,
            begun=True,
            symmetric=True,
            reducible=True,
        ),
        Property(
            "one-marker-per-channel",
            "Each channel carries at most one marker.",
            "EWD864a, second part; Chandy & Lamport 1985, section 3.2",
            lambda system: system.protocol.marks,
            on_move=_second_marker_accepted,
            positions=False,
            on_state=_two_markers,
            symmetric=True,
            reducible=True,
        ),
        Property(
            "conservation",
            "What the program conserves is conserved, in every state and in every recorded one.",
            "Chandy & Lamport 1985, section 2",
            lambda system: system.program.conserves is not None,
            on_state=_state_total,
            on_recorded=_recorded_total,
            symmetric=True,
            reducible=True,
        ),
        Property(
            "consistent-cut",
            "No accept is recorded without its send.",
            "Mattern 1989, consistent cuts",
            _cuts,
            on_completed=_crossed,
            symmetric=True,
            reducible=True,
        ),
        Property(
            "channel-exact",
            "A channel is recorded as what was sent before the cut and not accepted before it, in order.",
            "Chandy & Lamport 1985, section 3.1",
            _cuts,
            on_completed=_channels_differ,
            symmetric=True,
            reducible=True,
        ),
        Property(
            "reachable",
            "SSS is reachable from S0, and S1 from SSS, in the underlying computation.",
            "EWD864a; Chandy & Lamport 1985, theorem 1",
            _cuts,
            on_completed=_unreachable,
            symmetric=True,
            reducible=True,
        ),
        Property(
            "equivalent",
            "The run with its white actions first is a run, ends in the same state and passes through SSS.",
            "EWD864a, the exchange of successive red and white actions",
            _cuts,
            on_completed=_not_equivalent,
            symmetric=True,
            reducible=True,
        ),
        Property(
            "non-interference",
            "Each superposed step is an underlying step or none, and every underlying state stays reachable.",
            "Chandy & Lamport 1985, section 1: the snapshot must not alter the underlying computation",
            on_move=_interferes,
            positions=False,
            preserves=True,
            symmetric=True,
            reducible=True,
        ),
        Property(
            "no-new-deadlock",
            "Where nothing can happen, nothing could happen in the computation alone.",
            "superposition (Chandy & Misra 1988, chapter 7)",
            on_state=_new_deadlock,
            symmetric=True,
            reducible=True,
        ),
        Property(
            "all-red",
            "Once a snapshot has begun, every machine turns red, on every weakly fair run.",
            "EWD864a, second part",
            _cuts,
            goal=ALL_RED,
            symmetric=True,
            reducible=True,
        ),
        Property(
            "completes",
            "Once a snapshot has begun, it becomes complete, on every weakly fair run.",
            "Chandy & Lamport 1985, section 3.3",
            _snapshots,
            goal=COMPLETE,
            symmetric=True,
            reducible=True,
        ),
        Property(
            "completes-unfair",
            "Once a snapshot has begun, it becomes complete, on every maximal run, fair or not.",
            "what weak fairness is needed for",
            _snapshots,
            goal=COMPLETE,
            fair=False,
            asked=True,
            symmetric=True,
            reducible=True,
        ),
        Property(
            "stable-sound",
            "A stable predicate that holds in S0 holds in SSS, and one that holds in SSS holds in S1.",
            "Chandy & Lamport 1985, section 4",
            lambda system: _cuts(system) and bool(system.program.stable_predicates()),
            on_completed=_stable,
            symmetric=True,
        ),
        Property(
            "stability",
            "A predicate that the program calls stable stays true once it is true.",
            "Chandy & Lamport 1985, section 4: what a stable property is",
            lambda system: bool(system.program.stable_predicates()),
            on_state=_unstable,
            asked=True,
        ),
        Property(
            "snapshots-ordered",
            "Of any two snapshots in progress at once, one recorded state is reachable from the other.",
            "asked of concurrent snapshots; EWD864a's S0 ->* SSS ->* S1, with a second SSS",
            lambda system: system.protocol.snapshots > 1,
            on_state=unordered,
            asked=True,
        ),
        *RESTORE_PROPERTIES,
        *OUTPUT_PROPERTIES,
        *RECOVERY_PROPERTIES,
        *IMPLEMENTATION_PROPERTIES,
    )
}


def chosen(system: System, wanted: Sequence[str | Property] = ()) -> list[Property]:
    """The properties named or given, in the catalogue's order, `FILE.py:NAME` being one's own; if none, all that apply.

    `InputError` for an unknown one, for one that cannot apply, and for two of one name.
    """
    if not wanted:
        return [p for p in PROPERTIES.values() if p.applies(system) and not p.asked]
    found: dict[str, Property] = {}
    for one in wanted:
        judged = find_property(one)
        if not judged.applies(system):
            description = system.description.get("program"), system.description.get("protocol")
            raise InputError(
                f"property {judged.name!r} says nothing about program {description[0]} with {description[1]}"
            )
        if found.setdefault(judged.name, judged) is not judged or (
            judged.name in PROPERTIES and PROPERTIES[judged.name] is not judged
        ):
            raise InputError(f"property {judged.name!r}: two have this name; give one of them another claim or name")
    order = {name: number for number, name in enumerate(PROPERTIES)}
    return sorted(found.values(), key=lambda p: order.get(p.name, len(order)))


def find_property(one: object) -> Property:
    """The property that is named or given, `FILE.py:NAME` being one's own; `InputError` where there is none."""
    found = one if not isinstance(one, str) else own_property(one) if ".py:" in one else named(one)
    if found is None:
        near = like(str(one), PROPERTIES)
        raise InputError(f"unknown property {one!r}: {near}choose from {', '.join(PROPERTIES)}, or FILE.py:NAME")
    judged = property_of(found)
    if judged is None:
        raise InputError(f"property {found!r}: accepted are names and properties, as always('...', ...) makes them")
    return judged


def named(text: str) -> Property | None:
    """The property of the catalogue of this name, a number after a colon where it takes one."""
    return PROPERTIES.get(text) or counted(text)


def own_property(text: str) -> Property:
    """The property in a Python file of the user's, `path/to/file.py:NAME`; it is called just that, as it is named."""
    path, _, name = text.rpartition(":")
    module = load_file(path)
    found = property_of(vars(module).get(name), text)
    if found is None:
        known = [own for own, value in vars(module).items() if _is_property(value)]
        raise InputError(f"{path} has no property {name!r}; it has: {', '.join(known) or 'none'}")
    return found


def _is_property(value: object) -> bool:
    made = isinstance(value, type) and issubclass(value, Monitor) and value is not Monitor
    return made or isinstance(value, Property | Monitor)
