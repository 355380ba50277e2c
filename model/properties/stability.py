"""Stable predicates: once true, true for good; what a snapshot says of one was so at its end."""

from __future__ import annotations

from model.applying import cuts
from model.kinds import Predicates, stable_through
from model.property import Property, Reason
from model.system import State, System


def _predicates(system: System) -> Predicates:
    return system.program.stable_predicates()


def _unstable(system: System, state: State) -> Reason | None:
    view = system.view(system.project(state))
    for name, predicate in _predicates(system).items():
        if predicate(view):
            for event in system.events(state):
                if not predicate(system.view(system.project(system.step(state, event)))):
                    return {"kind": f"{name} holds here, and no longer after {event.name!r}", "predicate": name}
    return None


STABILITY_PROPERTIES = (
    Property(
        "stable-sound",
        "A stable predicate that holds in S0 holds in SSS, and one that holds in SSS holds in S1.",
        "Chandy & Lamport 1985, section 4",
        lambda system: cuts(system) and bool(_predicates(system)),
        on_completed=stable_through(_predicates),
        symmetric=True,
    ),
    Property(
        "stability",
        "A predicate that the program calls stable stays true once it is true.",
        "Chandy & Lamport 1985, section 4: what a stable property is",
        lambda system: bool(_predicates(system)),
        on_state=_unstable,
        asked=True,
    ),
)
