"""Whether superposing the protocol loses nothing of the computation, seen in the local tables alone."""

from __future__ import annotations

from checker.engines.symbolic.local_configurations import Configurations, LocalTransition
from model.action import Message
from model.program import exact_actions


def preserved(table: Configurations) -> bool:
    """Whether the table shows that every underlying state stays reachable: by runs in which no snapshot begins.

    Such a run exists if wherever the protocol has sent nothing of its own and turned nothing red, each action of the
    program has a step that is just that action. It is enough, not necessary; and only for all times so far.
    """
    table.ask()
    calm: list[dict[int, None]] = [dict.fromkeys(machine.held(0)) for machine in table.machines]
    carried: set[tuple[int, Message]] = set()
    grown = True
    while grown:
        grown = False
        for m, machine in enumerate(table.machines):
            for number in list(calm[m]):
                for transition, start in zip(machine.transitions[number], machine.start[number], strict=True):
                    if start < table.time and _calm(transition) and carried.issuperset(transition.accepts):
                        sent = set(transition.move.sends)
                        grown = grown or transition.after not in calm[m] or not sent <= carried
                        calm[m][transition.after] = None
                        carried |= sent
    return all(_every_action(table, m, number, carried) for m in range(len(calm)) for number in calm[m])


def _calm(transition: LocalTransition) -> bool:
    offered = (*transition.accepts, *transition.move.sends)
    return (
        transition.kind == "step"
        and transition.move.step.action is not None
        and not transition.move.step.turns
        and not any(message.control for _, message in offered)
    )


def _every_action(table: Configurations, m: int, number: int, carried: set[tuple[int, Message]]) -> bool:
    machine = table.machines[m]
    alternative, local = machine.locals[number]
    system = machine.systems[alternative]
    steps = {
        (transition.accepts, transition.move.step.action)
        for transition in machine.transitions[number]
        if _calm(transition)
    }
    for offer in table.offers(m, number):
        if carried.issuperset(offer):
            payloads = {channel: message.payload for channel, message in offer}
            for action in exact_actions(system.program, m, local.state, payloads):
                if (offer, action) not in steps:
                    return False
    return True
