"""The monitors behind the words of `model.claims`: what a claim about runs remembers of a run."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any

from model.action import Event
from model.asking import asked, at
from model.errors import InputError
from model.monitor import SETTLED, RunMonitor, begins
from model.predicates import AskedFormula
from model.property import Reason
from model.system import State, System
from model.values import to_json
from model.views import Act, View, acts_of

SOUGHT = "sought"
"""A key of a reason: the run is what was looked for, and breaks nothing."""


class Monitor:
    """A claim about runs: subclass it, with `claim`, `initial` and `next`, and `error` or `hot` or both.

    Its value must be hashable and take few values. It sees every action in turn, and faults too (`event.fault`).
    """

    claim: str = ""
    initial: Hashable = None

    def next(self, value: Any, event: Act) -> Hashable:
        """The value after the event."""
        raise NotImplementedError

    def error(self, value: Any) -> object:
        """Whether a run that has come to this value breaks the claim."""
        return False

    def hot(self, value: Any) -> object:
        """Whether an obligation is outstanding: no weakly fair run may stay in such values for ever, or end in one."""
        return False


def unmet(claim: str, of: str = "") -> Reason:
    """That the claim does not hold, of what it was asked of."""
    return {"kind": f"{claim!r} does not hold{f' of {of}' if of else ''}", "claim": claim}


def reason_of(claim: str, view: View, wanted: bool, sought: bool) -> Reason:
    """Why a state breaks the claim (it holds where it never may, if it is not `wanted`), or that it was looked for."""
    reason = unmet(claim) if wanted else {"kind": f"{claim!r} holds, as it never may", "claim": claim}
    if sought:
        reason = {"kind": f"found: {claim!r}", SOUGHT: True, "claim": claim}
    return {**reason, "read": {name: to_json(value) for name, value in view.shown.items()}}


class OfStates(RunMonitor):
    """A monitor whose predicates may read whether a snapshot has begun: then that is part of its value."""

    sees_faults = False

    def __init__(self, claim: str, *formulas: AskedFormula) -> None:
        self.claim, self.formulas = claim, formulas
        self.history = any(formula.history for formula in formulas)
        self.lasting = not self.history

    def observe(self, system: System, state: State) -> Hashable:
        """Each predicate's answers."""
        return tuple(formula(system, state) for formula in self.formulas)

    def sees(self, system: System, event: Event) -> Hashable:
        """Whether a snapshot begins, if that is asked."""
        return self.history and begins(event)

    def read(self, system: System, state: State, value: Any) -> dict[str, Any]:
        """What the predicates read of the state."""
        views = (formula.view(system, state, value[0])[1] for formula in self.formulas)
        return {name: read for view in views for name, read in view.shown.items()}


class Throughout(OfStates):
    """A predicate that holds, or fails, all the time. The value: (begun, broken)."""

    def __init__(self, claim: str, formula: AskedFormula, wanted: bool, sought: bool) -> None:
        super().__init__(claim, formula)
        self.wanted, self.sought = wanted, sought

    def start(self, observed: Any) -> Hashable:
        """At an initial state no snapshot has begun."""
        return False, observed[0][0] is not self.wanted

    def after(self, value: Any, seen: Hashable, observed: Any) -> Hashable:
        """Whether it is broken is a matter of this state and of whether a snapshot has begun."""
        begun = value[0] or seen is True
        return begun, observed[0][begun] is not self.wanted

    def error(self, value: Any) -> Reason | None:
        """Once broken."""
        return unmet(self.claim) if value[1] else None

    def explain(self, system: System, state: State, value: Any) -> Reason | None:
        """With the values read."""
        if not value[1]:
            return None
        return reason_of(self.claim, self.formulas[0].view(system, state, value[0])[1], self.wanted, self.sought)


class Outstanding(OfStates):
    """Once `first` holds, `then` is outstanding until it holds. Value: (begun, outstanding); with `once`, settled."""

    errs = False

    def __init__(self, claim: str, first: AskedFormula, then: AskedFormula, once: bool) -> None:
        super().__init__(claim, first, then)
        self.once = once

    def start(self, observed: Any) -> Hashable:
        """At an initial state no snapshot has begun, and nothing is outstanding from before."""
        return self._value(False, False, observed)

    def after(self, value: Any, seen: Hashable, observed: Any) -> Hashable:
        """What was outstanding stays so until it is met."""
        return self._value(value[0] or seen is True, value[1], observed)

    def _value(self, begun: bool, outstanding: bool, observed: Any) -> Hashable:
        first, then = observed[0][begun], observed[1][begun]
        if then and self.once:
            return SETTLED
        return begun, not then and (outstanding or first)

    def hot(self, value: Any) -> bool:
        """Something is outstanding."""
        return bool(value[1])

    def cool(self, observed: Any) -> bool:
        """Where it is met."""
        return all(observed[1])


class Following(RunMonitor):
    """A user's monitor."""

    def __init__(self, monitor: Monitor) -> None:
        self.monitor, self.claim = monitor, monitor.claim
        self._next = {}  # type: dict[Hashable, Hashable]

    def sees(self, system: System, event: Event) -> Hashable:
        """The acts of the event, as hashable values."""
        return tuple(_frozen(act) for act in acts_of(event))

    def start(self, observed: Hashable) -> Hashable:
        """Its first value."""
        return ("value", _hashable(self.claim, self.monitor.initial))

    def after(self, value: Any, seen: Any, observed: Hashable) -> Hashable:
        """What it makes of the acts, one after another."""
        own = value[1]
        for frozen in seen:
            act = frozen[0]._replace(accepts=dict(frozen[1]), sends=dict(frozen[2]))
            found, again = (self._call(self.monitor.next, own, act) for _ in range(2))
            if found != again:
                raise InputError(
                    f"{at(self.monitor.next)}: the monitor of {self.claim!r} goes from {own!r} to {found!r} and to"
                    f" {again!r} by the same event: it must be a pure function"
                )
            own = _hashable(self.claim, found)
        return ("value", own)

    def error(self, value: Any) -> Reason | None:
        """If its value is one."""
        if not self._call(self.monitor.error, value[1]):
            return None
        return {**unmet(self.claim, "the run"), "read": {"value": to_json(value[1])}}

    def read(self, system: System, state: State, value: Any) -> dict[str, Any]:
        """Its value."""
        return {"value": value[1]}

    def hot(self, value: Any) -> bool:
        """Whether its value is."""
        return bool(self._call(self.monitor.hot, value[1]))

    def _call(self, function: Callable[..., Any], *arguments: Any) -> Any:
        return asked(function, *arguments)


def _frozen(act: Act) -> tuple[Act, tuple[tuple[int, Any], ...], tuple[tuple[int, Any], ...]]:
    accepts, sends = tuple(sorted(act.accepts.items())), tuple(sorted(act.sends.items()))
    return act._replace(accepts=None, sends=None), accepts, sends  # type: ignore[arg-type]


def _hashable(claim: str, value: Any) -> Hashable:
    try:
        hash(value)
    except TypeError:
        raise InputError(f"the monitor of {claim!r}: value {value!r} is not hashable; use numbers and tuples") from None
    found: Hashable = value
    return found
