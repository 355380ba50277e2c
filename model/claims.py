"""The words in which properties are written, the user's own as the catalogue's: each makes a `Property` of one kind.

    agree = never("both committed and aborted", lambda view: "commit" in view.machines and "abort" in view.machines)

`always`, `never`, `sometimes`: of every, no, some state. `eventually`, `leads_to`: of every weakly fair run.
`on_action`, `on_snapshot`, `on_cut`: of every action, every recorded state SSS, every S0, SSS and S1 of a completed
snapshot. `Monitor`: of every run, by a value that follows its events. Predicates are pure functions: an engine asks
each question once, or as often as it likes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable
from dataclasses import replace
from types import CellType, CodeType, FunctionType
from typing import Any

from model.action import Event, Move
from model.asking import asked, at
from model.errors import InputError
from model.kinds import ByReading, Formula, OfCut
from model.monitor import SETTLED, RunMonitor, begins
from model.program import Underlying
from model.property import CompletedSnapshot, Property, Reason
from model.system import State, System
from model.values import to_json
from model.views import Act, View, act_of, acts_of

Predicate = Callable[[View], object]
OWN = "a property of one's own"
SOUGHT = "sought"
"""A key of a reason: the run is what was looked for, and breaks nothing."""


def always(claim: str, predicate: Predicate) -> Property:
    """The predicate holds in every state of every run."""
    return _of_states(claim, predicate, True)


def never(claim: str, predicate: Predicate) -> Property:
    """The predicate holds in no state of any run."""
    return _of_states(claim, predicate, False)


def sometimes(claim: str, predicate: Predicate) -> Property:
    """The predicate holds in some state of some run; the shortest run to one is shown."""
    return _of_states(claim, predicate, False, sought=True)


def eventually(claim: str, predicate: Predicate) -> Property:
    """Every weakly fair run comes to a state in which the predicate holds."""
    return _own(claim, monitor=_Owing(claim, _Formula(claim, lambda view: True), _Formula(claim, predicate), once=True))


def leads_to(claim: str, first: Predicate, then: Predicate) -> Property:
    """On every weakly fair run a state in which `first` holds is, or is followed by, one in which `then` does."""
    return _own(claim, monitor=_Owing(claim, _Formula(claim, first), _Formula(claim, then), once=False))


def on_action(claim: str, predicate: Callable[[Act], object]) -> Property:
    """The predicate holds of every action of every machine; faults are nobody's action."""
    holds = Asked(claim, predicate)

    def on_move(system: System, move: Move) -> Reason | None:
        act = act_of(move)
        return None if holds(act) else {"kind": _broken(claim), "claim": claim, "read": act.shown()}

    return _own(claim, on_move=on_move)


def on_snapshot(claim: str, predicate: Callable[[Underlying], object]) -> Property:
    """The predicate holds of every recorded state SSS of a completed snapshot: `sss.machines[m]`, `sss.channels[c]`."""
    holds = Asked(claim, predicate)

    def on_recorded(system: System, snapshot: int, recorded: Underlying) -> Reason | None:
        return None if holds(recorded) else {"kind": _broken(claim), "claim": claim, "read": {"SSS": to_json(recorded)}}

    return _own(claim, on_recorded=on_recorded)


def on_cut(claim: str, predicate: Callable[[Underlying, Underlying, Underlying], object]) -> Property:
    """The predicate holds of S0, SSS and S1, for every completed snapshot and every state in which it is complete."""
    holds = Asked(claim, predicate)

    def why(system: System, snapshot: int, taken: CompletedSnapshot) -> Reason | None:
        start = taken.cut.start
        if start is None or holds(start, taken.recorded, taken.end):
            return None
        read = {"S0": to_json(start), "SSS": to_json(taken.recorded), "S1": to_json(taken.end)}
        return {"kind": _broken(claim), "claim": claim, "read": read}

    return _own(claim, on_completed=OfCut(why, by_states=True))


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
        """Whether something is owed: no weakly fair run may stay in such values for ever, or end in one."""
        return False


def property_of(value: object, name: str = "") -> Property | None:
    """A value of the user's as a property, called `name` if that is given; None if it is none."""
    if isinstance(value, type) and issubclass(value, Monitor):
        try:
            value = value()
        except Exception as error:
            shown = name or getattr(value, "__name__", repr(value))
            raise InputError(f"{shown}: the monitor cannot be made ({type(error).__name__}: {error})") from None
    if isinstance(value, Monitor):
        claim: object = value.claim
        if not isinstance(claim, str) or not claim:
            shown = name or type(value).__name__
            raise InputError(f"{shown}: a Monitor says what it claims, as in claim = 'between two grants a release'")
        value = _own(value.claim, monitor=_Following(value))
    if not isinstance(value, Property):
        return None
    return replace(value, name=name) if name else value


# -- how a predicate is asked --------------------------------------------------------------------------------------

TWICE, ONE_IN = 256, 64
"""The first questions are all asked twice, later ones one in so many."""


class Asked:
    """A user's function: what it raises, or that it answers the same question differently, is told by file and line."""

    def __init__(self, claim: str, function: Callable[..., object]) -> None:
        if not callable(function):
            raise InputError(f"{claim!r}: {function!r} is no predicate: give a function")
        self.claim, self.function = claim, function
        self.count = 0

    def __call__(self, *arguments: object) -> bool:
        """Its answer."""
        answer = self._ask(arguments)
        self.count += 1
        if self.count <= TWICE or self.count % ONE_IN == 0:
            again = self._ask(arguments)
            if again != answer:
                raise InputError(
                    f"{at(self.function)}: the predicate of {self.claim!r} says {answer} and {again} of the same:"
                    " it must be a pure function"
                )
        return answer

    def _ask(self, arguments: tuple[object, ...]) -> bool:
        return bool(asked(self.function, *arguments))

    def reads_begun(self) -> bool:
        """Whether it, or a function that it uses by name, reads `view.begun`, as far as their code says."""
        waiting, seen = [self.function], set[int]()
        while waiting:
            function = waiting.pop()
            code = getattr(function, "__code__", None)
            if code is None or id(code) in seen:
                continue
            seen.add(id(code))
            names = _names(code)
            if "begun" in names:
                return True
            cells = [cell.cell_contents for cell in getattr(function, "__closure__", None) or () if _full(cell)]
            used = [function.__globals__.get(name) for name in names]
            waiting += [other for other in (*cells, *used) if isinstance(other, FunctionType)]
        return False


def _names(code: CodeType) -> set[str]:
    inner = [_names(constant) for constant in code.co_consts if isinstance(constant, CodeType)]
    return set(code.co_names).union(*inner)


def _full(cell: CellType) -> bool:
    try:
        return cell.cell_contents is not None
    except ValueError:
        return False


class _Formula(Formula):
    """A predicate of a state, and of whether a snapshot has begun in the run to it."""

    def __init__(self, claim: str, predicate: Predicate) -> None:
        self.asked = Asked(claim, predicate)
        self.history = self.asked.reads_begun()

    def view(self, system: System, state: State, begun: bool | None = None) -> tuple[bool, View]:
        """The answer, and the view with what was read."""
        view = View(system, state, begun)
        return self.asked(view), view

    def __call__(self, system: System, state: State) -> tuple[bool, bool]:
        """The answers where no snapshot has begun, and where one has: the same, unless history is read."""
        if not self.history:
            answer = self.view(system, state)[0]
            return answer, answer
        return self.view(system, state, False)[0], self.view(system, state, True)[0]


# -- the kinds -----------------------------------------------------------------------------------------------------


def _of_states(claim: str, predicate: Predicate, wanted: bool, sought: bool = False) -> Property:
    formula = _Formula(claim, predicate)
    if formula.history:
        return _own(claim, monitor=_Throughout(claim, formula, wanted, sought), sought=sought)

    return _own(claim, on_state=ByReading(formula, wanted, lambda view: _reason(claim, view, sought)), sought=sought)


def _own(said: str, **parts: Any) -> Property:
    claim: object = said
    if not isinstance(claim, str) or not claim:
        raise InputError(f"claim {claim!r}: a property begins with what it claims, in words")
    name = re.sub(r"[^a-z0-9]+", "-", claim.lower()).strip("-") or "claim"
    return Property(name, claim, OWN, asked=True, positions=False, **parts)


def _broken(claim: str) -> str:
    return f"{claim!r} does not hold"


def _reason(claim: str, view: View, sought: bool) -> Reason:
    """Why a state breaks the claim, or that it is what was looked for."""
    found = {"kind": f"found: {claim!r}", SOUGHT: True} if sought else {"kind": _broken(claim)}
    return {**found, "claim": claim, "read": {name: to_json(value) for name, value in view.shown.items()}}


class OfStates(RunMonitor):
    """A monitor whose predicates may read whether a snapshot has begun: then that is part of its value."""

    sees_faults = False

    def __init__(self, claim: str, *formulas: _Formula) -> None:
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


class _Throughout(OfStates):
    """A predicate that holds, or fails, all the time. The value: (begun, broken)."""

    def __init__(self, claim: str, formula: _Formula, wanted: bool, sought: bool) -> None:
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
        return {"kind": _broken(self.claim), "claim": self.claim} if value[1] else None

    def explain(self, system: System, state: State, value: Any) -> Reason | None:
        """With the values read."""
        if not value[1]:
            return None
        return _reason(self.claim, self.formulas[0].view(system, state, value[0])[1], self.sought)


class _Owing(OfStates):
    """Once `first` holds, `then` is owed until it holds. The value: (begun, owed); if `once`, it is settled then."""

    errs = False

    def __init__(self, claim: str, first: _Formula, then: _Formula, once: bool) -> None:
        super().__init__(claim, first, then)
        self.once = once

    def start(self, observed: Any) -> Hashable:
        """At an initial state no snapshot has begun, and nothing is owed from before."""
        return self._value(False, False, observed)

    def after(self, value: Any, seen: Hashable, observed: Any) -> Hashable:
        """What was owed stays so until it is paid."""
        return self._value(value[0] or seen is True, value[1], observed)

    def _value(self, begun: bool, owed: bool, observed: Any) -> Hashable:
        first, then = observed[0][begun], observed[1][begun]
        if then and self.once:
            return SETTLED
        return begun, not then and (owed or first)

    def hot(self, value: Any) -> bool:
        """Something is owed."""
        return bool(value[1])

    def cool(self, observed: Any) -> bool:
        """Where it is paid."""
        return all(observed[1])


class _Following(RunMonitor):
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
        return {"kind": _broken(self.claim), "claim": self.claim, "read": {"value": to_json(value[1])}}

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
